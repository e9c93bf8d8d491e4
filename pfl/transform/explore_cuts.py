"""Where an exploration makes states: the points of a program at which it cannot simply run on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pfl.ir.program import Draw, Point, Program, Receive, Show, Stop, successors

Stage: TypeAlias = tuple[Point, bool]
"""A point, and whether something was shown since the last state."""

_LARGEST_REPEATED = 24
"""Code that several ways lead to is repeated on each, up to this many instructions; longer code is shared."""

_DEEPEST_NESTED = 24
"""Branches nest this deep in generated code before the rest is put into a function of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """`states` are the points at which every run makes a state; `shared` the stages that get a function of their own.

    Between two states a run passes deterministic code and at most one visible step: a `Show` makes a state only
    where something was shown since the last one.
    """

    states: frozenset[Point]
    shared: frozenset[Stage]


def find_cuts(program: Program) -> Cuts:
    """The cuts of a program: its entry, draws, receives and ends, and a head of every cycle that has none of these."""
    states = {point for point, node in enumerate(program.nodes) if isinstance(node, Draw | Receive | Stop)}
    states.add(program.entry)
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
