"""Whether the numbers of a claim hold exponentials, and of which parameter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.exponential import ONE, FinerUnit
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.evaluation.globals.exponents import Held, exponential_space, held
from pfl.evaluation.linkage import GlobalValues
from pfl.model.claims import Case, mentioned_in_cases, mentioned_in_deltas_alone
from pfl.model.compare import Compare
from pfl.model.parameters import ExponentialSpace, names_in


def exponents_of(cases: Sequence[Case], values: GlobalValues, place: Span) -> ExponentialSpace | None:
    """The parameter and its exponential that the numbers of a claim are functions of; None where they hold none.

    Raises InputRejected where they are functions of others besides, or of a parameter that may be 0 or less, and where
    an assumption narrows it; FinerUnit where excesses over e^epsilon are no functions of what the numbers hold.
    """
    found = held(mentioned_in_cases(cases), values)
    if ONE in found.bases and len(found.bases) > 1:
        # Other powers of e than those of the parameter may stand in bounds, which engines enclose.
        found = held(mentioned_in_cases(cases) - mentioned_in_deltas_alone(cases), values)
    if not found.bases:
        return None
    if len(found.bases) > 1 or found.others:
        raise InputRejected([_several(found, place)])
    (base,) = found.bases
    if base == ONE and found.unit % (unit := _unit_of_bounds(cases)):
        raise FinerUnit(ONE, lcm(found.unit, unit))
    space = exponential_space(base, values, found.unit)
    if values.space.relevant_to(frozenset([base])).assumptions:
        raise InputRejected([_assumed(base, place)])
    if space.low < 0:
        raise InputRejected([_negative(base, space, place)])
    return space


def _unit_of_bounds(cases: Sequence[Case]) -> int:
    """What the exponents of e^epsilon are multiples of where a delta is told or asked for."""
    asked = [case.question for case in cases if isinstance(case.question, Compare)]
    tables = [table for question in asked if question.goal == "delta" or question.delta for table in question.tables]
    return lcm(*(table.epsilon.constant.denominator for table in tables if table.epsilon is not None))


def refuse_find(space: ExponentialSpace, place: Span) -> InputRejected:
    """What is said of a find whose claim is about the numbers of a space."""
    what = f"of `{space.base}`" if space.base != ONE else "of numbers"
    return InputRejected(
        [
            Diagnostic(
                code=codes.FIND_WITH_EXPONENTIALS,
                message=f"the claim holds exponentials {what}, and values for such a claim are not looked for",
                labels=(Label(place),),
                help="`compute epsilon` finds the smallest multiple; or try values: "
                + (f"`--set {space.base}=1/2`" if space.base != ONE else "`const` in place of `param`"),
            )
        ]
    )


def plain_divisors(divisors: Iterable[Number], values: GlobalValues, place: Span, budget: Budget) -> tuple[Number, ...]:
    """The divisors that hold no exponentials; of the others, raises as `require_no_zero` where one may be 0.

    Numbers of a claim may hold none though some are divided by on the way to them.
    """
    plain: list[Number] = []
    for divisor in dict.fromkeys(divisors):
        found = held(names_in(divisor), values)
        if not found.bases:
            plain.append(divisor)
        elif len(found.bases) > 1 or found.others:
            raise InputRejected([_several(found, place)])
        elif found.bases != (ONE,):  # a number that holds powers of e alone is not 0
            require_no_zero([divisor], exponential_space(found.bases[0], values, found.unit), place, budget)
    return tuple(plain)


def require_no_zero(divisors: Iterable[Number], space: ExponentialSpace, place: Span, budget: Budget) -> None:
    """Raise InputRejected where something is divided by a number that may be 0 for some value of the parameter."""
    mentioned = [each for each in divisors if set(names_in(each)) & set(space.names)]
    if not mentioned:
        return
    from pfl.analysis.exponential.functions import Functions  # needed with exponentials only

    zero = Functions(space, budget).vanishing(mentioned)
    if zero is not None:
        raise InputRejected([_divided_by_zero(zero, space, place)])


def _divided_by_zero(divisor: Number, space: ExponentialSpace, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.POLE_FOR_PARAMETERS,
        message=f"for some {space}, `{divisor}` may be 0, by which something is divided",
        labels=(Label(place, "needs it to be another number for all of them"),),
        help=f"narrow the interval of `{space.base}`, or fix it with `--set`",
    )


def _several(found: Held, place: Span) -> Diagnostic:
    named = " and ".join("constants" if base == ONE else f"`{base}`" for base in found.bases)
    beside = f", and depend on {' and '.join(f'`{name}`' for name in found.others)}" if found.others else ""
    others = [name for name in (*found.bases, *found.others) if name != ONE]
    given = " ".join(f"--set {name}=.." for name in others[1:] or others)
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"the numbers of this claim hold exponentials of {named}{beside}",
        labels=(Label(place, "with exponentials there can be one parameter only"),),
        help=f"fix parameters: {given}; or write what is meant as multiples of one",
    )


def _assumed(base: str, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"an assumption is about `{base}`, of which this claim holds exponentials",
        labels=(Label(place),),
        help=f"write what is assumed into the interval: `param {base} in (0, 2];`",
    )


def _negative(base: str, space: ExponentialSpace, place: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.NOISE_PARAMETER,
        message=f"`{base}` may be negative: {space}",
        labels=(Label(place, "this claim holds exponentials of it, or noise whose scale it divides"),),
        help=f"let it begin at 0: `param {base} in (0, inf);`",
    )
