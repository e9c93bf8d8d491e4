"""The vectors x M_w for x = left - bound * right, by rational arithmetic, as their shortest integer multiples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

Vector: TypeAlias = tuple[tuple[int, int], ...]
"""The (position, entry) of the entries that are not 0, by position."""
Column: TypeAlias = tuple[int, ...]
"""One number a position."""
Matrix: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]

SO_FAR = "a part of the proof was checked"
"""How far the work has come when the time is over."""


@struct(eq=False)
class SignedVectors:
    """`start` is the direction of left - bound * right, on `states`: those that it, or a further given state, reaches.

    `matrices[m][i]` are the (position, weight) of the i-th kept state, in the shortest integers proportional to some
    letter's matrix: different directions, none zero. `matrix_of[a]` is the m of letter a, None where it is zero.
    `keeps_mass`: all kept rows have the same positive sum over the letters, so that the mass after a word is the sum
    over its extensions, up to that factor. Whoever computes with them may raise LimitReached, from `budget`.
    """

    states: tuple[int, ...]
    matrices: tuple[Matrix, ...]
    matrix_of: tuple[int | None, ...]
    start: Vector
    keeps_mass: bool
    budget: Budget

    @staticmethod
    def of(
        system: LabelledSystem,
        left: Sequence[Number],
        right: Sequence[Number],
        bound: Fraction,
        further: Iterable[int],
        budget: Budget,
    ) -> SignedVectors:
        """Raises ValueError where a number is not a constant or is negative, or a start has the wrong length."""
        if len(left) != system.size or len(right) != system.size:
            raise ValueError("a start needs one entry a state")
        support = {state for state in range(system.size) if left[state] or right[state]}
        states = _closed_under_steps(system, support.union(further))
        position = {state: index for index, state in enumerate(states)}
        known: dict[Matrix, int] = {}
        matrix_of: list[int | None] = []
        totals = [Fraction(0)] * len(states)
        for matrix in system.matrices:
            budget.check(SO_FAR)
            exact = [[(position[column], _weight(weight)) for column, weight in matrix[state]] for state in states]
            totals = [total + sum(weight for _, weight in row) for total, row in zip(totals, exact)]
            whole = _shortest_matrix(exact)
            matrix_of.append(known.setdefault(whole, len(known)) if any(whole) else None)
        difference = [_weight(left[state]) - bound * _weight(right[state]) for state in states]
        return SignedVectors(
            states=states,
            matrices=tuple(known),
            matrix_of=tuple(matrix_of),
            start=shortest(enumerate(difference)),
            keeps_mass=len(set(totals)) == 1 and totals[0] > 0,
            budget=budget,
        )

    @property
    def size(self) -> int:
        """The number of states, which is the length of a column."""
        return len(self.states)

    def after(self, vector: Vector, letter: int) -> Vector:
        """The direction of vector M_letter."""
        matrix = self.matrix_of[letter]
        return () if matrix is None else shortest(self.step(vector, self.matrices[matrix]))

    def step(self, vector: Vector, matrix: Matrix) -> Vector:
        """The vector times one of `matrices`. Raises LimitReached."""
        self.budget.check(SO_FAR)
        result: dict[int, int] = {}
        for position, entry in vector:
            for column, weight in matrix[position]:
                result[column] = result.get(column, 0) + entry * weight
        return by_position(result)

    def along(self, words: Iterable[tuple[int, ...]]) -> list[Vector]:
        """The direction of start M_word for each word; what words have in common is gone through once."""
        vectors = [self.start]
        longer: dict[tuple[int, int], int] = {}
        found = []
        for word in words:
            reached = 0
            for letter in word:
                if (reached, letter) not in longer:
                    longer[reached, letter] = len(vectors)
                    vectors.append(self.after(vectors[reached], letter))
                reached = longer[reached, letter]
            found.append(vectors[reached])
        return found

    def longer(self, columns: Iterable[Column]) -> list[Column]:
        """The directions of M_a g for all letters a and columns g. Raises LimitReached."""
        found: dict[Column, None] = {}
        for column in columns:
            self.budget.check(SO_FAR)
            for matrix in self.matrices:
                sums = [sum(weight * column[target] for target, weight in row) for row in matrix]
                found[tuple(_shortest_multiples(sums))] = None
        return list(found)


def by_position(entries: Mapping[int, int]) -> Vector:
    """The vector with these entries, by their positions."""
    return tuple(sorted((position, entry) for position, entry in entries.items() if entry))


def shortest(vector: Iterable[tuple[int, Fraction | int]]) -> Vector:
    """The shortest integer vector of the same direction, from the (position, entry) of distinct positions."""
    entries = sorted((position, entry) for position, entry in vector if entry)
    whole = _shortest_multiples([entry for _, entry in entries])
    return tuple((position, entry) for (position, _), entry in zip(entries, whole))


def _shortest_multiples(numbers: Sequence[Fraction | int]) -> list[int]:
    """The smallest integers in the same proportions; zeros stay zeros."""
    scale = lcm(*(number.denominator for number in numbers))
    whole = [number.numerator * (scale // number.denominator) for number in numbers]
    content = gcd(*whole) or 1
    return [number // content for number in whole]


def _closed_under_steps(system: LabelledSystem, start: Iterable[int]) -> tuple[int, ...]:
    known = set(start)
    waiting = list(known)
    while waiting:
        state = waiting.pop()
        new = {column for matrix in system.matrices for column, _ in matrix[state]} - known
        known |= new
        waiting += new
    return tuple(sorted(known))


def _shortest_matrix(exact: Sequence[Sequence[tuple[int, Fraction]]]) -> Matrix:
    scale = lcm(*(weight.denominator for row in exact for _, weight in row))
    whole = [[(column, int(weight * scale)) for column, weight in row if weight] for row in exact]
    content = gcd(*(weight for row in whole for _, weight in row)) or 1
    return tuple(tuple((column, weight // content) for column, weight in row) for row in whole)


def _weight(number: Number) -> Fraction:
    if not isinstance(number, Fraction):
        raise ValueError(f"{number} depends on parameters")
    if number < 0:
        raise ValueError(f"a probability is {number}")
    return number
