"""What is asked of flint's polynomials, whatever their ring: sizes, and values at rational points."""

from __future__ import annotations

from fractions import Fraction
from math import comb, gcd, prod
from typing import Any

from pfl.base.diagnostics import LimitReached

_MOST_STEPS = 1 << 20
"""Steps from one power to the next, beyond which fractions are not reduced: flint would end the process."""


def bits_of_power(polynomial: Any, power: int) -> int:
    """A bound: the exponents of a power's terms lie below those of the box that holds them all, and its coefficients
    below the power of the sum of all coefficients."""
    box = prod(power * degree + 1 for degree in polynomial.degrees())
    total = sum(abs(int(coefficient)) for coefficient in polynomial.coeffs())
    count = len(polynomial.coeffs())
    terms = min(box, comb(power + count - 1, count - 1)) if power else 1
    return terms * max(1, power * (total - 1).bit_length())


def coefficients(polynomial: Any) -> list[int]:
    """Those of a polynomial in one parameter, by power."""
    found = [0] * (int(polynomial.degrees()[0]) + 1 if polynomial else 1)
    for powers, value in polynomial.to_dict().items():
        found[int(powers[0])] = int(value)
    return found


def degrees(*polynomials: Any) -> tuple[int, ...]:
    """The largest power of each parameter in any of the polynomials."""
    return tuple(max(map(int, powers)) for powers in zip(*(polynomial.degrees() for polynomial in polynomials)))


def homogeneous(degrees: tuple[int, ...], polynomial: Any) -> dict[tuple[int, ...], int]:
    """The coefficients of x_i^e y_i^(d - e), one pair of variables a parameter, in place of x_i^e."""
    return {
        (*powers, *(degree - power for degree, power in zip(degrees, powers))): value
        for powers, value in ((tuple(map(int, e)), int(v)) for e, v in polynomial.to_dict().items())
    }


def constant_image(coefficients: dict[tuple[int, ...], int], images: list[Fraction]) -> int:
    """The homogeneous polynomial at x_i = numerator and y_i = denominator of the i-th image."""
    whole = [image.numerator for image in images] + [image.denominator for image in images]
    return sum(value * prod(map(pow, whole, powers)) for powers, value in coefficients.items())


def reduced(above: Any, below: Any) -> tuple[Any, Any]:
    """Both polynomials, the second not 0, divided by their greatest common divisor. Raises LimitReached where it cannot
    be looked for."""
    if below.is_one():
        return above, below
    if max(below.degrees(), default=0) > _MOST_STEPS:
        _require_few_steps(above, below)
    common = above.gcd(below)
    return (above, below) if common.is_one() else (above // common, below // common)


def _require_few_steps(above: Any, below: Any) -> None:
    """Raises LimitReached where powers are too many, counted in their common steps."""
    for above_powers, below_powers in zip(zip(*above.monoms()), zip(*below.monoms())):
        beyond_least = [int(power) - int(min(powers)) for powers in (above_powers, below_powers) for power in powers]
        if max(beyond_least) > _MOST_STEPS * gcd(*beyond_least):
            raise LimitReached(
                f"a fraction holds powers of more than {_MOST_STEPS:,} steps; write multiples with fewer digits"
            )
