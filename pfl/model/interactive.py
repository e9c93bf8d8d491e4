"""An interactive system with its hidden steps closed: what each input does to a state that waits for one.

A probabilistic labelled transition system, transition by transition: automata in table form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from pfl.base.number import Number
from pfl.model.labelled_system import Exchange, Matrix, SparseRow, Vector
from pfl.model.values import show


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


Adjacency: TypeAlias = Literal["insert", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TwoRuns:
    """Two runs of an automaton whose inputs differ in one data point, as a labelled system compares them.

    `extras` are the ways in which they differ: numbers of data points (left, right), None for the run that has one
    point less, the right one unless they go both ways. The letters of the labelled system are, in this order: the data
    points; the extras; for each query its responses; for each query that is asked `y?`, accepted and not yet answered.
    Its states are those of the system three times: the left run before the extra point, the right one, and both after
    it.
    Source: docs/theory/noninterference.md.
    """

    system: InteractiveSystem
    adjacency: Adjacency
    extras: tuple[tuple[int | None, int | None], ...]

    @property
    def goes_both_ways(self) -> bool:
        """Whether either run may get either point, so that one direction of a comparison is as good as both."""
        return bool(self.extras) and self.extras[0][::-1] in self.extras

    def sides(self, extra: int, state: int) -> tuple[SparseRow, SparseRow]:
        """What the left and the right run come to from a state by their points; no point leaves a state that waits."""
        one, other = self.extras[extra]
        return self._after(one, state), self._after(other, state)

    def _after(self, data: int | None, state: int) -> SparseRow:
        if data is not None:
            return self.system.data_moves[data][state]
        return ((state if self.system.waits(state) else self.system.bottom, Fraction(1)),)

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
        """The letters in words; what the examiner does not see is in brackets."""
        return tuple(f"[{each.given}]" if each.seen is None else each.seen for each in self.exchanges)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What of each letter is an input, and what the examiner sees of it."""
        both_ways = self.goes_both_ways
        extras = (Exchange(self._extra_name(*points, both_ways=both_ways), None) for points in self.extras)
        moves = [exchange for exchange, _ in self.system.moves]
        count = len(self.system.data)
        return (*moves[:count], *extras, *moves[count:])

    def _extra_name(self, left: int | None, right: int | None, *, both_ways: bool) -> str:
        one, other = ("nothing" if point is None else self.system.data[point] for point in (left, right))
        return f"extra {one}" if right is None and not both_ways else f"{one} against {other}"


ActionKind: TypeAlias = Literal["data", "query", "output", "hidden"]


@dataclass(frozen=True, slots=True)
class Action:
    """An action: an input that the examiner does not see (`data`) or gives (`query`), a response, or a hidden step."""

    kind: ActionKind
    name: str

    @property
    def is_input(self) -> bool:
        return self.kind in ("data", "query")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
        return tuple(action for action in self.actions if action.is_input)

    def output(self, state: int) -> Action | None:
        """The output or hidden action of a state, if it has one."""
        return next((action for action in self.transitions[state] if not action.is_input), None)

    def accepts(self, state: int) -> bool:
        """Whether the state takes inputs."""
        return any(action.is_input for action in self.transitions[state])
