"""Functions of a Gaussian sample, as joint functions of samples take them; nothing in them has a value yet."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar, Self

from pfl.analysis.enclosed.formula_table import FormulaTable
from pfl.analysis.noise.exponential_sum import Weight, integral_sum
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.model.enclosed.formulas import IntegralSum


class GaussianFunction(SampleFunction):
    """A formula of a table, as a function of one sample. Those of different tables do not meet."""

    __slots__ = ("_place", "_table")

    def __init__(self, table: FormulaTable, place: int) -> None:
        self._table, self._place = table, place

    @classmethod
    def of(cls, table: FormulaTable, mean: Fraction, deviation: Fraction) -> Self:
        """The density, or the mass function, of a sample."""
        return cls(table, table.density(mean, deviation, is_discrete=not cls.is_real))

    def __mul__(self, other: Self) -> Self:
        return self._made(self._table.product(self._place, other._place))

    def __add__(self, other: Self) -> Self:
        one = IntegralSum.of(1)
        return self._made(self._table.combined([(self._place, one), (other._place, one)]))

    def __bool__(self) -> bool:
        return self._place != self._table.zero

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GaussianFunction) and (self._table, self._place, self.is_real) == (
            other._table,
            other._place,
            other.is_real,
        )

    def __hash__(self) -> int:
        return hash((self._place, self.is_real))

    def accepts(self, weight: Weight) -> bool:
        return isinstance(weight, Fraction | IntegralSum)

    def scaled(self, weight: Weight) -> Self:
        return self._made(self._table.scaled(self._place, integral_sum(weight)))

    def shifted(self, by: Fraction | int) -> Self:
        return self._made(self._table.shifted(self._place, Fraction(by)))

    def restricted(self, low: Fraction | int | None, high: Fraction | int | None) -> Self:
        ends = (None if end is None else Fraction(end) for end in (low, high))
        return self._made(self._table.cut(self._place, *ends))

    def integrated(self) -> tuple[Self, Weight | None]:
        return self._made(self._table.up_to(self._place)), self._table.total(self._place)

    def constant(self, weight: Weight) -> Self:
        return self._made(self._table.scaled(self._table.one, integral_sum(weight)))

    def _made(self, place: int) -> Self:
        return type(self)(self._table, place)

    @abstractmethod
    def just_before(self) -> Self: ...


class ContinuousGaussian(GaussianFunction):
    """A function of a real sample."""

    __slots__ = ()
    is_real: ClassVar[bool] = True

    def just_before(self) -> Self:
        return self


class DiscreteGaussian(GaussianFunction):
    """A function of an integer sample."""

    __slots__ = ()
    is_real: ClassVar[bool] = False

    def just_before(self) -> Self:
        return self.shifted(1)
