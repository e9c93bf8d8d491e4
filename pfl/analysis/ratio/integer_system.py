"""A labelled system in integers, on the states that matter to one obligation.

Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

Integers: TypeAlias = tuple[int, ...]
Word: TypeAlias = tuple[int, ...]
"""Letters by their index in the labelled system."""
IntegerRow: TypeAlias = tuple[tuple[int, int], ...]
Matrix: TypeAlias = tuple[IntegerRow, ...]


@struct(eq=False)
class IntegerSystem:
    """The part of a labelled system that is reached, up to what ratios and directions do not see.

    `states` and `letters` index the labelled system. `rows[i][s]` are the non-zero (column, weight) of state s under
    `letters[i]`, in the shortest integers proportional to the matrix; letters with proportional matrices are one, and
    letters that no reached state shows are left out. `positions[a]` is the i of letter a, None if it is left out.
    `lossless` says that the rows of all these states have the same positive sum over all letters, so that M_v 1 is
    proportional to sum_a M_v M_a 1: no mass is lost when a word grows.
    """

    states: tuple[int, ...]
    letters: tuple[int, ...]
    positions: tuple[int | None, ...]
    rows: tuple[Matrix, ...]
    lossless: bool

    @property
    def size(self) -> int:
        """The number of states that are kept."""
        return len(self.states)

    def step(self, vector: Sequence[int], position: int) -> Integers:
        """The vector times `rows[position]`."""
        result = [0] * len(self.states)
        for weight, row in zip(vector, self.rows[position]):
            if weight:
                for column, entry in row:
                    result[column] += weight * entry
        return tuple(result)


def reached_part(system: LabelledSystem, starts: Iterable[Sequence[Number]]) -> IntegerSystem:
    """The states that some start reaches, with integer matrices; numbers must be constants (ValueError otherwise)."""
    states = system.reached(state for start in starts for state, weight in enumerate(start) if weight)
    index = {state: position for position, state in enumerate(states)}
    distinct: dict[Matrix, int] = {}
    letters: list[int] = []
    positions: list[int | None] = []
    totals = [Fraction(0)] * len(states)
    for letter, matrix in enumerate(system.matrices):
        exact = [[(index[column], constant(weight)) for column, weight in matrix[state]] for state in states]
        if not any(exact):
            positions.append(None)
            continue
        totals = [total + sum((weight for _, weight in row), Fraction(0)) for total, row in zip(totals, exact)]
        whole = _shortest_matrix(exact)
        if whole not in distinct:
            distinct[whole] = len(letters)
            letters.append(letter)
        positions.append(distinct[whole])
    return IntegerSystem(
        states=states,
        letters=tuple(letters),
        positions=tuple(positions),
        rows=tuple(distinct),
        lossless=len(set(totals)) == 1 and totals[0] > 0,
    )


def _shortest_matrix(exact: Sequence[Sequence[tuple[int, Fraction]]]) -> Matrix:
    denominator = lcm(*(weight.denominator for row in exact for _, weight in row))
    whole = [
        [(column, weight.numerator * (denominator // weight.denominator)) for column, weight in row] for row in exact
    ]
    content = gcd(*(weight for row in whole for _, weight in row))
    return tuple(tuple((column, weight // content) for column, weight in row) for row in whole)


def constant(number: Number) -> Fraction:
    """The number as a rational; ValueError if it depends on parameters."""
    if isinstance(number, Fraction):
        return number
    raise ValueError(f"{number} depends on parameters")


def primitive(vector: Sequence[int]) -> Integers:
    """The shortest integer vector of the same direction; zero stays zero."""
    content = gcd(*vector)
    return tuple(vector) if content <= 1 else tuple(entry // content for entry in vector)


def primitive_pair(left: Sequence[int], right: Sequence[int]) -> tuple[Integers, Integers]:
    """Both vectors divided by what all their entries have in common, so that their ratios stay."""
    content = gcd(*left, *right)
    if content <= 1:
        return tuple(left), tuple(right)
    return tuple(entry // content for entry in left), tuple(entry // content for entry in right)
