"""What can be reached in a Markov chain, and what surely is, computed anew for the check of a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.model.markov_chain import MarkovChain

States: TypeAlias = bytearray
"""One byte a state: 1 for those that are in a set."""


@struct(eq=False)
class Graph:
    """The transitions of a chain whose runs end in `ends`: all of them, and those that are there at all values of the
    parameters, `sure` of their weights."""

    chain: MarkovChain
    ends: States
    sure: Callable[[int], bool]

    def reached(self, starts: Iterable[int]) -> States:
        """The states that may be reached from some states, ends included."""
        found, pending = States(self.chain.size), list(starts)
        for state in pending:
            found[state] = 1
        while pending:
            state = pending.pop()
            if self.ends[state]:
                continue
            for target in self.chain.targets[self.chain.offsets[state] : self.chain.offsets[state + 1]]:
                if not found[target]:
                    found[target] = 1
                    pending.append(target)
        return found

    def leading_to(self, goal: States, *, surely: bool) -> States:
        """The states from which a way leads to the goal, or one that is there at all values of the parameters."""
        before = self._before(surely=surely)
        found, pending = States(goal), [state for state in range(self.chain.size) if goal[state]]
        while pending:
            for source in before[pending.pop()]:
                if not found[source]:
                    found[source] = 1
                    pending.append(source)
        return found

    def _before(self, *, surely: bool) -> list[list[int]]:
        chain = self.chain
        before: list[list[int]] = [[] for _ in range(chain.size)]
        known: dict[int, bool] = {}
        for state in range(chain.size):
            if self.ends[state]:
                continue
            for edge in chain.row(state):
                weight = chain.weights[edge]
                if surely and weight not in known:
                    known[weight] = self.sure(weight)
                if not surely or known[weight]:
                    before[chain.targets[edge]].append(state)
        return before


def complement(states: States) -> States:
    """The other states."""
    return States(1 - each for each in states)


def as_set(states: Iterable[int], size: int) -> States:
    """The set of some states."""
    found = States(size)
    for state in states:
        found[state] = 1
    return found


def missing(wanted: States, found: States) -> int | None:
    """A state of one set that is not in the other; None if there is none."""
    return next((state for state, is_wanted in enumerate(wanted) if is_wanted and not found[state]), None)
