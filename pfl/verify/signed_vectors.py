"""The vectors x M_w for x = left - bound * right, by rational arithmetic, as their shortest integer multiples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem

Vector: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignedVectors:
    """`start` is the direction of left - bound * right, on `states`: those that it, or a further given state, reaches.

    `rows[a][i]` are the (position, weight) of the i-th kept state under letter a, weights scaled to integers letter by
    letter. `keeps_mass`: all kept rows have the same positive sum over the letters, so that the mass after a word is
    the sum over its extensions, up to that factor.
    """

    states: tuple[int, ...]
    rows: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]
    start: Vector
    keeps_mass: bool

    @staticmethod
    def of(
        system: LabelledSystem,
        left: Sequence[Number],
        right: Sequence[Number],
        bound: Fraction,
        further: Iterable[int] = (),
    ) -> SignedVectors:
        """Raises ValueError where a number is not a constant, or a start has the wrong length."""
        if len(left) != system.size or len(right) != system.size:
            raise ValueError("a start needs one entry a state")
        support = {state for state in range(system.size) if left[state] or right[state]}
        states = _closed_under_steps(system, support.union(further))
        position = {state: index for index, state in enumerate(states)}
        rows = []
        totals = [Fraction(0)] * len(states)
        for matrix in system.matrices:
            exact = [[(position[column], _rational(weight)) for column, weight in matrix[state]] for state in states]
            totals = [total + sum(weight for _, weight in row) for total, row in zip(totals, exact)]
            scale = lcm(*(weight.denominator for row in exact for _, weight in row))
            rows.append(tuple(tuple((column, int(weight * scale)) for column, weight in row) for row in exact))
        if any(weight < 0 for matrix in rows for row in matrix for _, weight in row):
            raise ValueError("a matrix has a negative entry")
        difference = [_rational(left[state]) - bound * _rational(right[state]) for state in states]
        return SignedVectors(
            states=states,
            rows=tuple(rows),
            start=shortest(difference),
            keeps_mass=len(set(totals)) == 1 and totals[0] > 0,
        )

    @property
    def size(self) -> int:
        return len(self.states)

    @property
    def letters(self) -> range:
        return range(len(self.rows))

    def step(self, vector: Vector, letter: int) -> Vector:
        """A positive multiple of vector M_letter."""
        result = [0] * len(self.states)
        for entry, row in zip(vector, self.rows[letter]):
            if entry:
                for column, weight in row:
                    result[column] += entry * weight
        return tuple(result)

    def after(self, word: Iterable[int]) -> Vector:
        """The direction of start M_word."""
        vector = self.start
        for letter in word:
            vector = shortest(self.step(vector, letter))
        return vector


def shortest(vector: Sequence[Fraction | int]) -> Vector:
    """The shortest integer vector of the same direction; zero stays zero."""
    scale = lcm(*(entry.denominator for entry in vector))
    whole = [entry.numerator * (scale // entry.denominator) for entry in vector]
    content = gcd(*whole) or 1
    return tuple(entry // content for entry in whole)


def _closed_under_steps(system: LabelledSystem, start: Iterable[int]) -> tuple[int, ...]:
    known = set(start)
    waiting = list(known)
    while waiting:
        state = waiting.pop()
        new = {column for matrix in system.matrices for column, _ in matrix[state]} - known
        known |= new
        waiting += new
    return tuple(sorted(known))


def _rational(number: Number) -> Fraction:
    if isinstance(number, Fraction):
        return number
    raise ValueError(f"{number} depends on parameters")
