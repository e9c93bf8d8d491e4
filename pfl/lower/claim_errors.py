"""Faults of claims that show only once their numbers are known, and limits and warnings that several kinds share."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.model.values import show
from pfl.syntax.tree.ast_declarations import MechanismDecl


def how_many(count: int) -> str:
    """A number in digits, or roughly where it has many."""
    return f"{count:,}" if count < 10**15 else f"more than 10^{(count.bit_length() - 1) * 3 // 10}"


def nothing_ranged_over(place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.NOTHING_RANGED_OVER,
        message="a claim ranges over no values at all",
        labels=(Label(place, "this set is empty, or becomes so"),),
        help="a claim about nothing would hold trivially; check the range",
    )


def length_zero(place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.LENGTH_ZERO,
        message="with length 0 nothing is observed, so the claim holds whatever the system does",
        labels=(Label(place, "no observation is made"),),
    )


def wrong_length(place: Span, length: str) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_LENGTH,
        message=f"a length of {length} makes no sense",
        labels=(Label(place, "lengths count observations"),),
        help="give a whole number that is not negative, a range such as `1..12`, or `any`",
    )


def varies_with_for(place: Span, keyword: str) -> Diagnostic:
    return Diagnostic(
        code=codes.VARIES_WITH_FOR,
        message=f"the {keyword} of this check differs between the values of its `for` variables",
        labels=(Label(place, "not the same for all of them"),),
        help="write one check for each, or compute `epsilon`, which gives a value for each",
    )


def negative_epsilon(place: Span, epsilon: str) -> Diagnostic:
    return Diagnostic(
        code=codes.NEGATIVE_EPSILON,
        message=f"epsilon is negative: {epsilon}",
        labels=(Label(place, "no system satisfies this, since the ratios of all words cannot be below 1"),),
        help="epsilon is 0 or more",
    )


def epsilon_never_fits(place: Span, epsilon: Epsilon, parameters: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code=codes.NEGATIVE_EPSILON,
        message=f"epsilon is negative for all values of {_listed(parameters)}: {epsilon}",
        labels=(Label(place, "no system satisfies this, since the ratios of all words cannot be below 1"),),
        help="epsilon is 0 or more; perhaps a sign is missing, or the logarithm is upside down",
    )


def delta_never_fits(place: Span, delta: Number, what: str, parameters: Sequence[str]) -> Diagnostic:
    """`what` says where it is no probability."""
    return Diagnostic(
        code=codes.DELTA_OUT_OF_RANGE,
        message=f"delta is {show(delta)}, which is {what}",
        labels=(Label(place, "delta lies in 0..1"),),
        help=f"write another delta, or narrow the interval of {_listed(parameters)}",
    )


def _listed(parameters: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in parameters)


def delta_out_of_range(place: Span, delta: Number) -> Diagnostic:
    return Diagnostic(
        code=codes.DELTA_OUT_OF_RANGE,
        message=f"delta is {show(delta)}, which is not a probability",
        labels=(Label(place, "delta lies in 0..1"),),
    )


def negative_moves(place: Span, moves: int) -> Diagnostic:
    return Diagnostic(
        code=codes.NEGATIVE_MOVES,
        message=f"`within` is {moves}, and a number of moves cannot be negative",
        labels=(Label(place, f"this is {moves}"),),
        help="`within 0` looks at the start alone",
    )


def negative_limit(place: Span, limit: int) -> Diagnostic:
    return Diagnostic(
        code=codes.WRONG_CLAUSE_VALUE,
        message=f"at most {limit} received pairs may differ, and a number of pairs cannot be negative",
        labels=(Label(place, f"this is {limit}"),),
    )


def endless_runs(declaration: MechanismDecl, start: str, *, is_compared: bool) -> Diagnostic:
    """A warning about runs from some inputs, if any are named; where runs are compared, one without end is a result."""
    name = declaration.name.text
    compared = "never ending is compared as an outcome of its own, `never`"
    measured = "a run without end has no result, and its costs are infinite"
    return Diagnostic(
        code=codes.NEVER_ENDS,
        message=f"`{name}` runs for ever with positive probability" + (f" from {start}" if start else ""),
        labels=(Label(declaration.name.span, compared if is_compared else measured),),
    )


def real_numbers_shown(declaration: MechanismDecl, asked: str, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.SAMPLE_MISUSED,
        message=f"`{declaration.name.text}` shows samples of noise, of which {asked} is not computed",
        labels=(Label(place),),
        help="show in which bin a number lies: `if noisy < 0 then 0 else if noisy < 1 then 1 else 2`",
    )


def told_of_part(name: str, states: int) -> str:
    """What is said where so many states alone were explored."""
    return (
        f"`{name}` has very many states, or no end of them: a run that leaves the first {states:,} may end in any way"
    )
