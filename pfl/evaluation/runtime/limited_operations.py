"""Operations that need to know how far to count, or that ask something of the parameters; and the names of all.

Evaluation that is counted: what loops go through, and calls of functions that lead to further work.

What is not counted is bounded by what is: a short loop over little, and a function without loops and calls of its own,
cost no more than a constant for each time that they are come to.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from types import MappingProxyType
from typing import Any

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.evaluation import faults
from pfl.evaluation.fragment import SideConditions
from pfl.evaluation.runtime import number_operations, operations
from pfl.evaluation.runtime.noise_operations import Exponents, logarithm
from pfl.evaluation.runtime.number_operations import LARGEST_BITS, LARGEST_FUNCTION, WORD, is_bearable
from pfl.model import distribution
from pfl.model.cardinality import enumerate_domain, iterates_in_order
from pfl.model.cardinality import size as size_of_domain
from pfl.model.distribution import DistributionValue, NegativeWeight
from pfl.model.domain import ArrayDomain, BagDomain, Domain, RangeDomain, RecordDomain
from pfl.model.noise import Sample
from pfl.model.parameters import Condition
from pfl.model.values import FALSE, TRUE, Bag, RecordValue, Value, in_order, show

STEPS_BETWEEN_CHECKS = 256

FEW = 64
"""A loop over no more than this that is known at compile time, and contains no loop and no call, is not counted."""


class Meter:
    """Spends a budget, in stretches of `STEPS_BETWEEN_CHECKS`."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._left = STEPS_BETWEEN_CHECKS

    def counted_loop(self, values: Sequence[Value], place: Span) -> Iterable[Value]:
        """What a loop goes through. Raises LimitReached, now or in the midst of it."""
        if len(values) > STEPS_BETWEEN_CHECKS:
            return chain.from_iterable(self._parts(values, place))
        self._left -= len(values)
        if self._left < 0:
            self._spend(place)
        return values

    def counted_call(self, place: Span) -> None:
        """A function was called. Raises LimitReached."""
        self._left -= 1
        if self._left < 0:
            self._spend(place)

    def _parts(self, values: Sequence[Value], place: Span) -> Iterator[Sequence[Value]]:
        for first in range(0, len(values), STEPS_BETWEEN_CHECKS):
            self._left -= STEPS_BETWEEN_CHECKS
            self._spend(place)
            yield values[first : first + STEPS_BETWEEN_CHECKS]

    def _spend(self, place: Span) -> None:
        spent = STEPS_BETWEEN_CHECKS - self._left
        self._left = STEPS_BETWEEN_CHECKS
        try:
            self._budget.spend(spent)
        except LimitReached as limit:
            raise faults.evaluation_too_long(place, limit.reason) from None


LARGEST_BINOMIAL = 1 << 28
"""Bits that the weights of a binomial distribution may have together."""

_SMALL_EXPONENT = 64


class Limited:
    """The operations that need to know how far to count, or that ask something of the parameters."""

    def __init__(
        self, budget: Budget, side_conditions: SideConditions, units: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        self.limit = budget.max_states
        self.side_conditions = side_conditions
        exponents = Exponents(units, side_conditions)
        self.exp, self.laplace, self.exponential = exponents.exp, exponents.laplace, exponents.exponential
        self.two_sided_geometric, self.geometric = exponents.two_sided_geometric, exponents.geometric
        self.logarithm = logarithm
        self.gaussian, self.discrete_gaussian = exponents.gaussian, exponents.discrete_gaussian
        self._divisors: dict[RationalFunction, Condition] = {}
        meter = Meter(budget)
        self.counted_loop, self.counted_call = meter.counted_loop, meter.counted_call

    def divide(self, dividend: Any, divisor: Any, place: Span) -> Number:
        """`dividend / divisor`, exactly. Where the divisor depends on parameters, that it is not 0 is a condition."""
        if isinstance(divisor, RationalFunction):
            if divisor not in self._divisors:
                self._divisors[divisor] = _not_zero(divisor)
            self.side_conditions.add(self._divisors[divisor], place)
        elif not divisor:
            raise faults.division_by_zero(place, dividend)
        quotient: Number = (Fraction(dividend) if isinstance(dividend, int) else dividend) / divisor
        if not is_bearable(quotient):
            raise faults.number_too_large(place, "this quotient")
        return quotient

    def power(self, base: Any, exponent: int, place: Span) -> Any:
        """`base ^ exponent`; an int where both are and the exponent is not negative."""
        exponent = int(exponent)
        if exponent < 0 and not base:
            raise faults.negative_power_of_zero(place, exponent)
        if isinstance(base, Sample):
            return base**exponent
        if isinstance(base, RationalFunction):
            if exponent < 0:
                self.side_conditions.add(_not_zero(base), place)
            if base.bits_of_power(abs(exponent)) > LARGEST_FUNCTION:
                raise faults.number_too_large(place, f"`{show(base)}` to the power {exponent}")
        elif _bits(base) * abs(exponent) > LARGEST_BITS:
            raise faults.number_too_large(place, f"`{faults.shown(base)}` to the power {faults.shown(exponent)}")
        return base**exponent if exponent >= 0 or not isinstance(base, int) else Fraction(base) ** exponent

    def whole_power(self, base: int, exponent: int, place: Span) -> int:
        """The power of an int where an int is wanted: the exponent must not be negative."""
        if -WORD < base < WORD and 0 <= exponent <= _SMALL_EXPONENT:
            return int(base**exponent)
        if exponent < 0:
            raise faults.negative_exponent(place, base, exponent)
        return int(self.power(base, exponent, place))

    def span(self, low: Any, high: Any, place: Span) -> range:
        """`low..high` as a range to go through."""
        low, high = int(low), int(high)
        if high - low >= self.limit:
            self.members(RangeDomain(low, high), place)
        return range(low, high + 1)

    def members(self, domain: Domain, place: Span) -> tuple[Value, ...]:
        """The values of a type, to go through in the order of all sets."""
        try:
            values = enumerate_domain(domain, self.limit)
        except LimitReached as limit:
            raise faults.domain_too_large(place, limit.reason, size_of_domain(domain)) from None
        return values if iterates_in_order(domain) else tuple(in_order(values))

    def empty_of(self, domain: Domain, place: Span) -> Value:
        """`empty` of a type: an array of empties, the empty set, the empty bag."""
        match domain:
            case ArrayDomain(length=length, element=element):
                if length > self.limit:
                    raise faults.domain_too_large(place, f"an array of type `{domain}` has {length:,} elements", length)
                return (self.empty_of(element, place),) * length
            case RecordDomain(shape=shape, fields=fields):
                return RecordValue(shape, tuple(self.empty_of(element, place) for element in fields))
            case BagDomain():
                return Bag()
            case _:
                return frozenset()

    def cardinality(self, domain: Domain, place: Span) -> int:
        """`size(T)`: how many values a type has."""
        counted = size_of_domain(domain)
        if counted is None:
            raise faults.number_too_large(place, f"the number of values of `{domain}`")
        return counted

    def uniform(self, values: Iterable[Value], place: Span) -> DistributionValue:
        """`uniform(S)`: the elements of an array or a bag count as often as they occur."""
        given = tuple(values)
        if not given:
            raise faults.uniform_of_nothing(place)
        return distribution.uniform(given)

    def binomial(self, trials: Any, probability: Any, place: Span) -> DistributionValue:
        """`binomial(n, p)`."""
        if trials < 0:
            raise faults.negative_size(place, trials, "number of trials")
        if _bits_of_binomial(int(trials), probability) > LARGEST_BINOMIAL:
            raise faults.number_too_large(place, f"a binomial distribution of {faults.shown(trials)} trials")
        try:
            return distribution.binomial(int(trials), probability)
        except NegativeWeight:
            raise faults.not_a_probability(place, probability, "binomial") from None


def _bits(number: int | Fraction) -> int:
    """Bits that each factor adds to a power, at most; 0 for 0, 1 and -1."""
    whole = max(abs(number.numerator), number.denominator)
    return (whole - 1).bit_length() if whole else 0


def _bits_of_binomial(trials: int, probability: Number | int) -> int:
    """Roughly how many bits the weights have together."""
    if isinstance(probability, RationalFunction):
        return (trials + 1) * probability.bits_of_power(trials)
    return (trials + 1) * trials * (1 + _bits(probability))


def _not_zero(number: RationalFunction) -> Condition:
    return Condition(polynomial=number.numerator.to_number(), relation="!=", text=f"the divisor {number} is not 0")


def namespace_of(limited: Limited) -> dict[str, Any]:
    """The names by which generated code knows the operations."""
    functions = (*number_operations.OPERATIONS, *operations.OPERATIONS)
    return {
        "_TRUE": TRUE,
        "_FALSE": FALSE,
        "_bag": Bag.of,
        "_EvaluationFault": faults.EvaluationFault,
        "_in_call": faults.in_call,
        **{f"_{function.__name__}": function for function in functions},
        **{f"_{name}": getattr(limited, name) for name in _LIMITED},
        **{f"_{name}": getattr(builtins, name) for name in _PYTHON},
    }


_LIMITED = (
    *("divide", "power", "whole_power", "span", "members", "empty_of", "cardinality", "uniform", "binomial"),
    *("counted_loop", "counted_call"),
    *("exp", "logarithm", "laplace", "exponential", "two_sided_geometric", "geometric"),
    *("gaussian", "discrete_gaussian"),
)
_PYTHON = ("all", "any", "sum", "len", "tuple", "frozenset", "abs", "min", "max")
