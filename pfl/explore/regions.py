"""A program as compiled Python functions, one for each point at which a run makes a state.

The function of a point takes a state there, runs on through deterministic code to the
next states, and appends the transitions to arrays. Nothing is interpreted in the
inner loop: expressions, draws and the bookkeeping are one piece of byte code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, assert_never

from pfl.base.struct import struct
from pfl.explore.liveness import Cuts, Stage, assigned_slots, ends_stretch, slots_read
from pfl.model.code_places import CodePlaces
from pfl.model.program import Branch, Costs, Draw, Node, Point, Program, Receive, Run, Show, Stop, Tick
from pfl.model.transition_graph import ENDED, SILENT, State

Region: TypeAlias = Callable[[State], None]
Pairs: TypeAlias = Sequence[tuple[Any, int]]
"""Values with an index each: of their weight where they are drawn, of their label where they are chosen outside."""

# Names of the generated code. Identifiers of slots do not begin with the dot.
_STATE, _POINT, _KEY, _WEIGHT, _LABEL, _COST = "·state", "·point", "·key", "·weight", "·label", "·cost"
_INDEX, _TARGETS, _WEIGHTS, _LABELS, _COSTS, _PAIRS = "·index", "·targets", "·weights", "·labels", "·costs", "·pairs"
_NO_COST, _NEVER, _ENDED = "·no_cost", "·never", "·ended"


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
        compute = namespace[_drawn(point)]
        namespace[_remembered(point)] = Remembered(compute) if recorder.remembers else Computed(compute)
        positions = [live[point].index(name) + 1 for name in builder.reads(point, draw)]
        choices[point] = _of_slots(compute, positions)
    return Regions(functions={point: namespace[_region(point)] for point in points}, choices=choices)


class _Builder:
    """Builds the functions as Python syntax trees over `namespace`."""

    def __init__(self, program: Program, live: Sequence[Sequence[str]], cuts: Cuts, recorder: Recorder) -> None:
        self._program = program
        self._live = live
        self._cuts = cuts
        self._certain = recorder.certain
        self._counted = recorder.counted
        self._slots = program.identifiers
        self._places = CodePlaces.of(program.namespace)
        self.namespace: dict[str, Any] = {
            # Looked up after the names below, and live: functions of the program are compiled when first called.
            "__builtins__": program.namespace,
            _INDEX: recorder.index,
            _TARGETS: recorder.targets,
            _WEIGHTS: recorder.weights,
            _LABELS: recorder.labels,
            _COSTS: recorder.costs,
            _PAIRS: recorder.pairs,
            "·pause": recorder.pause,
            _NO_COST: recorder.no_cost,
            _NEVER: recorder.never,
            _ENDED: (ENDED,),
            **{_shown(kind): mapping for kind, mapping in recorder.shown.items()},
            _cost_index(): recorder.cost_index,
        }

    def reads(self, point: Point, draw: Draw) -> list[str]:
        """The slots that a distribution depends on, in the order of the state."""
        read = slots_read(draw.distribution, self._slots)
        return [name for name in self._live[point] if name in read]

    def draw_function(self, point: Point, draw: Draw) -> ast.stmt:
        """key -> the pairs of the distribution; the key holds the slots that it reads."""
        read = self.reads(point, draw)
        unpack = [_unpack(read, _KEY) if len(read) != 1 else _assign(read[0], _name(_KEY))] if read else []
        return _function(_drawn(point), [_KEY], [*unpack, ast.Return(_call(_PAIRS, draw.distribution))])

    def region_function(self, point: Point) -> ast.stmt:
        """state -> its transitions, appended."""
        node = self._program.nodes[point]
        body: list[ast.stmt] = [_unpack([_POINT, *self._live[point]], _STATE)] if self._live[point] else []
        match node:
            case Draw(slot=slot):
                pairs = _subscript(_remembered(point), _key(self.reads(point, node)))
                turn = [*self._start_cost(), *self._arrive(node.next, False, _name(_WEIGHT))]
                if node.partial:
                    lost = _compare(_name(slot), ast.Is(), _name(_NEVER))
                    ended = [*self._start_cost(), *self._record(_name(_ENDED), False, _name(_WEIGHT))]
                    turn = [ast.If(test=lost, body=ended, orelse=turn)]
                body.append(_loop([slot, _WEIGHT], pairs, [*self._restore(point, slot, turn), *turn]))
            case Receive(slot=slot):
                turn = [*self._start_cost(), *self._arrive(node.next, True, _constant(self._certain))]
                body.append(_loop([slot, _LABEL], _name(_inputs(point)), [*self._restore(point, slot, turn), *turn]))
            case Stop():
                body = [ast.Pass()]
            case _:
                body += [*self._start_cost(), *self._run(point, False, _constant(self._certain))]
        return _function(_region(point), [_STATE], body)

    def _restore(self, point: Point, drawn: str, turn: list[ast.stmt]) -> list[ast.stmt]:
        """Gives slots that a turn of the loop over drawn values assigns their values in the state again."""
        assigned = assigned_slots(turn) - {drawn}
        return [
            _assign(name, ast.Subscript(value=_name(_STATE), slice=_constant(position), ctx=ast.Load()))
            for position, name in enumerate(self._live[point], 1)
            if name in assigned
        ]

    def shared_function(self, stage: Stage) -> ast.stmt:
        """(live slots, weight, label, cost) -> the transition that a run goes on to make, appended."""
        point, shown = stage
        return _function(_stage(stage), self._stage_arguments(stage), self._run(point, shown, _name(_WEIGHT)))

    def _run(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        """Runs the node of a point, and on to where the next state is made."""
        body: list[ast.stmt] = []
        while True:
            node = self._program.nodes[point]
            body += self._placed(self._code(node), node)
            if isinstance(node, Branch):
                then = self._arrive(node.then, shown, weight)
                otherwise = self._arrive(node.otherwise, shown, weight)
                return [*body, ast.If(test=node.condition, body=then, orelse=otherwise)]
            assert isinstance(node, Run | Show | Tick)
            shown = shown or isinstance(node, Show)
            point = node.next
            if self._stops(point, shown):
                return [*body, *self._arrive(point, shown, weight)]

    def _placed(self, code: list[ast.stmt], node: Node) -> list[ast.stmt]:
        if self._places is not None and node.origin is not None:
            for statement in code:
                self._places.put(statement, node.origin)
        return code

    def _code(self, node: Node) -> list[ast.stmt]:
        match node:
            case Run(code=code):
                return list(code)
            case Show(kind=kind, value=value):
                return [_assign(_LABEL, _subscript(_shown(kind), value))]
            case Tick(cost=cost, counts=counts):
                total = ast.BinOp(left=_name(_COST), op=ast.Add(), right=cost)
                return [_assign(_COST, total)] if counts == self._counted else []
            case Branch() | Draw() | Receive() | Stop():
                return []
            case _:
                assert_never(node)

    def _stops(self, point: Point, shown: bool) -> bool:
        return (point, shown) in self._cuts.shared or ends_stretch(self._program, self._cuts.states, (point, shown))

    def _arrive(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        if ends_stretch(self._program, self._cuts.states, (point, shown)):
            state = ast.Tuple(elts=[_constant(point), *map(_name, self._live[point])], ctx=ast.Load())
            return self._record(state, shown, weight)
        if (point, shown) in self._cuts.shared:
            given = {_WEIGHT: weight}
            arguments = [given.get(name) or _name(name) for name in self._stage_arguments((point, shown))]
            return [ast.Expr(_call(_stage((point, shown)), *arguments))]
        return self._run(point, shown, weight)

    def _record(self, state: ast.expr, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        """Appends one transition. The state comes first: numbering it may stop the exploration."""
        calls = [_call(_TARGETS, _subscript(_INDEX, state)), _call(_WEIGHTS, weight)]
        calls.append(_call(_LABELS, _name(_LABEL) if shown else _constant(SILENT)))
        if self._counted is not None:
            calls.append(_call(_COSTS, _subscript(_cost_index(), _name(_COST))))
        return [ast.Expr(call) for call in calls]

    def _start_cost(self) -> list[ast.stmt]:
        return [] if self._counted is None else [_assign(_COST, _name(_NO_COST))]

    def _stage_arguments(self, stage: Stage) -> list[str]:
        point, shown = stage
        label = [_LABEL] if shown else []
        cost = [_COST] if self._counted is not None else []
        return [*self._live[point], _WEIGHT, *label, *cost]


def _always(pairs: Pairs) -> Callable[[State], Pairs]:
    return lambda _state: pairs


def _of_slots(compute: Callable[[Any], Pairs], positions: Sequence[int]) -> Callable[[State], Pairs]:
    return lambda state: compute(_key_of(state, positions))


def _key_of(state: State, positions: Sequence[int]) -> Any:
    values = tuple(state[position] for position in positions)
    return values[0] if len(values) == 1 else values


def _region(point: Point) -> str:
    return f"·region{point}"


def _drawn(point: Point) -> str:
    return f"·drawn{point}"


def _remembered(point: Point) -> str:
    return f"·remembered{point}"


def _inputs(point: Point) -> str:
    return f"·inputs{point}"


def _stage(stage: Stage) -> str:
    return f"·stage{stage[0]}{'shown' if stage[1] else ''}"


def _shown(kind: str) -> str:
    return f"·shown_{kind}"


def _cost_index() -> str:
    return "·cost_index"


def _name(identifier: str) -> ast.Name:
    return ast.Name(id=identifier, ctx=ast.Load())


def _constant(value: int) -> ast.expr:
    return ast.Constant(value=value)


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=_name(function), args=list(arguments), keywords=[])


def _subscript(mapping: str, key: ast.expr) -> ast.expr:
    return ast.Subscript(value=_name(mapping), slice=key, ctx=ast.Load())


def _compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left=left, ops=[operator], comparators=[right])


def _key(names: Sequence[str]) -> ast.expr:
    return _name(names[0]) if len(names) == 1 else ast.Tuple(elts=[_name(name) for name in names], ctx=ast.Load())


def _assign(identifier: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=identifier, ctx=ast.Store())], value=value)


def _targets(names: Sequence[str]) -> ast.expr:
    return ast.Tuple(elts=[ast.Name(id=name, ctx=ast.Store()) for name in names], ctx=ast.Store())


def _unpack(names: Sequence[str], value: str) -> ast.stmt:
    return ast.Assign(targets=[_targets(names)], value=_name(value))


def _loop(names: Sequence[str], domain: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.For(target=_targets(names), iter=domain, body=body, orelse=[])


def _function(name: str, arguments: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    definition = ast.parse("def _(): pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.name, definition.body = name, body
    definition.args.args = [ast.arg(arg=argument) for argument in arguments]
    return definition
