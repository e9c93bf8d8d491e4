"""Numbers of a claim as polynomials over common denominators, each worked out once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from pfl.base.number import Number
from pfl.verify.certificates.exact.polynomials import Poly, Powers, Quotient, common_multiple


class CommonDenominators:
    """What two numbers are above a denominator that both have."""

    def __init__(self, read: Callable[[Number], Quotient]) -> None:
        """`read` gives a number as a quotient; what it raises goes on to whoever asks."""
        self._read = read
        self._quotients: dict[Number, Quotient] = {}
        self._denominators: dict[frozenset[tuple[Powers, Fraction]], Poly] = {}
        self._multiples: dict[tuple[int, int], Poly] = {}
        self._above: dict[tuple[Number, int], Poly] = {}

    def of(self, left: Number, right: Number) -> tuple[Poly, Poly, Poly]:
        """(p, q, m) with left = p/m and right = q/m."""
        one, other = self._quotient(left).below, self._quotient(right).below
        key = id(one), id(other)
        if key not in self._multiples:
            self._multiples[key] = self._same(common_multiple(one, other))
        common = self._multiples[key]
        return self._over(left, common), self._over(right, common), common

    def _quotient(self, number: Number) -> Quotient:
        if number not in self._quotients:
            found = self._read(number)
            self._quotients[number] = Quotient(above=found.above, below=self._same(found.below))
        return self._quotients[number]

    def _same(self, denominator: Poly) -> Poly:
        """The first of the polynomials that are one; so each is one object, which is kept."""
        return self._denominators.setdefault(frozenset(denominator.terms.items()), denominator)

    def _over(self, number: Number, common: Poly) -> Poly:
        key = number, id(common)
        if key not in self._above:
            quotient = self._quotient(number)
            share = common.over(quotient.below)
            assert share is not None, "a common multiple is a multiple"
            self._above[key] = quotient.above * share
        return self._above[key]
