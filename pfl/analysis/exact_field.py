"""The field in which one exact computation works: rationals of flint's or of Python's, or numbers in the parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.ir.markov_chain import MarkovChain

Exact: TypeAlias = Any
"""A number of a field: flint's fmpq where there is much to compute with constants, else a `Number`."""

_FEW_TRANSITIONS = 5_000
_FEW_STATES = 40
"""Below so many transitions, and states in one component, loading flint costs more than it saves."""


class ExactField:
    """Numbers on their way into a computation and out of it; `divisors` are those that something was divided by."""

    __slots__ = ("divisors", "one", "uses_flint", "zero")

    def __init__(self, numbers: Iterable[Number], *, uses_flint: bool = True) -> None:
        """A field that holds the numbers; flint's rationals if they are constants, unless that is not wanted."""
        self.uses_flint = uses_flint and all(isinstance(number, Fraction) for number in numbers)
        self.zero: Exact = self.number(Fraction(0))
        self.one: Exact = self.number(Fraction(1))
        self.divisors = Divisors()

    def number(self, number: Number) -> Exact:
        """The number as an element of the field."""
        if not self.uses_flint:
            return number
        import flint

        assert isinstance(number, Fraction)
        return flint.fmpq(number.numerator, number.denominator)

    def result(self, element: Exact) -> Number:
        """The element as a number."""
        return Fraction(int(element.p), int(element.q)) if self.uses_flint else element

    def note(self, divisor: Exact) -> None:
        """Remember what is divided by, or what must not be 0 for another reason."""
        if not self.uses_flint:
            self.divisors.note((divisor,))

    def divisor(self, number: Exact) -> Exact:
        """The number, remembered as one that is divided by. Raises LimitReached where it is 0 for all values of the
        parameters: that cannot be where weights are probabilities on an interval of them."""
        self.note(number)
        if not number:
            raise LimitReached(
                "weights are probabilities at single values of the parameters alone, and between them a run never "
                "moves on; fix a parameter with --set"
            )
        return number


def field_of(chain: MarkovChain, component: Sequence[int]) -> ExactField:
    """The field of a chain's weights and costs; `component` numbers the components of its states."""
    is_small = len(chain.targets) < _FEW_TRANSITIONS and max(Counter(component).values(), default=0) < _FEW_STATES
    return ExactField((*chain.weight_table, *chain.cost_table), uses_flint=not is_small)
