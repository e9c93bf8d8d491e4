"""What an exploration says when it cannot go on: the path to a fault, and which variable makes the states many."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.diagnostics import Label as Place
from pfl.explore.regions import Regions
from pfl.model.interactive import Input, input_names
from pfl.model.noise import Noise
from pfl.model.program import Draw, EvaluationFault, Receive, Show
from pfl.model.transition_graph import ENDED, Label, TransitionGraph
from pfl.model.values import show

_STEPS_SHOWN = 12
"""A longer path is shown without its middle."""

_QUERY = "query "
"""How a step begins that puts a query, to which its response is added."""

_STATES_COUNTED = 200_000
"""So many of the last states are looked at for the slot that grows."""


def with_path(diagnostics: Iterable[Diagnostic], graph: TransitionGraph, regions: Regions) -> InputRejected:
    """Faults as a rejection, with the run that leads to them in the notes.

    `graph` is what had been explored: its last row, still open, belongs to the state at which the fault happened.
    """
    notes = tuple(_path_notes(graph, regions))
    return InputRejected(replace(diagnostic, notes=diagnostic.notes + notes) for diagnostic in diagnostics)


def _path_notes(graph: TransitionGraph, regions: Regions) -> Iterator[str]:
    state = len(graph.offsets) - 1
    parents = _parents(graph)
    path = [state]
    while parents[path[-1]] != path[-1]:
        path.append(parents[path[-1]])
    path.reverse()
    start = graph.show_state(path[0])
    steps = [*_steps(graph, regions, path), *_unfinished_step(graph, regions, state)]
    if start:
        yield f"`{graph.program.name}` starts with {start}"
    if len(steps) > _STEPS_SHOWN:
        kept = _STEPS_SHOWN // 2
        steps[kept:-kept] = [f"... {len(steps) - 2 * kept} more steps ..."]
    yield from steps
    values = graph.show_state(state)
    if state != path[0] and values:
        yield f"before its last step, {values}"


def _parents(graph: TransitionGraph) -> dict[int, int]:
    """From which state each is reached with the fewest inputs, and of such ways first; of a start, itself."""
    inputs = {number for number, label in enumerate(graph.label_table) if label is not None and label.kind == "input"}
    ends = (*graph.offsets[1:], len(graph.targets))  # the last row is still open
    parents: dict[int, int] = {}
    arrivals, after_input = deque((start, start) for start in graph.starts), list[tuple[int, int]]()
    while arrivals:
        source, state = arrivals.popleft()
        if state not in parents:
            parents[state] = source
            for edge in range(graph.offsets[state], ends[state]) if state < len(ends) else ():
                later = after_input if graph.labels[edge] in inputs else arrivals
                later.append((state, graph.targets[edge]))
        if not arrivals:
            arrivals.extend(after_input)
            after_input.clear()
    return parents


def _steps(graph: TransitionGraph, regions: Regions, path: Sequence[int]) -> list[str]:
    """What was drawn, received and shown along a path of states, in order; of a chain, where each of its moves led."""
    steps: list[str] = []
    moves = 0
    shows_moves = any(isinstance(node, Show) and node.kind == "move" for node in graph.program.nodes)
    for source, target in pairwise(path):
        edge = next(edge for edge in graph.row(source) if graph.targets[edge] == target)
        choice = _choice_step(graph, regions, source, edge - graph.offsets[source])
        steps += choice
        label = graph.label_table[graph.labels[edge]]
        match label:
            case None:
                steps += [] if choice or shows_moves else _changes(graph, source, target)
            case Label(kind="move", value=values):
                # The first one shows the start.
                steps += [f"step {moves}: {_assignments(graph, values)}"] if moves else []
                moves += 1
            case Label(kind="respond", value=value) if steps and steps[-1].startswith(_QUERY):
                steps[-1] += f" -> {show(value)}"
            case Label(kind="emit" | "return" | "respond", value=value):
                steps.append(f"{label.kind} {show(value)}")
            case _:
                pass
    return steps


def _assignments(graph: TransitionGraph, values: Sequence[Any]) -> str:
    """The state of a chain, as a move shows it."""
    slots = (graph.program.slot(identifier) for identifier in graph.program.inputs)
    return ", ".join(f"{slot.name} = {slot.show(value)}" for slot, value in zip(slots, values))


def _changes(graph: TransitionGraph, source: int, target: int) -> list[str]:
    """What a draw that has no variable of its own comes to: the variables that are different after it."""
    before = graph.values(source)
    changed = [
        (graph.program.slot(identifier), value)
        for identifier, value in graph.values(target).items()
        if identifier in before and before[identifier] != value
    ]
    return [f"{slot.name} becomes {slot.show(value)}" for slot, value in changed if not slot.hidden]


def _unfinished_step(graph: TransitionGraph, regions: Regions, state: int) -> list[str]:
    """The draw or input under way when the fault happened: the one after those whose transitions are recorded."""
    made = len(graph.targets) - graph.offsets[state]
    return _choice_step(graph, regions, state, made)


def _choice_step(graph: TransitionGraph, regions: Regions, state: int, position: int) -> list[str]:
    """What was drawn or received: every value of a choice makes exactly one transition, in order."""
    at = graph.states[state][0]
    if at == ENDED:
        return []
    node = graph.program.nodes[at]
    if not isinstance(node, Draw | Receive):
        return []
    try:
        pairs = regions.choices[at](graph.states[state])
    except (EvaluationFault, InputRejected):  # the distribution itself is at fault
        return []
    slot, value = graph.program.slot(node.slot), pairs[position][0]
    line = "" if node.origin is None else f"line {node.origin.line}: "
    match node, value:
        case Receive(values=values), Input(kind="query"):
            return [f"{_QUERY}{input_names(values)[value]}"]
        case Receive(values=values), Input():
            return [f"data point [{input_names(values)[value]}]"]
        case Receive(), _:
            return [f"{line}receives {show(value) if slot.hidden else f'{slot.name} = {slot.show(value)}'}"]
        case Draw(), _:
            return [] if slot.hidden else [f"{line}draws {slot.name} = {slot.show(value)}"]


def too_many_states(graph: TransitionGraph, limit: int) -> LimitReached:
    """The limit on states was met: names the slot with the most different values among the states found last."""
    counts: dict[str, set[object]] = {}
    for state in graph.states[-_STATES_COUNTED:]:
        if state[0] != ENDED:
            for identifier, value in zip(graph.live[state[0]], state[1:]):
                counts.setdefault(identifier, set()).add(value)
    explored = len(graph.offsets) - 1
    reason = f"`{graph.program.name}` has more than {limit:,} states ({explored:,} of them explored)"
    labels: tuple[Place, ...] = ()
    if counts:
        largest = max(counts, key=lambda identifier: len(counts[identifier]))
        slot = graph.program.slot(largest)
        last = f"the last {_STATES_COUNTED:,}" if len(graph.states) > _STATES_COUNTED else "them"
        grows = f"takes {len(counts[largest]):,} different values among {last}"
        reason += f"; `{slot.name}` grows: it {grows}"
        labels = () if slot.origin is None else (Place(slot.origin, grows),)
    diagnostic = Diagnostic(
        code=codes.TOO_MANY_STATES,
        message=reason,
        labels=labels,
        help="give the variable a smaller range, or try a larger --max-states",
    )
    return LimitReached(f"{reason}; give it a smaller range, or try a larger --max-states", diagnostic)


def noise_misplaced(noise: Noise) -> Diagnostic:
    return Diagnostic(
        code=codes.NOISE_MISPLACED,
        message=f"`{noise}` is drawn where only distributions that list their values can be",
        labels=() if noise.place is None else (Place(noise.place),),
        help="noise without bounds can be drawn in mechanisms; `import std.noise;` offers truncated noise",
    )
