"""The smallest epsilon with which an additive delta suffices, with constant numbers. Source: docs/theory/excess.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pfl.analysis.ratio.excess import Excess
from pfl.analysis.ratio.integer_system import constant
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Bound, NamedValue, Undecided, Value, Violation
from pfl.engines.obligation import Directed, each_of
from pfl.engines.ratio.obligations import weighted
from pfl.model.compare import Compare

NAME = "exact"
_MOST_STEPS = 100
"""Sets of words that are gone through at most, for one comparison."""


def answer(question: Compare, budget: Budget) -> Answer:
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
        return Undecided(engine=NAME, reason=limit.reason, bound=search.known())
    ratio = search.ratio
    bound = Bound(ratio=ratio, lower=ratio, upper=ratio, best=search.best) if is_exact else search.known()
    return Value(engine=NAME, bound=bound, values=tuple(values) if len(values) > 1 else ())


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
