"""Functions of an integer sample as lists of balls. Source: docs/theory/gaussian.md."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

from pfl.analysis.enclosed.precision import Precision, ball
from pfl.base.struct import struct


@struct(eq=False)
class Stretch:
    """The integers from low to high, and the precision."""

    low: int
    high: int
    precision: Precision


class IntegerValues:
    """A function of an integer, enclosed: `values` are balls that hold what it is at each integer of the stretch, and
    it is `left` and `right` outside of it."""

    __slots__ = ("_left", "_right", "_stretch", "_values")

    def __init__(self, stretch: Stretch, left: Any, values: Sequence[Any], right: Any) -> None:
        self._stretch, self._left, self._values, self._right = stretch, left, values, right

    @staticmethod
    def one(stretch: Stretch) -> IntegerValues:
        """1 everywhere."""
        from flint import arb

        return IntegerValues(stretch, arb(1), [arb(1)] * (stretch.high - stretch.low + 1), arb(1))

    @staticmethod
    def density(stretch: Stretch, mean: int, deviation: Fraction) -> IntegerValues:
        """The mass function of a sample in its window, which is part of the stretch, and 0 outside of it."""
        from flint import arb

        precision = stretch.precision
        reach, twice = precision.whole_reach(deviation), ball(2 * deviation**2)
        powers = [(-arb(k * k) / twice).exp() for k in range(reach + 1)]
        inside = powers[0] + 2 * sum(powers[1:], arb(0))
        tail = precision.whole_tail(deviation).upper()
        whole = inside + (tail + arb(0, 1) * tail) / 2
        values = [
            powers[abs(k - mean)] / whole if abs(k - mean) <= reach else arb(0)
            for k in range(stretch.low, stretch.high + 1)
        ]
        return IntegerValues(stretch, arb(0), values, arb(0))

    def cut(self, low: Fraction | None, high: Fraction | None) -> IntegerValues:
        """The function from low to high, which are in the stretch, and 0 elsewhere."""
        from flint import arb

        values = [
            value if (low is None or low <= k) and (high is None or k <= high) else arb(0)
            for k, value in enumerate(self._values, self._stretch.low)
        ]
        left, right = (self._left if low is None else arb(0)), (self._right if high is None else arb(0))
        return IntegerValues(self._stretch, left, values, right)

    def times(self, other: IntegerValues) -> IntegerValues:
        """The product with a function on the same stretch."""
        values = [a * b for a, b in zip(self._values, other._values)]
        return IntegerValues(self._stretch, self._left * other._left, values, self._right * other._right)

    def plus(self, other: IntegerValues, factor: Any) -> IntegerValues:
        """self + factor * other."""
        values = [a + factor * b for a, b in zip(self._values, other._values)]
        left, right = (a + factor * b for a, b in ((self._left, other._left), (self._right, other._right)))
        return IntegerValues(self._stretch, left, values, right)

    def up_to(self) -> IntegerValues:
        """The sum up to each integer; raises ValueError where the function is not 0 left of the stretch."""
        from flint import arb

        if not self._left.is_zero():
            raise ValueError("the function does not decay to the left")
        values = list(accumulate(self._values))
        return IntegerValues(self._stretch, arb(0), values, values[-1])

    def total(self) -> Any:
        """A ball that holds the sum; raises ValueError where the function is not 0 outside of the stretch."""
        from flint import arb

        if not (self._left.is_zero() and self._right.is_zero()):
            raise ValueError("the function does not decay")
        return sum(self._values, arb(0))
