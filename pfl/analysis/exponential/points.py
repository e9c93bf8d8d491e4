"""Rational points that are simple to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain

from pfl.analysis.exponential.polynomial import Interval
from pfl.analysis.polynomial.real_roots import simplest_between

_BETWEEN = [
    *[Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3), Fraction(1, 3), Fraction(3, 2), Fraction(2, 3)],
    *[Fraction(4), Fraction(1, 4), Fraction(3, 4), Fraction(5), Fraction(5, 2), Fraction(6), Fraction(1, 5)],
    *[Fraction(8), Fraction(1, 8), Fraction(7, 2), Fraction(7)],
]
_OUTSIDE = [*map(Fraction, (10, 16, 20, 32, 64)), Fraction(1, 10), Fraction(1, 16), Fraction(1, 32)]


def simple_points(interval: Interval) -> Iterator[Fraction]:
    """Points of the interval at which to look first, the simplest first; those from 1/8 to 8 before others."""
    found = [x for x in chain(_BETWEEN, _OUTSIDE) if x in interval]
    yield from found
    low, high = interval.low, interval.high
    if len(found) < 6 and low > 0 and high is None:
        yield from (low + x for x in _BETWEEN)
    elif len(found) < 6 and high is not None:
        steps = 8
        for step in range(steps):
            yield simplest_between(low + (high - low) * step / steps, low + (high - low) * (step + 1) / steps)


def simplest_near(x: Fraction, holds: Callable[[Fraction], bool]) -> Fraction:
    """A point near x, where something holds, at which it holds too, as simple as is easily found."""
    width, best = x / 2**40, x
    while width < x:
        candidate = simplest_between(x - width, x + width)
        if candidate.denominator < best.denominator or candidate == best:
            if not holds(candidate):
                break
            best = candidate
        width *= 2
    return best
