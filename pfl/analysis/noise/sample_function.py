"""What functions of one sample can do, real or integer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Self

from pfl.analysis.noise.exponential_sum import Weight


class SampleFunction(ABC):
    """A function of the value of one sample: a density or a mass function, a part of one, its sums and products.

    Immutable; equal functions are equal objects. Values of real samples, shifts and ends are in units of eps: c stands
    for c * eps. Those of integers are whole.
    """

    __slots__ = ()
    is_real: ClassVar[bool]

    @abstractmethod
    def __mul__(self, other: Self) -> Self: ...

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    @abstractmethod
    def __bool__(self) -> bool:
        """Whether it is not 0 everywhere."""

    @abstractmethod
    def accepts(self, weight: Weight) -> bool:
        """Whether `scaled` can multiply by this weight and stay within these functions."""

    @abstractmethod
    def scaled(self, weight: Weight) -> Self:
        """The function times a weight that it accepts; raises ValueError for others."""

    @abstractmethod
    def shifted(self, by: Fraction | int) -> Self:
        """f(s - by): what follows s, by further to the right."""

    @abstractmethod
    def restricted(self, low: Fraction | int | None, high: Fraction | int | None) -> Self:
        """The function on the closed interval from low to high and 0 elsewhere; None is no end."""

    @abstractmethod
    def integrated(self) -> tuple[Self, Weight | None]:
        """F(s), the integral or sum of f up to s, s included; and that of all of f, None where there is none.

        Raises ValueError where f does not decay to the left.
        """

    @abstractmethod
    def just_before(self) -> Self:
        """For F(s) = the weight up to s, that below s: F(s - 1) of integers, F itself of reals."""

    @abstractmethod
    def constant(self, weight: Weight) -> Self:
        """The function of the same kind that is this weight everywhere; raises ValueError if no such function is."""

    def primitive(self) -> Self:
        """F(s), the integral or sum of f up to s, s included; raises ValueError where f does not decay to the left."""
        return self.integrated()[0]

    def total(self) -> Any:
        """The integral or sum of all of f; raises ValueError where f does not decay on both sides."""
        total = self.integrated()[1]
        if total is None:
            raise ValueError("the function has no finite total: it does not decay to the right")
        return total
