"""A program as compiled Python functions, one for each point at which a run makes a state.

The function of a point takes a state there, runs on through deterministic code to the
next states, and appends the transitions to arrays. Nothing is interpreted in the
inner loop: expressions, draws and the bookkeeping are one piece of byte code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pfl.base.struct import struct
from pfl.explore import pieces
from pfl.explore.liveness import Cuts, Stage, assigned_slots, ends_stretch
from pfl.explore.stretches import COST, LABEL, NEVER, NO_COST, PAIRS, WEIGHT, Stretches, drawn, shown_as
from pfl.model.program import Costs, Draw, Point, Program, Receive, Show, Stop
from pfl.model.transition_graph import ENDED, SILENT, State

Region: TypeAlias = Callable[[State], None]
Pairs: TypeAlias = Sequence[tuple[Any, int]]
"""Values with an index each: of their weight where they are drawn, of their label where they are chosen outside."""

# Names of the generated code. Identifiers of slots do not begin with the dot.
_STATE, _POINT = "·state", "·point"
_INDEX, _TARGETS, _WEIGHTS, _LABELS, _COSTS = "·index", "·targets", "·weights", "·labels", "·costs"
_ENDED = "·ended"


@struct
class Recorder:
    """What the generated code writes to.

    `index[state]` is the number of a state, given when it is first asked for. `targets`, `weights`, `labels` and
    `costs` append what belongs to one transition. `pairs(distribution)` are its values of positive weight;
    `shown[kind][value]` and `inputs(channel, values)` number the labels; `cost_index[cost]` the costs. `never` is the
    drawn value that means a run without end. `counted` says which `Tick` nodes count. Code that may run long calls
    `pause`, which raises when the time is over.
    """

    index: Mapping[State, int]
    targets: Callable[[int], None]
    weights: Callable[[int], None]
    labels: Callable[[int], None]
    costs: Callable[[int], None]
    pairs: Callable[[Any], Pairs]
    shown: Mapping[str, Mapping[Any, int]]
    inputs: Callable[[str, tuple[Any, ...]], Pairs]
    cost_index: Mapping[Any, int]
    certain: int
    no_cost: Any
    never: Any
    counted: Costs | None
    pause: Callable[[], None]
    remembers: bool = True
    """Whether a distribution is computed once for what it reads; not where that holds samples."""


@struct
class Regions:
    """`functions` by point. `choices[point](state)` is what a state that draws or waits goes on with, in the order of
    its transitions."""

    functions: dict[Point, Region]
    choices: dict[Point, Callable[[State], Pairs]]


class Remembered(dict[Any, Any]):
    """A function of one key that is computed once a key."""

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: Any) -> Any:
        value = self[key] = self._compute(key)
        return value


class Computed:
    """A function of one key, which need not be hashable, as a mapping."""

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute

    def __getitem__(self, key: Any) -> Any:
        return self._compute(key)


def compile_regions(program: Program, live: Sequence[Sequence[str]], cuts: Cuts, recorder: Recorder) -> Regions:
    """The functions of all points that can make a state. They raise what the program's code raises."""
    builder = _Builder(program, live, cuts, recorder)
    shows = {point for point, node in enumerate(program.nodes) if isinstance(node, Show)}
    points = sorted(cuts.states | shows)
    draws = {point: node for point in points if isinstance(node := program.nodes[point], Draw)}
    receives = {point: node for point in points if isinstance(node := program.nodes[point], Receive)}
    module = ast.Module(type_ignores=[], body=[])
    module.body += [builder.draw_function(point, draw) for point, draw in draws.items()]
    module.body += [builder.region_function(point) for point in points]
    module.body += [builder.shared_function(stage) for stage in sorted(cuts.shared)]
    namespace = builder.namespace
    exec(compile(ast.fix_missing_locations(module), f"<pfl {program.name}>", "exec"), namespace)

    choices: dict[Point, Callable[[State], Pairs]] = {}
    for point, receive in receives.items():
        inputs = namespace[_inputs(point)] = recorder.inputs(receive.channel, receive.values)
        choices[point] = _always(inputs)
    for point, draw in draws.items():
        compute = namespace[drawn(point)]
        namespace[_remembered(point)] = Remembered(compute) if recorder.remembers else Computed(compute)
        positions = [live[point].index(name) + 1 for name in builder.reads(point, draw)]
        choices[point] = _of_slots(compute, positions)
    return Regions(functions={point: namespace[_region(point)] for point in points}, choices=choices)


class _Builder(Stretches):
    """Builds the functions as Python syntax trees over `namespace`."""

    def __init__(self, program: Program, live: Sequence[Sequence[str]], cuts: Cuts, recorder: Recorder) -> None:
        super().__init__(program, live, recorder.counted)
        self._cuts = cuts
        self._certain = recorder.certain
        self.namespace |= {
            _INDEX: recorder.index,
            _TARGETS: recorder.targets,
            _WEIGHTS: recorder.weights,
            _LABELS: recorder.labels,
            _COSTS: recorder.costs,
            PAIRS: recorder.pairs,
            "·pause": recorder.pause,
            NO_COST: recorder.no_cost,
            NEVER: recorder.never,
            _ENDED: (ENDED,),
            **{shown_as(kind): mapping for kind, mapping in recorder.shown.items()},
            _cost_index(): recorder.cost_index,
        }

    def region_function(self, point: Point) -> ast.stmt:
        """state -> its transitions, appended."""
        node = self.program.nodes[point]
        body: list[ast.stmt] = (
            [pieces.unpack([_POINT, *self.live[point]], pieces.name(_STATE))] if self.live[point] else []
        )
        match node:
            case Draw(slot=slot):
                pairs = pieces.subscript(_remembered(point), pieces.key(self.reads(point, node)))
                turn = [*self.start_cost(), *self.arrive(node.next, False, pieces.name(WEIGHT))]
                if node.partial:
                    lost = pieces.compare(pieces.name(slot), ast.Is(), pieces.name(NEVER))
                    ended = [*self.start_cost(), *self._record(pieces.name(_ENDED), False, pieces.name(WEIGHT))]
                    turn = [ast.If(test=lost, body=ended, orelse=turn)]
                body.append(pieces.loop([slot, WEIGHT], pairs, [*self._restore(point, slot, turn), *turn]))
            case Receive(slot=slot):
                turn = [*self.start_cost(), *self.arrive(node.next, True, pieces.constant(self._certain))]
                body.append(
                    pieces.loop([slot, LABEL], pieces.name(_inputs(point)), [*self._restore(point, slot, turn), *turn])
                )
            case Stop():
                body = [ast.Pass()]
            case _:
                body += [*self.start_cost(), *self.run(point, False, pieces.constant(self._certain))]
        return pieces.function(_region(point), [_STATE], body)

    def _restore(self, point: Point, drawn: str, turn: list[ast.stmt]) -> list[ast.stmt]:
        """Gives slots that a turn of the loop over drawn values assigns their values in the state again."""
        assigned = assigned_slots(turn) - {drawn}
        return [
            pieces.assign(
                name, ast.Subscript(value=pieces.name(_STATE), slice=pieces.constant(position), ctx=ast.Load())
            )
            for position, name in enumerate(self.live[point], 1)
            if name in assigned
        ]

    def shared_function(self, stage: Stage) -> ast.stmt:
        """(live slots, weight, label, cost) -> the transition that a run goes on to make, appended."""
        point, shown = stage
        return pieces.function(_stage(stage), self._stage_arguments(stage), self.run(point, shown, pieces.name(WEIGHT)))

    def stops(self, point: Point, shown: bool) -> bool:
        return (point, shown) in self._cuts.shared or ends_stretch(self.program, self._cuts.states, (point, shown))

    def arrive(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        if ends_stretch(self.program, self._cuts.states, (point, shown)):
            state = ast.Tuple(elts=[pieces.constant(point), *map(pieces.name, self.live[point])], ctx=ast.Load())
            return self._record(state, shown, weight)
        if (point, shown) in self._cuts.shared:
            given = {WEIGHT: weight}
            arguments = [given.get(name) or pieces.name(name) for name in self._stage_arguments((point, shown))]
            return [ast.Expr(pieces.call(_stage((point, shown)), *arguments))]
        return self.run(point, shown, weight)

    def _record(self, state: ast.expr, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        """Appends one transition. The state comes first: numbering it may stop the exploration."""
        calls = [pieces.call(_TARGETS, pieces.subscript(_INDEX, state)), pieces.call(_WEIGHTS, weight)]
        calls.append(pieces.call(_LABELS, pieces.name(LABEL) if shown else pieces.constant(SILENT)))
        if self.counted is not None:
            calls.append(pieces.call(_COSTS, pieces.subscript(_cost_index(), pieces.name(COST))))
        return [ast.Expr(call) for call in calls]

    def _stage_arguments(self, stage: Stage) -> list[str]:
        point, shown = stage
        label = [LABEL] if shown else []
        cost = [COST] if self.counted is not None else []
        return [*self.live[point], WEIGHT, *label, *cost]


def _always(pairs: Pairs) -> Callable[[State], Pairs]:
    return lambda _state: pairs


def _of_slots(compute: Callable[[Any], Pairs], positions: Sequence[int]) -> Callable[[State], Pairs]:
    return lambda state: compute(_key_of(state, positions))


def _key_of(state: State, positions: Sequence[int]) -> Any:
    values = tuple(state[position] for position in positions)
    return values[0] if len(values) == 1 else values


def _region(point: Point) -> str:
    return f"·region{point}"


def _remembered(point: Point) -> str:
    return f"·remembered{point}"


def _inputs(point: Point) -> str:
    return f"·inputs{point}"


def _stage(stage: Stage) -> str:
    return f"·stage{stage[0]}{'shown' if stage[1] else ''}"


def _cost_index() -> str:
    return "·cost_index"
