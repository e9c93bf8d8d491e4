"""Finite Markov chains in compressed rows, with what their transitions cost."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from pfl.base.number import Number
from pfl.base.struct import struct


@struct(eq=False)
class MarkovChain:
    """A Markov chain on states 0..size-1: the transitions of state s are offsets[s]..offsets[s + 1] - 1.

    Of transition `edge`, targets[edge] is where it goes and weight_table[weights[edge]] its probability, not 0.
    Parallel transitions add. A state without transitions is absorbing; the other rows sum to 1. cost_table[costs[edge]]
    is what a transition costs; without `costs` it is nothing. `names` describe the states, if anybody may want to know.
    """

    offsets: array[int]
    targets: array[int]
    weights: array[int]
    weight_table: Sequence[Number]
    costs: array[int] | None = None
    cost_table: Sequence[Number] = ()
    names: Sequence[str] = ()

    @staticmethod
    def of_rows(rows: Iterable[Iterable[tuple[int, Number]]]) -> MarkovChain:
        """The chain in which the state of each row goes to targets with probabilities that are not 0."""
        offsets, targets, weights = array("q", [0]), array("i"), array("i")
        table: dict[Number, int] = {}
        for row in rows:
            for target, weight in row:
                targets.append(target)
                weights.append(table.setdefault(weight, len(table)))
            offsets.append(len(targets))
        return MarkovChain(offsets=offsets, targets=targets, weights=weights, weight_table=tuple(table))

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.offsets) - 1

    @property
    def numbers(self) -> Iterator[Number]:
        """Every number of the chain."""
        yield from self.weight_table
        yield from self.cost_table

    def row(self, state: int) -> range:
        """The transitions that leave a state."""
        return range(self.offsets[state], self.offsets[state + 1])

    def transitions(self, state: int) -> Iterator[tuple[int, Number]]:
        """(target, probability) of each transition that leaves a state."""
        for edge in self.row(state):
            yield self.targets[edge], self.weight_table[self.weights[edge]]

    def is_absorbing(self, state: int) -> bool:
        """Whether no transition leaves a state."""
        return self.offsets[state] == self.offsets[state + 1]

    def state_name(self, state: int) -> str:
        """The state in the model's words, or its number."""
        return self.names[state] if self.names else str(state)
