"""Exploring a program that draws noise without bounds.

The values that samples take are not gone through. A state holds *handles* in their place, numbered in the order in
which they stand in the state, so that runs which differ in their past samples alone are one. Where a comparison of
samples has to be decided, the code of a state is run once for each way it may come out, and the transition carries
what was decided as *guards*. Source: docs/theory/noise-exploration.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, Label, LimitReached
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.explore.held_values import SAMPLE, Fresh, decoded, encoded, holds_sample, without_samples
from pfl.explore.line import Line
from pfl.explore.liveness import find_cuts, live_slots
from pfl.explore.regions import Pairs, Recorder, Remembered, compile_regions
from pfl.model.code_places import CodePlaces
from pfl.model.distribution import DistributionValue
from pfl.model.line_units import LineUnit, require_no_logarithm
from pfl.model.noise import Noise, Sample, SampleMisused
from pfl.model.program import Costs, EvaluationFault, Program
from pfl.model.transition_graph import ENDED, State, show_values
from pfl.model.transition_graph import Label as Shown
from pfl.model.values import NEVER, UNSET


@struct(kw_only=False)
class Guard:
    """left - right <= bound, the handles of a state, None for 0. For integers the bound is whole."""

    left: int | None
    right: int | None
    bound: Fraction
    is_integral: bool

    @property
    def opposite(self) -> Guard:
        """What holds where it does not; of reals but for ties, which have probability 0."""
        return Guard(self.right, self.left, -self.bound - self.is_integral, self.is_integral)


@struct(eq=False)
class Edge:
    """A transition to `target`, taken with `weight` where all guards hold. Handle h of the target is handle
    `carried[h]` of the source, or a new sample of that noise. `label` is an index into the labels, 0 for none. Where
    what is shown is the sample of a handle of the source, that is `released`."""

    target: int
    weight: Number
    label: int
    cost: Number
    guards: tuple[Guard, ...]
    carried: tuple[int | Noise, ...]
    released: int | None = None


@struct(eq=False)
class Faulty:
    """What goes wrong in a run that leaves a state where the guards hold; no fault if that has probability 0."""

    diagnostic: Diagnostic
    guards: tuple[Guard, ...]


@struct(eq=False)
class NoiseGraph:
    """States, and the edges that leave each, by number; `handles` are how many samples each state holds.

    Each start holds no samples. Bounds of guards, and means, of reals are multiples of `unit`, None for 1.
    """

    program: Program
    states: Sequence[State]
    starts: tuple[int, ...]
    edges: Sequence[tuple[Edge, ...]]
    faults: Mapping[int, tuple[Faulty, ...]]
    handles: Sequence[int]
    labels: Sequence[Shown | None]
    live: tuple[tuple[str, ...], ...]
    unit: LineUnit | None = None

    def show_state(self, state: int) -> str:
        """The state in the model's words; samples are `a sample`."""
        point, *values = self.states[state]
        return show_values(self.program, self.live, (point, *map(without_samples, values)))


def explore_noise(
    program: Program, starts: Sequence[Mapping[str, Any]], budget: Budget, costs: Costs | None = None
) -> NoiseGraph:
    """The graph of a program from starts; see `explore`. Raises LimitReached for too many states."""
    return _NoiseExploration(program, budget, costs).run(starts)


class _Run:
    """One run of a state's code: decides comparisons as `decisions` says, then for the better, and notes all."""

    def __init__(self, decisions: list[bool], line: Line) -> None:
        self.decisions = decisions
        self.measure = line.measure
        self.guards: list[Guard] = []
        self._most: dict[tuple[int | None, int | None], Fraction] = {}

    def decide(self, left: int | None, right: int | None, bound: Fraction, is_integral: bool) -> bool:
        """See `Path`."""
        if left == right:
            return bound >= 0
        asked = Guard(left, right, bound, is_integral)
        if self._follows(asked):
            return True
        if self._follows(asked.opposite):
            return False
        at = len(self.guards)
        if at == len(self.decisions):
            self.decisions.append(True)
        held = asked if self.decisions[at] else asked.opposite
        self.guards.append(held)
        self._learn(held)
        return self.decisions[at]

    def _follows(self, guard: Guard) -> bool:
        """Whether what was decided implies it."""
        most = self._most.get((guard.left, guard.right))
        return most is not None and most <= guard.bound

    def _learn(self, guard: Guard) -> None:
        """Notes by how much at most any two samples now differ, over all chains of guards."""
        below = [(guard.left, Fraction(0)), *((a, d) for (a, b), d in self._most.items() if b == guard.left)]
        above = [(guard.right, Fraction(0)), *((b, d) for (a, b), d in self._most.items() if a == guard.right)]
        for a, first in below:
            for b, last in above:
                found = first + guard.bound + last
                if a != b and found < self._most.get((a, b), found + 1):
                    self._most[a, b] = found


def _next(decisions: list[bool]) -> list[bool] | None:
    """The decisions to be tried after these; None after the last."""
    while decisions and not decisions[-1]:
        decisions = decisions[:-1]
    return [*decisions[:-1], False] if decisions else None


class _NoiseExploration:
    """One exploration under way. What a run records comes in here call by call: target, weight, label, cost."""

    def __init__(self, program: Program, budget: Budget, costs: Costs | None) -> None:
        self._program = program
        self._budget = budget
        self._live = live_slots(program, costs)
        self._line = Line()
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        self._handles: list[int] = []
        self._labels: list[Shown | None] = [None]
        self._weights: list[Number] = [Fraction(1)]
        self._costs: list[Number] = []
        self._targets: list[tuple[int, tuple[int | Noise, ...]]] = []
        self._weighted: list[int] = []
        self._labelled: list[int] = []
        self._costed: list[int] = []
        self.released: int | None = None
        kinds = ("emit", "return", "respond", "move")
        recorder = Recorder(
            index=self,  # type: ignore[arg-type]  # only `index[state]` is asked for
            targets=self._targets.append,  # type: ignore[arg-type]
            weights=self._weighted.append,
            labels=self._labelled.append,
            costs=self._costed.append,
            pairs=self._pairs,
            shown={kind: _Showing(Remembered(self._entering(kind)), self) for kind in kinds},  # type: ignore[misc]
            inputs=self._inputs,
            cost_index=Remembered(self._enter_cost),
            certain=0,
            no_cost=Fraction(0),
            never=NEVER,
            counted=costs,
            pause=self._check_time,
            remembers=False,
        )
        self._regions = compile_regions(program, self._live, find_cuts(program, after_draws=True), recorder)

    def run(self, starts: Sequence[Mapping[str, Any]]) -> NoiseGraph:
        inputs = set(self._program.inputs)
        numbers = []
        for start in starts:
            values = (start[name] if name in inputs else UNSET for name in self._live[self._program.entry])
            number, _ = self[(self._program.entry, *values)]
            numbers.append(number)
        edges: list[tuple[Edge, ...]] = []
        faults: dict[int, tuple[Faulty, ...]] = {}
        states = self._states
        while len(edges) < len(states):
            self._check_time()
            found, wrong = self._leave(states[len(edges)])
            if wrong:
                faults[len(edges)] = wrong
            edges.append(found)
        return NoiseGraph(
            program=self._program,
            states=states,
            starts=tuple(numbers),
            edges=edges,
            faults=faults,
            handles=self._handles,
            labels=self._labels,
            live=self._live,
            unit=self._line.unit,
        )

    def _leave(self, state: State) -> tuple[tuple[Edge, ...], tuple[Faulty, ...]]:
        """All edges that leave a state, and all that goes wrong there."""
        if state[0] == ENDED:
            return (), ()
        function = self._regions.functions[state[0]]
        edges: list[Edge] = []
        faults: list[Faulty] = []
        decisions: list[bool] | None = []
        while decisions is not None:
            run = _Run(decisions, self._line)
            for recorded in (self._targets, self._weighted, self._labelled, self._costed):
                recorded.clear()
            self.released = None
            try:
                function((state[0], *(decoded(value, run) for value in state[1:])))
            except EvaluationFault as fault:
                faults.append(Faulty(diagnostic=self._with_state(fault.diagnostic, state), guards=tuple(run.guards)))
            except SampleMisused as misused:
                faults.append(Faulty(diagnostic=self._misused(misused, state), guards=tuple(run.guards)))
            else:
                edges += self._recorded(tuple(run.guards))
            decisions = _next(run.decisions)
        return tuple(edges), tuple(faults)

    def _recorded(self, guards: tuple[Guard, ...]) -> Iterator[Edge]:
        for at, (target, carried) in enumerate(self._targets):
            yield Edge(
                target=target,
                weight=self._weights[self._weighted[at]],
                label=self._labelled[at],
                cost=self._costs[self._costed[at]] if self._costed else Fraction(0),
                guards=guards,
                carried=carried,
                released=self.released,
            )

    def __getitem__(self, state: State) -> tuple[int, tuple[int | Noise, ...]]:
        """The number of a state, and what its handles are in the state that is being left."""
        carried: list[int | Noise] = []
        places: dict[int, int] = {}
        held = tuple(encoded(value, carried, places) for value in state)
        number = self._numbers.get(held)
        if number is None:
            number = len(self._numbers)
            if number >= self._budget.max_states:
                raise LimitReached(f"`{self._program.name}` has more than {number:,} states; try a larger --max-states")
            self._numbers[held] = number
            self._states.append(held)
            self._handles.append(len(carried))
        return number, tuple(carried)

    def _pairs(self, distribution: DistributionValue | Noise) -> Pairs:
        if isinstance(distribution, Noise):
            if distribution.mean and not distribution.is_integral:
                self._line.measure(distribution.unit)
            return [(Fresh(distribution), 0)]
        found = []
        for value, weight in distribution.items():
            self._weights.append(weight)
            found.append((value, len(self._weights) - 1))
        return found

    def _inputs(self, channel: str, values: Sequence[Any]) -> Pairs:
        return [(value, self._enter_label(Shown("input", value, channel))) for value in values]

    def _entering(self, kind: Any) -> Any:
        return lambda value: self._enter_label(_shown(kind, value))

    def _enter_label(self, label: Shown) -> int:
        self._labels.append(label)
        return len(self._labels) - 1

    def _enter_cost(self, cost: Number) -> int:
        self._costs.append(cost)
        return len(self._costs) - 1

    def _check_time(self) -> None:
        self._budget.check(f"{len(self._numbers):,} states of `{self._program.name}`")

    def _with_state(self, diagnostic: Diagnostic, state: State) -> Diagnostic:
        shown = show_values(self._program, self._live, (state[0], *map(without_samples, state[1:])))
        return EvaluationFault(diagnostic).with_path([f"in the state {shown}"] if shown else [])

    def _misused(self, misused: SampleMisused, state: State) -> Diagnostic:
        origin = self._program.nodes[state[0]].origin
        labels = () if origin is None else (Label(origin, "in what follows this"),)
        places = CodePlaces.of(self._program.namespace)
        place = None if places is None else places.innermost(misused.__traceback__)
        diagnostic = Diagnostic(
            code=codes.SAMPLE_MISUSED,
            message=misused.what,
            labels=labels if place is None else (Label(place),),
            help=misused.instead,
        )
        return self._with_state(diagnostic, state)


def _shown(kind: Any, value: Any) -> Shown:
    require_no_logarithm(value)
    return Shown(kind, value)


class _Showing:
    """The label of a value that is shown; that of a sample is the same for all."""

    def __init__(self, labels: Mapping[Any, int], exploration: _NoiseExploration) -> None:
        self._labels, self._exploration = labels, exploration

    def __getitem__(self, value: Any) -> int:
        if not isinstance(value, Sample):
            if holds_sample(value):
                raise SampleMisused(
                    "a sample is shown as a part of a larger value",
                    "show samples one by one: declare `emits real`, and `emit` each of them",
                )
            return self._labels[value]
        if value.plus is not None and value.minus is not None:
            raise SampleMisused(
                "the difference of two samples is shown",
                "compare it with numbers, or show samples one by one: declare `emits real`, and `emit` each of them",
            )
        if value.plus is None or value.minus is not None or value.shift:
            raise SampleMisused("a sample is shown after it was moved", "put what is added to it into its mean")
        self._exploration.released = value.plus
        return self._labels[SAMPLE]
