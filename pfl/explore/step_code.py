"""A step of a chain as compiled Python functions, by which whole frontiers of runs are moved on at once.

A frontier maps what runs hold at one draw to the mass of those runs. The function of a draw moves all runs of a
frontier to the draws that come next, or to the end of the step, where masses of equal runs add.
Source: docs/theory/exploration.md.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pfl.base.struct import struct
from pfl.explore import pieces
from pfl.explore.liveness import assigned_slots, find_cuts
from pfl.explore.stretches import COST, KEY, NEVER, NO_COST, WEIGHT, Stretches, drawn
from pfl.model.program import Costs, Draw, Point, Program, Receive, Run, Show, Step, Stop, Tick, successors
from pfl.model.transition_graph import SILENT, State
from pfl.model.values import NEVER as NO_END

Key: TypeAlias = Any
"""What runs hold at one point: the values of live slots, as `pieces.key` makes them one; None where one got lost."""

Frontier: TypeAlias = dict[Key, Any]
"""Masses by what is held."""

_STATE, _POINT, _MASS, _AT, _TURNS, _UNSUITABLE = "·state", "·point", "·mass", "·at", "·turns", "·unsuitable"
_FRONTIER, _NEXT, _ENDS, _DRAWN, _HELD = "·frontier", "·next", "·ends", "·drawn", "·held"
_REACHED, _OLD = "·reached", "·old"

_MOST_TURNS = 10_000
"""Turns of loops without draws that one stretch may take: more may be without end."""


class Unsuitable(Exception):
    """The steps of this program are not to be taken at once: a run may go round in a step without end, or there is too
    much between its draws."""


@struct
class StepFunctions:
    """`begin(state, next)` moves a run that is about to make a step to its first draw, in `next[point]`, with all mass,
    and returns what the step holds all along; one that draws nothing it moves on to the next state. `draws[point]`
    (frontier, next, ends, drawn, held) moves a frontier on; `drawn[key]` are the values of a distribution with their
    weights, as `distributions[point]` computes it. `settle(key)` goes from the end of a step to the state before the
    next one and what that costs, `enter(key)` from a start."""

    begin: Callable[[State, Mapping[Point, Frontier]], Any]
    draws: Mapping[Point, Callable[[Frontier, Mapping[Point, Frontier], Frontier, Mapping[Any, Any], Any], None]]
    distributions: Mapping[Point, Callable[[Key], Any]]
    settle: Callable[[Key], tuple[State, Any]]
    enter: Callable[[Key], tuple[State, Any]]


def compile_step(
    program: Program, live: Sequence[Sequence[str]], step: Step, counted: Costs | None, calls: Mapping[str, Any]
) -> StepFunctions:
    """The functions of a step.

    `calls` are what the code calls: `one()` is all mass, `pairs(distribution)` what `distributions` give,
    `spent(mass, cost)` the mass of runs that have spent that much more; `targets`, `weights`, `labels` and `costs`
    append what belongs to one transition, `index[state]` and `cost_index[cost]` are numbers, `certain` is that of
    weight 1; `pause()` raises when the time is over. Raises Unsuitable for a program that shows or receives something.
    """
    if any(isinstance(node, Show | Receive) for node in program.nodes):
        raise Unsuitable
    moving = _Moving(program, live, step, counted)
    settling = _Settling(program, live, step, counted)
    draws = {point: node for point in moving.inner if isinstance(node := program.nodes[point], Draw)}
    module = ast.Module(type_ignores=[], body=[moving.begin_function()])
    module.body += [moving.draw_function(point, draw) for point, draw in draws.items()]
    module.body += [moving.frontier_function(point, draw) for point, draw in draws.items()]
    module.body += [settling.function("·settle", step.end), settling.function("·enter", program.entry)]
    names = moving.namespace | {f"·{name}": called for name, called in calls.items()}
    exec(compile(ast.fix_missing_locations(module), f"<pfl step of {program.name}>", "exec"), names)
    return StepFunctions(
        begin=names["·begin"],
        draws={point: names[_moved(point)] for point in draws},
        distributions={point: names[drawn(point)] for point in draws},
        settle=names["·settle"],
        enter=names["·enter"],
    )


def spends_within(program: Program, step: Step, counted: Costs | None) -> bool:
    """Whether a run may spend something in the account before the end of a step."""
    nodes = (program.nodes[point] for point in _reached(program, [step.begin], step))
    return any(isinstance(node, Tick) and node.counts == counted for node in nodes)


def _reached(program: Program, starts: Sequence[Point], step: Step) -> set[Point]:
    """The points that are come to from some points before the end of the step."""
    found: set[Point] = set()
    pending = list(starts)
    while pending:
        point = pending.pop()
        if point not in found and point != step.end:
            found.add(point)
            pending += successors(program.nodes[point])
    return found


class _Moving(Stretches):
    """From draw to draw. Points that code jumps to, within one function, are branches of a loop."""

    def __init__(self, program: Program, live: Sequence[Sequence[str]], step: Step, counted: Costs | None) -> None:
        super().__init__(program, live, counted)
        self._step = step
        self._spends = spends_within(program, step, counted)
        self.inner = sorted(_reached(program, [step.begin], step))
        fixed = {step.begin, step.end, program.entry}
        cuts = find_cuts(program, also=fixed)
        made = {point for point in cuts.states - fixed if not isinstance(program.nodes[point], Draw | Receive | Stop)}
        self._heads = made
        self._labels = made | {point for point, _ in cuts.shared}
        self._stops = self._labels | {step.begin, step.end}
        outside = _reached(program, successors(program.nodes[step.end]), step) - _reached(program, [step.begin], step)
        self._targets = {point for point in outside if isinstance(program.nodes[point], Stop)}
        """The ends of runs that have made their last step."""
        self._held = self._held_all_along()
        self._begins = False
        self._jumps: list[Point] = []
        self._ahead: set[Point] = set()
        """The draws that the function under construction comes to."""
        self.namespace |= {NO_COST: 0, NEVER: NO_END, _UNSUITABLE: Unsuitable}

    def _held_all_along(self) -> list[str]:
        """The slots that are not assigned any more once something was drawn: keys do without them."""
        draws = [node for point in self.inner if isinstance(node := self.program.nodes[point], Draw)]
        assigned = {draw.slot for draw in draws}
        for point in _reached(self.program, [draw.next for draw in draws], self._step):
            node = self.program.nodes[point]
            if isinstance(node, Run):
                assigned |= assigned_slots(node.code)
        return [slot.identifier for slot in self.program.slots if slot.identifier not in assigned]

    def begin_function(self) -> ast.stmt:
        """(state, next) -> what is held all along. A run that draws nothing goes on to the state before its next step,
        and its transition is appended."""
        self._begins = True
        begin = self._step.begin
        body = [
            pieces.unpack([_POINT, *self.live[begin]], pieces.name(_STATE)),
            pieces.assign(WEIGHT, pieces.call("·one")),
            *self._turn(begin),
        ]
        self._begins = False
        if not self._spends:  # what is spent at the end of a step is added where it is settled
            self.counted = None
        return pieces.function("·begin", [_STATE, _NEXT], body)

    def frontier_function(self, point: Point, draw: Draw) -> ast.stmt:
        """(frontier, next, ends, drawn, held): moves the frontier on."""
        keys = self._keys(point)
        held = [
            pieces.assign(name, pieces.item(_HELD, place))
            for place, name in enumerate(self._held)
            if name in self.live[point]
        ]
        self._ahead.clear()
        turn = self._turn(draw.next)
        if draw.partial:
            lost = pieces.compare(pieces.name(draw.slot), ast.Is(), pieces.name(NEVER))
            turn = [ast.If(test=lost, body=self._added(_ENDS, ast.Constant(None)), orelse=turn)]
        assigned = assigned_slots(turn) - {draw.slot}
        restored = [
            pieces.assign(name, pieces.item(KEY, place) if len(keys) > 1 else pieces.name(KEY))
            for place, name in enumerate(keys)
            if name in assigned
        ]
        moved = pieces.assign(WEIGHT, ast.BinOp(left=pieces.name(_MASS), op=ast.Mult(), right=pieces.name(WEIGHT)))
        pairs = pieces.subscript(_DRAWN, pieces.key(self.reads(point, draw)))
        drawing = pieces.loop([draw.slot, WEIGHT], pairs, [*restored, moved, *turn])
        items = ast.Call(func=pieces.attribute(_FRONTIER, "items"), args=[], keywords=[])
        ahead = [_look_ahead(point) for point in sorted(self._ahead)]
        body = [*held, *ahead, pieces.loop([KEY, _MASS], items, [*pieces.unpack_key(keys, pieces.name(KEY)), drawing])]
        return pieces.function(_moved(point), [_FRONTIER, _NEXT, _ENDS, _DRAWN, _HELD], body)

    def stops(self, point: Point, shown: bool) -> bool:  # noqa: ARG002 - nothing is shown in a step
        return point in self._stops or isinstance(self.program.nodes[point], Draw | Stop)

    def arrive(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        if point == self._step.begin or (self._begins and point in self._targets):
            return [*self._certain(point), ast.Break()]
        if point == self._step.end and not self._begins:
            return [*self._added(_ENDS, pieces.key(self.live[point])), ast.Break()]
        if isinstance(self.program.nodes[point], Draw):
            self._ahead.add(point)
            added = self._added(_ahead(point), pieces.key(self._keys(point)))
            if self._begins:  # a run comes to one draw alone
                return [_look_ahead(point), *added, self._held_now(point)]
            return [*added, ast.Break()]
        if isinstance(self.program.nodes[point], Stop):  # behind what raises a fault
            return [_unsuitable()]
        if point in self._labels:
            self._jumps.append(point)
            return [pieces.assign(_AT, pieces.constant(point)), ast.Continue()]
        return self.run(point, shown, weight)

    def _turn(self, point: Point) -> list[ast.stmt]:
        """What a run does that goes on at a point, as a loop that is left when it has come to a draw or the end."""
        self._jumps = []
        weight = pieces.name(WEIGHT)
        first = self.run(point, False, weight) if point == self._step.begin else self.arrive(point, False, weight)
        branches: dict[Point, list[ast.stmt]] = {}
        while self._jumps:
            label = self._jumps.pop()
            if label not in branches:
                branches[label] = []
                branches[label] = [*self._counted_turn(label), *self.run(label, False, weight)]
        begun = [*self.start_cost(), pieces.assign(_TURNS, pieces.constant(0))] if branches else self.start_cost()
        straight = not any(isinstance(statement, ast.If) for statement in first)
        if len(branches) == 1 and straight:
            return [*begun, *first[:-2], _endless(next(iter(branches.values())))]
        rest = first
        for label, code in branches.items():
            here = pieces.compare(pieces.name(_AT), ast.Eq(), pieces.constant(label))
            rest = [ast.If(test=here, body=code, orelse=rest)]
        return (
            [*begun, pieces.assign(_AT, pieces.constant(-1)), _endless(rest)] if branches else [*begun, _endless(rest)]
        )

    def _counted_turn(self, label: Point) -> list[ast.stmt]:
        if label not in self._heads:
            return []
        more = ast.BinOp(left=pieces.name(_TURNS), op=ast.Add(), right=pieces.constant(1))
        many = pieces.compare(pieces.name(_TURNS), ast.Gt(), pieces.constant(_MOST_TURNS))
        return [pieces.assign(_TURNS, more), ast.If(test=many, body=[_unsuitable()], orelse=[])]

    def _keys(self, point: Point) -> list[str]:
        return [name for name in self.live[point] if name not in self._held]

    def _held_now(self, point: Point) -> ast.stmt:
        """What is not live at the first draw is not live later."""
        values: list[ast.expr]
        values = [pieces.name(name) if name in self.live[point] else ast.Constant(None) for name in self._held]
        return ast.Return(value=ast.Tuple(elts=values, ctx=ast.Load()))

    def _certain(self, point: Point) -> list[ast.stmt]:
        """Appends the one transition of a step that draws nothing."""
        state = ast.Tuple(elts=[pieces.constant(point), *map(pieces.name, self.live[point])], ctx=ast.Load())
        calls = [
            pieces.call("·targets", pieces.subscript("·index", state)),
            pieces.call("·weights", pieces.name("·certain")),
            pieces.call("·labels", pieces.constant(SILENT)),
        ]
        if self.counted is not None:
            calls.append(pieces.call("·costs", pieces.subscript("·cost_index", pieces.name(COST))))
        return [ast.Expr(called) for called in calls]

    def _added(self, frontier: str, key: ast.expr) -> list[ast.stmt]:
        """frontier[key] += the mass of the run"""
        spent = [pieces.assign(WEIGHT, pieces.call("·spent", pieces.name(WEIGHT), pieces.name(COST)))]
        mass, old = pieces.name(WEIGHT), pieces.name(_OLD)
        known = ast.Call(func=pieces.attribute(frontier, "get"), args=[pieces.name(_REACHED)], keywords=[])
        total = ast.IfExp(
            test=pieces.compare(old, ast.Is(), ast.Constant(None)),
            body=mass,
            orelse=ast.BinOp(left=old, op=ast.Add(), right=mass),
        )
        place = ast.Subscript(value=pieces.name(frontier), slice=pieces.name(_REACHED), ctx=ast.Store())
        return [
            *(spent if self._spends else []),
            pieces.assign(_REACHED, key),
            pieces.assign(_OLD, known),
            ast.Assign(targets=[place], value=total),
        ]


class _Settling(Stretches):
    """From the end of a step, or a start, to the state before the next one, or the end of the run."""

    def __init__(self, program: Program, live: Sequence[Sequence[str]], step: Step, counted: Costs | None) -> None:
        super().__init__(program, live, counted)
        self._begin = step.begin

    def function(self, name: str, point: Point) -> ast.stmt:
        """key -> (state, cost)"""
        body = [
            *pieces.unpack_key(self.live[point], pieces.name(KEY)),
            pieces.assign(COST, pieces.name(NO_COST)),
            *self.run(point, False, pieces.name(WEIGHT)),
        ]
        return pieces.function(name, [KEY], body)

    def stops(self, point: Point, shown: bool) -> bool:  # noqa: ARG002 - nothing is shown in a step
        return point == self._begin or isinstance(self.program.nodes[point], Stop)

    def arrive(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        if not self.stops(point, shown):
            return self.run(point, shown, weight)
        state = ast.Tuple(elts=[pieces.constant(point), *map(pieces.name, self.live[point])], ctx=ast.Load())
        return [ast.Return(value=ast.Tuple(elts=[state, pieces.name(COST)], ctx=ast.Load()))]


def _ahead(point: Point) -> str:
    return f"·next{point}"


def _look_ahead(point: Point) -> ast.stmt:
    """Finds the frontier of a draw that runs come to."""
    return pieces.assign(_ahead(point), pieces.subscript(_NEXT, pieces.constant(point)))


def _unsuitable() -> ast.stmt:
    return ast.Raise(exc=pieces.name(_UNSUITABLE), cause=None)


def _endless(body: list[ast.stmt]) -> ast.stmt:
    return ast.While(test=ast.Constant(True), body=body, orelse=[])


def _moved(point: Point) -> str:
    return f"·moved{point}"
