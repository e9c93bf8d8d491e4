"""A labelled system in integers, on the states that matter to one obligation.

Integer vectors as rows of floats that filter what is then settled exactly.

A row is the vector divided by a power of two so that its largest entry is about 1; each entry has a relative error of
at most 2^-52. A row is exact enough to be used if no entry is so much smaller than the largest that a product with a
column (see `futures`) could be lost to underflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pfl.base.number import Number
from pfl.model.labelled_system import LabelledSystem

Integers: TypeAlias = tuple[int, ...]
Word: TypeAlias = tuple[int, ...]
"""Letters by their index in the labelled system."""
IntegerRow: TypeAlias = tuple[tuple[int, int], ...]
Matrix: TypeAlias = tuple[IntegerRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


Floats = NDArray[np.float64]

ROUNDING = 2.0**-52
SMALLEST_ENTRY = 2.0**-400
"""The smallest entry, against the largest, of a row or column that is used in floats."""

_BITS = 900
_SPREAD = 400


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FloatRows:
    """`values` (vectors x states); the i-th vector is values[i] * 2^exponents[i]; `usable[i]` as the module says."""

    values: Floats
    exponents: tuple[int, ...]
    usable: NDArray[np.bool_]


def float_rows(vectors: Sequence[Integers]) -> FloatRows:
    """The vectors, none of them zero, as rows."""
    values: list[list[float]] = []
    exponents: list[int] = []
    usable: list[bool] = []
    for vector in vectors:
        lengths = [entry.bit_length() for entry in vector]
        longest = max(lengths)
        shift = max(0, longest - _BITS)
        smallest = min(length for length in lengths if length)
        usable.append(longest - smallest <= _SPREAD)
        factor = 2.0 ** (shift - longest)
        values.append(
            [(entry >> shift) * factor for entry in vector] if shift else [entry * factor for entry in vector]
        )
        exponents.append(longest)
    return FloatRows(values=np.array(values), exponents=tuple(exponents), usable=np.array(usable))
