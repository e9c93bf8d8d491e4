"""Functions of a real sample as polynomials with balls as coefficients, one on each cell of the line. Source:
docs/theory/gaussian.md."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pfl.analysis.enclosed.precision import Precision, ball
from pfl.base.struct import struct


@struct(eq=False)
class Grid:
    """Where cells end, ascending, two ends or more; and the precision."""

    ends: tuple[Fraction, ...]
    precision: Precision

    @property
    def cells(self) -> Sequence[tuple[Fraction, Fraction]]:
        """The ends of each cell."""
        return list(pairwise(self.ends))


class RealValues:
    """A function of a real number, enclosed: it is `left` and `right` outside of the grid; on a cell with middle m and
    half width r, its value at m + r u, for each u from -1 to 1, is that of the polynomial in u with some numbers in the
    balls that are its coefficients."""

    __slots__ = ("_grid", "_left", "_polynomials", "_right")

    def __init__(self, grid: Grid, left: Any, polynomials: Sequence[Any], right: Any) -> None:
        self._grid, self._left, self._polynomials, self._right = grid, left, polynomials, right

    @staticmethod
    def one(grid: Grid) -> RealValues:
        """1 everywhere."""
        from flint import arb, arb_poly

        return RealValues(grid, arb(1), [arb_poly([1])] * len(grid.cells), arb(1))

    @staticmethod
    def density(grid: Grid, mean: Fraction, deviation: Fraction) -> RealValues:
        """The density of a sample in its window, whose ends are ends of cells, and 0 outside of it."""
        from flint import arb, arb_poly

        low, high = grid.precision.window(mean, deviation)
        nothing = arb_poly([])
        polynomials = [
            _density(grid.precision, start - mean, end - mean, deviation) if low <= start and end <= high else nothing
            for start, end in grid.cells
        ]
        return RealValues(grid, arb(0), polynomials, arb(0))

    def cut(self, low: Fraction | None, high: Fraction | None) -> RealValues:
        """The function from low to high, which are ends of cells, and 0 elsewhere."""
        from flint import arb, arb_poly

        nothing = arb_poly([])
        polynomials = [
            polynomial if (low is None or low <= start) and (high is None or end <= high) else nothing
            for (start, end), polynomial in zip(self._grid.cells, self._polynomials)
        ]
        left, right = (self._left if low is None else arb(0)), (self._right if high is None else arb(0))
        return RealValues(self._grid, left, polynomials, right)

    def times(self, other: RealValues) -> RealValues:
        """The product with a function on the same grid."""
        degree = self._grid.precision.degree
        polynomials = [_shortened(p * q, degree) for p, q in zip(self._polynomials, other._polynomials)]
        return RealValues(self._grid, self._left * other._left, polynomials, self._right * other._right)

    def plus(self, other: RealValues, factor: Any) -> RealValues:
        """self + factor * other."""
        polynomials = [p + q * factor for p, q in zip(self._polynomials, other._polynomials)]
        left, right = (a + factor * b for a, b in ((self._left, other._left), (self._right, other._right)))
        return RealValues(self._grid, left, polynomials, right)

    def up_to(self) -> RealValues:
        """The integral up to each number; raises ValueError where the function is not 0 left of the grid."""
        from flint import arb

        if not self._left.is_zero():
            raise ValueError("the function does not decay to the left")
        total, polynomials = arb(0), []
        degree = self._grid.precision.degree
        for (start, end), polynomial in zip(self._grid.cells, self._polynomials):
            integral = polynomial.integral() * ball((end - start) / 2)
            rising = integral + (total - integral(arb(-1)))
            total = rising(arb(1))
            polynomials.append(_shortened(rising, degree))
        return RealValues(self._grid, arb(0), polynomials, total)

    def total(self) -> Any:
        """A ball that holds the integral; raises ValueError where the function is not 0 outside of the grid."""
        from flint import arb

        if not (self._left.is_zero() and self._right.is_zero()):
            raise ValueError("the function does not decay")
        total = arb(0)
        for (start, end), polynomial in zip(self._grid.cells, self._polynomials):
            integral = polynomial.integral()
            total += (integral(arb(1)) - integral(arb(-1))) * ball((end - start) / 2)
        return total


def _shortened(polynomial: Any, degree: int) -> Any:
    """A polynomial of so many coefficients that has the same values for -1 <= u <= 1: those that are left out go into
    the ball of the constant one, since |u^k| <= 1."""
    from flint import arb, arb_poly

    coefficients = polynomial.coeffs()
    if len(coefficients) <= degree:
        return polynomial
    error = sum((abs(coefficient).upper() for coefficient in coefficients[degree:]), arb(0))
    return arb_poly([coefficients[0] + arb(0, 1) * error.upper(), *coefficients[1:degree]])


def _density(precision: Precision, start: Fraction, end: Fraction, deviation: Fraction) -> Any:
    """The density around 0 on a cell, as a polynomial in u.

    With z the middle and h the half width in standard deviations it is e^(-z^2/2) e^(-z h u - h^2 u^2/2), up to a
    factor. On the circle |u| = R the second exponential is at most e^(|z| h R + h^2 R^2/2) =: M, so its k-th
    coefficient is at most M/R^k (Cauchy), and for |u| <= 1 those from the n-th on add up to M R^-n/(1 - 1/R) at most.
    The derivative of the function is -(z h + h^2 u) times it, which gives each coefficient by the two before it.
    """
    from flint import arb, arb_poly

    middle, half = (start + end) / (2 * deviation), (end - start) / (2 * deviation)
    z, h = ball(middle), ball(half)
    factor = 1 / (ball(deviation) * (2 * arb.pi()).sqrt())
    coefficients = [(-z * z / 2).exp()]
    before = arb(0)
    for power in range(1, precision.degree):
        last = coefficients[-1]
        coefficients.append(-(z * h * last + h * h * before) / power)
        before = last
    radius = arb(precision.radius_of_convergence(half))
    largest = (-z * z / 2 + abs(z) * h * radius + (h * radius) ** 2 / 2).exp()
    error = (largest * radius ** (-precision.degree) / (1 - 1 / radius)).upper()
    first, *others = coefficients
    return arb_poly([factor * (first + arb(0, 1) * error), *(factor * other for other in others)])
