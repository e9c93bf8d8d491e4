"""What a number is: an exact rational, or a quotient of polynomials in the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias, TypeVar

from pfl.base.exponential import Exponential
from pfl.base.rational_function import RationalFunction

Number: TypeAlias = Fraction | RationalFunction
"""A constant is always a `Fraction`: rational functions give one back where their result is constant."""

Key = TypeVar("Key")


def exponent_of(number: Number) -> tuple[str, Fraction] | None:
    """(base, c) where a number is e^(c * base), a power of an exponential alone; else None."""
    held = Exponential.of(number.parameters[0]) if isinstance(number, RationalFunction) else None
    if held is None or not isinstance(number, RationalFunction) or number.terms != 2:
        return None
    ((above, factor),), ((below, divisor),) = number.numerator.terms, number.denominator.terms
    if factor != 1 or divisor != 1 or len(number.parameters) > 1:
        return None
    return held.base, Fraction(sum(p for _, p in below) - sum(p for _, p in above), held.unit)


def summed(weighted: Iterable[tuple[Key, Number]]) -> dict[Key, Number]:
    """What falls on each key, added up; keys in the order in which they first come."""
    total: dict[Key, Number] = {}
    for key, number in weighted:
        total[key] = total[key] + number if key in total else number
    return total
