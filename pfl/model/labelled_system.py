"""The labelled system: the one thing that every kind of system lowers to.

A hidden Markov model ((S, p), Omega, o): the state emits, then moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct

Vector: TypeAlias = tuple[Number, ...]
SparseRow: TypeAlias = tuple[tuple[int, Number], ...]
"""The non-zero entries (column, weight) of a row, columns ascending."""
Matrix: TypeAlias = tuple[SparseRow, ...]


class StartVector(tuple[Number, ...]):
    """A vector that knows its entries that are not 0: there are often as many vectors as states, with one each."""

    entries: SparseRow


def sparse(vector: Iterable[Number]) -> SparseRow:
    """The entries of a vector that are not 0."""
    if isinstance(vector, StartVector):
        return vector.entries
    return tuple((state, weight) for state, weight in enumerate(vector) if weight)


@struct(kw_only=False)
class Exchange:
    """What of a letter the adversary or others give, and what of it is seen, in words; None for nothing."""

    given: str | None
    seen: str | None


@struct(eq=False)
class LabelledSystem:
    """Finite states S, letters L that the adversary sees, an exact non-negative |S| x |S| matrix M_a a letter.

    For a start vector v and a word w = a1..ak, mass(v, w) = v M_a1 ... M_ak f. The final weights f, one a state, are 1
    where `final` is None, as it is wherever they would all be constants; a chain that is conditioned on something that
    its parameters can make impossible has them, so that nothing is divided by its probability.
    Rows: sum_a M_a f = f, so nothing is lost: a run that has ended repeats a letter
    (`halt`, `never`) for ever, and "exactly k" and "at most k" letters agree.
    `stochastic` is False only where mass may be lost (queries of an automaton), or where an adversary chooses
    inputs: then `inputs` gives for each letter the number of the input that it answers, -1 for a letter that answers
    none, and the rows sum to 1 over the letters of -1, or over the letters of each input that the state takes.
    `channels` gives for each such letter what is asked for: a state takes inputs of one channel alone, and an adversary
    who is asked knows which. Without it all inputs are of one channel.
    `exchanges` says of each letter what is given and what is seen; without it letters are seen, and nothing is given.
    Source: docs/theory/labelled-system.md.
    """

    states: tuple[str, ...]
    letters: tuple[str, ...]
    matrices: tuple[Matrix, ...]
    stochastic: bool = True
    inputs: tuple[int, ...] | None = None
    channels: tuple[int, ...] | None = None
    exchanges: tuple[Exchange, ...] | None = None
    final: Vector | None = None

    def __post_init__(self) -> None:
        if len(self.matrices) != len(self.letters):
            raise ValueError("one matrix a letter is needed")
        if self.inputs is not None and len(self.inputs) != len(self.letters):
            raise ValueError("one input a letter is needed, or none at all")
        if self.channels is not None and (self.inputs is None or len(self.channels) != len(self.letters)):
            raise ValueError("one channel a letter is needed where inputs are chosen, or none at all")
        if self.exchanges is not None and len(self.exchanges) != len(self.letters):
            raise ValueError("one exchange a letter is needed, or none at all")
        if self.final is not None and len(self.final) != len(self.states):
            raise ValueError("one final weight a state is needed, or none at all")
        for matrix in self.matrices:
            if len(matrix) != len(self.states):
                raise ValueError("a matrix needs one row a state")

    @property
    def size(self) -> int:
        """|S|."""
        return len(self.states)

    @property
    def numbers(self) -> Iterator[Number]:
        """Every non-zero entry of every matrix, and the final weights."""
        yield from (weight for matrix in self.matrices for row in matrix for _, weight in row)
        yield from self.final or ()

    def vector(self, entries: Iterable[tuple[int, Number]]) -> Vector:
        """The vector with the entries given, 0 elsewhere; shape |S|."""
        result: list[Number] = [Fraction(0)] * self.size
        given = dict(entries)
        for state, weight in given.items():
            result[state] = weight
        vector = StartVector(result)
        vector.entries = tuple(sorted((state, weight) for state, weight in given.items() if weight))
        return vector

    def reached(self, states: Iterable[int]) -> tuple[int, ...]:
        """The states to which runs from some states come, those among them, ascending."""
        found = set(states)
        waiting = list(found)
        while waiting:
            state = waiting.pop()
            for matrix in self.matrices:
                for column, _ in matrix[state]:
                    if column not in found:
                        found.add(column)
                        waiting.append(column)
        return tuple(sorted(found))

    def step(self, vector: Sequence[Number], letter: int) -> Vector:
        """vector M_letter; shapes |S| to |S|."""
        result: list[Number] = [Fraction(0)] * self.size
        for weight, row in zip(vector, self.matrices[letter]):
            if weight:
                for column, entry in row:
                    result[column] = result[column] + weight * entry
        return tuple(result)

    def total(self, vector: Sequence[Number]) -> Number:
        """v f: the mass of the empty word from a vector of shape |S|."""
        if self.final is None:
            return sum(vector, Fraction(0))
        return sum((entry * weight for entry, weight in zip(vector, self.final) if entry), Fraction(0))

    def mass(self, vector: Sequence[Number], word: Sequence[int]) -> Number:
        """mass(v, w) = v M_w1 ... M_wk f, exactly."""
        current: Vector = tuple(vector)
        for letter in word:
            current = self.step(current, letter)
        return self.total(current)

    def part(self, states: Sequence[int]) -> LabelledSystem:
        """The system of some states, ascending, that its moves do not leave; letters stay."""
        number = {state: place for place, state in enumerate(states)}
        return replace(
            self,
            states=tuple(self.states[state] for state in states),
            matrices=tuple(
                tuple(tuple((number[column], weight) for column, weight in matrix[state]) for state in states)
                for matrix in self.matrices
            ),
            final=None if self.final is None else tuple(self.final[state] for state in states),
        )


@struct(eq=False)
class Hmm:
    """States S with `transition` p (|S| x |S|), `emission` o (|S| x |letters|) and `silent`, o(s, nothing) (|S|).

    Rows of `transition` sum to 1; a row of `emission` and the entry of `silent` sum to 1. A model that observes
    nothing at all has no letters and is silent with probability 1: a Markov chain. `start` is the distribution that
    the model itself gives, None where only a prior or a claim says where it starts. With final weights f, as a
    labelled system has them, `transition` is such that p f = f.
    """

    states: tuple[str, ...]
    letters: tuple[str, ...]
    start: Vector | None
    transition: Matrix
    emission: Matrix
    silent: Vector
    final: Vector | None = None

    @property
    def size(self) -> int:
        """|S|."""
        return len(self.states)
