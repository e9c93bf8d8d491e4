"""The values that a certificate states of the states of a chain, and whether they satisfy the equation of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from pfl.model.markov_chain import MarkovChain
from pfl.verify.certificates.certificate_format import whole_parts
from pfl.verify.certificates.exact.numbers import Exact, ExactNumbers, same


class Column(ABC):
    """One value a state, 0 unless said otherwise; where costs count, the equations are x = sum of p (cost + x')."""

    @abstractmethod
    def state(self, state: int, entry: Any) -> None:
        """Takes the value of a state from a certificate. Raises Malformed."""

    @abstractmethod
    def put_one(self, state: int) -> None:
        """Makes the value of a state 1."""

    @abstractmethod
    def at(self, state: int) -> Exact:
        """The value of a state, times the common denominator."""

    @abstractmethod
    def is_balanced(self, state: int) -> bool:
        """Whether the value of a state is the mean of those that it leads to."""


class RationalColumn(Column):
    """Values that are constants, in integers: not reduced, and each equation has a denominator of its own."""

    def __init__(self, chain: MarkovChain, weights: Sequence[Fraction], costs: Sequence[Fraction] | None) -> None:
        self._chain = chain
        self._above = [0] * chain.size
        self._below = [1] * chain.size
        self._weights = [(weight.numerator, weight.denominator) for weight in weights]
        self._costs = None if costs is None else [(cost.numerator, cost.denominator) for cost in costs]

    def state(self, state: int, entry: Any) -> None:
        self._above[state], self._below[state] = whole_parts(entry, f"the value of state {state}")

    def put_one(self, state: int) -> None:
        self._above[state] = 1

    def at(self, state: int) -> Fraction:
        return Fraction(self._above[state], self._below[state])

    def is_balanced(self, state: int) -> bool:
        chain, above, below = self._chain, self._above, self._below
        tops, bottoms = [], []
        for edge in range(chain.offsets[state], chain.offsets[state + 1]):
            target = chain.targets[edge]
            top, bottom = above[target], below[target]
            if self._costs is not None and chain.costs is not None:
                cost, unit = self._costs[chain.costs[edge]]
                if cost:
                    top, bottom = top * unit + cost * bottom, bottom * unit
            if not top:
                continue
            times, share = self._weights[chain.weights[edge]]
            tops.append(top * times)
            bottoms.append(bottom * share)
        if len(tops) == 1:
            return tops[0] * below[state] == above[state] * bottoms[0]
        common = lcm(*bottoms)
        total = sum(top * (common // bottom) for top, bottom in zip(tops, bottoms))
        return total * below[state] == above[state] * common


class PolynomialColumn(Column):
    """Values that are polynomials over a common denominator."""

    def __init__(self, chain: MarkovChain, numbers: ExactNumbers, denominator: Exact, *, counts_costs: bool) -> None:
        self._chain, self._numbers, self._denominator = chain, numbers, denominator
        self._weights, self._weight_scale = numbers.scaled(chain.weight_table)
        self._costs, self._cost_scale = numbers.scaled(chain.cost_table if counts_costs else ())
        self._counts_costs = counts_costs and chain.costs is not None
        self._values: dict[int, Exact] = {}

    def state(self, state: int, entry: Any) -> None:
        self._values[state] = self._numbers.stated(entry, f"the value of state {state}")

    def put_one(self, state: int) -> None:
        self._values[state] = self._denominator

    def at(self, state: int) -> Exact:
        return self._values.get(state, self._numbers.zero)

    def is_balanced(self, state: int) -> bool:
        chain, total = self._chain, self._numbers.zero
        for edge in chain.row(state):
            value = self.at(chain.targets[edge]) * self._cost_scale
            if self._counts_costs and chain.costs is not None:
                value = value + self._costs[chain.costs[edge]] * self._denominator
            total = total + self._weights[chain.weights[edge]] * value
        return same(total, self.at(state) * (self._weight_scale * self._cost_scale))
