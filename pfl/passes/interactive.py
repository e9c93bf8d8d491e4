"""From the transition graph of an automaton in handler form to its interactive system.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.components import components
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.model.interactive import Input, InteractiveSystem, input_names
from pfl.model.labelled_system import Matrix, SparseRow
from pfl.model.transition_graph import ENDED, SILENT, TransitionGraph
from pfl.model.values import show
from pfl.passes.close_silent import close_silent, is_waiting

BOTTOM = "(silent for ever)"

Row: TypeAlias = Mapping[tuple[int, int], Number]
"""Where silence ends, with its probability: (label, state behind it), or (SILENT, state) for a state that waits.

What is missing to 1 is silent for ever."""

_STATES_BETWEEN_CHECKS = 4096


def interactive(graph: TransitionGraph, budget: Budget) -> Divided[InteractiveSystem]:
    """Closes all steps between two inputs: `=d=>` for every data point d, `=y, r=>` for every query y and response r.

    The graph has one start, receives `Input`s, and responds to every query exactly once. Raises LimitReached.
    """
    waiting = [state for state in range(graph.size) if is_waiting(graph, state)]
    divisors = Divisors()
    rows = _silent_rows(graph, frozenset(waiting), budget).noting(divisors)
    divisors.note(graph.coincidences())
    return divisors.of(_Closing(graph, waiting, rows).run())


class _Closing:
    """The construction of one system."""

    def __init__(self, graph: TransitionGraph, waiting: Sequence[int], rows: Sequence[Row]) -> None:
        self._graph = graph
        self._waiting = waiting
        self._number = {state: number for number, state in enumerate(waiting)}
        self._rows = rows
        self._settled: dict[int, dict[int, Number]] = {}

    def run(self) -> InteractiveSystem:
        graph, bottom = self._graph, len(self._waiting)
        targets: dict[Input, dict[int, int]] = {}
        for number, state in enumerate(self._waiting):
            for target, _, label in graph.transitions(state):
                assert label is not None
                targets.setdefault(label.value, {})[number] = target
        data = [given for given in targets if given.kind == "data"]
        queries = [given for given in targets if given.kind == "query"]
        names = input_names(targets)
        start = self._settle(graph.starts[0])
        return InteractiveSystem(
            states=(*(graph.show_state(state) or f"state {n}" for n, state in enumerate(self._waiting)), BOTTOM),
            start=tuple(start.get(state, Fraction(0)) for state in range(bottom + 1)),
            data=tuple(names[given] for given in data),
            data_moves=tuple(
                (*(_sparse(self._settle(targets[given][n])) for n in range(bottom)), ((bottom, Fraction(1)),))
                for given in data
            ),
            queries=tuple(names[given] for given in queries),
            answers=tuple(self._answers(targets[given]) for given in queries),
            values=tuple(tuple(graph.values(state).items()) for state in self._waiting),
            shown=tuple(label.value for label in graph.label_table if label is not None and label.kind == "respond"),
        )

    def _settle(self, source: int) -> dict[int, Number]:
        """Where a state comes to rest: states that wait for an input, or bottom."""
        known = self._settled.get(source)
        if known is None:
            known = self._settled[source] = {self._number[end]: mass for (_, end), mass in self._rows[source].items()}
            never = 1 - sum(known.values(), Fraction(0))
            if never:
                known[len(self._waiting)] = never
        return known

    def _answers(self, targets: Mapping[int, int]) -> tuple[tuple[str, Matrix], ...]:
        """The responses to a query, in the order in which they are first seen, each with its matrix."""
        answers: dict[int, list[SparseRow]] = {}
        values: dict[Any, int] = {}
        for state, target in targets.items():
            found: dict[int, dict[int, Number]] = {}
            for (label, end), mass in self._rows[target].items():
                seen = self._graph.label_table[label]
                assert seen is not None, "a query is answered before the next input"
                row = found.setdefault(values.setdefault(seen.value, label), {})
                for settled, weight in self._settle(end).items():
                    added = mass * weight
                    row[settled] = row[settled] + added if settled in row else added
            for answer, row in found.items():
                if answer not in answers:
                    answers[answer] = [()] * (len(self._waiting) + 1)
                answers[answer][state] = _sparse(row)
        return tuple((show(value), tuple(answers[label])) for value, label in values.items())


def _silent_rows(graph: TransitionGraph, waiting: frozenset[int], budget: Budget) -> Divided[Sequence[Row]]:
    """The closure of silent steps from every state: backward along them, so that what states share is added up once.

    States on a silent cycle are solved as an absorbing Markov chain.
    """
    divisors = Divisors()
    rows: list[Row] = [{}] * graph.size
    cyclic: list[int] = []
    offsets, targets = _silent_steps(graph, waiting)
    component = components(offsets, targets)
    order = sorted(range(graph.size), key=component.__getitem__)
    sizes = [0] * (max(component, default=-1) + 1)
    for state in order:
        sizes[component[state]] += 1
    for state in order:
        if sizes[component[state]] > 1 or state in targets[offsets[state] : offsets[state + 1]]:
            cyclic.append(state)
    if cyclic:
        closure = close_silent(graph, cyclic, budget).noting(divisors)
        for state, row in zip(cyclic, closure.rows):
            rows[state] = {(end.label, end.state): mass for end, mass in row.items()}
    solved = set(cyclic)
    for done, state in enumerate(order):
        if done % _STATES_BETWEEN_CHECKS == 0:
            budget.check(f"closing {done:,} of {graph.size:,} states")
        if state in waiting:
            rows[state] = {(SILENT, state): Fraction(1)}
        elif state not in solved and graph.states[state][0] != ENDED:
            rows[state] = _row(graph, state, rows)
    return divisors.of(rows)


def _silent_steps(graph: TransitionGraph, waiting: frozenset[int]) -> tuple[array[int], array[int]]:
    offsets, targets = array("q", [0]), array("i")
    for state in range(graph.size):
        if state not in waiting:
            targets.extend(graph.targets[edge] for edge in graph.row(state) if graph.labels[edge] == SILENT)
        offsets.append(len(targets))
    return offsets, targets


def _row(graph: TransitionGraph, state: int, rows: Sequence[Row]) -> Row:
    """The row of a state from those of the states that it steps to."""
    edges = graph.row(state)
    if len(edges) == 1 and graph.labels[edges.start] == SILENT:
        return rows[graph.targets[edges.start]]
    row: dict[tuple[int, int], Number] = {}
    for end, mass in _ends(graph, edges, rows):
        row[end] = row[end] + mass if end in row else mass
    return row


def _ends(graph: TransitionGraph, edges: range, rows: Sequence[Row]) -> Iterator[tuple[tuple[int, int], Number]]:
    for edge in edges:
        label, target, weight = graph.labels[edge], graph.targets[edge], graph.weight_table[graph.weights[edge]]
        if label != SILENT:
            yield (label, target), weight
            continue
        for end, mass in rows[target].items():
            yield end, weight if mass == 1 else weight * mass


def _sparse(row: Mapping[int, Number]) -> SparseRow:
    return tuple(sorted(row.items()))
