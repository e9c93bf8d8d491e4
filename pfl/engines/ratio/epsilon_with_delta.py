"""The smallest epsilon with which an additive delta suffices, with constant numbers. Source: docs/theory/excess.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pfl.analysis.excess.excess import Excess
from pfl.analysis.ratio.integer_system import constant
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Bound, Computed, NamedValue, Unknown, Violation
from pfl.engines.obligation import Directed, each_of
from pfl.engines.ratio.obligations import weighted
from pfl.model.compare import Compare

NAME = "exact"

_PLACES = (9, 8, 7, 6, 5, 4)
"""By which relative distances, as powers of 1/10, a ratio is raised to one that is surely enough."""
_SHARE = Fraction(9, 10)
"""Part of what an excess is above delta that its words must show: the more, the fewer steps, and the more words."""
_MOST_STEPS = 100
"""Sets of words that are gone through at most, for one comparison."""


def smallest_with_delta(question: Compare, budget: Budget) -> Answer:
    """The smallest epsilon that holds with the delta of the question, as a ratio e^eps; of several lengths, for each.

    Where whole runs have no finite answer, the bound is an interval, without an upper end where none is found. A spent
    budget makes it undecided.
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
    ratio = search.ratio if is_exact else None
    upper = ratio if is_exact else search.enough()
    bound = Bound(ratio=ratio, lower=search.ratio, upper=upper, best=search.best)
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

    def enough(self) -> Fraction | None:
        """A ratio a little larger that is known to be enough for all runs; None where none is found."""
        if not isinstance(self.ratio, Fraction):
            return None
        try:
            for places in _PLACES:
                ratio = self.ratio * (1 + Fraction(1, 10**places))
                if all(
                    Excess(direction.comparison.system, *weighted(direction), ratio, None, self._budget)
                    .settle(self._delta)
                    .at_most
                    <= self._delta
                    for direction in self._question.directions
                ):
                    return ratio
        except LimitReached:
            pass
        return None

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
                words = excess.words(self._delta + (excess.delta - self._delta) * _SHARE)
                seen, unseen = (
                    sum((constant(system.mass(start, word)) for word in words), Fraction(0)) for start in starts
                )
                self.ratio = (seen - self._delta) / unseen if unseen else "inf"
                self.best = Directed(direction=direction).violation(*words)
            else:
                is_exact = False
        return is_exact
