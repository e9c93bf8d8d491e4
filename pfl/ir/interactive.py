"""An interactive system with its hidden steps closed: what each input does to a state that waits for one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pfl.base.number import Number
from pfl.ir.labelled_system import Matrix, Vector


@dataclass(frozen=True, slots=True)
class Input:
    """An input of an automaton: a data point or a query, and the channel that takes it."""

    kind: Literal["data", "query"]
    channel: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InteractiveSystem:
    """The states S that wait for an input, and last the state bottom, from which nothing is ever seen again.

    `start` is a distribution over S and bottom. `data[d]` names a data point, `data_moves[d]` is T_d, |S|+1 rows that
    sum to 1; bottom keeps its mass, since the input waits. `queries[y]` names a query, `answers[y]` its responses, each
    with the matrix of (y, r): what is missing to 1 in a row of a query never answers, and the row of bottom is empty.
    Every query gets exactly one response and a data point none before the next input.
    `values[s]` are the values of the state variables, for relations that read them.
    Source: docs/theory/noninterference.md.
    """

    states: tuple[str, ...]
    start: Vector
    data: tuple[str, ...]
    data_moves: tuple[Matrix, ...]
    queries: tuple[str, ...]
    answers: tuple[tuple[tuple[str, Matrix], ...], ...]
    values: tuple[tuple[Any, ...], ...] = ()

    @property
    def numbers(self) -> Iterator[Number]:
        """Every number of the system."""
        yield from self.start
        for matrix in (*self.data_moves, *(matrix for answers in self.answers for _, matrix in answers)):
            for row in matrix:
                yield from (weight for _, weight in row)

    @property
    def bottom(self) -> int:
        return len(self.states) - 1

    @property
    def size(self) -> int:
        """The number of states, bottom included."""
        return len(self.states)


Adjacency: TypeAlias = Literal["insert", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoRuns:
    """Two runs of an automaton whose inputs differ in one data point, as a labelled system compares them.

    `extras` are the ways in which they differ: numbers of data points (left, right), right None where the left run has
    one point more. The letters of the labelled system are, in this order: the data points; the extras; for each query
    its responses; for each query `y?`, accepted and not yet answered. Its states are those of the system three times:
    the left run before the extra point, the right one, and both after it.
    Source: docs/theory/noninterference.md.
    """

    system: InteractiveSystem
    adjacency: Adjacency
    extras: tuple[tuple[int, int | None], ...]

    def data_letter(self, data: int) -> int:
        return data

    def extra_letter(self, extra: int) -> int:
        return len(self.system.data) + extra

    def answer_letter(self, query: int, answer: int) -> int:
        before = sum(len(answers) for answers in self.system.answers[:query])
        return len(self.system.data) + len(self.extras) + before + answer

    def accepted_letter(self, query: int) -> int:
        """The letter `y?`."""
        return self.answer_letter(len(self.system.queries), query)

    def before(self, state: int, *, left: bool) -> int:
        """The state of the labelled system in which a run is before the extra point."""
        return state if left else self.system.size + state

    def after(self, state: int) -> int:
        return 2 * self.system.size + state

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters in words."""
        system = self.system
        return (
            *system.data,
            *(self._extra_name(left, right) for left, right in self.extras),
            *(
                f"{query} -> {answer}"
                for query, answers in zip(system.queries, system.answers)
                for answer, _ in answers
            ),
            *(f"{query}?" for query in system.queries),
        )

    def _extra_name(self, left: int, right: int | None) -> str:
        data = self.system.data
        return f"extra {data[left]}" if right is None else f"{data[left]} against {data[right]}"
