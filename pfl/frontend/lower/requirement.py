"""What a check says of a number: `equals`, `at least`, `at most`."""

from __future__ import annotations

from pfl.frontend.lower.request import Request, Setting
from pfl.ir.chain_questions import Requirement


def requirement_of(request: Request, setting: Setting) -> Requirement | None:
    """What the claim requires of its number under one binding of `for`; None for a compute."""
    compiler = setting.compiler
    if (node := request.value("equals")) is not None:
        return Requirement(relation="equals", number=compiler.number(node)())
    if (node := request.value("at least")) is not None:
        return Requirement(relation="at least", number=compiler.number(node)())
    if (node := request.value("at most")) is not None:
        return Requirement(relation="at most", number=compiler.number(node)())
    return None
