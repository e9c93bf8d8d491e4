"""Faults of statements that show only on the reachable states, or when a body is lowered."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.model.program import Costs
from pfl.syntax.tree.ast import Expr, Identifier
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.syntax.tree.ast_statements import Assert, Receive


def no_return(declaration: MechanismDecl) -> Diagnostic:
    end = declaration.span.end
    return Diagnostic(
        code=codes.NO_RETURN,
        message=f"a run of `{declaration.name.text}` comes to its closing brace without a `return`",
        labels=(
            Label(Span(declaration.span.file, end - 1, end), "the run ends here, and has no result"),
            Label(declaration.name.span, "declared with a result"),
        ),
        help="return a value on every path",
    )


def assert_failed(statement: Assert) -> Diagnostic:
    return Diagnostic(
        code=codes.ASSERT_FAILED,
        message=f"`{_line(statement.condition.span.text)}` does not hold",
        labels=(Label(statement.condition.span, "this is false on a state that can be reached"),),
    )


def read_before_value(variable: Identifier, place: Span, *, is_input: bool) -> Diagnostic:
    """`is_input` if it is an input of a mechanism, to which a prior gives a value."""
    return Diagnostic(
        code=codes.READ_BEFORE_VALUE,
        message=f"`{variable.text}` is read before it has a value",
        labels=(Label(place, "read here"), Label(variable.span, "declared without a value")),
        help=(
            f"start it before what depends on it: `start {variable.text} = ..;`"
            if is_input
            else f"give it a value where it is declared: `{variable.text} = ..`"
        ),
    )


def may_not_end(what: str, place: Span) -> Diagnostic:
    """`what` is the block whose result is needed: "the `step` of `Walk`"."""
    return Diagnostic(
        code=codes.MAY_NOT_END,
        message=f"{what} may run for ever",
        labels=(Label(place, "its result is needed before anything else can happen"),),
        help="a loop must be left with probability 1 from every state in which it is entered",
    )


def start_incomplete(prior: Identifier, variable: Identifier) -> Diagnostic:
    return Diagnostic(
        code=codes.START_UNKNOWN,
        message=f"prior `{prior.text}` may leave `{variable.text}`, or a part of it, without a value",
        labels=(Label(prior.span, "on some of its ways"), Label(variable.span, "needs a value to start with")),
        help=f"set every part of it on every way: `start {variable.text} = ..;`",
    )


def received_type_varies(statement: Receive) -> Diagnostic:
    return Diagnostic(
        code=codes.RECEIVED_TYPE_VARIES,
        message=f"the type of `{statement.name.text}` depends on the run",
        labels=(Label(statement.type.span, "an adversary must know from which values to choose"),),
        help="use a type of constants, and of parameters that a claim gives a value to",
    )


def mechanism_varies(callee: Expr) -> Diagnostic:
    return Diagnostic(
        code=codes.MECHANISM_VARIES,
        message=f"which mechanism `{_line(callee.span.text)}` is, and so what it emits, is known only while it runs",
        labels=(Label(callee.span, "must be known before the run"),),
        help="choose with `if` or `match` between calls of mechanisms that are named",
    )


def cost_not_counted(value: Span, spent: Span, costs: Costs) -> Diagnostic:
    what = "a cost" if costs == "ticks" else "the turns of a loop"
    return Diagnostic(
        code=codes.COST_NOT_COUNTED,
        message=f"`{_line(value.text)}` is drawn from as a distribution, which hides {what}",
        labels=(Label(value, "drawn at once, without costs"), Label(spent, "would cost something")),
        help="draw the result of the call alone, so that it runs step by step: `let x ~ f(..);`",
    )


def _line(text: str) -> str:
    return " ".join(text.split())
