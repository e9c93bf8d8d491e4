"""What an exploration says when it cannot go on: the path to a fault, and which variable makes the states many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, InputRejected, Label, LimitReached
from pfl.ir.fault import EvaluationFault
from pfl.ir.program import Draw, Receive
from pfl.ir.transition_graph import ENDED, TransitionGraph
from pfl.ir.values import show
from pfl.transform.explore_regions import Regions

_STEPS_SHOWN = 12
"""A longer path is shown without its middle."""

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
    while path[-1] in parents:
        path.append(parents[path[-1]])
    path.reverse()
    start = graph.show_state(path[0])
    steps = [step for source, target in pairwise(path) for step in _steps_between(graph, regions, source, target)]
    steps += _unfinished_step(graph, regions, state)
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
    """From which state each was first found; nothing for a start."""
    found = set(graph.starts)
    parents: dict[int, int] = {}
    for source in range(len(graph.offsets)):
        end = graph.offsets[source + 1] if source + 1 < len(graph.offsets) else len(graph.targets)
        for target in graph.targets[graph.offsets[source] : end]:
            if target not in found:
                found.add(target)
                parents[target] = source
    return parents


def _steps_between(graph: TransitionGraph, regions: Regions, source: int, target: int) -> Iterator[str]:
    edge = next(edge for edge in graph.row(source) if graph.targets[edge] == target)
    yield from _choice_step(graph, regions, source, edge - graph.offsets[source])
    label = graph.label_table[graph.labels[edge]]
    if label is not None and label.kind in ("emit", "return", "respond"):
        yield f"{label.kind} {show(label.value)}"


def _unfinished_step(graph: TransitionGraph, regions: Regions, state: int) -> list[str]:
    """The draw or input under way when the fault happened: the one after those whose transitions are recorded."""
    made = len(graph.targets) - graph.offsets[state]
    return list(_choice_step(graph, regions, state, made))


def _choice_step(graph: TransitionGraph, regions: Regions, state: int, position: int) -> Iterator[str]:
    """What was drawn or received: every value of a choice makes exactly one transition, in order."""
    at = graph.states[state][0]
    if at == ENDED:
        return
    node = graph.program.nodes[at]
    if not isinstance(node, Draw | Receive):
        return
    try:
        pairs = regions.choices[at](graph.states[state])
    except (EvaluationFault, InputRejected):  # the distribution itself is at fault
        return
    slot = graph.program.slot(node.slot)
    line = "" if node.origin is None else f"line {node.origin.line}: "
    if not slot.hidden:
        verb = "receives" if isinstance(node, Receive) else "draws"
        yield f"{line}{verb} {slot.name} = {slot.show(pairs[position][0])}"


def too_many_states(graph: TransitionGraph, limit: int) -> LimitReached:
    """The limit on states was met: names the slot with the most different values among the states found last."""
    counts: dict[str, set[object]] = {}
    for state in graph.states[-_STATES_COUNTED:]:
        if state[0] != ENDED:
            for identifier, value in zip(graph.live[state[0]], state[1:]):
                counts.setdefault(identifier, set()).add(value)
    explored = len(graph.offsets) - 1
    reason = f"`{graph.program.name}` has more than {limit:,} states ({explored:,} of them explored)"
    labels: tuple[Label, ...] = ()
    if counts:
        largest = max(counts, key=lambda identifier: len(counts[identifier]))
        slot = graph.program.slot(largest)
        last = f"the last {_STATES_COUNTED:,}" if len(graph.states) > _STATES_COUNTED else "them"
        grows = f"takes {len(counts[largest]):,} different values among {last}"
        reason += f"; `{slot.name}` grows: it {grows}"
        labels = () if slot.origin is None else (Label(slot.origin, grows),)
    diagnostic = Diagnostic(
        code=codes.TOO_MANY_STATES,
        message=reason,
        labels=labels,
        help="give the variable a smaller range, or try a larger --max-states",
    )
    return LimitReached(f"{reason}; give it a smaller range, or try a larger --max-states", diagnostic)
