"""The vectors x M_w for x = Pr(right) left - c Pr(left) right, in polynomials, by rational arithmetic alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.compare import Direction
from pfl.verify.certificates.exact.numbers import ExactNumbers
from pfl.verify.certificates.exact.polynomials import Poly
from pfl.verify.certificates.exact.region import Region

Entries: TypeAlias = dict[int, Poly]
"""The entries of a vector that are not 0, by state."""


class ParametricVectors:
    """The vectors of one direction of a comparison for c = above / below, each times a function that is positive
    wherever the numbers are defined. Whoever computes with them may raise LimitReached."""

    def __init__(self, direction: Direction, region: Region, above: Poly, below: Poly, budget: Budget) -> None:
        self._direction, self._region, self._budget = direction, region, budget
        self._above, self._below = above, below
        self._numbers = ExactNumbers(region=region, with_parameters=True)
        self._system = direction.comparison.system
        self._matrices: list[list[list[tuple[int, Poly]]] | None] = [None] * len(self._system.letters)

    def start(self) -> Entries:
        """A positive multiple of left - bound * right, each side times the other's weight."""
        above, below = self._direction.above, self._direction.below
        numbers = self._positive([above.weight, below.weight, *above.vector, *below.vector])
        weights, entries = numbers[:2], numbers[2:]
        left, right = entries[: self._system.size], entries[self._system.size :]
        # The bound is a quotient, whose denominator may be negative: everything is multiplied by it twice.
        over, under = self._above * self._below, self._below * self._below
        found = {}
        for state, (one, other) in enumerate(zip(left, right)):
            if not one.is_zero or not other.is_zero:
                found[state] = under * one * weights[1] - over * other * weights[0]
        return _shortest(found)

    def _positive(self, numbers: Sequence[Number]) -> list[Poly]:
        """The numbers times one factor that makes them polynomials, and is positive wherever they are defined."""
        found, factor = self._numbers.scaled(numbers)
        if not self._region.is_never_positive(-factor):
            return [number * factor for number in found]
        return found

    def after(self, vector: Entries, letter: int) -> Entries:
        """The vector times the matrix of a letter."""
        self._budget.check("vectors of a proof were computed")
        matrix = self._matrix(letter)
        found: Entries = {}
        for state, entry in vector.items():
            for target, weight in matrix[state]:
                share = entry * weight
                found[target] = found[target] + share if target in found else share
        return _shortest(found)

    def _matrix(self, letter: int) -> list[list[tuple[int, Poly]]]:
        known = self._matrices[letter]
        if known is None:
            rows = self._system.matrices[letter]
            numbers = self._positive([weight for row in rows for _, weight in row])
            waiting = iter(numbers)
            known = [[(target, next(waiting)) for target, _ in row] for row in rows]
            self._matrices[letter] = known
        return known

    def mass(self, vector: Entries) -> Poly:
        """Its entries with the final weights of their states, added up."""
        total = Poly({})
        if self._system.final is None:
            for entry in vector.values():
                total = total + entry
            return total
        final = self._positive(self._system.final)
        for state, entry in vector.items():
            total = total + entry * final[state]
        return total


def _shortest(vector: Entries) -> Entries:
    """The vector times a positive number, so that its coefficients are the shortest integers."""
    kept = {state: entry for state, entry in vector.items() if not entry.is_zero}
    coefficients = [coefficient for entry in kept.values() for coefficient in entry.terms.values()]
    if not coefficients:
        return {}
    scale = lcm(*(each.denominator for each in coefficients))
    factor = Fraction(scale, gcd(*(int(each * scale) for each in coefficients)))
    return {
        state: Poly({powers: coefficient * factor for powers, coefficient in entry.terms.items()})
        for state, entry in kept.items()
    }
