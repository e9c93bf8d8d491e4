"""Functions of one Gaussian sample, and numbers made of their integrals, as formulas without a value.

A formula is a place in a list of nodes, in which each node names earlier ones; what it is worth, enclosures tell
(`pfl.analysis.enclosed`). Source: docs/theory/gaussian.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from pfl.base.struct import struct


@struct(kw_only=False)
class IntegralSum:
    """A polynomial with rational coefficients in integrals, or sums, of formulas over all values of their sample.

    `terms` are the places of the integrals that are multiplied, ascending, with a coefficient that is not 0; each
    product once, in order. Two that are equal have equal values; of others nothing is known but by enclosures.
    """

    terms: tuple[tuple[tuple[int, ...], Fraction], ...] = ()

    @staticmethod
    def of(number: IntegralSum | Fraction | int) -> IntegralSum:
        """The sum itself, or a rational number as one."""
        if isinstance(number, IntegralSum):
            return number
        return IntegralSum.summed([((), Fraction(number))])

    @staticmethod
    def summed(terms: Iterable[tuple[tuple[int, ...], Fraction]]) -> IntegralSum:
        """Products with coefficients, in any order, those of one product added up."""
        total: dict[tuple[int, ...], Fraction] = {}
        for product, coefficient in terms:
            total[product] = total.get(product, Fraction(0)) + coefficient
        return IntegralSum(tuple(sorted((product, q) for product, q in total.items() if q)))

    @property
    def integrals(self) -> frozenset[int]:
        """The places of the integrals in it."""
        return frozenset(place for product, _ in self.terms for place in product)

    def __add__(self, other: IntegralSum | Fraction | int) -> IntegralSum:
        return IntegralSum.summed((*self.terms, *IntegralSum.of(other).terms))

    def __mul__(self, other: IntegralSum | Fraction | int) -> IntegralSum:
        return IntegralSum.summed(
            (tuple(sorted((*left, *right))), p * q)
            for left, p in self.terms
            for right, q in IntegralSum.of(other).terms
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> IntegralSum:
        return self * -1

    def __sub__(self, other: IntegralSum | Fraction | int) -> IntegralSum:
        return self + -IntegralSum.of(other)

    def __bool__(self) -> bool:
        """False if it is 0 for want of terms."""
        return bool(self.terms)


@struct(kw_only=False)
class Density:
    """The density of Gaussian noise, or the mass function of discrete Gaussian noise, with a mean, which is whole if it
    is discrete, and a standard deviation above 0: of discrete noise that of the density that it is proportional to."""

    mean: Fraction
    deviation: Fraction
    is_discrete: bool


@struct(kw_only=False)
class One:
    """1 everywhere."""


@struct(kw_only=False)
class Cut:
    """A function on the closed interval from low to high, and 0 elsewhere; None is no end. Of integers ends are
    whole."""

    function: int
    low: Fraction | None
    high: Fraction | None


@struct(kw_only=False)
class Product:
    """The product of functions, two or more, in ascending order."""

    factors: tuple[int, ...]


@struct(kw_only=False)
class Combination:
    """The sum of functions with coefficients; without any, 0 everywhere."""

    summands: tuple[tuple[int, IntegralSum], ...]


@struct(kw_only=False)
class UpTo:
    """F(s): the integral, or the sum, of a function up to s, s included."""

    function: int


Node: TypeAlias = Density | One | Cut | Product | Combination | UpTo


def functions_in(node: Node) -> tuple[int, ...]:
    """The functions that a node is made of."""
    match node:
        case Cut(function=inner) | UpTo(function=inner):
            return (inner,)
        case Product(factors=factors):
            return factors
        case Combination(summands=summands):
            return tuple(part for part, _ in summands)
        case _:
            return ()
