"""What a number is: an exact rational, or a quotient of polynomials in the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias, TypeVar

from pfl.base.rational_function import RationalFunction

Number: TypeAlias = Fraction | RationalFunction
"""A constant is always a `Fraction`: rational functions give one back where their result is constant."""

Key = TypeVar("Key")


def summed(weighted: Iterable[tuple[Key, Number]]) -> dict[Key, Number]:
    """What falls on each key, added up; keys in the order in which they first come."""
    total: dict[Key, Number] = {}
    for key, number in weighted:
        total[key] = total[key] + number if key in total else number
    return total
