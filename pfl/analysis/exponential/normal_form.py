"""What the search works on: an exponential polynomial as rows of integers, freed of factors that are positive."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval

_MOST_WORK = 1 << 36
"""Additions for moving all rows of a polynomial once, times binary digits of what is added."""

_DIGITS = 64
"""Binary digits that come with a power of y in a cell."""


MOST_POWER = 2000
"""Of x; larger ones are not decided."""


class NormalForm:
    """sum of rows[i][k] t^i y^k, y = e^t, with t = scale x: it has the sign of g(x) for every x > 0.

    Neither t nor y divides it, and the exponents k have no common factor. `low` and `high` (None for infinity) are the
    ends of the interval of t. Raises ValueError for g = 0.
    """

    def __init__(self, g: ExponentialPolynomial, low: Fraction, high: Fraction | None) -> None:
        if not g:
            raise ValueError("the polynomial 0 has no normal form")
        least_rate = min(rate for _, rate in g.terms)
        least_power = min(power for power, _ in g.terms)
        self.scale = gcd(*(rate - least_rate for _, rate in g.terms)) or 1
        self.degree = max(power for power, _ in g.terms) - least_power
        self.terms: dict[tuple[int, int], int] = {}
        for (power, rate), value in g.terms.items():
            place = (power - least_power, (rate - least_rate) // self.scale)
            self.terms[place] = value * self.scale ** (self.degree - place[0])
        self.rate = max(rate for _, rate in self.terms)
        self.low = low * self.scale
        self.high = None if high is None else high * self.scale

    @classmethod
    def on(cls, g: ExponentialPolynomial, interval: Interval) -> NormalForm:
        """The normal form on an interval."""
        return cls(g, interval.low, interval.high)

    @property
    def is_dense(self) -> bool:
        """Whether its rows can be written out; what is not so is left to the rules that look at terms."""
        return self._work(1) <= _MOST_WORK

    @property
    def is_small(self) -> bool:
        """Whether it can be bounded on cells."""
        return self._work(_DIGITS) <= _MOST_WORK

    def _work(self, digits: int) -> int:
        size = self.rate + self.degree + 1
        most = max(value.bit_length() for value in self.terms.values())
        return (self.degree + 1) * size**2 * (most + size * digits)

    @cached_property
    def rows(self) -> list[Any]:
        """The coefficient of t^i, for every i, as a polynomial in y of flint."""
        from flint import fmpz_poly

        rows = [[0] * (self.rate + 1) for _ in range(self.degree + 1)]
        for (power, rate), value in self.terms.items():
            rows[power][rate] = value
        return [fmpz_poly(row) for row in rows]

    @cached_property
    def leading_sign(self) -> int:
        """The sign for all large t."""
        rate, power = max((rate, power) for power, rate in self.terms)
        return 1 if self.terms[power, rate] > 0 else -1

    def negated(self) -> NormalForm:
        """The same for -g."""
        other = NormalForm.__new__(NormalForm)
        other.scale, other.degree, other.rate = self.scale, self.degree, self.rate
        other.low, other.high = self.low, self.high
        other.terms = {each: -value for each, value in self.terms.items()}
        return other

    def polynomial(self) -> ExponentialPolynomial:
        """It as a function of t."""
        return ExponentialPolynomial(self.terms)
