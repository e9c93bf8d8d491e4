"""Evaluation that is counted: what loops go through, and calls of functions that lead to further work.

What is not counted is bounded by what is: a short loop over little, and a function without loops and calls of its own,
cost no more than a constant for each time that they are come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.source import Span
from pfl.frontend.compile import faults
from pfl.ir.values import Value

STEPS_BETWEEN_CHECKS = 256

FEW = 64
"""A loop over no more than this that is known at compile time, and contains no loop and no call, is not counted."""


class Meter:
    """Spends a budget, in stretches of `STEPS_BETWEEN_CHECKS`."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._left = STEPS_BETWEEN_CHECKS

    def counted_loop(self, values: Sequence[Value], place: Span) -> Iterable[Value]:
        """What a loop goes through. Raises LimitReached, now or in the midst of it."""
        if len(values) > STEPS_BETWEEN_CHECKS:
            return chain.from_iterable(self._parts(values, place))
        self._left -= len(values)
        if self._left < 0:
            self._spend(place)
        return values

    def counted_call(self, place: Span) -> None:
        """A function was called. Raises LimitReached."""
        self._left -= 1
        if self._left < 0:
            self._spend(place)

    def _parts(self, values: Sequence[Value], place: Span) -> Iterator[Sequence[Value]]:
        for first in range(0, len(values), STEPS_BETWEEN_CHECKS):
            self._left -= STEPS_BETWEEN_CHECKS
            self._spend(place)
            yield values[first : first + STEPS_BETWEEN_CHECKS]

    def _spend(self, place: Span) -> None:
        spent = STEPS_BETWEEN_CHECKS - self._left
        self._left = STEPS_BETWEEN_CHECKS
        try:
            self._budget.spend(spent)
        except LimitReached as limit:
            raise faults.evaluation_too_long(place, limit.reason) from None
