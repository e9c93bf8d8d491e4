"""Rational bounds of e^x, by the Taylor series with its remainder."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from pfl.analysis.exponential.certificate_reading import TooLarge

_LARGEST = 1 << 16
_BITS = (64, 256)
"""Precisions with which a bound is compared."""


@lru_cache(maxsize=512)
def exponential_bounds(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around e^x, relatively about 2^-bits apart; raises `Wrong` for an x that is too large."""
    if abs(x) > _LARGEST:
        raise TooLarge("an exponent is too large to check")
    if x < 0:
        low, high = exponential_bounds(-x, bits)
        return 1 / high, 1 / low
    if not x:
        return Fraction(1), Fraction(1)
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)  # x / 2^halvings <= 1/2
    precision = bits + halvings + 16
    unit = 1 << precision
    least, most = _small(x / (1 << halvings), unit)
    for _ in range(halvings):
        least, most = least * least >> precision, -(-most * most >> precision)
    return Fraction(least, unit), Fraction(most, unit)


def _small(x: Fraction, unit: int) -> tuple[int, int]:
    """Bounds of e^x in units, for 0 < x <= 1/2: the terms, rounded down and up; those after the first that is at most
    one unit, rounded up, add up to less than it."""
    low_x, high_x = x.numerator * unit // x.denominator, -(-x.numerator * unit // x.denominator)
    low, high, low_term, high_term, n = 0, 0, unit, unit, 0
    while high_term > 1:
        low, high, n = low + low_term, high + high_term, n + 1
        low_term = low_term * low_x // (unit * n)
        high_term = -(-high_term * high_x // (unit * n))
    return low, high + 2 * high_term


def is_at_most_exponential(value: Fraction, x: Fraction) -> bool:
    """Whether value <= e^x is seen to be true."""
    return any(value <= exponential_bounds(x, bits)[0] for bits in _BITS)


def is_at_least_exponential(value: Fraction, x: Fraction) -> bool:
    """Whether value >= e^x is seen to be true."""
    return any(value >= exponential_bounds(x, bits)[1] for bits in _BITS)
