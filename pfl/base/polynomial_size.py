"""How long polynomials get."""

from __future__ import annotations

from math import comb, prod
from typing import Any


def bits_of_power(polynomial: Any, power: int) -> int:
    """A bound: the exponents of a power's terms lie below those of the box that holds them all, and its coefficients
    below the power of the sum of all coefficients."""
    box = prod(power * degree + 1 for degree in polynomial.degrees())
    total = sum(abs(int(coefficient)) for coefficient in polynomial.coeffs())
    count = len(polynomial.coeffs())
    terms = min(box, comb(power + count - 1, count - 1)) if power else 1
    return terms * max(1, power * (total - 1).bit_length())
