"""The smallest epsilon at which every obligation holds: the logarithm of the largest ratio.

The smallest epsilon with which an additive delta suffices, with constant numbers. Source: docs/theory/excess.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

from pfl.analysis.excess.excess import Excess
from pfl.analysis.ratio.integer_system import constant
from pfl.analysis.ratio.obligation import Exceeded, Settled, Unbounded, Unsettled, Witness
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Bound, Computed, NamedValue, Ratio, Unknown, Violation
from pfl.engines.obligation import Directed, each_of, smallest_epsilon
from pfl.engines.ratio.obligations import Task, weighted
from pfl.model.compare import Compare, Lengths

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


_MOST_STEPS = 100
"""Sets of words that are gone through at most, for one comparison."""


def smallest_with_delta(question: Compare, budget: Budget) -> Answer:
    """The smallest epsilon that holds with the delta of the question, as a ratio e^eps; of several lengths, for each.

    Where whole runs have no finite answer, the bound has a lower end alone. A spent budget makes it undecided.
    """
    lengths = each_of(question.lengths)
    search = _Search(question, budget)
    values: list[NamedValue] = []
    try:
        for length in lengths:
            is_exact = search.raise_for(length)
            values.append(NamedValue(name=f"length {length}", value=search.ratio))
    except LimitReached as limit:
        return Unknown(engine=NAME, reason=limit.reason, bound=search.known())
    ratio = search.ratio
    bound = Bound(ratio=ratio, lower=ratio, upper=ratio, best=search.best) if is_exact else search.known()
    return Computed(engine=NAME, bound=bound, values=tuple(values) if len(values) > 1 else ())


class _Search:
    """Raises a ratio until it suffices; every value that it takes, 1 apart, is one that some set of words asks for.

    `best` is that set for the ratio that it has come to.
    """

    def __init__(self, question: Compare, budget: Budget) -> None:
        assert question.delta is not None
        self._question = question
        self._delta = constant(question.delta)
        self._budget = budget
        self.ratio: Fraction | Literal["inf"] = Fraction(1)
        self.best: Violation | None = None

    def known(self) -> Bound:
        return Bound(ratio=None, lower=self.ratio, upper=None, best=self.best)

    def raise_for(self, length: int | None) -> bool:
        """Makes the ratio large enough for words of a length, None for all runs; whether it is known to be."""
        is_exact = True
        for direction in self._question.directions:
            system, starts = direction.comparison.system, weighted(direction)
            for _ in range(_MOST_STEPS):
                if not isinstance(self.ratio, Fraction):
                    return True
                excess = Excess(system, *starts, self.ratio, length, self._budget)
                if excess.settle(self._delta).delta <= self._delta:
                    is_exact &= excess.at_most <= self._delta
                    break
                words = excess.words(self._delta)
                seen, unseen = (
                    sum((constant(system.mass(start, word)) for word in words), Fraction(0)) for start in starts
                )
                self.ratio = (seen - self._delta) / unseen if unseen else "inf"
                self.best = Directed(direction=direction).violation(*words)
            else:
                is_exact = False
        return is_exact
