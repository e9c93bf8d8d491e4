"""The largest ln(P/Q)/x over bounded intervals of x, enclosed by branch and bound with balls."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Any

from pfl.analysis.exponential.evaluation import enclose
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.budget import Budget
from pfl.base.enclosure import ln

Pair = tuple[ExponentialPolynomial, ExponentialPolynomial]

_TOLERANCE = Fraction(1, 10**6)
_BITS = 192
_POINT_BITS = 80
_MOST_PIECES = 50_000


def multiple_at(pair: Pair, x: Fraction) -> Fraction:
    """A rational just below ln(P(x)/Q(x))/x, for x > 0 where both are positive."""
    above, below = (enclose(each, x, _POINT_BITS) for each in pair)
    return _rounded_down(ln(above.low / below.high, _POINT_BITS).low / x)


def _rounded_down(value: Fraction) -> Fraction:
    return Fraction(value.numerator * (1 << 48) // value.denominator, 1 << 48)


def largest_multiple(
    areas: Sequence[tuple[Pair, Fraction, Fraction]], known: Fraction, budget: Budget
) -> tuple[Fraction, Fraction] | None:
    """Bounds, 10^-6 apart relatively, of the largest of `known` and the ln(P/Q)/x of all pairs on their intervals.

    The piece whose upper bound is largest is halved until that bound is near to a value that is attained. None if this
    takes too many pieces. An interval is [low, high] with low > 0.
    """
    from flint import arb, ctx, fmpq

    order = count()
    queue: list[tuple[float, int, _Ratio, Fraction, Fraction, Fraction | None]] = []
    for pair, low, high in areas:
        queue.append((float("-inf"), next(order), _Ratio(pair), low, high, None))
    heapq.heapify(queue)
    with ctx.workprec(_BITS):
        while queue:
            _, number, ratio, low, high, bound = queue[0]
            budget.check(f"{number} pieces of the ratio are bounded")
            if bound is not None and bound <= known + _tolerance(known):
                return known, max(known, bound)
            if number > _MOST_PIECES:
                return None
            heapq.heappop(queue)
            middle = (low + high) / 2
            value = ratio.value(arb(fmpq(middle.numerator, middle.denominator)))
            if value is not None:
                known = max(known, _rounded_down(_exact(value.lower())))
            for left, right in ((low, middle), (middle, high)):
                upper = ratio.upper(left, right)
                key = float("-inf") if upper is None else -float(upper)
                heapq.heappush(queue, (key, next(order), ratio, left, right, upper))
    return known, known


def _tolerance(known: Fraction) -> Fraction:
    return abs(known) * _TOLERANCE or _TOLERANCE


class _Ratio:
    """ln(P/Q)/x with balls of arb."""

    def __init__(self, pair: Pair) -> None:
        self._above, self._below = (_Logarithm(each) for each in pair)

    def value(self, x: Any) -> Any:
        """A ball with the values on a ball x; None if P or Q is not seen to be positive."""
        above, below = self._above.value(x), self._below.value(x)
        return None if above is None or below is None else (above - below) / x

    def upper(self, low: Fraction, high: Fraction) -> Fraction | None:
        """A rational that is at least the values on [low, high], in mean value form; None if there is none.

        The derivative is (P'/P - Q'/Q - ln(P/Q)/x)/x.
        """
        from flint import arb, fmpq

        left, right = (arb(fmpq(end.numerator, end.denominator)) for end in (low, high))
        x, middle = left.union(right), (left + right) / 2
        value, centre = self.value(x), self.value(middle)
        if value is None or centre is None:
            return None
        slope = (self._above.slope(x) - self._below.slope(x) - value) / x
        best = _exact(value.upper())
        by_slope = centre + slope * (x - middle)
        if by_slope.is_finite():
            best = min(best, _exact(by_slope.upper()))
        return -_rounded_down(-best)


class _Logarithm:
    """ln g and its derivative, for a positive g."""

    def __init__(self, g: ExponentialPolynomial) -> None:
        self._rows, self._least = _rows(g)
        slope = g.derivative()
        self._slope_rows, self._slope_least = _rows(slope)
        self._denominator, self._slope_denominator = g.denominator, slope.denominator

    def value(self, x: Any) -> Any:
        """A ball; None unless g is seen to be positive."""
        from flint import arb

        total = _value(self._rows, x)
        return total.log() + self._least * x - arb(self._denominator).log() if total > 0 else None

    def slope(self, x: Any) -> Any:
        """g'/g, where g is seen to be positive."""
        quotient = _value(self._slope_rows, x) / _value(self._rows, x) * self._denominator / self._slope_denominator
        return quotient * ((self._slope_least - self._least) * x).exp()


def _rows(g: ExponentialPolynomial) -> tuple[list[Any], int]:
    """Polynomials in e^x, those of higher powers of x last, and the exponent of e^x by which all are to be multiplied,
    of denominator times g."""
    from flint import fmpz_poly

    least, most = g.rates
    rows = [[0] * (most - least + 1) for _ in range(1 + max((power for power, _ in g.terms), default=0))]
    for (power, rate), value in g.terms.items():
        rows[power][rate - least] = value
    return [fmpz_poly(row) for row in rows], least


def _value(rows: Sequence[Any], x: Any) -> Any:
    from flint import arb

    base, total = x.exp(), arb(0)
    for row in reversed(rows):
        total = total * x + row(base)
    return total


def _exact(number: Any) -> Fraction:
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
