"""Interactive systems put together, and that of the transition graph of an automaton in handler form.

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
from pfl.base.number import Number, summed
from pfl.model.interactive import Input, InteractiveSystem, input_names
from pfl.model.labelled_system import Matrix, SparseRow
from pfl.model.transition_graph import ENDED, SILENT, TransitionGraph
from pfl.model.values import show
from pfl.passes.close_silent import close_silent, is_waiting

BOTTOM = "(silent for ever)"

SilentEnds: TypeAlias = Mapping[tuple[int, int], Number]
"""Where silence ends, with its probability: (label, state behind it), or (SILENT, state) for a state that waits.

What is missing to 1 is silent for ever."""

_STATES_BETWEEN_CHECKS = 4096

Ends: TypeAlias = Mapping[int, Number]
"""States, and the number that stands for bottom, with the probabilities of coming to them."""

EndsFrom: TypeAlias = Mapping[int, Ends]
"""Where some states lead."""


def assembled(
    states: Mapping[int, str],
    bottom: int,
    start: Ends,
    data: Sequence[tuple[str, EndsFrom]],
    answers: Sequence[tuple[str, Sequence[tuple[str, EndsFrom]]]],
    **more: Any,
) -> InteractiveSystem:
    """The system of some states and bottom, whatever their numbers, in their order; bottom comes last.

    `data` has the names of data points, each with where it leads from which state, to bottom from all others; `answers`
    the names of queries, each with its responses and where these lead, nowhere from all others. `more` are other fields
    of the system.
    """
    number = {state: place for place, state in enumerate((*states, bottom))}

    def row(masses: Ends) -> SparseRow:
        return tuple(sorted((number[end], mass) for end, mass in masses.items()))

    def matrix(rows: EndsFrom, otherwise: Ends) -> Matrix:
        return tuple(row(rows.get(state, otherwise)) for state in number)

    return InteractiveSystem(
        states=(*states.values(), BOTTOM),
        start=tuple(start.get(state, Fraction(0)) for state in number),
        data=tuple(name for name, _ in data),
        data_moves=tuple(matrix(rows, {bottom: Fraction(1)}) for _, rows in data),
        queries=tuple(name for name, _ in answers),
        answers=tuple(tuple((response, matrix(rows, {})) for response, rows in responses) for _, responses in answers),
        **more,
    )


def interactive(graph: TransitionGraph, budget: Budget) -> Divided[InteractiveSystem]:
    """Closes all steps between two inputs: `=d=>` for every data point d, `=y, r=>` for every query y and response r.

    The graph has one start, receives `Input`s, and responds to every query exactly once. Raises LimitReached.
    """
    waiting = frozenset(state for state in range(graph.size) if is_waiting(graph, state))
    divisors = Divisors()
    rows = _silent_rows(graph, waiting, budget).noting(divisors)
    divisors.note(graph.coincidences())
    return divisors.of(_Closing(graph, rows).system(sorted(waiting)))


class _Closing:
    """The construction of one system."""

    def __init__(self, graph: TransitionGraph, rows: Sequence[SilentEnds]) -> None:
        self._graph = graph
        self._rows = rows
        self._bottom = graph.size
        self._settled: dict[int, Ends] = {}

    def system(self, waiting: Sequence[int]) -> InteractiveSystem:
        graph = self._graph
        targets: dict[Input, dict[int, int]] = {}
        for state in waiting:
            for target, _, label in graph.transitions(state):
                assert label is not None
                targets.setdefault(label.value, {})[state] = target
        names = input_names(targets)
        return assembled(
            {state: graph.show_state(state) or f"state {number}" for number, state in enumerate(waiting)},
            self._bottom,
            self._settle(graph.starts[0]),
            [
                (names[given], {state: self._settle(target) for state, target in found.items()})
                for given, found in targets.items()
                if given.kind == "data"
            ],
            [(names[given], self._answers(found)) for given, found in targets.items() if given.kind == "query"],
            values=tuple(tuple(graph.values(state).items()) for state in waiting),
            shown=tuple(label.value for label in graph.label_table if label is not None and label.kind == "respond"),
        )

    def _settle(self, source: int) -> Ends:
        """Where a state comes to rest: states that wait for an input, or bottom."""
        if source not in self._settled:
            ends: dict[int, Number] = {end: mass for (_, end), mass in self._rows[source].items()}
            never = 1 - sum(ends.values(), Fraction(0))
            self._settled[source] = {**ends, self._bottom: never} if never else ends
        return self._settled[source]

    def _answers(self, targets: Mapping[int, int]) -> Sequence[tuple[str, EndsFrom]]:
        """The responses to a query, in the order in which they are first seen, each with where it leads."""
        answers: dict[Any, dict[int, Ends]] = {}
        for state, target in targets.items():
            found: dict[Any, list[tuple[int, Number]]] = {}
            for (label, end), mass in self._rows[target].items():
                seen = self._graph.label_table[label]
                assert seen is not None, "a query is answered before the next input"
                settled = self._settle(end).items()
                found.setdefault(seen.value, []).extend((rest, mass * weight) for rest, weight in settled)
            for value, masses in found.items():
                answers.setdefault(value, {})[state] = summed(masses)
        return [(show(value), rows) for value, rows in answers.items()]


def _silent_rows(graph: TransitionGraph, waiting: frozenset[int], budget: Budget) -> Divided[Sequence[SilentEnds]]:
    """The closure of silent steps from every state: backward along them, so that what states share is added up once.

    States on a silent cycle are solved as an absorbing Markov chain.
    """
    divisors = Divisors()
    rows: list[SilentEnds] = [{}] * graph.size
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


def _row(graph: TransitionGraph, state: int, rows: Sequence[SilentEnds]) -> SilentEnds:
    """The row of a state from those of the states that it steps to."""
    edges = graph.row(state)
    if len(edges) == 1 and graph.labels[edges.start] == SILENT:
        return rows[graph.targets[edges.start]]
    return summed(_ends(graph, edges, rows))


def _ends(graph: TransitionGraph, edges: range, rows: Sequence[SilentEnds]) -> Iterator[tuple[tuple[int, int], Number]]:
    for edge in edges:
        label, target, weight = graph.labels[edge], graph.targets[edge], graph.weight_table[graph.weights[edge]]
        if label != SILENT:
            yield (label, target), weight
            continue
        for end, mass in rows[target].items():
            yield end, weight if mass == 1 else weight * mass
