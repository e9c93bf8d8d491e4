"""Where two runs come to that are given the elements of adjacent arrays, if nothing is shown before all are given.

What is seen then depends on the distribution over states after the last element. Arrays that lead to one distribution
need no telling apart, so pairs of distributions are followed turn by turn, equal ones merged: of fifty people who
answer alike, only how many said what is left. Source: docs/theory/sequential-inputs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.lower.mechanism.sequential_pairs import SequentialPairs
from pfl.model.transition_graph import SILENT, TransitionGraph
from pfl.passes.close_silent import Closure, close_silent, is_waiting

Distribution: TypeAlias = tuple[tuple[int, Number], ...]
"""States of the graph, ascending, with their probabilities."""

_MOST_PAIRS = 50_000
"""More pairs of distributions than this are not followed."""


@struct
class RunPair:
    """Two runs after their last element: `others` are the positions of their other inputs, `given` what each turn gave
    them."""

    left: Distribution
    right: Distribution
    others: tuple[int, int]
    given: tuple[tuple[Any, Any], ...]


def run_pairs(
    graph: TransitionGraph, pairs: SequentialPairs, turns: int, budget: Budget
) -> Divided[tuple[RunPair, ...] | None]:
    """Every pair of distributions that adjacent inputs lead to, with one pair of inputs that does.

    None where something can be seen before the last element is given, or where there are too many.
    """
    inputs = [target for target, label in zip(graph.targets, graph.labels) if label != SILENT]
    sources = sorted({*graph.starts, *inputs})
    closed = close_silent(graph, sources, budget)
    return closed.then(lambda closure: _followed(_Runs(graph, closure, sources, turns), pairs, budget))


def _followed(runs: _Runs, pairs: SequentialPairs, budget: Budget) -> tuple[RunPair, ...] | None:
    graph, turns = runs.graph, runs.turns
    level: dict[_Key, _Origin] = {}
    for left, right, memory in pairs.starts:
        begun = [runs.begin(graph.starts[position]) for position in (left, right)]
        if begun[0] is None or begun[1] is None:
            return None
        level.setdefault((begun[0], begun[1], memory), ((left, right), None))
    for turn in range(turns):
        budget.check(f"following {len(level):,} pairs of runs, {turn:,} of {turns:,} elements")
        following: dict[_Key, _Origin] = {}
        for key, origin in level.items():
            for choice in pairs.choices[key[2]]:
                reached = runs.step(turn, key[0], choice.left), runs.step(turn, key[1], choice.right)
                if reached[0] is None or reached[1] is None:
                    return None
                assert isinstance(choice.memory, int)
                path = (origin[1], (choice.left, choice.right))
                following.setdefault((reached[0], reached[1], choice.memory), (origin[0], path))
        if len(following) > _MOST_PAIRS:
            return None
        level = following
    return tuple(
        RunPair(
            left=runs.distributions[turns][left],
            right=runs.distributions[turns][right],
            others=others,
            given=_given(path),
        )
        for (left, right, _), (others, path) in level.items()
    )


_Key: TypeAlias = tuple[int, int, int]
"""The distribution of the left run and of the right run, by number, and what may be given next."""

_Origin: TypeAlias = tuple[tuple[int, int], Any]
"""The other inputs, and what was given: the last pair with what was given before it, None at first."""


def _given(path: Any) -> tuple[tuple[Any, Any], ...]:
    given = []
    while path is not None:
        path, pair = path
        given.append(pair)
    return tuple(reversed(given))


@struct(eq=False, frozen=False, kw_only=False)
class _Runs:
    """Distributions of one run after each turn, numbered, each step taken once."""

    graph: TransitionGraph
    closure: Closure
    sources: Sequence[int]
    turns: int
    distributions: list[list[Distribution]] = field(init=False)
    _numbers: list[dict[Distribution, int]] = field(init=False)
    _steps: dict[tuple[int, int, Any], int | None] = field(default_factory=dict)
    _position: dict[int, int] = field(init=False)
    _silent: dict[int, Distribution | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.distributions = [[] for _ in range(self.turns + 1)]
        self._numbers = [{} for _ in range(self.turns + 1)]
        self._position = {source: position for position, source in enumerate(self.sources)}

    def begin(self, start: int) -> int | None:
        """The number of the distribution before the first turn; None if something may be seen before it."""
        return self._arrived(0, ((start, 1),))

    def step(self, turn: int, number: int, given: Any) -> int | None:
        """The number of the distribution after a turn; None if something may be seen in it."""
        key = turn, number, given
        if key not in self._steps:
            after = [(self._given(state, given), mass) for state, mass in self.distributions[turn][number]]
            # After the last element the states before anything is shown are kept, whatever they show.
            last = turn + 1 == self.turns
            self._steps[key] = self._number(turn + 1, after) if last else self._arrived(turn + 1, after)
        return self._steps[key]

    def _given(self, state: int, given: Any) -> int:
        """Where a waiting state goes with an input."""
        row = self.graph.row(state)
        for edge in row:
            label = self.graph.label_table[self.graph.labels[edge]]
            if label is not None and label.value == given:
                return self.graph.targets[edge]
        raise AssertionError("what is given is one of the values that are waited for")

    def _arrived(self, turn: int, states: Sequence[tuple[int, Any]]) -> int | None:
        """Silent steps taken, up to where the next element is waited for."""
        waiting: list[tuple[int, Number]] = []
        for state, mass in states:
            silent = self._waits_after(state)
            if silent is None:
                return None
            waiting += [(end, mass * share) for end, share in silent]
        return self._number(turn, waiting)

    def _waits_after(self, state: int) -> Distribution | None:
        """Where the next element is waited for after a state; None if something may be seen before, or never."""
        if state not in self._silent:
            position = self._position[state]
            row = self.closure.rows[position]
            surely = all(end.label == SILENT and is_waiting(self.graph, end.state) for end in row)
            surely = surely and not self.closure.never(position)
            self._silent[state] = tuple((end.state, share) for end, share in row.items()) if surely else None
        return self._silent[state]

    def _number(self, turn: int, states: Sequence[tuple[int, Any]]) -> int:
        distribution = tuple(sorted(summed(states).items()))
        known = self._numbers[turn].get(distribution)
        if known is None:
            known = self._numbers[turn][distribution] = len(self.distributions[turn])
            self.distributions[turn].append(distribution)
        return known
