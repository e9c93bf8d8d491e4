"""Assumptions that no values of the parameters satisfy."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.ir.parameters import ParameterSpace


def contradictory_assumptions(space: ParameterSpace) -> Diagnostic:
    """No parameter value satisfies all assumptions."""
    texts = " and ".join(" or ".join(c.text for c in alternatives) for alternatives in space.assumptions)
    ranges = ", ".join(map(str, space.parameters))
    return Diagnostic(
        code=codes.CONTRADICTORY_ASSUMPTIONS,
        message=f"no values of the parameters satisfy the assumptions: {texts}",
        notes=(f"the parameters: {ranges}",),
        help="every claim would hold of nothing; weaken an `assume`, or widen a `param`",
    )
