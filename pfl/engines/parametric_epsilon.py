"""The least epsilon under parameters: the supremum of the ratios over all words and parameter values."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from pfl.analysis.parametric.obligation import at_most_zero
from pfl.analysis.parametric.prefixes import Word, prefixes
from pfl.analysis.parametric.supremum import Candidate, Extended, larger, largest_ratio
from pfl.analysis.polynomial.box import Chart
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.engines.answer import Bound, Violation
from pfl.engines.parametric_boxes import WIDEST, faces, grouped, sweep
from pfl.engines.parametric_obligations import Task
from pfl.ir.labelled_system import LabelledSystem, Vector
from pfl.ir.parameters import Condition

_LONG = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The largest supremum so far, and the task and word it belongs to."""

    task: Task
    word: Word
    candidate: Candidate


@dataclass(slots=True, kw_only=True)
class Search:
    """Raises a lower bound of the supremum, word by word; `depth` None for every length.

    `highest` is an upper bound of the suprema of all words that were looked at.
    """

    depth: int | None
    budget: Budget
    best: Best | None = None
    highest: Extended = Fraction(0)
    _seen: set[tuple[int, Word]] = field(default_factory=set)

    def run(self, tasks: list[Task]) -> None:
        """Look at all words of all tasks; then, unless it is known, whether some word attains the supremum."""
        for group in grouped(tasks):
            sweep(group, [group[0].setting.space.parameters], self._raise_on)
        if self.best is not None and self.best.candidate.is_exact and not self.best.candidate.attained:
            for group in grouped(tasks):
                if sweep(group, faces(group[0].setting.space.parameters), self._attain_on):
                    break

    def _raise_on(self, task: Task, chart: Chart, system: LabelledSystem) -> None:
        def is_dead(left: Vector, right: Vector) -> bool:
            return all(self._fits(a, b) for a, b in zip(left, right))

        charted = task.obligation.on(chart, system)
        for prefix in prefixes(charted, depth=self.depth, is_dead=is_dead, budget=self.budget, widest=WIDEST):
            if not self._fits(prefix.left_mass, prefix.right_mass):
                self._consider(task, prefix.word)

    def _fits(self, left: Number, right: Number) -> bool:
        """Whether the ratio is certainly no larger than the best one, in the middle of a box."""
        if self.best is None:
            return False
        bound = self.best.candidate.low
        if bound == "inf":
            return True
        return at_most_zero(left * bound.denominator - right * bound.numerator)

    def _attain_on(self, task: Task, chart: Chart, system: LabelledSystem) -> Literal[True] | None:
        """True once a word is found that attains the best supremum at a parameter value."""
        assert self.best is not None
        bound = self.best.candidate.low

        def falls_short(left: Number, right: Number) -> bool:
            if not left:
                return True
            if bound == "inf":
                return bool(right) and at_most_zero(-right)
            difference = left * bound.denominator - right * bound.numerator
            return bool(difference) and at_most_zero(difference)

        def is_dead(left: Vector, right: Vector) -> bool:
            return all(falls_short(a, b) for a, b in zip(left, right))

        try:
            charted = task.obligation.on(chart, system)
        except ZeroDivisionError:
            return None
        for prefix in prefixes(charted, depth=self.depth, is_dead=is_dead, budget=self.budget, widest=WIDEST):
            if not falls_short(prefix.left_mass, prefix.right_mass):
                self._consider(task, prefix.word)
                if self.best.candidate.attained:
                    return True
        return None

    def _consider(self, task: Task, word: Word) -> None:
        if (id(task), word) in self._seen:
            return
        self._seen.add((id(task), word))
        floor = self.best.candidate.low if self.best is not None else Fraction(0)
        if floor == "inf":
            floor = Fraction(10**6)
        candidate = largest_ratio(*task.masses(word), task.setting, floor, self.budget)
        if candidate is None:
            return
        self.highest = larger(self.highest, candidate.high)
        if self.best is None or candidate.is_better(self.best.candidate):
            self.best = Best(task=task, word=word, candidate=candidate)

    def bound(self) -> Bound:
        """What is known, with a word and rational parameter values that come near."""
        if self.best is None:
            return Bound(ratio=Fraction(0), lower=Fraction(0), upper=Fraction(0))
        candidate = self.best.candidate
        exact = candidate.is_exact and self.highest == candidate.high
        return Bound(
            ratio=candidate.low if exact else None,
            lower=candidate.low if exact else rounded_down(candidate.low),
            upper=candidate.high if exact else rounded_up(self.highest),
            best=self._witness(self.best),
            attained=candidate.attained,
            limit_at=candidate.limit,
        )

    def _witness(self, best: Best) -> Violation | None:
        """The word at the values that attain the supremum, or at simple ones that come within a hundredth of it."""
        candidate, setting = best.candidate, best.task.setting
        if candidate.attained and all(isinstance(value, Fraction) for value in candidate.point.values()):
            found = setting.completed(candidate.point)
        else:
            near = Fraction(1000) if candidate.low == "inf" else candidate.low * Fraction(99, 100)
            left, right = best.task.obligation.masses(best.word)
            found = setting.find(self.budget, Condition(polynomial=near * right - left, relation="<", text="near"))
        return best.task.violation(best.word, found) if isinstance(found, dict) else None


def rounded_down(value: Extended) -> Extended:
    """At most the value, in twelve decimals where it has a long denominator."""
    return value if value == "inf" or value.denominator < _LONG else Fraction(value * _LONG // 1, _LONG)


def rounded_up(value: Extended) -> Extended:
    """At least the value, in twelve decimals where it has a long denominator."""
    return value if value == "inf" or value.denominator < _LONG else Fraction(-(-value * _LONG // 1), _LONG)
