"""Decides a bound on ratios for all parameter values: box by box, word by word, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.parametric.domination import Kept
from pfl.analysis.parametric.obligation import at_most_zero
from pfl.analysis.parametric.prefixes import Prefix, Word, prefixes
from pfl.analysis.parametric.threshold import is_exceeded_at, power, quotient_below
from pfl.analysis.polynomial.box import Box, Chart, holds_at
from pfl.analysis.polynomial.points import Point
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import value_at
from pfl.engines.answer import Violation
from pfl.engines.parametric_boxes import WIDEST, grouped, sweep
from pfl.engines.parametric_obligations import Task
from pfl.ir.labelled_system import LabelledSystem, Vector

DEEPEST = 60
MOST_DIRECTIONS = 20_000
"""Letters and prefixes up to which a proof for every length is looked for."""
MOST_BITS = 4096
"""Precision at which e^eps is given up as too near a ratio; only ratios that equal it up to 10^-1200 come so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """A word for which neither a violation nor a proof was found."""

    task: Task
    word: Word


Outcome: TypeAlias = Violation | Unsettled | None


@dataclass(slots=True, kw_only=True)
class Check:
    """Looks for a violation; `depth` None for every length.

    `directions` counts prefixes, `words` those that were decided one by one.
    """

    depth: int | None
    budget: Budget
    most_directions: int = MOST_DIRECTIONS
    directions: int = 0
    words: int = 0
    _settled: set[tuple[int, Word]] = field(default_factory=set)
    _unsettled: Unsettled | None = None

    def run_all(self, tasks: Iterable[Task]) -> Outcome:
        """A violation; None if there is none at any parameter value; or the first word that stays unsettled.

        Raises LimitReached by the budget, and where a proof for every length goes too deep.
        """
        for group in grouped(tasks):
            violation = sweep(group, [group[0].setting.space.parameters], self._run_on)
            if violation is not None:
                return violation
        return self._unsettled

    def _run_on(self, task: Task, chart: Chart, system: LabelledSystem) -> Violation | None:
        """A violation of one task, if its words show one on a box; raises TooWide."""
        epsilon = _claimed(task)
        above, below = quotient_below(epsilon, chart)

        def fits(left: Number, right: Number) -> bool:
            return at_most_zero(below * left - above * right)

        kept = Kept()

        def is_dead(left: Vector, right: Vector) -> bool:
            return all(fits(a, b) for a, b in zip(left, right)) or kept.covers(
                tuple(below * a - above * b for a, b in zip(left, right))
            )

        charted = task.obligation.on(chart, system)
        centre = _centre(task, chart.box)
        for prefix in prefixes(charted, depth=self.depth, is_dead=is_dead, budget=self.budget, widest=WIDEST):
            self.directions += 1
            self._limit(prefix)
            if fits(prefix.left_mass, prefix.right_mass):
                continue
            if centre is not None and _fails_at_centre(epsilon, prefix, centre):
                return task.violation(prefix.word, dict(centre))
            violation = self._decide(task, prefix.word)
            if violation is not None:
                return violation
        return None

    def _limit(self, prefix: Prefix) -> None:
        if self.depth is None and (len(prefix.word) > DEEPEST or self.directions > self.most_directions):
            raise LimitReached(
                f"no proof for every length was found: after {len(prefix.word)} letters and {self.directions} prefixes "
                "there are new ones that no earlier one covers; give a `length`, or a larger epsilon"
            )

    def _decide(self, task: Task, word: Word) -> Violation | None:
        """A place in the whole space where the word violates the bound; takes note if that stays unknown."""
        if (key := (id(task), word)) in self._settled:
            return None
        self.words += 1
        epsilon = _claimed(task)
        left, right = task.obligation.masses(word)
        bits = 64
        while bits <= MOST_BITS:
            claimed = power(epsilon, bits)
            found = task.setting.find(self.budget, claimed.exceeded(left, right))
            if found is None:
                self._settled.add(key)
                return None
            if found == "unknown":
                break
            if claimed.exact or _fails_at(epsilon, left, right, found):
                return task.violation(word, found)
            bits *= 2
        self._unsettled = self._unsettled or Unsettled(task=task, word=word)
        return None


def _claimed(task: Task) -> Epsilon:
    if task.epsilon is None:
        raise ValueError("a check needs an epsilon")
    return task.epsilon


def _centre(task: Task, box: Box) -> dict[str, Fraction] | None:
    """The middle of the box with the values of all other parameters, if it lies in the space."""
    middle = {parameter.name: (parameter.low + parameter.high) / 2 for parameter in box}
    if not holds_at(task.setting.space, middle):
        return None
    completed = task.setting.completed(dict(middle))
    return _rational(completed) if isinstance(completed, dict) else None


def _rational(point: Point) -> dict[str, Fraction] | None:
    values = {name: value for name, value in point.items() if isinstance(value, Fraction)}
    return values if len(values) == len(point) else None


def _fails_at_centre(epsilon: Epsilon, prefix: Prefix, centre: dict[str, Fraction]) -> bool:
    """Whether the word of a prefix violates the bound in the middle of the box, where all charted variables are 1."""
    left, right = (value_at(mass, dict.fromkeys(centre, Fraction(1))) for mass in (prefix.left_mass, prefix.right_mass))
    return is_exceeded_at(epsilon, left, right, centre)


def _fails_at(epsilon: Epsilon, left: Number, right: Number, point: Point) -> bool:
    values = _rational(point)
    return values is not None and is_exceeded_at(epsilon, value_at(left, values), value_at(right, values), values)
