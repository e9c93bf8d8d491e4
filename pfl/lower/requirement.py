"""What a check says of a number: `equals`, `at least`, `at most`.

Faults of claims about chains that show only once their numbers are known.
"""

from __future__ import annotations

from pfl.base import codes
from pfl.base.budget import larger_limit
from pfl.base.diagnostics import Diagnostic, Label, LimitReached
from pfl.base.source import Span
from pfl.lower.request import Request, Setting
from pfl.model.measure import Requirement
from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_declarations import MechanismDecl


def requirement_of(request: Request, setting: Setting) -> Requirement | None:
    """What the claim requires of its number under one binding of `for`; None for a compute, and of a distribution."""
    if request.claim.kind.text == "distribution":
        return None
    compiler = setting.compiler
    if (node := request.value("equals")) is not None:
        return Requirement(relation="equals", number=compiler.number(node)())
    if (node := request.value("at least")) is not None:
        return Requirement(relation="at least", number=compiler.number(node)())
    if (node := request.value("at most")) is not None:
        return Requirement(relation="at most", number=compiler.number(node)())
    return None


def endless_states(place: Span, variable: Identifier) -> Diagnostic:
    return Diagnostic(
        code=codes.ENDLESS_STARTS,
        message=f"`{variable.text}` has infinitely many values, so there are infinitely many states to start in",
        labels=(Label(place, "ranges over all states"), Label(variable.span, "give it a range such as `0..9`")),
        help="or name the starts as a distribution: `from { .. }`",
    )


def too_many_starts(place: Span, system: str, count: int, limit: int) -> LimitReached:
    many = f"{count:,}" if count < 10**15 else f"more than 10^{(count.bit_length() - 1) * 3 // 10}"
    reason = (
        f"`{system}` has {many} states to start in, and no more than {limit:,} are gone through; give its variables"
        f" smaller types, or name the starts as a distribution{larger_limit(count)}"
    )
    label = Label(place, "ranges over all states")
    return LimitReached(reason, Diagnostic(code=codes.TOO_MANY_STATES, message=reason, labels=(label,)))


def no_such_start(place: Span, system: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NO_SUCH_START,
        message=f"no state of `{system}` satisfies this `from`",
        labels=(Label(place, "so there is nowhere to start"),),
        help="a claim about nothing would hold trivially; check the condition, or the types of the state variables",
    )


def nothing_ranged_over(place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.NOTHING_RANGED_OVER,
        message="a claim ranges over no values at all",
        labels=(Label(place, "this set is empty, or becomes so"),),
        help="a claim about nothing would hold trivially; check the range",
    )


def may_run_for_ever(declaration: MechanismDecl, start: str) -> Diagnostic:
    name = declaration.name.text
    return Diagnostic(
        code=codes.NEVER_ENDS,
        message=f"`{name}` runs for ever with positive probability" + (f" from {start}" if start else ""),
        labels=(Label(declaration.name.span, "a run without end has no result, and its costs are infinite"),),
    )


def negative_moves(place: Span, moves: int) -> Diagnostic:
    return Diagnostic(
        code=codes.NEGATIVE_MOVES,
        message=f"`within` is {moves}, and a number of moves cannot be negative",
        labels=(Label(place, f"this is {moves}"),),
        help="`within 0` looks at the start alone",
    )
