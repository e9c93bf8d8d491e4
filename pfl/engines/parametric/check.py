"""Decides a bound on ratios for all parameter values: box by box, word by word, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.parametric.obligation import at_most_zero
from pfl.analysis.parametric.prefixes import Kept, Prefix, Word, prefixes
from pfl.analysis.parametric.threshold import Power, is_exceeded_at, power, rational_power
from pfl.analysis.polynomial.box import Box, Chart, holds_at
from pfl.analysis.polynomial.points import Point
from pfl.analysis.polynomial.supremum import enclosed_value
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import value_at
from pfl.base.struct import struct
from pfl.engines.answer import Violation
from pfl.engines.parametric.boxes import WIDEST, grouped, sweep
from pfl.engines.parametric.obligations import Task
from pfl.model.labelled_system import LabelledSystem, Vector

DEEPEST = 60
MOST_DIRECTIONS = 20_000
"""Letters and prefixes up to which a proof for every length is looked for."""
_FIRST_BITS = 64
_MOST_BITS = 4096
"""Precision at which a rational bound below an irrational e^eps is given up as too near the largest ratio."""


@struct(eq=False)
class Claimed:
    """A task with the bound c that its ratios shall keep."""

    task: Task
    bound: Power


@struct
class Excess:
    """A word that exceeds its bound at a point."""

    claimed: Claimed
    word: Word
    point: Point

    def violation(self) -> Violation:
        """The word with the values at which it exceeds, for replay."""
        return self.claimed.task.violation(self.word, at=self.point)


@struct
class Unsettled:
    """A word for which neither a point where it exceeds its bound nor a proof was found."""

    task: Task
    word: Word


Outcome: TypeAlias = Excess | Unsettled | None


def check_epsilons(tasks: Sequence[Task], check: Check) -> Outcome:
    """Whether some ratio exceeds the e^eps of its task; None proves that there is none.

    An irrational e^eps is replaced by a rational below it, so that vectors can be compared. What exceeds this and not
    e^eps asks for more bits; if they do not help, powers decide, or nothing does.
    """
    bits = dict.fromkeys(tasks, _FIRST_BITS)
    while True:
        claims = [Claimed(task=task, bound=_bound_of(task, bits[task])) for task in tasks]
        outcome = check.run(claims)
        if not isinstance(outcome, Excess) or outcome.claimed.bound.exact:
            return outcome
        task = outcome.claimed.task
        if _is_exceeded(task, outcome):
            return outcome
        bits[task] *= 2
        if bits[task] > 2 * _MOST_BITS:
            return Unsettled(task=task, word=outcome.word)


def _bound_of(task: Task, bits: int) -> Power:
    assert task.epsilon is not None
    return (rational_power if bits <= _MOST_BITS else power)(task.epsilon, bits)


def _is_exceeded(task: Task, excess: Excess) -> bool:
    """Whether the word exceeds e^eps itself at the point."""
    assert task.epsilon is not None
    left, right = task.obligation.masses(excess.word)
    values = _rational(excess.point)
    if values is not None:
        return is_exceeded_at(task.epsilon, value_at(left, values), value_at(right, values), values)
    if task.epsilon.parameters or len(excess.point) != 1 or not right:
        return False
    ((name, root),) = excess.point.items()
    low, _ = enclosed_value(left / right, root, name)
    return low == "inf" or task.epsilon.compare(low) > 0


@struct(frozen=False)
class Check:
    """Looks for words that exceed their bounds; `depth` None for every length.

    `directions` counts prefixes, `words` those that were decided one by one. `claims` are those of the last run.
    """

    depth: int | None
    budget: Budget
    most_directions: int = MOST_DIRECTIONS
    directions: int = 0
    words: int = 0
    claims: tuple[Claimed, ...] = ()
    _unsettled: Unsettled | None = None

    def run(self, claims: Iterable[Claimed]) -> Outcome:
        """An excess; None if there is none at any parameter value; or the first word that stays unsettled.

        Raises LimitReached by the budget, and where a proof for every length goes too deep.
        """
        self._unsettled = None
        self.claims = tuple(claims)
        bounds = {claimed.task: claimed for claimed in self.claims}
        settled: set[tuple[Task, Word]] = set()

        def visit(task: Task, chart: Chart, system: LabelledSystem) -> Excess | None:
            return self._run_on(bounds[task], chart, system, settled)

        for group in grouped(bounds):
            excess = sweep(group, [group[0].setting.space.parameters], visit)
            if excess is not None:
                return excess
        return self._unsettled

    def _run_on(
        self, claimed: Claimed, chart: Chart, system: LabelledSystem, settled: set[tuple[Task, Word]]
    ) -> Excess | None:
        """An excess of one task, if its words show one on a box; raises TooWide."""
        task = claimed.task
        quotient = claimed.bound.quotient(chart)
        kept = Kept()

        def signed(left: Number, right: Number) -> Number:
            """Q left - P right for the bound P/Q; left alone where there is no such bound."""
            return left if quotient is None else quotient[1] * left - quotient[0] * right

        def is_dead(left: Vector, right: Vector) -> bool:
            vector = tuple(map(signed, left, right))
            return all(map(at_most_zero, vector)) or (quotient is not None and kept.covers(vector))

        charted = task.obligation.on(chart, system)
        centre = _centre(task, chart.box)
        for prefix in prefixes(charted, depth=self.depth, is_dead=is_dead, budget=self.budget, widest=WIDEST):
            self.directions += 1
            self._limit(prefix)
            if at_most_zero(signed(prefix.left_mass, prefix.right_mass)) or (task, prefix.word) in settled:
                continue
            if centre is not None and _exceeds_at_centre(claimed.bound, prefix, centre):
                return Excess(claimed=claimed, word=prefix.word, point=dict(centre))
            excess = self._decide(claimed, prefix.word)
            if excess is not None:
                return excess
            settled.add((task, prefix.word))
        return None

    def _limit(self, prefix: Prefix) -> None:
        if self.depth is None and (len(prefix.word) > DEEPEST or self.directions > self.most_directions):
            raise LimitReached(
                f"no proof for every length was found: after {len(prefix.word)} letters and {self.directions} prefixes "
                "there are new ones that no earlier one covers; give a `length`, or a larger epsilon"
            )

    def _decide(self, claimed: Claimed, word: Word) -> Excess | None:
        """A point of the whole space where the word exceeds its bound; takes note if that stays unknown."""
        self.words += 1
        left, right = claimed.task.obligation.masses(word)
        found = claimed.task.setting.find(self.budget, claimed.bound.exceeded(left, right))
        if found is None:
            return None
        if found == "unknown":
            self._unsettled = self._unsettled or Unsettled(task=claimed.task, word=word)
            return None
        return Excess(claimed=claimed, word=word, point=found)


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


def _exceeds_at_centre(bound: Power, prefix: Prefix, centre: dict[str, Fraction]) -> bool:
    """Whether the word of a prefix exceeds the bound in the middle of the box, where all charted variables are 1."""
    left, right = (value_at(mass, dict.fromkeys(centre, Fraction(1))) for mass in (prefix.left_mass, prefix.right_mass))
    return left**bound.root > value_at(bound.bound, centre) * right**bound.root
