"""The least epsilon under parameters: the supremum of the ratios over all words and parameter values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from typing import Literal

from pfl.analysis.parametric.obligation import at_most_zero
from pfl.analysis.parametric.prefixes import Word, prefixes
from pfl.analysis.parametric.supremum import Candidate, Extended, larger, largest_ratio, promising_word
from pfl.analysis.parametric.threshold import Power
from pfl.analysis.polynomial.box import Chart
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.engines.answer import Bound, Violation
from pfl.engines.parametric.boxes import WIDEST, faces, grouped, sweep
from pfl.engines.parametric.check import Check, Claimed, Excess, Unsettled
from pfl.engines.parametric.obligations import Task
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import Condition

_LONG = 10**12
_FURTHER = 4
"""Letters by which a good word is extended where no length is given."""


@struct
class Best:
    """The largest supremum so far, and the task and word it belongs to."""

    task: Task
    word: Word
    candidate: Candidate


@struct(frozen=False)
class Search:
    """Raises a lower bound of the supremum, word by word; `depth` None for every length.

    Source: Dinkelbach's method. A check of the best ratio so far either proves it, or shows a word with a larger one.
    `highest` is an upper bound of the suprema of all words that were looked at, `inf` where some word stays unsettled.
    """

    depth: int | None
    budget: Budget
    best: Best | None = None
    highest: Extended = Fraction(0)
    _seen: set[tuple[Task, Word]] = field(default_factory=set)

    def run(self, tasks: list[Task]) -> None:
        """Find the supremum; then, unless it is known, whether some word attains it.

        Raises LimitReached where a check does; what was found until then is kept.
        """
        self.run_without_attainment(tasks)
        if self.best is not None and self.best.candidate.is_exact and not self.best.candidate.attained:
            for group in grouped(tasks):
                if sweep(group, faces(group[0].setting.space.parameters), self._attain_on):
                    break

    def run_without_attainment(self, tasks: list[Task]) -> None:
        """Find the supremum."""
        for task in tasks if self.depth != 0 else ():
            for letter in range(len(task.obligation.system.letters)):
                self._consider(task, (letter,))
        while self.best is not None and (bound := self._finite()) is not None:
            claims = claims_of(tasks, bound)
            outcome = Check(depth=self.depth, budget=self.budget).run(claims)
            match outcome:
                case Excess():
                    self._consider(outcome.claimed.task, outcome.word)
                    self._extend()
                    if self._finite() == bound:
                        self.highest = "inf"
                        break
                case Unsettled():
                    self._consider(outcome.task, outcome.word)
                    self.highest = "inf"
                    break
                case None:
                    break

    def _finite(self) -> Fraction | None:
        """The best ratio from above, or from below where it has no upper bound; None if it is infinite."""
        assert self.best is not None
        candidate = self.best.candidate
        finite = candidate.low if candidate.high == "inf" else candidate.high
        return finite if isinstance(finite, Fraction) else None

    def _extend(self) -> None:
        """Look for longer words with a larger ratio near the parameter values of the best one, while that helps."""
        while True:
            best = self.best
            witness = None if best is None else self._witness(best)
            if best is None or witness is None:
                return
            values = {name: value for name, value in witness.parameters.items() if isinstance(value, Fraction)}
            length = self.depth if self.depth is not None else len(best.word) + _FURTHER
            self._consider(best.task, promising_word(best.task.obligation, values, length))
            if self.best is best:
                return

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
        if not word or (task, word) in self._seen:
            return
        self._seen.add((task, word))
        floor = self.best.candidate.low if self.best is not None else Fraction(0)
        if floor == "inf":
            floor = Fraction(10**6)
        candidate = largest_ratio(*task.masses(word), task.setting, floor, self.budget)
        if candidate is None:
            return
        self.highest = larger(self.highest, candidate.high)
        if candidate.low and (self.best is None or candidate.is_better(self.best.candidate)):
            self.best = Best(task=task, word=word, candidate=candidate)

    def known(self) -> Bound | None:
        """The best ratio so far as a lower bound, before the search has come to its end; None where there is none."""
        if self.best is None:
            return None
        candidate = self.best.candidate
        return Bound(
            ratio=None,
            lower=rounded_down(candidate.low),
            upper=None,
            attained=candidate.attained,
            limit_at=candidate.limit,
        )

    def bound(self) -> Bound:
        """What is known, with a word and rational parameter values that come near."""
        if self.best is None:
            known = Fraction(1) if self.highest != "inf" else None
            return Bound(ratio=known, lower=known, upper=known)
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
        return best.task.violation(best.word, at=found) if isinstance(found, dict) else None


def claims_of(tasks: Sequence[Task], bound: Fraction) -> list[Claimed]:
    """That no ratio of any task exceeds a rational bound."""
    return [Claimed(task=task, bound=Power(root=1, bound=bound, exact=True)) for task in tasks]


def rounded_down(value: Extended) -> Extended:
    """At most the value, in twelve decimals where it has a long denominator."""
    return value if value == "inf" or value.denominator < _LONG else Fraction(value * _LONG // 1, _LONG)


def rounded_up(value: Extended) -> Extended:
    """At least the value, in twelve decimals where it has a long denominator."""
    return value if value == "inf" or value.denominator < _LONG else Fraction(-(-value * _LONG // 1), _LONG)
