"""The steps of a chain, each taken at once: from a state between steps, the distribution of the state after the next.

All runs of a step from one state are swept forward together, draw by draw. What they hold between draws is a frontier,
which is forgotten when the step is over: only the states between steps are states of the graph.
Source: docs/theory/exploration.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

from pfl.base.budget import Budget
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.explore.regions import Remembered
from pfl.explore.step_code import Frontier, Key, StepFunctions, Unsuitable, compile_step, spends_within
from pfl.model.program import Costs, Point, Program, Step
from pfl.model.transition_graph import ENDED, SILENT, State

_LARGEST_UNIT = 1 << 64
"""Weights of one level of draws are whole numbers over a common denominator up to this one."""

_DEPTH = 64
"""Draws that runs make one after the other in a step before it is asked whether they go round."""

_MOST_SEARCHED = 200_000
"""What runs may hold at draws, of which it is asked whether one leads back to itself."""

_NOTHING = Fraction(0)

_LARGE = 1_000
"""Before a frontier of so many runs is moved on, the clock is read."""


@struct(eq=False)
class StepRecorder:
    """What steps are written to: `index[state]` is the number of a state, `weight_index` and `cost_index` those of
    numbers, `certain` that of weight 1; the arrays hold what belongs to one transition each."""

    index: Mapping[State, int]
    targets: array[int]
    weights: array[int]
    labels: array[int]
    costs: array[int] | None
    weight_index: Mapping[Number, int]
    cost_index: Mapping[Number, int]
    certain: int
    pause: Callable[[], None]


class Steps:
    """The steps of one program under exploration."""

    def __init__(
        self,
        program: Program,
        live: Sequence[Sequence[str]],
        step: Step,
        counted: Costs | None,
        recorder: StepRecorder,
        budget: Budget,
    ) -> None:
        """Raises Unsuitable where this program's steps cannot be taken at once."""
        self._recorder = recorder
        self._budget = budget
        self._entering = live[program.entry]
        self._spends = spends_within(program, step, counted)
        calls = {
            "one": self._one,
            "pairs": _pairs,
            "spent": _spent,
            "pause": recorder.pause,
            "index": recorder.index,
            "cost_index": recorder.cost_index,
            "targets": recorder.targets.append,
            "weights": recorder.weights.append,
            "labels": recorder.labels.append,
            "costs": None if recorder.costs is None else recorder.costs.append,
            "certain": recorder.certain,
        }
        self._code: StepFunctions = compile_step(program, live, step, counted, calls)
        self._distributions = {point: Remembered(compute) for point, compute in self._code.distributions.items()}
        self._levels: list[_Level] = []
        self._is_whole = True
        self._after: Any = None
        """What is spent after the end of a step."""
        self._by_total: dict[int, Remembered] = {}
        self._settled = Remembered(self._settle)
        self._depth = _DEPTH
        self._spare = _Frontiers()
        """Holds nothing, until something is drawn."""

    def start(self, values: Sequence[Any]) -> int:
        """The number of the state that a start is in, given the values that are live there."""
        state, _ = self._code.enter(values[0] if len(values) == 1 else tuple(values))
        return self._recorder.index[state]

    def leave(self, state: State) -> None:
        """Appends the transitions of a state between steps. Raises Unsuitable."""
        first = self._spare
        held = self._code.begin(state, first)
        if first:  # else nothing is drawn
            self._spare = _Frontiers()
            while not self._has_swept(first, held):
                first = _Frontiers()
                held = self._code.begin(state, first)

    def _has_swept(self, first: Mapping[Point, Frontier], held: Any) -> bool:
        """Appends transitions, or finds that masses have another unit."""
        try:
            self._record(*self._swept(first, held))
        except _UnitChanged:
            return False
        return True

    def _one(self) -> Any:
        mass = 1 if self._is_whole else Fraction(1)
        return _Spent(mass, Fraction(0)) if self._spends else mass

    def _swept(self, following: Mapping[Point, Frontier], held: Any) -> tuple[Frontier, int]:
        """The masses of the ends of a step, in units of 1 over the whole number that comes with them."""
        ends: list[Frontier] = [{}]
        depth = 0
        while following:
            drawn = self._drawn_at(depth, following)
            current, following = following, _Frontiers()
            ends.append({})
            for point, frontier in current.items():
                if frontier:
                    self._code.draws[point](frontier, following, ends[-1], drawn[point], held)
            if not any(following.values()):
                following = {}
            depth += 1
            if depth == self._depth:
                self._look_for_cycles(following, held)
        units = [level.unit for level in self._levels[:depth]] if self._is_whole else [1] * depth
        return _together(ends, units), prod(units)

    def _drawn_at(self, depth: int, current: Mapping[Point, Frontier]) -> Mapping[Point, Mapping[Key, Any]]:
        """The distributions of the draws at one depth, with weights in its unit."""
        size = sum(map(len, current.values()))
        if size >= _LARGE:
            self._recorder.pause()
            if size > self._budget.max_states:
                raise Unsuitable
        if not self._is_whole:
            return self._distributions
        if depth == len(self._levels):
            unit = self._levels[-1].unit if depth else 1  # in a loop the next draw is often like the one before
            self._levels.append(_Level(self._distributions, unit, self._widen))
        return self._levels[depth].drawn

    def _widen(self) -> None:
        """Masses are numbers of any kind from now on."""
        self._is_whole = False
        raise _UnitChanged

    def _record(self, ends: Frontier, total: int) -> None:
        recorder = self._recorder
        targets: Sequence[int] = [self._settled[key] for key in ends]
        masses: Sequence[Any] = list(ends.values())
        cost = _NOTHING if self._after is None else self._after  # None: all runs got lost
        if self._spends:
            cost = cost + sum((mass.moment for mass in masses), Fraction(0)) * Fraction(1, total)
            masses = [mass.mass for mass in masses]
        if len(targets) > 1 and len(set(targets)) < len(targets):
            merged = summed(zip(targets, masses))
            targets, masses = list(merged), list(merged.values())
        weights = self._weights(total)
        recorder.targets.extend(targets)
        recorder.weights.extend([weights[mass] for mass in masses])
        recorder.labels.extend([SILENT] * len(targets))
        if recorder.costs is not None:
            recorder.costs.extend([recorder.cost_index[cost]] * len(targets))

    def _weights(self, total: int) -> Mapping[Any, int]:
        """The numbers of weights by masses."""
        if not self._is_whole:
            return self._recorder.weight_index
        if total not in self._by_total:
            self._by_total[total] = Remembered(self._weight_over(total))
        return self._by_total[total]

    def _weight_over(self, total: int) -> Callable[[int], int]:
        return lambda mass: self._recorder.weight_index[Fraction(mass, total)]

    def _settle(self, key: Key) -> int:
        """The number of the state after the end of a step."""
        if key is None:
            return self._recorder.index[(ENDED,)]
        state, cost = self._code.settle(key)
        if self._after is None:
            self._after = cost
        elif self._after != cost:
            raise Unsuitable
        return self._recorder.index[state]

    def _look_for_cycles(self, current: Mapping[Point, Frontier], held: Any) -> None:
        """Raises Unsuitable where runs may go round in the step for ever, or nearly so. Depth first."""
        self._depth *= 2
        most = min(self._budget.max_states, _MOST_SEARCHED)
        active, finished = set[tuple[Point, Key]](), set[tuple[Point, Key]]()
        for root in _points(current):
            stack = [(root, self._onward(root, held))]
            active.add(root)
            while stack:
                at, remaining = stack[-1]
                following = next(remaining, None)
                if following is None:
                    stack.pop()
                    active.discard(at)
                    finished.add(at)
                elif following in active or len(finished) + len(active) > most:
                    raise Unsuitable
                elif following not in finished:
                    active.add(following)
                    stack.append((following, self._onward(following, held)))

    def _onward(self, at: tuple[Point, Key], held: Any) -> Iterator[tuple[Point, Key]]:
        """Where a run may be at its next draw."""
        point, key = at
        following = _Frontiers()
        self._code.draws[point]({key: self._one()}, following, {}, self._distributions[point], held)
        return iter(list(_points(following)))


class _UnitChanged(Exception):
    """Weights were met that are not whole in the unit of their level: the sweep under way is to begin again."""


class _Level:
    """What is drawn at one depth of a step: weights are whole numbers over a common denominator, the `unit`."""

    def __init__(self, distributions: Mapping[Point, Remembered], unit: int, widen: Callable[[], None]) -> None:
        self.unit = unit
        self._widen = widen
        self.drawn = {point: _Scaled(self, known) for point, known in distributions.items()}

    def scaled(self, pairs: Sequence[tuple[Any, Any]]) -> Sequence[tuple[Any, int]]:
        """The weights in the unit. Raises _UnitChanged where the unit has to become finer first."""
        if not all(isinstance(weight, Fraction) for _, weight in pairs):
            self._widen()
        unit = lcm(self.unit, *(weight.denominator for _, weight in pairs))
        if unit > _LARGEST_UNIT:
            self._widen()
        if unit != self.unit:
            self.unit = unit
            for known in self.drawn.values():
                known.clear()
            raise _UnitChanged
        return [(value, weight.numerator * (unit // weight.denominator)) for value, weight in pairs]


class _Scaled(dict[Any, Any]):
    """The values of a distribution, with whole weights, by what it reads."""

    __slots__ = ("_known", "_level")

    def __init__(self, level: _Level, known: Remembered) -> None:
        super().__init__()
        self._level = level
        self._known = known

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._level.scaled(self._known[key])
        return value


class _Frontiers(dict[Point, Frontier]):
    """The frontier of each draw that some run comes to."""

    __slots__ = ()

    def __missing__(self, point: Point) -> Frontier:
        frontier: Frontier = {}
        self[point] = frontier
        return frontier


class _Spent:
    """Mass of runs, and the sum of mass times cost over them."""

    __slots__ = ("mass", "moment")

    def __init__(self, mass: Any, moment: Any) -> None:
        self.mass = mass
        self.moment = moment

    def __add__(self, other: _Spent) -> _Spent:
        return _Spent(self.mass + other.mass, self.moment + other.moment)

    def __mul__(self, weight: Any) -> _Spent:
        return _Spent(self.mass * weight, self.moment * weight)


def _spent(runs: _Spent, cost: Any) -> _Spent:
    return _Spent(runs.mass, runs.moment + runs.mass * cost) if cost else runs


def _pairs(distribution: Any) -> Sequence[tuple[Any, Number]]:
    return list(distribution.items())


def _points(frontiers: Mapping[Point, Frontier]) -> Iterator[tuple[Point, Key]]:
    return ((point, key) for point, frontier in frontiers.items() for key in frontier)


def _together(ends: Sequence[Frontier], units: Sequence[int]) -> Frontier:
    """The masses of all ends in the smallest unit: those after j draws are in that of the first j levels."""
    found = [depth for depth, frontier in enumerate(ends) if frontier]
    if len(found) == 1 and found[0] == len(units):
        return ends[-1]
    total: Frontier = {}
    for depth in found:
        factor = prod(units[depth:])
        for key, mass in ends[depth].items():
            share = mass * factor
            total[key] = total[key] + share if key in total else share
    return total
