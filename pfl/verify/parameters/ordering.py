"""The order of computed quantities: constants, infinity, intervals, and functions of the parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.polynomial.points import Found, find_point
from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Bound, Quantity
from pfl.model.measure import Requirement
from pfl.model.parameters import Condition, ExponentialSpace, Space

Extended: TypeAlias = Fraction | float
"""A rational, or infinity as a float."""


def limits(quantity: Quantity | Bound) -> tuple[Extended, Extended]:
    """The smallest and the largest value that a quantity without parameters, or a ratio, may have; ValueError with
    parameters."""
    match quantity:
        case Enclosure(low=low, high=high):
            return low, high
        case Bound(ratio=None, lower=lower, upper=upper):
            return _extended(lower, Fraction(0)), _extended(upper, math.inf)
        case Bound(ratio=ratio):
            return _extended(ratio, math.inf), _extended(ratio, math.inf)
        case RationalFunction():
            raise ValueError(f"{quantity} depends on parameters")
        case _:
            return _extended(quantity, math.inf), _extended(quantity, math.inf)


def _extended(value: Fraction | str | None, absent: Extended) -> Extended:
    if value is None:
        return absent
    return value if isinstance(value, Fraction) else math.inf


def largest_of(quantities: Sequence[Quantity | Bound], space: Space, budget: Budget) -> int | None:
    """The position of a largest quantity; None where it depends on the parameters, or is not known, which it is.

    Of intervals, the one whose lower end is highest.
    """
    return _first_of_all(quantities, space, budget, sign=1)


def smallest_of(quantities: Sequence[Quantity | Bound], space: Space, budget: Budget) -> int | None:
    """The position of a smallest quantity; of intervals, the one whose upper end is lowest."""
    return _first_of_all(quantities, space, budget, sign=-1)


def _first_of_all(
    quantities: Sequence[Quantity | Bound], space: Space, budget: Budget, sign: Literal[1, -1]
) -> int | None:
    if not any(isinstance(quantity, RationalFunction) for quantity in quantities):
        certain = [limits(quantity)[0 if sign > 0 else 1] for quantity in quantities]
        return certain.index(max(certain) if sign > 0 else min(certain))
    numbers = [_number(quantity) for quantity in quantities]
    infinite = [position for position, number in enumerate(numbers) if number is None]
    if infinite and sign > 0:
        return infinite[0]
    first: dict[Number, int] = {}
    for position, number in enumerate(numbers):
        if number is not None:
            first.setdefault(number, position)
    best, *others = first
    for other in others:
        if not _never_below(sign * best, sign * other, space, budget):
            best = other
    if all(_never_below(sign * best, sign * other, space, budget) for other in first):
        return first[best]
    return None


def _number(quantity: Quantity | Bound) -> Number | None:
    """A quantity beside functions of parameters: a number, or None for infinity."""
    if isinstance(quantity, Fraction | RationalFunction):
        return quantity
    low, high = limits(quantity)
    assert low == high == math.inf, "functions of parameters are not compared with intervals"
    return None


def _never_below(left: Number, right: Number, space: Space, budget: Budget) -> bool:
    """Whether left >= right at all values of the parameters."""
    return where(left - right, "<", space, budget) is None


def where(number: Number, relation: Literal["<", "!="], space: Space, budget: Budget) -> Found:
    """Values of the parameters at which a number is below 0, or not 0; None proves that there are none."""
    if isinstance(space, ExponentialSpace):
        return _where_exponential(number, relation, space, budget)
    if isinstance(number, RationalFunction) and not number.is_polynomial:
        above, below = number.numerator.to_number(), number.denominator.to_number()
        number = above if relation == "!=" else above * below
    from pfl.engines.parametric.side_conditions import Nlsat  # needed with parameters only

    return find_point(space.restricted(Condition(polynomial=number, relation=relation, text="")), budget, Nlsat())


def _where_exponential(number: Number, relation: Literal["<", "!="], space: ExponentialSpace, budget: Budget) -> Found:
    """The same, of a number that is a function of a parameter and its exponential."""
    from pfl.analysis.exponential.decide import NegativeAt, NonNegative  # needed with exponentials only
    from pfl.analysis.exponential.functions import DenominatorUnknown, Functions

    if not number:
        return None
    try:
        functions = Functions(space, budget)
        for sign in (1, -1) if relation == "!=" else (1,):
            match functions.is_at_most(Fraction(0), number * sign):
                case NegativeAt(point=point):
                    return {} if space.base == ONE else {space.base: functions.value(point)}
                case NonNegative() if relation == "<":
                    return None
                case _:
                    continue
    except DenominatorUnknown:
        pass
    return "unknown"


def violation(value: Quantity, required: Requirement, space: Space, budget: Budget) -> Found:
    """Values of the parameters at which a quantity is not as required, no values if it never is; None proves that it is
    as required, and `unknown` says that neither is certain."""
    number = required.number
    match value:
        case Enclosure():
            return _violation_within(value, required)
        case str():
            return None if required.holds(value) else {}
        case Fraction() if isinstance(number, Fraction):
            return None if required.holds(value) else {}
        case _:
            match required.relation:
                case "equals":
                    return where(value - number, "!=", space, budget)
                case "at least":
                    return where(value - number, "<", space, budget)
                case "at most":
                    return where(number - value, "<", space, budget)


def _violation_within(interval: Enclosure, required: Requirement) -> Found:
    if not isinstance(required.number, Fraction):
        return "unknown"
    ends = [required.holds(interval.low), required.holds(interval.high)]
    if required.relation == "equals":
        return {} if not interval.low <= required.number <= interval.high else "unknown"
    return "unknown" if ends[0] != ends[1] else None if ends[0] else {}
