"""What can be reached in a Markov chain, and what surely is, computed anew for the check of a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pfl.model.markov_chain import MarkovChain

States: TypeAlias = bytearray
"""One byte a state: 1 for those that are in a set."""


class Graph:
    """The transitions of a chain whose runs end in `ends`: all of them, and those that are there at all values of the
    parameters, `sure` of their weights; without `sure` that is all of them."""

    def __init__(self, chain: MarkovChain, ends: States, sure: Callable[[int], bool] | None) -> None:
        self.ends = ends
        self._chain = chain
        self._sure = sure
        self._before: dict[bool, list[list[int]]] = {}

    def reached(self, starts: Iterable[int]) -> States:
        """The states that may be reached from some states, ends included."""
        offsets, targets, ends = self._chain.offsets, self._chain.targets, self.ends
        found, pending = States(self._chain.size), list(starts)
        for state in pending:
            found[state] = 1
        while pending:
            state = pending.pop()
            if ends[state]:
                continue
            for target in targets[offsets[state] : offsets[state + 1]]:
                if not found[target]:
                    found[target] = 1
                    pending.append(target)
        return found

    def leading_to(self, goal: States, *, surely: bool) -> States:
        """The states from which a way leads to the goal, or one that is there at all values of the parameters."""
        found, pending = States(goal), [state for state, is_in in enumerate(goal) if is_in]
        if not pending:
            return found
        is_partial = surely and self._sure is not None
        before = self._before.get(is_partial)
        if before is None:
            before = self._before[is_partial] = self._predecessors(self._sure if is_partial else None)
        while pending:
            for source in before[pending.pop()]:
                if not found[source]:
                    found[source] = 1
                    pending.append(source)
        return found

    def without_cycles(self, inside: States) -> States:
        """The states of a set from which no way inside it comes back to where it was."""
        offsets, targets = self._chain.offsets, self._chain.targets
        if (before := self._before.get(False)) is None:
            before = self._before[False] = self._predecessors(None)
        onward = [
            sum(inside[target] for target in targets[offsets[state] : offsets[state + 1]]) if inside[state] else -1
            for state in range(self._chain.size)
        ]
        found = States(self._chain.size)
        pending = [state for state, count in enumerate(onward) if not count]
        while pending:
            state = pending.pop()
            found[state] = 1
            for source in before[state]:
                onward[source] -= 1
                if inside[source] and not onward[source]:
                    pending.append(source)
        return found

    def _predecessors(self, sure: Callable[[int], bool] | None) -> list[list[int]]:
        chain, ends = self._chain, self.ends
        offsets, targets = chain.offsets, chain.targets
        kept = None if sure is None else [sure(weight) for weight in range(len(chain.weight_table))]
        before: list[list[int]] = [[] for _ in range(chain.size)]
        for state in range(chain.size):
            if ends[state]:
                continue
            for edge in range(offsets[state], offsets[state + 1]):
                if kept is None or kept[chain.weights[edge]]:
                    before[targets[edge]].append(state)
        return before


_OTHERS = bytes((1, 0)) + bytes(254)


def complement(states: States) -> States:
    """The other states."""
    return states.translate(_OTHERS)


def as_set(states: Iterable[int], size: int) -> States:
    """The set of some states."""
    found = States(size)
    for state in states:
        found[state] = 1
    return found


def all_of(*sets: States) -> States:
    """The states that are in every one of some sets."""
    common = int.from_bytes(sets[0], "little")
    for each in sets[1:]:
        common &= int.from_bytes(each, "little")
    return States(common.to_bytes(len(sets[0]), "little"))


def either(left: States, right: States) -> States:
    """The states that are in one of two sets, or in both."""
    both = int.from_bytes(left, "little") | int.from_bytes(right, "little")
    return States(both.to_bytes(len(left), "little"))


def missing(wanted: States, found: States) -> int | None:
    """A state of one set that is not in the other; None if there is none."""
    place = all_of(wanted, complement(found)).find(1)
    return None if place < 0 else place
