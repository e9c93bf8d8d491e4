"""Which slots are live: read on some way onward before they are assigned.

Two runs that stand at the same point and agree on the live slots have the same
future, so an exploration keeps the live slots only. Source: docs/theory/exploration.md.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pfl.ir.program import Branch, Costs, Draw, Node, Program, Receive, Run, Show, Stop, Tick, successors

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
