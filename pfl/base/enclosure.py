"""Certified enclosures of logarithms and exponentials of rationals, and decimals that are right in every digit.

Everything is integer arithmetic on fixed-point numbers with counted rounding errors. Proof: docs/theory/epsilon.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from pfl.base.diagnostics import LimitReached
from pfl.base.exact_text import integer_text
from pfl.base.struct import struct

_LONGEST_POWER = 1 << 28
"""Bits of the longest power of e that is written out."""


@struct(kw_only=False)
class Enclosure:
    """A real number that lies in [low, high]."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low + other.low, self.high + other.high)

    def scaled(self, factor: Fraction) -> Enclosure:
        """factor times the number."""
        low, high = factor * self.low, factor * self.high
        return Enclosure(min(low, high), max(low, high))


@lru_cache(maxsize=256)
def ln(argument: Fraction, bits: int) -> Enclosure:
    """An interval of width at most 2^-bits that holds the natural logarithm; raises ValueError unless argument > 0.

    ln(2^k m) = k ln 2 + 2 atanh((m - 1)/(m + 1)) with m in (2/3, 4/3], and ln 2 = 2 atanh(1/3).
    """
    if argument <= 0:
        raise ValueError(f"the logarithm of {argument} is not a real number")
    doublings = argument.numerator.bit_length() - argument.denominator.bit_length()
    mantissa = argument / _power_of_two(doublings)
    if mantissa > Fraction(4, 3):
        doublings, mantissa = doublings + 1, mantissa / 2
    if mantissa <= Fraction(2, 3):
        doublings, mantissa = doublings - 1, mantissa * 2
    rest = _twice_atanh((mantissa - 1) / (mantissa + 1), bits + 1)
    if not doublings:
        return rest
    return rest + _twice_atanh(Fraction(1, 3), bits + 1 + doublings.bit_length()).scaled(Fraction(doublings))


def _power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


@lru_cache(maxsize=256)
def _twice_atanh(argument: Fraction, bits: int) -> Enclosure:
    """2 atanh(argument) for |argument| <= 1/3, within 2^-bits: the sum of 2 argument^(2i+1)/(2i+1).

    In units of 2^-precision every power and quotient is rounded down and so wrong by less than 2; the tail after
    the first power below one unit is less than 2 units.
    """
    precision = bits + bits.bit_length() + 8
    negative, size = argument < 0, abs(argument)
    power = 2 * (size.numerator << precision) // size.denominator
    square = (size.numerator**2 << precision) // size.denominator**2
    total, divisor, steps = 0, 1, 0
    while power:
        total += power // divisor
        power = power * square >> precision
        divisor, steps = divisor + 2, steps + 1
    low, high = Fraction(total, 1 << precision), Fraction(total + 3 * steps + 2, 1 << precision)
    return Enclosure(-high, -low) if negative else Enclosure(low, high)


def exp(argument: Fraction, bits: int) -> Enclosure:
    """An interval of relative width at most 2^-bits that holds e^argument; raises LimitReached where that is too long.

    e^x = 2^k e^r with k = floor(x / ln 2) and r = x - k ln 2 in [0, 0.7), by the Taylor series of e^r.
    """
    halves = bits + 4 + max(argument.numerator.bit_length() - argument.denominator.bit_length(), 0)
    ln2 = ln(Fraction(2), halves + 4)
    doublings = argument // (ln2.high if argument > 0 else ln2.low)
    if abs(doublings) > _LONGEST_POWER:
        raise LimitReached("a power of e is too large, or too small, to write out; try another value of the parameter")
    multiple = ln2.scaled(Fraction(doublings))
    low, _ = _taylor_exp(argument - multiple.high, bits + 2)
    _, high = _taylor_exp(argument - multiple.low, bits + 2)
    scale = _power_of_two(doublings)
    return Enclosure(low * scale, high * scale)


def _taylor_exp(argument: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^argument for 0 <= argument < 0.7, within 2^-bits: the sum of argument^n / n!.

    Every term is rounded down and wrong by less than 3 units; the tail after the first term below one unit is less
    than 5 units.
    """
    precision = bits + bits.bit_length() + 8
    factor = (argument.numerator << precision) // argument.denominator
    term, total, steps = 1 << precision, 0, 0
    while term:
        total += term
        steps += 1
        term = (term * factor >> precision) // steps
    return Fraction(total, 1 << precision), Fraction(total + 3 * steps + 5, 1 << precision)


def decimal_text(value: Fraction, places: int = 6) -> str:
    """The value rounded to `places` decimals, half to even."""
    scaled = round(value * 10**places)
    digits = integer_text(abs(scaled)).rjust(places + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else sign + digits
