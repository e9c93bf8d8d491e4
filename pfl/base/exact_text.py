"""Exact integers and rationals as text, however long; Python's own `str` stops at 4,300 digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

_SHORT = 10**4000


def integer_text(number: int) -> str:
    """The decimal digits of an integer of any length."""
    return str(number) if -_SHORT < number < _SHORT else f"{Decimal(number):f}"


def fraction_text(number: Fraction) -> str:
    """`2/3`, `-5`: numerator and denominator without common factor, the denominator left out where it is 1."""
    numerator = integer_text(number.numerator)
    return numerator if number.denominator == 1 else f"{numerator}/{integer_text(number.denominator)}"


def integer_value(digits: str) -> int:
    """The integer that a text of decimal digits, of any length, stands for; raises ValueError for any other text."""
    unsigned = digits[1:] if digits[:1] in ("-", "+") else digits
    if not (unsigned.isascii() and unsigned.isdigit()):
        raise ValueError(f"not an integer: {digits[:40]!r}")
    return int(digits) if len(digits) <= 4000 else int(Decimal(digits))


def fraction_value(text: str) -> Fraction:
    """The rational that `2/3` or `-5` stands for, as `fraction_text` writes it; raises ValueError for other texts."""
    numerator, slash, denominator = text.partition("/")
    below = integer_value(denominator) if slash else 1
    if below == 0:
        raise ValueError("the denominator is 0")
    return Fraction(integer_value(numerator), below)
