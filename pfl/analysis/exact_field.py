"""The field in which one exact computation works: flint's rationals for constants, else numbers in the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.number import Number

Exact: TypeAlias = Any
"""A number of a field: flint's fmpq for constants, else a `Number`."""


class ExactField:
    """Numbers on their way into a computation and out of it; `nonzero` collects what was divided by."""

    __slots__ = ("_divisors", "is_constant", "one", "zero")

    def __init__(self, numbers: Iterable[Number]) -> None:
        """The smallest field that holds the numbers."""
        self.is_constant = all(isinstance(number, Fraction) for number in numbers)
        self.zero: Exact = self.number(Fraction(0))
        self.one: Exact = self.number(Fraction(1))
        self._divisors: dict[Number, None] = {}

    def number(self, number: Number) -> Exact:
        """The number as an element of the field."""
        if not self.is_constant:
            return number
        import flint

        assert isinstance(number, Fraction)
        return flint.fmpq(number.numerator, number.denominator)

    def result(self, element: Exact) -> Number:
        """The element as a number."""
        return Fraction(int(element.p), int(element.q)) if self.is_constant else element

    def note(self, divisor: Exact) -> None:
        """Remember a divisor: where it depends on parameters, it must not be 0."""
        if not self.is_constant and not isinstance(divisor, Fraction):
            self._divisors.setdefault(divisor)

    @property
    def nonzero(self) -> tuple[Number, ...]:
        """The non-constant numbers that were divided by."""
        return tuple(self._divisors)
