"""From a probabilistic labelled transition system to its interactive system: hidden steps closed.

Two ways: queries and responses take turns (`close_plts`), or need not (`close_plts_apart`).
Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.chains.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.model.interactive import Action, InteractiveSystem, Plts
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.passes.interactive import Ends, assembled

Step: TypeAlias = tuple[str, int]
"""The action taken, and the state behind it."""


@struct(eq=False, kw_only=False)
class HiddenSteps:
    """The closure of hidden steps from the states that runs come to; `bottom` stands for never ending, and is none of
    the states."""

    _ends: Mapping[int, dict[int, Number]]
    bottom: int

    def ends(self, state: int) -> dict[int, Number]:
        """The states without a hidden step that are come to, and bottom, with their probabilities."""
        ends = dict(self._ends[state])
        never = 1 - sum(ends.values(), Fraction(0))
        if never:
            ends[self.bottom] = never
        return ends


def hidden_steps(plts: Plts, budget: Budget) -> Divided[HiddenSteps]:
    """The closure of the hidden steps of all states that runs come to. Raises LimitReached."""
    rows = [hidden_row(plts, state) or () for state in range(len(plts.states))]
    sources = reachable(plts)
    closed = absorption(MarkovChain.of_rows(rows), sources, budget)
    return closed.then(lambda found: HiddenSteps(dict(zip(sources, found.rows)), len(plts.states)))


def reachable(plts: Plts) -> list[int]:
    """The states that runs come to, hidden ones included."""
    found = dict.fromkeys(state for state, weight in enumerate(plts.start) if weight)
    pending = list(found)
    for state in pending:
        for row in plts.transitions[state].values():
            for target, _ in row:
                if target not in found:
                    found[target] = None
                    pending.append(target)
    return pending


def hidden_row(plts: Plts, state: int) -> SparseRow | None:
    """The targets of the hidden step of a state; None where it has none."""
    action = plts.output(state)
    return plts.transitions[state][action] if action is not None and action.kind == "hidden" else None


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
        start = summed(
            (end, weight * mass)
            for state, weight in enumerate(plts.start)
            if weight
            for end, mass in self._at_rest((("start", state),), "unasked").items()
        )
        data: dict[str, dict[int, Ends]] = {action.name: {} for action in plts.inputs if action.kind == "data"}
        answers: dict[str, dict[str, dict[int, dict[int, Number]]]] = {
            action.name: {} for action in plts.inputs if action.kind == "query"
        }
        waiting = [state for state in start if state != self._bottom]
        found = {*waiting, self._bottom}
        for state in waiting:
            for action in plts.inputs:
                row = plts.transitions[state][action]
                if action.kind == "data":
                    ends = data[action.name][state] = self._after(state, action, row)
                    reached: Iterable[int] = ends
                else:
                    answered = self._answers(state, action, row)
                    for (response, end), mass in answered.items():
                        answers[action.name].setdefault(response, {}).setdefault(state, {})[end] = mass
                    reached = [end for _, end in answered]
                waiting += [end for end in dict.fromkeys(reached) if end not in found]
                found.update(reached)
        return assembled(
            {state: plts.states[state] for state in waiting},
            self._bottom,
            start,
            list(data.items()),
            [(query, list(responses.items())) for query, responses in answers.items()],
        )

    def _after(self, state: int, action: Action, row: SparseRow) -> dict[int, Number]:
        """Where the automaton waits after a data point."""
        return summed(
            (end, weight * mass)
            for target, weight in row
            for end, mass in self._at_rest((*self._paths[state], (action.name, target)), "unasked").items()
        )

    def _answers(self, state: int, query: Action, row: SparseRow) -> dict[tuple[str, int], Number]:
        """The responses to a query, each with where the automaton then waits."""
        found: list[tuple[tuple[str, int], Number]] = []
        for target, weight in row:
            came = (*self._paths[state], (query.name, target))
            for end, mass in self._hidden.ends(target).items():
                response = None if end == self._bottom else self._plts.output(end)
                if response is None:
                    if end != self._bottom and self._plts.accepts(end):
                        raise NotOneResponse("unanswered", end, self._on(came, end))
                    continue
                for behind, then in self._plts.transitions[end][response]:
                    rests = self._at_rest((*self._on(came, end), (response.name, behind)), "again")
                    found += [((response.name, rest), weight * mass * then * last) for rest, last in rests.items()]
        return summed(found)

    def _at_rest(self, came: tuple[Step, ...], problem: Literal["again", "unasked"]) -> dict[int, Number]:
        """Where hidden steps lead from the end of a path if nothing is shown: states that wait, or bottom."""
        rest: list[tuple[int, Number]] = []
        for end, mass in self._hidden.ends(came[-1][1]).items():
            if end != self._bottom and self._plts.output(end) is not None:
                raise NotOneResponse(problem, end, self._on(came, end))
            waits = end != self._bottom and self._plts.accepts(end)
            if waits and end not in self._paths:
                self._paths[end] = self._on(came, end)
            rest.append((end if waits else self._bottom, mass))
        return summed(rest)

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


def close_plts_apart(plts: Plts, budget: Budget) -> Divided[InteractiveSystem]:
    """The reachable states that wait for an input or are about to respond; each response is a letter of its own.

    A state without any action shows nothing more and takes no input, like bottom. Raises LimitReached.
    """
    return hidden_steps(plts, budget).then(lambda hidden: _closed(plts, hidden))


def _closed(plts: Plts, hidden: HiddenSteps) -> InteractiveSystem:
    bottom = hidden.bottom

    def settled(row: Iterable[tuple[int, Number]]) -> dict[int, Number]:
        """Where the steps of a row, and the hidden ones behind them, come to rest."""
        return summed(
            (end if end != bottom and plts.transitions[end] else bottom, weight * mass)
            for target, weight in row
            for end, mass in hidden.ends(target).items()
        )

    start = settled((state, weight) for state, weight in enumerate(plts.start) if weight)
    moves: dict[Action, dict[int, Ends]] = {action: {} for action in plts.actions}
    states = [state for state in start if state != bottom]
    known = {*states, bottom}
    for state in states:
        for action, row in plts.transitions[state].items():
            ends = moves[action][state] = settled(row)
            states += [end for end in ends if end not in known]
            known.update(ends)
    return assembled(
        {state: plts.states[state] for state in states},
        bottom,
        start,
        [(action.name, rows) for action, rows in moves.items() if action.kind == "data"],
        [
            *((action.name, [("", rows)]) for action, rows in moves.items() if action.kind == "query"),
            ("", [(action.name, rows) for action, rows in moves.items() if action.kind == "output"]),
        ],
        responding=frozenset(place for place, state in enumerate(states) if plts.output(state) is not None),
    )
