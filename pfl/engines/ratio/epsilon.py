"""The smallest epsilon at which every obligation holds: the logarithm of the largest ratio."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from pfl.analysis.ratio.obligation import Exceeded, Settled, Unbounded, Unsettled, Witness
from pfl.engines.answer import Answer, Bound, Computed, Ratio, Unknown, Violation
from pfl.engines.obligation import smallest_epsilon
from pfl.engines.ratio.obligations import Task
from pfl.model.compare import Lengths

NAME = "exact"


class SmallestEpsilon:
    """Goes through lengths and obligations; knows the best word so far."""

    def __init__(self, tasks: Sequence[Task], lengths: Lengths) -> None:
        self._tasks = tasks
        self._lengths = lengths
        self._best: tuple[Ratio, Violation] | None = None
        self._open = ""

    def answer(self) -> Answer:
        """The largest ratio of all; with several lengths also by length, with `for` variables the extremes by value."""
        largest, values = smallest_epsilon(self._tasks, self._lengths, self._bound)
        if self._open and largest.ratio is None:
            return Unknown(engine=NAME, reason=f"{self._open}; give a `length`", bound=largest)
        return Computed(engine=NAME, bound=largest, values=values)

    def known(self) -> Bound | None:
        """The best word so far, as a lower bound."""
        if self._best is None:
            return None
        return Bound(ratio=None, lower=self._best[0], upper=None, best=self._best[1])

    def _bound(self, group: Iterable[Task], length: int | None) -> Bound:
        """The largest ratio of some obligations, or the narrowest interval found for every length (None)."""
        lower, upper, best = Fraction(0), Fraction(0), None
        is_open = False
        for task in _distinct(group):
            outcome = self._outcome(task, length, upper)
            if isinstance(outcome, Exceeded):
                violation = self._take(task, outcome.witness)
                return Bound(ratio="inf", lower="inf", upper="inf", best=violation)
            if isinstance(outcome, Unbounded):
                violation = self._take(task, outcome.witness)
                return Bound(ratio="unbounded", lower=outcome.witness.ratio, upper="unbounded", best=violation)
            if isinstance(outcome, Unsettled):
                is_open, self._open = True, outcome.reason
            else:
                upper = max(upper, outcome.bound)
            if outcome.best is not None and outcome.best.exceeds(lower):
                lower, best = outcome.best.ratio or lower, self._take(task, outcome.best)
        if is_open:
            return Bound(ratio=None, lower=lower, upper=None, best=best)
        return Bound(ratio=lower if lower == upper else None, lower=lower, upper=upper, best=best)

    def _outcome(self, task: Task, length: int | None, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        if length is None:
            return task.problem.largest_of_every_length(floor)
        return task.problem.largest(length, floor)

    def _take(self, task: Task, witness: Witness) -> Violation:
        violation = task.violation(witness.word)
        if witness.ratio is None:
            self._best = ("inf", violation)
        elif self._best is None or (isinstance(self._best[0], Fraction) and witness.exceeds(self._best[0])):
            self._best = (witness.ratio, violation)
        return violation


def _distinct(tasks: Iterable[Task]) -> Iterator[Task]:
    return iter({task.key: task for task in reversed(list(tasks))}.values())
