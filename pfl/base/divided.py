"""Results of exact computations that divide by quantities which may be 0 at some values of the parameters.

Why nothing may be concluded there: docs/theory/side-conditions.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Generic, TypeVar

from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct

Result = TypeVar("Result")
Other = TypeVar("Other")


class Divisors:
    """The non-constant numbers that something was divided by, or whose vanishing would change it, each once.

    Constants are no divisors: a constant is 0 for all values of the parameters or for none.
    """

    __slots__ = ("_noted",)

    def __init__(self) -> None:
        self._noted: dict[RationalFunction, None] = {}

    def note(self, numbers: Iterable[Fraction | RationalFunction]) -> None:
        """Remember those of the numbers that are not constant."""
        for number in numbers:
            if isinstance(number, RationalFunction):
                self._noted.setdefault(number)

    def of(self, result: Result) -> Divided[Result]:
        """A result of what was noted so far."""
        return Divided(result, tuple(self._noted))

    def __iter__(self) -> Iterator[RationalFunction]:
        return iter(self._noted)


@struct(kw_only=False)
class Divided(Generic[Result]):
    """A result that says something only where none of `divisors` is 0.

    It is had by saying where the divisors go, and in no other way: a caller cannot use it and forget them.
    """

    _result: Result
    divisors: tuple[RationalFunction, ...] = ()

    def noting(self, divisors: Divisors) -> Result:
        """The result, its divisors noted."""
        divisors.note(self.divisors)
        return self._result

    def then(self, make: Callable[[Result], Other]) -> Divided[Other]:
        """What is made of the result, without further division."""
        return Divided(make(self._result), self.divisors)
