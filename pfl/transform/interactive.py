"""From the transition graph of an automaton in handler form to its interactive system.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.interactive import Input, InteractiveSystem
from pfl.ir.labelled_system import SparseRow
from pfl.ir.transition_graph import SILENT, TransitionGraph
from pfl.ir.values import show
from pfl.transform.close_silent import Closure, close_silent, is_waiting

BOTTOM = "(silent for ever)"


def interactive(graph: TransitionGraph, budget: Budget) -> InteractiveSystem:
    """Closes all steps between two inputs: `=d=>` for every data point d, `=y, r=>` for every query y and response r.

    The graph has one start, receives `Input`s, and responds to every query exactly once. Raises LimitReached.
    """
    return _Closing(graph, budget).run()


class _Closing:
    """The construction of one system."""

    def __init__(self, graph: TransitionGraph, budget: Budget) -> None:
        self._graph = graph
        self._waiting = [state for state in range(graph.size) if is_waiting(graph, state)]
        self._number = {state: number for number, state in enumerate(self._waiting)}
        sources = {*graph.starts, *(graph.targets[edge] for edge, label in enumerate(graph.labels) if label != SILENT)}
        self._sources = sorted(sources)
        self._position = {source: position for position, source in enumerate(self._sources)}
        self._closure: Closure = close_silent(graph, self._sources, budget)

    def run(self) -> InteractiveSystem:
        graph, bottom = self._graph, len(self._waiting)
        targets: dict[Input, dict[int, int]] = {}
        for number, state in enumerate(self._waiting):
            for target, _, label in graph.transitions(state):
                assert label is not None
                targets.setdefault(label.value, {})[number] = target
        data = [given for given in targets if given.kind == "data"]
        queries = [given for given in targets if given.kind == "query"]
        start = self._settled(graph.starts[0])
        return InteractiveSystem(
            states=(*(graph.show_state(state) or f"state {n}" for n, state in enumerate(self._waiting)), BOTTOM),
            start=tuple(start.get(state, Fraction(0)) for state in range(bottom + 1)),
            data=tuple(_name(given, data) for given in data),
            data_moves=tuple(
                (*(_sparse(self._settled(targets[given][n])) for n in range(bottom)), ((bottom, Fraction(1)),))
                for given in data
            ),
            queries=tuple(_name(given, queries) for given in queries),
            answers=tuple(self._answers(targets[given]) for given in queries),
            values=tuple(tuple(graph.values(state).items()) for state in self._waiting),
        )

    def _settled(self, source: int) -> Mapping[int, Number]:
        """Where a state comes to rest: states that wait for an input, or bottom."""
        if source in self._number:
            return {self._number[source]: Fraction(1)}
        position = self._position[source]
        row: dict[int, Number] = {}
        for end, mass in self._closure.rows[position].items():
            row[self._number[end.state]] = mass
        never = self._closure.never(position)
        if never:
            row[len(self._waiting)] = never
        return row

    def _answers(self, targets: Mapping[int, int]) -> tuple[tuple[str, tuple[SparseRow, ...]], ...]:
        """The responses to a query, in the order in which they are first seen, each with its matrix."""
        answers: dict[Any, list[dict[int, Number]]] = {}
        for state, target in targets.items():
            for end, mass in self._closure.rows[self._position[target]].items():
                label = self._graph.label_table[end.label]
                assert label is not None, "a query is answered before the next input"
                rows = answers.setdefault(label.value, [{} for _ in self._waiting])
                for settled, weight in self._settled(end.state).items():
                    added = mass * weight
                    row = rows[state]
                    row[settled] = row[settled] + added if settled in row else added
        return tuple((show(value), (*map(_sparse, rows), ())) for value, rows in answers.items())


def _name(given: Input, others: list[Input]) -> str:
    """An input in the model's words; the channel is said where two channels take the same value."""
    shown = show(given.value)
    alike = [other for other in others if show(other.value) == shown]
    return shown if len(alike) == 1 else f"{given.channel} {shown}"


def _sparse(row: Mapping[int, Number]) -> SparseRow:
    return tuple(sorted(row.items()))
