"""What a text holds of a claim at the values of its parameters at which it is judged apart."""

from __future__ import annotations

from pfl.base.diagnostics import LimitReached
from pfl.base.struct import struct
from pfl.model.claims import Claim
from pfl.model.parameters import Condition


@struct(eq=False)
class Apart:
    """The claim under each of some equations between its parameters: what `Claim.anew` gives where they hold.

    `pfl.passes.equations.askable` makes something of it that can be called.
    """

    claims: tuple[tuple[Condition, Claim], ...]

    def __call__(self, name: str, equation: Condition, seconds: float | None) -> Claim:  # noqa: ARG002
        """See `CompileAnew`. Raises LimitReached for other equations."""
        for held, claim in self.claims:
            if held.polynomial == equation.polynomial:
                return claim
        raise LimitReached(f"the text of the model does not hold what `{name}` is where {equation.text}")
