"""Finite distributions with exact weights that sum to exactly 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import comb
from typing import TypeAlias

from pfl.base.closed_form import is_closed, sign
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.parameters import Condition
from pfl.model.values import FALSE, TRUE, Value, show

Weighted: TypeAlias = tuple[Value, Number | int]


class NotADistribution(Exception):
    """Weights that are no distribution."""


class NegativeWeight(NotADistribution):
    """A value has a weight below 0."""

    def __init__(self, value: Value, weight: Number) -> None:
        self.value, self.weight = value, weight
        super().__init__(f"`{show(value)}` has the weight {show(weight)}")


class TotalNotOne(NotADistribution):
    """The weights sum to `total`; with parameters, for some of their values at least."""

    def __init__(self, total: Number, weights: tuple[tuple[Value, Number], ...]) -> None:
        self.total, self.weights = total, weights
        super().__init__(f"the weights sum to {show(total)}")


class DistributionValue:
    """A finite map from values to positive weights that sum to exactly 1; equal values in `weighted` add.

    Values are kept in order of first mention; weights that are 0 are left out. Raises `NegativeWeight` or
    `TotalNotOne`. With parameters the sum must be 1 as an identity, and `conditions` says what must hold of the
    parameters for no weight to be negative; a caller who knows simpler ones that imply it gives them.
    """

    __slots__ = ("_weights", "conditions")

    conditions: tuple[Condition, ...]

    def __init__(self, weighted: Iterable[Weighted], conditions: tuple[Condition, ...] | None = None) -> None:
        weights: dict[Value, Number] = {}
        for value, weight in weighted:
            exact = Fraction(weight) if isinstance(weight, int) else weight
            weights[value] = weights[value] + exact if value in weights else exact
        needed = []
        for value, weight in weights.items():
            if is_closed(weight):
                if sign(weight) < 0:
                    raise NegativeWeight(value, weight)
            elif isinstance(weight, RationalFunction):
                needed.append(not_negative(weight, f"the weight {weight} of `{show(value)}` is at least 0"))
            elif weight < 0:
                raise NegativeWeight(value, weight)
        total = sum(weights.values(), Fraction(0))
        if total != 1:
            raise TotalNotOne(total, tuple(weights.items()))
        self._weights = {value: weight for value, weight in weights.items() if weight}
        self.conditions = tuple(needed) if conditions is None else conditions

    def items(self) -> Iterable[tuple[Value, Number]]:
        """The values of the support with their weights."""
        return self._weights.items()

    @property
    def support(self) -> tuple[Value, ...]:
        """The values of positive weight, in the order in which they were given."""
        return tuple(self._weights)

    def weight(self, value: Value) -> Number:
        """The probability of a value; 0 outside the support."""
        return self._weights.get(value, Fraction(0))

    def map(self, function: Callable[[Value], Value]) -> DistributionValue:
        """The distribution of function(x)."""
        return DistributionValue(((function(value), weight) for value, weight in self.items()), self.conditions)

    def bind(self, kernel: Callable[[Value], DistributionValue]) -> DistributionValue:
        """The mixture of kernel(x), x drawn from this distribution."""
        parts = [(weight, kernel(value)) for value, weight in self.items()]
        conditions = dict.fromkeys((*self.conditions, *(c for _, part in parts for c in part.conditions)))
        return DistributionValue(
            ((value, outer * inner) for outer, part in parts for value, inner in part.items()), tuple(conditions)
        )

    def __iter__(self) -> Iterator[Value]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DistributionValue):
            return NotImplemented
        return self._weights == other._weights

    def __hash__(self) -> int:
        return hash(frozenset(self._weights.items()))

    def __str__(self) -> str:
        entries = ", ".join(f"{show(value)}: {show(weight)}" for value, weight in self.items())
        return f"{{ {entries} }}"

    def __repr__(self) -> str:
        return f"DistributionValue({self})"


def not_negative(number: RationalFunction, text: str) -> Condition:
    """The condition that a quotient n/d of polynomials is at least 0: -n d <= 0, or -n <= 0 where d is constant."""
    polynomial = number.numerator.to_number()
    if not number.is_polynomial:  # a constant denominator is positive
        polynomial = polynomial * number.denominator.to_number()
    return Condition(polynomial=-polynomial, relation="<=", text=text)


def point(value: Value) -> DistributionValue:
    """All weight on one value."""
    return DistributionValue(((value, Fraction(1)),))


def uniform(values: Iterable[Value]) -> DistributionValue:
    """Equal weight on each of the values given; equal values add. Raises ValueError where there is none."""
    given = tuple(values)
    if not given:
        raise ValueError("there is no uniform distribution on the empty set")
    return DistributionValue((value, Fraction(1, len(given))) for value in given)


def bernoulli(probability: Number | int) -> DistributionValue:
    """`true` with the probability given. Raises NegativeWeight where it lies outside 0..1."""
    return DistributionValue(((TRUE, probability), (FALSE, 1 - probability)))


def binomial(trials: int, probability: Number | int) -> DistributionValue:
    """The number of successes: C(n, k) p^k (1-p)^(n-k), n >= 0. Raises NegativeWeight where p lies outside 0..1."""
    chances = bernoulli(probability)
    success, failure = chances.weight(TRUE), chances.weight(FALSE)
    return DistributionValue(
        ((k, comb(trials, k) * success**k * failure ** (trials - k)) for k in range(trials + 1)), chances.conditions
    )
