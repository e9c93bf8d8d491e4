"""From a transition graph to the Markov chain of its runs: where they end, with which results, at which cost.

Source: docs/theory/exploration.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, overload

from pfl.base.struct import struct
from pfl.model.markov_chain import MarkovChain
from pfl.model.program import Point, Stop
from pfl.model.transition_graph import ENDED, TransitionGraph
from pfl.model.values import show


@struct(eq=False)
class RunChain:
    """`starts[i]` is where the i-th start of the graph is, `ends` are the states in which a run has ended.

    `results` are the ends of runs that return a value, by that value; `halt` is the end of those that return none, None
    if there are none, and `apart` that of those that end where a place is told apart. `left` is the state that stands
    for those that were not explored, if there are such.
    """

    chain: MarkovChain
    starts: tuple[int, ...]
    ends: frozenset[int]
    results: Mapping[Any, int]
    halt: int | None
    apart: frozenset[int] = frozenset()
    left: int | None = None


def run_chain(graph: TransitionGraph, apart: Point | None = None) -> RunChain:
    """The chain of the runs of a graph without inputs; what is emitted on the way is not looked at.

    A run that returns a value ends in a state that stands for it, any other that ends in one where its program stops:
    one for all such places, but for the one that is to be told `apart`.
    """
    stops = [state for state in _without_successor(graph) if _has_stopped(graph, state)]
    returned = {
        number: label.value
        for number, label in enumerate(graph.label_table)
        if label is not None and label.kind == "return"
    }
    results = {value: graph.size + place for place, value in enumerate(dict.fromkeys(returned.values()))}
    targets, offsets = graph.targets[:], graph.offsets[:]
    offsets.extend([offsets[-1]] * len(results))
    ends = {label: results[value] for label, value in returned.items()}
    for edge, label in enumerate(graph.labels):
        if label and label in ends:
            targets[edge] = ends[label]
    told_apart = frozenset(state for state in stops if graph.states[state][0] == apart)
    halts = [state for state in stops if state not in told_apart and (state in graph.starts or targets.count(state))]
    if len(halts) > 1:
        targets = array(targets.typecode, (halts[0] if target in halts else target for target in targets))
    chain = MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=graph.weights,
        weight_table=graph.weight_table,
        costs=graph.costs,
        cost_table=graph.cost_table,
        names=_Names(graph, tuple(results)),
    )
    return RunChain(
        chain=chain,
        starts=tuple(halts[0] if state in halts else state for state in graph.starts),
        ends=frozenset((*stops, *results.values())),
        results=results,
        halt=halts[0] if halts else None,
        apart=told_apart,
        left=graph.size - 1 if graph.is_cut else None,
    )


def _without_successor(graph: TransitionGraph) -> Sequence[int]:
    offsets = graph.offsets
    return [state for state in range(graph.size) if offsets[state] == offsets[state + 1]]


def _has_stopped(graph: TransitionGraph, state: int) -> bool:
    """Whether a run ends there; one that got lost in a distribution without end does not."""
    point = graph.states[state][0]
    return point != ENDED and isinstance(graph.program.nodes[point], Stop)


class _Names(Sequence[str]):
    """The names of the states, written when they are asked for, or when they are sent where the program is not."""

    def __init__(self, graph: TransitionGraph, results: Sequence[Any]) -> None:
        self._graph = graph
        self._results = results

    def __len__(self) -> int:
        return self._graph.size + len(self._results)

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[tuple[str, ...]]]:
        return tuple, (tuple(self),)

    @overload
    def __getitem__(self, state: int) -> str: ...
    @overload
    def __getitem__(self, state: slice) -> Sequence[str]: ...
    def __getitem__(self, state: int | slice) -> str | Sequence[str]:
        if isinstance(state, slice):
            return [self[position] for position in range(*state.indices(len(self)))]
        if state >= self._graph.size:
            return f"returned {show(self._results[state - self._graph.size])}"
        if self._graph.is_cut and state == self._graph.size - 1:
            return "not explored"
        if _has_stopped(self._graph, state):
            return "end"
        return self._graph.show_state(state)
