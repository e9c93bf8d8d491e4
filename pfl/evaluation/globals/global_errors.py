"""Faults of constants, parameters, settings and assumptions, as diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import Exponential
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.evaluation.faults import brief
from pfl.model.parameters import Condition, HalfLine, Parameter
from pfl.model.values import Value, show
from pfl.syntax.tree.ast import Node
from pfl.syntax.tree.ast_declarations import Const, Param


def limit_reached(reason: str, place: Span) -> Diagnostic:
    return Diagnostic(code=codes.LIMIT_REACHED, message=reason, labels=(Label(place),))


def compiler_failed(what: str, fault: str, place: Span) -> Diagnostic:
    """A fault of the compiler that costs no more than what stands at `place`."""
    return Diagnostic(
        code=codes.INTERNAL_ERROR,
        message=f"the compiler has failed on {what}: {fault}",
        labels=(Label(place, "nothing is known of this; all else is judged"),),
        help="this is a fault of pflc, not of the model; please report it together with the model",
        notes=("`--debug`, or PFLC_DEBUG=1, shows the traceback",),
    )


def unknown_setting(name: str, file: str, suggestion: str | None, known: Sequence[str]) -> Diagnostic:
    if suggestion is not None:
        advice = f"did you mean `{suggestion}`?"
    elif known:
        advice = f"this model can set {', '.join(f'`{other}`' for other in known)}"
    else:
        advice = "only a `const` or a `param` can be set, and this model declares none"
    return Diagnostic(
        code=codes.UNKNOWN_SETTING,
        message=f"`--set {name}=...` names neither a const nor a param of the model",
        file=file,
        help=advice,
    )


def setting_does_not_fit(declaration: Const | Param, value: Fraction, wanted: str) -> Diagnostic:
    name = declaration.name
    return Diagnostic(
        code=codes.SETTING_DOES_NOT_FIT,
        message=f"`--set {name.text}={fraction_text(value)}` does not fit: {wanted}",
        labels=(Label(name.span, f"`{name.text}` is declared here"),),
    )


def empty_interval(declaration: Param, low: Fraction, high: Fraction) -> Diagnostic:
    name = declaration.name.text
    reason = "the low end is above the high end" if low > high else "a single point needs both ends closed"
    return Diagnostic(
        code=codes.EMPTY_INTERVAL,
        message=f"the interval of `{name}` has no values",
        labels=(Label(declaration.low.span.to((declaration.high or declaration.low).span), reason),),
        help="an end belongs to the interval at a square bracket, and does not at a round one",
    )


def interval_depends_on_parameter(declaration: Param, end: Span, value: Value) -> Diagnostic:
    return Diagnostic(
        code=codes.DEPENDS_ON_PARAMETER,
        message=f"the interval of `{declaration.name.text}` depends on another parameter",
        labels=(Label(end, f"this is {show(value)}"),),
        help="give the interval constant ends, and relate the parameters by an `assume`",
    )


def not_an_assumption(node: Node, reason: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NOT_AN_ASSUMPTION,
        message=f"`{brief(node.span.text)}` is no condition on the parameters that can be assumed",
        labels=(Label(node.span, reason),),
        help="an assumption is made of comparisons, joined by `and`, `or`, `not`, `=>`, `if`, `forall` and `exists`",
    )


def assumption_violated(node: Node, settings: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code=codes.ASSUMPTION_VIOLATED,
        message=f"the assumption `{brief(node.span.text)}` is false",
        labels=(Label(node.span, "this never holds"),),
        notes=(f"set on the command line: {', '.join(settings)}",) if settings else (),
        help="every claim would hold of nothing; change the constants or the assumption",
    )


def assumed_of_endless(node: Node, name: str) -> Diagnostic:
    return Diagnostic(
        code=codes.INTERVAL_WITHOUT_END,
        message=f"an assumption is about `{name}`, which is not bounded by numbers",
        labels=(Label(node.span, "assumptions are polynomial conditions on parameters in bounded intervals"),),
        help="write what is meant into the interval: `param eps in (0, 2];`",
    )


def too_many_alternatives(node: Node, limit: int) -> Diagnostic:
    return Diagnostic(
        code=codes.NOT_AN_ASSUMPTION,
        message=f"this assumption has more than {limit} clauses in conjunctive form",
        labels=(Label(node.span, "mixes `and` and `or` too deeply"),),
        help="split it into several assumptions",
    )


def unmet_side_condition(
    code: codes.Code, condition: Condition, place: Span, values: Sequence[str], *, may_assume: bool
) -> Diagnostic:
    """`values` are those at which it fails; `may_assume` is whether assumptions about its parameters are used."""
    where = ", ".join(values)
    return Diagnostic(
        code=code,
        message=f"for {where} it does not hold that {condition.text}",
        labels=(Label(place, f"needs it for all values of {condition_parameters(condition)}"),),
        help="narrow the interval of a `param`" + (", or add an `assume`" if may_assume else ""),
    )


def condition_parameters(condition: Condition) -> str:
    """The parameters of a condition, for a message."""
    number = condition.polynomial
    mentioned = number.parameters if isinstance(number, RationalFunction) else ()
    held = ((name, Exponential.of(name)) for name in mentioned)
    names = dict.fromkeys(name if exponential is None else exponential.base for name, exponential in held)
    return " and ".join(f"`{name}`" for name in names)


def interval_text(parameter: Parameter | HalfLine) -> str:
    """`(0, 1)`."""
    return str(parameter).partition(" in ")[2]
