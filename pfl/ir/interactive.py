"""An interactive system with its hidden steps closed: what each input does to a state that waits for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

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

    `start` is a distribution over S and bottom. `data[d]` names a data point and `data_moves[d]` is T_d, |S|+1 rows that
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
    def bottom(self) -> int:
        return len(self.states) - 1

    @property
    def size(self) -> int:
        """The number of states, bottom included."""
        return len(self.states)
