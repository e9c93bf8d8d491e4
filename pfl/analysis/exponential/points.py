"""Rational points that are simple to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain

from pfl.analysis.exponential.polynomial import Interval
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.struct import struct

_BETWEEN = [
    *[Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3), Fraction(1, 3), Fraction(3, 2), Fraction(2, 3)],
    *[Fraction(4), Fraction(1, 4), Fraction(3, 4), Fraction(5), Fraction(5, 2), Fraction(6), Fraction(1, 5)],
    *[Fraction(8), Fraction(1, 8), Fraction(7, 2), Fraction(7)],
]
_OUTSIDE = [*map(Fraction, (10, 16, 20, 32, 64)), Fraction(1, 10), Fraction(1, 16), Fraction(1, 32)]

_ENOUGH = 6
"""Simple points in an interval; where there are fewer, others are looked at."""

_PARTS = 8


@struct(kw_only=False)
class Points:
    """The points of an interval; those are simple to read that are simple multiples of a unit > 0."""

    interval: Interval
    unit: Fraction

    def __contains__(self, x: Fraction) -> bool:
        return x in self.interval

    def simple(self) -> Iterator[Fraction]:
        """Points at which to look first, the simplest first; those from 1/8 to 8 units before others."""
        found = [x for x in (self.unit * each for each in chain(_BETWEEN, _OUTSIDE)) if x in self.interval]
        yield from found
        low, high = self.interval.low, self.interval.high
        if len(found) >= _ENOUGH:
            return
        if high is None:
            yield from (low + self.unit * each for each in _BETWEEN)
        else:
            width = (high - low) / _PARTS
            for part in range(_PARTS):
                yield self._simplest_between(low + width * part, low + width * (part + 1))

    def simplest_near(self, x: Fraction, holds: Callable[[Fraction], bool]) -> Fraction:
        """A point near x > 0, at which something holds, with fewer digits, at which it holds too."""
        width, best = x / 2**40, x
        while width < x:
            candidate = self._simplest_between(x - width, x + width)
            if (candidate / self.unit).denominator < (best / self.unit).denominator:
                if candidate not in self.interval or not holds(candidate):
                    break
                best = candidate
            width *= 2
        return best

    def _simplest_between(self, low: Fraction, high: Fraction) -> Fraction:
        return self.unit * simplest_between(low / self.unit, high / self.unit)
