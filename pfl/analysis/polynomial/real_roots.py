"""Isolation of the real roots of polynomials in one parameter, exactly.

Source: Vincent, Collins and Akritas: bisection with Descartes' rule of signs; docs/theory/parameters.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Any

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct


@struct(cached=True)
class Root:
    """An irrational algebraic number: the only root of an irreducible polynomial in the open interval (low, high).

    `coefficients` are integers, lowest power first. Neither end is a root, so the polynomial changes sign between.
    """

    coefficients: tuple[int, ...]
    low: Fraction
    high: Fraction

    @cached_property
    def polynomial(self) -> Any:
        """The irreducible polynomial, as flint has it."""
        return _polynomial(self.coefficients)

    def __reduce__(self) -> tuple[Any, ...]:
        """Without what was computed: flint's polynomials cannot be sent to another process."""
        return _root, (self.coefficients, self.low, self.high)

    def refined(self) -> Root:
        """The same number in half the interval."""
        middle = (self.low + self.high) / 2
        if _sign_at(self.polynomial, self.low) == _sign_at(self.polynomial, middle):
            return Root(coefficients=self.coefficients, low=middle, high=self.high)
        return Root(coefficients=self.coefficients, low=self.low, high=middle)

    def within(self, width: Fraction) -> Root:
        """The same number in an interval of at most this width."""
        root = self
        while root.high - root.low > width:
            root = root.refined()
        return root

    def __float__(self) -> float:
        root = self.within(max(abs(self.low), abs(self.high), Fraction(1, 2**60)) / 2**60)
        return float((root.low + root.high) / 2)

    def equation(self, name: str) -> str:
        """The polynomial in the parameter `name`, as text."""
        variable: Number = RationalFunction.parameter(name)
        total: Number = Fraction(0)
        for coefficient in reversed(self.coefficients):
            total = total * variable + coefficient
        return str(total)


def _root(coefficients: tuple[int, ...], low: Fraction, high: Fraction) -> Root:
    return Root(coefficients=coefficients, low=low, high=high)


def univariate(polynomial: Number) -> Any:
    """The numerator as a flint polynomial with integer coefficients; raises ValueError for more than one parameter."""
    if isinstance(polynomial, Fraction):
        return _polynomial((polynomial.numerator,))
    return _polynomial(tuple(polynomial.coefficients[0]))


def shown_sign(coefficients: Sequence[int], low: Fraction, high: Fraction) -> int:
    """1 or -1 where coefficients show that a polynomial is >= 0, or <= 0, from low to high; 0 where they do not.

    With p((low + high t)/(1 + t)) (1 + t)^n, t >= 0, the coefficients have one sign.
    """
    scale = lcm(low.denominator, high.denominator)
    start, width = int(low * scale), int((high - low) * scale)
    degree = len(coefficients) - 1
    moved = _polynomial(tuple(each * scale ** (degree - power) for power, each in enumerate(coefficients)))
    moved = moved(_polynomial((start, width)))
    backward = [int(each) for each in moved.coeffs()]
    backward = [0] * (degree + 1 - len(backward)) + backward[::-1]
    signs = {int(each) > 0 for each in _polynomial(tuple(backward))(_polynomial((1, 1))).coeffs() if each}
    return 0 if len(signs) > 1 else 1 if signs == {True} else -1


def sign_at(polynomial: Any, point: Fraction | Root) -> int:
    """The sign of a flint polynomial at a rational or algebraic point, exactly."""
    if isinstance(point, Fraction):
        return _sign_at(polynomial, point)
    if (
        (polynomial % point.polynomial).is_zero()
        if polynomial.degree() >= point.polynomial.degree()
        else not polynomial
    ):
        return 0
    while _variations(polynomial, point.low, point.high) or not _sign_at(polynomial, point.low):
        point = point.refined()
    return _sign_at(polynomial, (point.low + point.high) / 2)


def roots_between(polynomials: Iterable[Any], low: Fraction, high: Fraction) -> list[Fraction | Root]:
    """All different real roots of the polynomials in the open interval (low, high), ascending.

    The isolating intervals of the algebraic ones hold none of the other roots and do not touch each other.
    """
    factors: dict[tuple[int, ...], Any] = {}
    for polynomial in polynomials:
        if polynomial.degree() > 0:
            for factor, _ in polynomial.factor()[1]:
                factors[tuple(int(coefficient) for coefficient in factor.coeffs())] = factor
    found: list[Fraction | Root] = []
    for coefficients, factor in factors.items():
        if len(coefficients) == 2:
            root = Fraction(-coefficients[0], coefficients[1])
            found.extend([root] if low < root < high else [])
        else:
            found.extend(_isolate(coefficients, factor, low, high))
    return _separated(found)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in the open interval (low, high), the nearest to 0 among those."""
    if low < 0 < high:
        return Fraction(0)
    if high <= 0:
        return -simplest_between(-high, -low)
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    if low == whole:
        return whole + Fraction(1, 1 + int(1 / (high - whole)))
    rest = simplest_between(1 / (high - whole), 1 / (low - whole))
    return whole + 1 / rest


def lower_end(point: Fraction | Root) -> Fraction:
    """A rational at most as large as the point: itself, or the lower end of its interval."""
    return point if isinstance(point, Fraction) else point.low


def upper_end(point: Fraction | Root) -> Fraction:
    """A rational at least as large as the point."""
    return point if isinstance(point, Fraction) else point.high


def _polynomial(coefficients: tuple[int, ...]) -> Any:
    from flint import fmpz_poly

    return fmpz_poly(list(coefficients))


def _sign_at(polynomial: Any, point: Fraction) -> int:
    from flint import fmpq

    value = polynomial(fmpq(point.numerator, point.denominator))
    return int(value > 0) - int(value < 0)


def _variations(polynomial: Any, low: Fraction, high: Fraction) -> int:
    """Descartes' bound on the number of roots in (low, high): sign changes in (1+x)^n f((low + high x)/(1 + x)).

    0 and 1 are exact. These coefficients are the Bernstein coefficients on [low, high] but for binomial factors.
    """
    from flint import fmpq, fmpq_poly, fmpz_poly

    offset, width = fmpq(low.numerator, low.denominator), high - low
    shifted = polynomial(fmpq_poly([offset, fmpq(width.numerator, width.denominator)])).numer()
    coefficients = shifted.coeffs()
    reverse = fmpz_poly([0] * (polynomial.degree() + 1 - len(coefficients)) + coefficients[::-1])
    signs = [value > 0 for value in reverse(fmpz_poly([1, 1])).coeffs() if value]
    return sum(first != second for first, second in pairwise(signs))


def _isolate(coefficients: tuple[int, ...], factor: Any, low: Fraction, high: Fraction) -> list[Fraction | Root]:
    """The roots of an irreducible polynomial of degree at least 2, so never rational, in (low, high)."""
    found: list[Fraction | Root] = []
    pending = [(low, high)]
    while pending:
        left, right = pending.pop()
        variations = _variations(factor, left, right)
        if variations == 1:
            found.append(Root(coefficients=coefficients, low=left, high=right))
        elif variations:
            middle = (left + right) / 2
            pending += [(left, middle), (middle, right)]
    return found


def _separated(roots: list[Fraction | Root]) -> list[Fraction | Root]:
    """Different numbers in ascending order, intervals refined until no two touch."""
    ordered = sorted(roots, key=lower_end)
    position = 0
    while position + 1 < len(ordered):
        first, second = ordered[position], ordered[position + 1]
        if upper_end(first) < lower_end(second):
            position += 1
            continue
        ordered[position : position + 2] = sorted(
            (point if isinstance(point, Fraction) else point.refined() for point in (first, second)), key=lower_end
        )
        position = max(position - 1, 0)
    return ordered
