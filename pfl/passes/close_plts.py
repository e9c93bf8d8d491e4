"""From a probabilistic labelled transition system to its interactive system: hidden steps closed.

Source: docs/theory/noninterference.md.

The interactive system of an automaton whose queries and responses need not take turns.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.model.interactive import Action, InteractiveSystem, Plts
from pfl.model.labelled_system import Matrix, SparseRow
from pfl.passes.hidden_steps import HiddenSteps, hidden_row, hidden_steps
from pfl.passes.interactive import BOTTOM

Step: TypeAlias = tuple[str, int]
"""The action taken, and the state behind it."""


class NotOneResponse(Exception):
    """A query without a response, or a response that no query asked for, on a run that can happen.

    `problem` is `unanswered` (the next input is awaited), `again` (a second response) or `unasked` (one after a data
    point, or at the start). `path` are the actions and states that lead to `state`, beginning with a start state.
    """

    def __init__(self, problem: Literal["unanswered", "again", "unasked"], state: int, path: tuple[Step, ...]) -> None:
        super().__init__(problem)
        self.problem = problem
        self.state = state
        self.path = path


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response and the state in which the automaton then waits, or bottom."""

    response: str
    state: int


def close_plts(plts: Plts, budget: Budget) -> Divided[InteractiveSystem]:
    """The reachable states that wait for an input, with `=d=>` and `=y, r=>` for each of them.

    A state without any action shows nothing more and takes no input, like bottom. Raises `NotOneResponse`, and
    LimitReached.
    """
    return hidden_steps(plts, budget).then(lambda hidden: _Closing(plts, hidden).run())


class _Closing:
    def __init__(self, plts: Plts, hidden: HiddenSteps) -> None:
        self._plts = plts
        self._hidden = hidden
        self._paths: dict[int, tuple[Step, ...]] = {}
        """How a state that waits is first come to."""
        self._bottom = self._hidden.bottom

    def run(self) -> InteractiveSystem:
        """Goes through the states that wait for an input, breadth first, so that paths are shortest."""
        plts = self._plts
        start: dict[int, Number] = {}
        for state, weight in enumerate(plts.start):
            if weight:
                for end, mass in self._at_rest((("start", state),), "unasked").items():
                    _add(start, end, weight * mass)
        found = dict.fromkeys(state for state in start if state != self._bottom)
        moves: dict[int, dict[Action, dict[int, Number]]] = {}
        answers: dict[int, dict[Action, dict[_Answer, Number]]] = {}
        waiting = list(found)
        for state in waiting:
            moves[state], answers[state] = {}, {}
            for action in plts.inputs:
                row = plts.transitions[state][action]
                if action.kind == "data":
                    moves[state][action] = self._after(state, action, row)
                    reached: Iterable[int] = moves[state][action]
                else:
                    answers[state][action] = self._answers(state, action, row)
                    reached = [answer.state for answer in answers[state][action]]
                for end in reached:
                    if end != self._bottom and end not in found:
                        found[end] = None
                        waiting.append(end)
        return self._system(waiting, start, moves, answers)

    def _system(
        self,
        waiting: Sequence[int],
        start: dict[int, Number],
        moves: dict[int, dict[Action, dict[int, Number]]],
        answers: dict[int, dict[Action, dict[_Answer, Number]]],
    ) -> InteractiveSystem:
        plts = self._plts
        bottom = len(waiting)
        number = {state: place for place, state in enumerate((*waiting, self._bottom))}
        data = [action for action in plts.inputs if action.kind == "data"]
        queries = [action for action in plts.inputs if action.kind == "query"]

        def row_of(masses: dict[int, Number]) -> SparseRow:
            return tuple(sorted((number[end], mass) for end, mass in masses.items()))

        def answers_to(query: Action) -> tuple[tuple[str, Matrix], ...]:
            responses = dict.fromkeys(answer.response for state in waiting for answer in answers[state][query])
            return tuple(
                (
                    response,
                    (
                        *(
                            row_of({a.state: m for a, m in answers[state][query].items() if a.response == response})
                            for state in waiting
                        ),
                        (),
                    ),
                )
                for response in responses
            )

        first = row_of(start)
        return InteractiveSystem(
            states=(*(plts.states[state] for state in waiting), BOTTOM),
            start=tuple(dict(first).get(place, Fraction(0)) for place in range(bottom + 1)),
            data=tuple(action.name for action in data),
            data_moves=tuple(
                (*(row_of(moves[state][action]) for state in waiting), ((bottom, Fraction(1)),)) for action in data
            ),
            queries=tuple(action.name for action in queries),
            answers=tuple(answers_to(query) for query in queries),
        )

    def _after(self, state: int, action: Action, row: SparseRow) -> dict[int, Number]:
        """Where the automaton waits after a data point."""
        total: dict[int, Number] = {}
        for target, weight in row:
            came = (*self._paths[state], (action.name, target))
            for end, mass in self._at_rest(came, "unasked").items():
                _add(total, end, weight * mass)
        return total

    def _answers(self, state: int, query: Action, row: SparseRow) -> dict[_Answer, Number]:
        """The responses to a query, each with where the automaton then waits."""
        plts = self._plts
        total: dict[_Answer, Number] = {}
        for target, weight in row:
            came = (*self._paths[state], (query.name, target))
            for end, mass in self._hidden.ends(target).items():
                response = None if end == self._bottom else plts.output(end)
                if response is None:
                    if end != self._bottom and plts.accepts(end):
                        raise NotOneResponse("unanswered", end, self._on(came, end))
                    continue
                for behind, then in plts.transitions[end][response]:
                    answered = (*self._on(came, end), (response.name, behind))
                    for rest, last in self._at_rest(answered, "again").items():
                        _add(total, _Answer(response.name, rest), weight * mass * then * last)
        return total

    def _at_rest(self, came: tuple[Step, ...], problem: Literal["again", "unasked"]) -> dict[int, Number]:
        """Where hidden steps lead from the end of a path if nothing is shown: states that wait, or bottom."""
        rest: dict[int, Number] = {}
        for end, mass in self._hidden.ends(came[-1][1]).items():
            if end != self._bottom and self._plts.output(end) is not None:
                raise NotOneResponse(problem, end, self._on(came, end))
            waits = end != self._bottom and self._plts.accepts(end)
            if waits and end not in self._paths:
                self._paths[end] = self._on(came, end)
            _add(rest, end if waits else self._bottom, mass)
        return rest

    def _on(self, came: tuple[Step, ...], end: int) -> tuple[Step, ...]:
        """The path with the hidden steps that lead on to a state, as few as may be."""
        paths: dict[int, tuple[Step, ...]] = {came[-1][1]: came}
        pending = list(paths)
        for state in pending:
            action = self._plts.output(state)
            for target, _ in hidden_row(self._plts, state) or ():
                assert action is not None, "the hidden one"
                if target not in paths:
                    paths[target] = (*paths[state], (action.name, target))
                    pending.append(target)
        return paths[end]


def _add(masses: dict[int, Number] | dict[_Answer, Number], end: int | _Answer, mass: Number) -> None:
    known: dict[int | _Answer, Number] = masses  # type: ignore[assignment]
    known[end] = known[end] + mass if end in known else mass


def close_plts_apart(plts: Plts, budget: Budget) -> Divided[InteractiveSystem]:
    """The reachable states that wait for an input or are about to respond; each response is a letter of its own.

    A state without any action shows nothing more and takes no input, like bottom. Raises LimitReached.
    """
    return hidden_steps(plts, budget).then(lambda hidden: _closed(plts, hidden))


def _closed(plts: Plts, hidden: HiddenSteps) -> InteractiveSystem:
    def settled(row: Iterable[tuple[int, Number]]) -> dict[int, Number]:
        """Where the steps of a row, and the hidden ones behind them, come to rest."""
        found: dict[int, Number] = {}
        for target, weight in row:
            for end, mass in hidden.ends(target).items():
                rest = end if end != hidden.bottom and plts.transitions[end] else hidden.bottom
                found[rest] = found.get(rest, Fraction(0)) + weight * mass
        return found

    start = settled((state, weight) for state, weight in enumerate(plts.start) if weight)
    moves: dict[tuple[int, Action], dict[int, Number]] = {}
    states = [state for state in start if state != hidden.bottom]
    known = {*states, hidden.bottom}
    for state in states:
        for action, row in plts.transitions[state].items():
            moves[state, action] = settled(row)
            states += [end for end in moves[state, action] if end not in known]
            known.update(moves[state, action])
    number = {state: place for place, state in enumerate((*states, hidden.bottom))}
    bottom = len(states)

    def matrix(action: Action, otherwise: Callable[[int], SparseRow]) -> Matrix:
        rows = (moves.get((state, action)) for state in states)
        found = [
            otherwise(place) if row is None else tuple(sorted((number[end], mass) for end, mass in row.items()))
            for place, row in enumerate(rows)
        ]
        return (*found, otherwise(bottom))

    data, queries, outputs = (
        [action for action in plts.actions if action.kind == kind] for kind in ("data", "query", "output")
    )
    first = {number[state]: weight for state, weight in start.items()}
    return InteractiveSystem(
        states=(*(plts.states[state] for state in states), BOTTOM),
        start=tuple(first.get(place, Fraction(0)) for place in range(bottom + 1)),
        data=tuple(action.name for action in data),
        data_moves=tuple(matrix(action, lambda _: ((bottom, Fraction(1)),)) for action in data),
        queries=(*(action.name for action in queries), ""),
        answers=(
            *((("", matrix(action, lambda _: ())),) for action in queries),
            tuple((action.name, matrix(action, lambda _: ())) for action in outputs),
        ),
        responding=frozenset(number[state] for state in states if plts.output(state) is not None),
    )
