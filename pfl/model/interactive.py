"""An interactive system with its hidden steps closed: what each input does to a state that waits for one.

A probabilistic labelled transition system, transition by transition: automata in table form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import Exchange, Matrix, SparseRow, Vector
from pfl.model.values import show


@struct(kw_only=False)
class Input:
    """An input of an automaton: a data point or a query, and the channel that takes it."""

    kind: Literal["data", "query"]
    channel: str
    value: Any


def input_names(inputs: Iterable[Input]) -> dict[Input, str]:
    """Inputs in the model's words; the channel is said where two of a kind have the same value."""
    shown = {given: show(given.value) for given in inputs}
    alike = Counter((given.kind, text) for given, text in shown.items())
    return {given: text if alike[given.kind, text] == 1 else f"{given.channel} {text}" for given, text in shown.items()}


@struct(eq=False)
class InteractiveSystem:
    """The states S that wait for an input, and last the state bottom, from which nothing is ever seen again.

    `start` is a distribution over S and bottom. `data[d]` names a data point, `data_moves[d]` is T_d, |S|+1 rows that
    sum to 1; bottom keeps its mass, since the input waits. `queries[y]` names a query, `answers[y]` its responses, each
    with the matrix of (y, r): what is missing to 1 in a row of a query never answers, and the row of bottom is empty.
    Queries and responses take turns if every query gets exactly one response, and a data point none, before the next
    input. Otherwise `responding` are the states that are about to respond: they take no input, a data point moves them
    to bottom, a query has one answer without a name, which says that it was accepted, and after the queries stands one
    without a name, whose answers are the responses.
    `values[s]` are the values of the state variables, for relations that read them, `shown` those of the responses.
    Source: docs/theory/noninterference.md.
    """

    states: tuple[str, ...]
    start: Vector
    data: tuple[str, ...]
    data_moves: tuple[Matrix, ...]
    queries: tuple[str, ...]
    answers: tuple[tuple[tuple[str, Matrix], ...], ...]
    values: tuple[tuple[Any, ...], ...] = ()
    shown: tuple[Any, ...] = ()
    responding: frozenset[int] | None = None

    @property
    def numbers(self) -> Iterator[Number]:
        """Every number of the system."""
        yield from self.start
        for matrix in (*self.data_moves, *(matrix for answers in self.answers for _, matrix in answers)):
            for row in matrix:
                yield from (weight for _, weight in row)

    @property
    def bottom(self) -> int:
        """The state, the last one, of a run that takes no more part: nothing leaves it, and it answers no query."""
        return len(self.states) - 1

    @property
    def size(self) -> int:
        """The number of states, bottom included."""
        return len(self.states)

    @property
    def takes_turns(self) -> bool:
        """Whether every query gets exactly one response, and a data point none, before the next input."""
        return self.responding is None

    @property
    def asked(self) -> tuple[str, ...]:
        """The queries that an examiner asks, first in `queries`."""
        return self.queries if self.responding is None else self.queries[:-1]

    def waits(self, state: int) -> bool:
        """Whether a state takes inputs."""
        return state != self.bottom and (self.responding is None or state not in self.responding)

    @property
    def answers_data(self) -> bool:
        """Whether a data point may be followed by a response, which then says when the data point came."""
        responding = self.responding or frozenset()
        waiting = [state for state in range(self.size) if self.waits(state)]
        return any(t in responding for moves in self.data_moves for state in waiting for t, _ in moves[state])

    @property
    def moves(self) -> Sequence[tuple[Exchange, Matrix]]:
        """The letters of one run with their matrices: data points; responses to queries; queries that were accepted and
        not yet answered, with mass 1 from every state that waits."""
        asked = [query for query, answers in zip(self.queries, self.answers) for _ in answers]
        to_bottom: SparseRow = ((self.bottom, Fraction(1)),)
        accepted = tuple(to_bottom if self.waits(state) else () for state in range(self.size))
        return [
            *((Exchange(data, None), matrix) for data, matrix in zip(self.data, self.data_moves)),
            *((Exchange(query or None, letter), matrix) for query, (letter, matrix) in zip(asked, self.answer_letters)),
            *((Exchange(query, f"{query}?"), accepted) for query in self.asked),
        ]

    @property
    def answer_letters(self) -> Sequence[tuple[str, Matrix]]:
        """What the examiner may see of each query, in the order of `answers`, in words and with its matrix."""
        return [
            (letter_text(query, answer), matrix)
            for query, answers in zip(self.queries, self.answers)
            for answer, matrix in answers
        ]


def letter_text(query: str, answer: str) -> str:
    """A query with a response to it in words; `answer` is empty for a query, and `query` for a response, alone."""
    if not answer:
        return query
    return f"{query} -> {answer}" if query else f"-> {answer}"


ActionKind: TypeAlias = Literal["data", "query", "output", "hidden"]


@struct(kw_only=False)
class Action:
    """An action: an input that the examiner does not see (`data`) or gives (`query`), a response, or a hidden step."""

    kind: ActionKind
    name: str

    @property
    def is_input(self) -> bool:
        """Whether it comes from outside: a data point or a query."""
        return self.kind in ("data", "query")


@struct(eq=False)
class Plts:
    """L = (S, I, O, ->) with a start distribution: `transitions[s]` maps the actions enabled in s to distributions.

    Transition determinism holds by construction. Output determinism: an enabled output or hidden action is the only
    enabled action. Quasi-input enabling: a state with one input has all.
    Source: Tschantz, Kaynar, Datta, section 3; docs/theory/noninterference.md.
    """

    states: tuple[str, ...]
    start: Vector
    actions: tuple[Action, ...]
    transitions: tuple[Mapping[Action, SparseRow], ...]

    @property
    def inputs(self) -> tuple[Action, ...]:
        """The actions that are inputs, in order."""
        return tuple(action for action in self.actions if action.is_input)

    def output(self, state: int) -> Action | None:
        """The output or hidden action of a state, if it has one."""
        return next((action for action in self.transitions[state] if not action.is_input), None)

    def accepts(self, state: int) -> bool:
        """Whether the state takes inputs."""
        return any(action.is_input for action in self.transitions[state])
