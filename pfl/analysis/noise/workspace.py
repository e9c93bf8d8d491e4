"""What was worked out about functions of samples, so that nothing is worked out twice. Source: docs/theory/noise.md."""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.noise.exponential_sum import Weight
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.budget import Budget


class Noise:
    """A memory of integrals, products and shifts, kept by whoever makes it, and a budget, which is checked in each.

    All functions that it gives raise LimitReached when the time of the budget is over.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget
        self._integrals: dict[SampleFunction, tuple[SampleFunction, Weight | None]] = {}
        self._shifts: dict[tuple[SampleFunction, Fraction | int], SampleFunction] = {}
        self._products: dict[tuple[SampleFunction, SampleFunction], SampleFunction] = {}
        self._rests: dict[SampleFunction, SampleFunction] = {}

    def total(self, function: SampleFunction) -> Weight:
        """The integral or sum of all of the function; raises ValueError where there is none."""
        total = self._integrated(function)[1]
        if total is None:
            raise ValueError("the function has no finite total: it does not decay to the right")
        return total

    def up_to(self, function: SampleFunction) -> SampleFunction:
        """F(s), the weight up to s, s included."""
        return self._integrated(function)[0]

    def below(self, function: SampleFunction) -> SampleFunction:
        """The weight below s, s excluded."""
        return self.up_to(function).just_before()

    def rest(self, function: SampleFunction) -> SampleFunction:
        """The weight from s on, s included: what `below` leaves."""
        known = self._rests.get(function)
        if known is None:
            below, total = self.below(function), self.total(function)
            known = below.constant(total) + below.scaled(Fraction(-1))
            self._rests[function] = known
        return known

    def shifted(self, function: SampleFunction, by: Fraction | int) -> SampleFunction:
        """f(s - by)."""
        if not by:
            return function
        known = self._shifts.get((function, by))
        if known is None:
            self.check()
            known = self._shifts[function, by] = function.shifted(by)
        return known

    def product(self, left: SampleFunction, right: SampleFunction) -> SampleFunction:
        """left * right, of the same kind."""
        known = self._products.get((left, right))
        if known is None:
            self.check()
            known = self._products[left, right] = self._products[right, left] = left * right
        return known

    def _integrated(self, function: SampleFunction) -> tuple[SampleFunction, Weight | None]:
        known = self._integrals.get(function)
        if known is None:
            self.check()
            known = self._integrals[function] = function.integrated()
        return known

    def check(self) -> None:
        """Raise LimitReached when the time is over."""
        if self._budget is not None:
            self._budget.check(f"{len(self._integrals) + len(self._products)} functions of samples")
