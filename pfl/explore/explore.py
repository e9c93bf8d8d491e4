"""The reachable states of a program, breadth first, as an explicit transition graph.

A state is a point and the values of the slots that are live there, so runs that
differ only in what is never read again are one. Source: docs/theory/exploration.md.
"""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.number import Number
from pfl.explore.errors import noise_misplaced, too_many_states, with_path
from pfl.explore.liveness import find_cuts, live_slots
from pfl.explore.regions import Pairs, Recorder, Region, Regions, Remembered, compile_regions
from pfl.model.line_units import require_no_logarithm
from pfl.model.noise import NoiseMet
from pfl.model.program import Costs, EvaluationFault, LabelKind, Point, Program, Step, Stop
from pfl.model.transition_graph import ENDED, Label, State, TransitionGraph
from pfl.model.values import NEVER, UNSET

if TYPE_CHECKING:
    from pfl.explore.steps import StepRecorder, Steps

_CERTAIN = 0
"""The index of weight 1."""

_DRAWS_A_STEP = 10
"""So many times as many states as between steps there may be draw by draw, where the path to a fault is looked for."""

_STATES_BETWEEN_CHECKS = 4096

_SECONDS_BETWEEN_CHECKS = 0.1
"""States that hold much take long to leave: the clock is read after fewer of them then."""


def explore(
    program: Program,
    starts: Sequence[Mapping[str, Any]],
    budget: Budget,
    costs: Costs | None = None,
    *,
    tells_noise: bool = False,
    shown: int | None = None,
    most: int | None = None,
    step: Step | None = None,
) -> TransitionGraph:
    """The transition graph of a program from starts, each of which gives the values of the program's inputs.

    Starts share the states they have in common. With `costs`, each transition carries what a run spends on it in that
    account. With `shown`, runs are left once they have shown so many values, and with `most`, no more than so many
    states are explored, those that fewest transitions reach: what comes then is one state without transitions. With
    `step`, the states are those between steps, and what happens in a step is one transition, which carries what all
    transitions of its state cost on average; where a run may go round in a step, states are as without. Raises
    `InputRejected` for a fault of the model on a reachable state, with the path that leads there, and `LimitReached`
    beyond `budget.max_states` states, naming the slot that grows. Noise without bounds is such a fault; if
    `tells_noise`, `NoiseMet` is raised for it, for `explore_noise` to be called.
    """
    try:
        if step is not None:
            found = _explored_in_steps(program, starts, budget, costs, most, step)
            if found is not None:
                return found
        return _Exploration(program, budget, costs, shown, most).run(starts)
    except NoiseMet as met:
        if tells_noise:
            raise
        raise InputRejected([noise_misplaced(met.noise)]) from None


def _explored_in_steps(
    program: Program,
    starts: Sequence[Mapping[str, Any]],
    budget: Budget,
    costs: Costs | None,
    most: int | None,
    step: Step,
) -> TransitionGraph | None:
    """The graph of states between steps; None where it is not to be had."""
    from pfl.explore.step_code import Unsuitable  # needed with chains only

    try:
        return _Exploration(program, budget, costs, None, most, step).run(starts)
    except Unsuitable:
        return None
    except EvaluationFault as fault:
        diagnostics = [fault.diagnostic]
    except InputRejected as rejected:
        diagnostics = list(rejected.diagnostics)
    try:
        # Draw by draw the same fault is found, and the path to it.
        roomy = replace(budget, max_states=_DRAWS_A_STEP * budget.max_states)
        return _Exploration(program, roomy, costs, None, most).run(starts)
    except LimitReached:
        raise InputRejected(diagnostics) from None


class _Numbering(dict[State, int]):
    """state -> number, in order of first mention."""

    __slots__ = ("limit", "states")

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.states: list[State] = []
        self.limit = limit

    def __missing__(self, state: State) -> int:
        number = len(self.states)
        if number >= self.limit:
            raise _TooManyStates
        self[state] = number
        self.states.append(state)
        return number


class _TooManyStates(Exception):
    """The limit was met in the middle of a row."""


class _Exploration:
    """One exploration under way."""

    def __init__(
        self,
        program: Program,
        budget: Budget,
        costs: Costs | None,
        shown: int | None,
        most: int | None,
        step: Step | None = None,
    ) -> None:
        self._program = program
        self._shown, self._most = shown, most
        self._order: list[int] = []
        """Where runs are left when they have shown so much: the states in the order of their rows."""
        self._budget = budget
        self._live = live_slots(program, costs)
        # `offsets[-1]` is where the row under way began, so its length less one is the state that is being left.
        self._offsets = array("q", [0])
        self._targets = array("i")
        self._weights = array("i")
        self._labels = array("i")
        self._costs = array("i") if costs is not None else None
        self._index = _Numbering(budget.max_states)
        self._weight_table: list[Number] = [Fraction(1)]
        self._weight_index = Remembered(_entering(self._weight_table))
        self._weight_index[Fraction(1)] = _CERTAIN
        self._label_table: list[Label | None] = [None]
        self._cost_table: list[Number] = []
        self._cost_index = Remembered(self._enter_cost)
        self._regions: Regions | None = None
        self._steps: Steps | None = None
        self._functions: dict[Point, Region]
        if step is None:
            self._regions = self._compiled(costs)
            self._functions = self._regions.functions
        else:
            from pfl.explore.steps import Steps  # needed with chains only

            self._steps = Steps(program, self._live, step, costs, self._step_recorder(), budget)
            self._functions = {point: _ends for point, node in enumerate(program.nodes) if isinstance(node, Stop)}
            self._functions[step.begin] = self._steps.leave
        self._functions[ENDED] = _ends

    def _compiled(self, costs: Costs | None) -> Regions:
        kinds: tuple[LabelKind, ...] = ("emit", "return", "respond", "move")
        return compile_regions(
            self._program,
            self._live,
            find_cuts(self._program),
            Recorder(
                index=self._index,
                targets=self._targets.append,
                weights=self._weights.append,
                labels=self._labels.append,
                costs=(array("i") if self._costs is None else self._costs).append,
                pairs=self._pairs,
                shown={kind: Remembered(self._entering_label(kind)) for kind in kinds},
                inputs=self._inputs,
                cost_index=self._cost_index,
                certain=_CERTAIN,
                no_cost=Fraction(0),
                never=NEVER,
                counted=costs,
                pause=self._check_time,
            ),
        )

    def _step_recorder(self) -> StepRecorder:
        from pfl.explore.steps import StepRecorder

        return StepRecorder(
            index=self._index,
            targets=self._targets,
            weights=self._weights,
            labels=self._labels,
            costs=self._costs,
            weight_index=self._weight_index,
            cost_index=self._cost_index,
            certain=_CERTAIN,
            pause=self._check_time,
        )

    def run(self, starts: Sequence[Mapping[str, Any]]) -> TransitionGraph:
        inputs = set(self._program.inputs)
        numbers: list[int] = []
        try:
            for start in starts:
                values = [start[name] if name in inputs else UNSET for name in self._live[self._program.entry]]
                entered = (
                    self._index[(self._program.entry, *values)] if self._steps is None else self._steps.start(values)
                )
                numbers.append(entered)
            with _without_garbage_collection():
                self._explore_all() if self._shown is None else self._explore_while_shown(self._shown)
        except EvaluationFault as fault:
            if self._regions is None:
                raise
            raise with_path([fault.diagnostic], self._graph(tuple(numbers)), self._regions) from None
        except InputRejected as rejected:  # of a mechanism that is run to find a distribution
            if self._regions is None:
                raise
            raise with_path(rejected.diagnostics, self._graph(tuple(numbers)), self._regions) from None
        except _TooManyStates:
            raise too_many_states(self._graph(tuple(numbers)), self._budget.max_states) from None
        return self._graph(tuple(numbers))

    def _explore_all(self) -> None:
        states, offsets, targets = self._index.states, self._offsets, self._targets
        functions = self._functions
        end_row = offsets.append
        done, told, count = 0, 0, 64
        while done < len(states) and (self._most is None or done < self._most):
            self._check_time()
            started = time.monotonic()
            count = count if self._most is None else min(count, self._most - done)
            for state in islice(states, done, done + count):
                functions[state[0]](state)
                end_row(len(targets))
            done = len(offsets) - 1
            is_slow = time.monotonic() - started > _SECONDS_BETWEEN_CHECKS
            count = max(1, count // 2) if is_slow else min(2 * count, _STATES_BETWEEN_CHECKS)
            if done >= told + _STATES_BETWEEN_CHECKS * 16:
                told = done
                self._budget.progress(f"`{self._program.name}`: {done:,} states explored, {len(states):,} found")

    def _explore_while_shown(self, most: int) -> None:
        """Leaves the states that some run reaches before it has shown `most` values, those after the fewest first."""
        states, functions = self._index.states, self._functions
        labels, targets, is_left = self._labels, self._targets, set[int]()
        waiting = list(range(len(states)))
        for _ in range(most):
            after_more: list[int] = []
            for number in waiting:  # which grows
                if number in is_left:
                    continue
                is_left.add(number)
                self._order.append(number)
                if len(is_left) % 256 == 0:
                    self._check_time()
                functions[states[number][0]](states[number])
                for edge in range(self._offsets[-1], len(targets)):
                    label = self._label_table[labels[edge]]
                    shows = label is not None and label.kind != "input"
                    (after_more if shows else waiting).append(targets[edge])
                self._offsets.append(len(targets))
            waiting = after_more

    def _check_time(self) -> None:
        self._budget.check(f"{len(self._offsets) - 1:,} states of `{self._program.name}`")

    def _graph(self, starts: tuple[int, ...]) -> TransitionGraph:
        states, targets, offsets = self._index.states, self._targets, self._offsets
        order: Sequence[int] = self._order if self._shown is not None else range(len(states))
        if self._most is not None:
            order = range(min(self._most, len(states)))
        is_cut = len(order) < len(states)
        if self._shown is not None or is_cut:
            place = dict.fromkeys(range(len(states)), len(order))
            place.update((number, row) for row, number in enumerate(order))
            starts = tuple(place[start] for start in starts)
            targets = array("i", (place[target] for target in targets))
            states = [states[number] for number in order]
            if is_cut and len(offsets) > len(states):
                states, offsets = [*states, (ENDED,)], array("q", [*offsets, offsets[-1]])
        return TransitionGraph(
            program=self._program,
            states=states,
            starts=starts,
            offsets=offsets,
            targets=targets,
            weights=self._weights,
            labels=self._labels,
            weight_table=tuple(self._weight_table),
            label_table=tuple(self._label_table),
            live=self._live,
            costs=self._costs,
            cost_table=tuple(self._cost_table),
            is_cut=is_cut,
        )

    def _pairs(self, distribution: Any) -> Pairs:
        index = self._weight_index
        return [(value, index[weight]) for value, weight in distribution.items()]

    def _inputs(self, channel: str, values: Iterable[Any]) -> Pairs:
        return [(value, self._new_label(Label("input", value, channel))) for value in values]

    def _entering_label(self, kind: LabelKind) -> Callable[[Any], int]:
        def entered(value: Any) -> int:
            require_no_logarithm(value)
            return self._new_label(Label(kind, value))

        return entered

    def _enter_cost(self, cost: Number | int) -> int:
        """Whole costs are added as Python's own numbers while a step is taken: that is quicker."""
        self._cost_table.append(Fraction(cost) if isinstance(cost, int) else cost)
        return len(self._cost_table) - 1

    def _new_label(self, label: Label) -> int:
        self._label_table.append(label)
        return len(self._label_table) - 1


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """A million states are a million tuples, none of them garbage: looking through them again and again takes long."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _ends(_state: State) -> None:
    """No transition leaves the end of a run."""


def _entering(table: list[Any]) -> Callable[[Any], int]:
    """A function that appends what it is given, and returns the index."""

    def enter(entry: Any) -> int:
        table.append(entry)
        return len(table) - 1

    return enter
