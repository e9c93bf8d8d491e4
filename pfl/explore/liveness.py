"""Which slots are live: read on some way onward before they are assigned.

Two runs that stand at the same point and agree on the live slots have the same
future, so an exploration keeps the live slots only. Source: docs/theory/exploration.md.

Where an exploration makes states: the points of a program at which it cannot simply run on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.model.program import Branch, Costs, Draw, Node, Point, Program, Receive, Run, Show, Stop, Tick, successors

Slots = frozenset[str]


def live_slots(program: Program, costs: Costs | None = None) -> tuple[tuple[str, ...], ...]:
    """The slots that are live before each point, in the order in which the program declares them.

    What `Tick` nodes read counts for that account of costs alone.
    """
    slots = program.identifiers
    before: list[Slots] = [frozenset()] * len(program.nodes)
    users: list[list[int]] = [[] for _ in program.nodes]
    for point, node in enumerate(program.nodes):
        for following in successors(node):
            users[following].append(point)
    pending = list(range(len(program.nodes)))
    waiting = set(pending)
    while pending:
        point = pending.pop()
        waiting.discard(point)
        node = program.nodes[point]
        after = frozenset().union(*(before[following] for following in successors(node)))
        live = frozenset(program.results) if isinstance(node, Stop) else _before_node(node, after, slots, costs)
        if live != before[point]:
            before[point] = live
            for user in users[point]:
                if user not in waiting:
                    waiting.add(user)
                    pending.append(user)
    order = [slot.identifier for slot in program.slots]
    return tuple(tuple(identifier for identifier in order if identifier in live) for live in before)


def slots_read(tree: ast.AST, slots: Slots) -> Slots:
    """The slots that an expression mentions. Names bound inside it (by comprehensions) are no slots by construction."""
    return frozenset(name.id for name in ast.walk(tree) if isinstance(name, ast.Name)) & slots


def live_before_code(code: Sequence[ast.stmt], after: Slots, slots: Slots) -> Slots:
    """The slots that are live before straight-line code, given those live after it."""
    live = after
    for statement in reversed(code):
        live = _before_statement(statement, live, slots)
    return live


def _before_node(node: Node, after: Slots, slots: Slots, costs: Costs | None) -> Slots:
    match node:
        case Run(code=code):
            return live_before_code(code, after, slots)
        case Branch(condition=condition):
            return after | slots_read(condition, slots)
        case Draw(slot=slot, distribution=distribution):
            return (after - {slot}) | slots_read(distribution, slots)
        case Show(value=value):
            return after | slots_read(value, slots)
        case Receive(slot=slot):
            return after - {slot}
        case Tick(cost=cost, counts=counts):
            return after | slots_read(cost, slots) if counts == costs else after
        case Stop():
            return after


def _before_statement(statement: ast.stmt, after: Slots, slots: Slots) -> Slots:
    match statement:
        case ast.Assign(targets=[target], value=value):
            return (after - slots_read(target, slots)) | slots_read(value, slots)
        case ast.If(test=test, body=body, orelse=orelse):
            chosen = live_before_code(body, after, slots) | live_before_code(orelse, after, slots)
            return chosen | slots_read(test, slots)
        case ast.For(target=target, iter=domain, body=body):
            # A turn may be followed by another or by none; liveness only grows, so one repetition settles it.
            again = after | live_before_code(body, after, slots) - slots_read(target, slots)
            turn = live_before_code(body, after | again, slots) - slots_read(target, slots)
            return after | turn | slots_read(domain, slots)
        case _:
            return after | slots_read(statement, slots)


def assigned_slots(code: Iterable[ast.stmt]) -> Slots:
    """The names that code stores to, at any depth."""
    return frozenset(
        name.id
        for statement in code
        for name in ast.walk(statement)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )


Stage: TypeAlias = tuple[Point, bool]
"""A point, and whether something was shown since the last state."""

_LARGEST_REPEATED = 24
"""Code that several ways lead to is repeated on each, up to this many instructions; longer code is shared."""

_DEEPEST_NESTED = 24
"""Branches nest this deep in generated code before the rest is put into a function of its own."""


@struct
class Cuts:
    """`states` are the points at which every run makes a state; `shared` the stages that get a function of their own.

    Between two states a run passes deterministic code and at most one visible step: a `Show` makes a state only
    where something was shown since the last one.
    """

    states: frozenset[Point]
    shared: frozenset[Stage]


def find_cuts(program: Program, after_draws: bool = False, also: Iterable[Point] = ()) -> Cuts:
    """The cuts of a program: its entry, draws, receives and ends, the points of `also`, and a head of every cycle that
    has none of these; with `after_draws` also the points that follow draws and receives, so that no more than one
    transition leaves each other state."""
    states = {point for point, node in enumerate(program.nodes) if isinstance(node, Draw | Receive | Stop)}
    states |= {program.entry, *also}
    if after_draws:
        states |= {node.next for node in program.nodes if isinstance(node, Draw | Receive)}
    postorder, heads = _search(program, frozenset(states))
    known = frozenset(states | heads)
    return Cuts(states=known, shared=_shared(program, postorder, known))


def onward(program: Program, stage: Stage) -> tuple[Stage, ...]:
    """The stages after the node of a stage has been run."""
    point, shown = stage
    node = program.nodes[point]
    shown = shown or isinstance(node, Show | Receive)
    return tuple((following, shown) for following in successors(node))


def ends_stretch(program: Program, states: frozenset[Point], stage: Stage) -> bool:
    """Whether a run that arrives here makes a state."""
    point, shown = stage
    return point in states or (shown and isinstance(program.nodes[point], Show))


def _search(program: Program, states: frozenset[Point]) -> tuple[list[Stage], set[Point]]:
    """Depth-first through the code between states: its stages in postorder, and the points that close a cycle."""
    first = [(point, False) for point, node in enumerate(program.nodes) if point in states or isinstance(node, Show)]
    finished: set[Stage] = set()
    postorder: list[Stage] = []
    heads: set[Point] = set()
    for root in first:
        if root in finished:
            continue
        active = {root}
        stack = [(root, iter(onward(program, root)))]
        while stack:
            stage, remaining = stack[-1]
            following = next(remaining, None)
            if following is None:
                stack.pop()
                active.discard(stage)
                finished.add(stage)
                postorder.append(stage)
            elif following in active:
                heads.add(following[0])
            elif following not in finished and not ends_stretch(program, states, following):
                active.add(following)
                stack.append((following, iter(onward(program, following))))
    return postorder, heads


def _shared(program: Program, postorder: list[Stage], states: frozenset[Point]) -> frozenset[Stage]:
    """The stages to give a function, so that generated code stays linear in the program, and shallow."""
    arrivals: dict[Stage, int] = {}
    for stage in set(postorder):
        for arrived in onward(program, stage):
            arrivals[arrived] = arrivals.get(arrived, 0) + 1
    sizes: dict[Stage, int] = {}
    depths: dict[Stage, int] = {}
    shared: set[Stage] = set()
    for stage in postorder:  # successors first: with the heads as states, no cycle is left between states
        onto = onward(program, stage)
        inside = [other for other in onto if not ends_stretch(program, states, other) and other not in shared]
        sizes[stage] = 1 + sum(sizes[other] for other in inside)
        depths[stage] = max((depths[other] for other in inside), default=0) + (len(onto) > 1)
        repeated = arrivals.get(stage, 0) > 1 and sizes[stage] > _LARGEST_REPEATED
        if stage[0] not in states and (repeated or depths[stage] > _DEEPEST_NESTED):
            shared.add(stage)
    return frozenset(shared)
