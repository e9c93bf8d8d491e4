"""Harmless vectors by the letters that remain, and the question which vectors they cover.

A vector is harmless for k letters if no word of k letters gives it a positive mass. Floats look for coverings, and
certified rounding errors decide; what is doubtful is not covered. Source: docs/theory/directed-search.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pfl.analysis.linear_program import LinearProgram
from pfl.analysis.ratio.covering import Covering, Terms
from pfl.analysis.ratio.float_rows import ROUNDING, Floats, float_rows
from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, Word
from pfl.base.struct import struct

_SLACK = 1e-9
"""How far a row must stay below a combination, in the coordinates of a frame, for a program to take it for covered."""
_NEGLIGIBLE = 1e-13
_SMALLEST_SCALE = -200
"""Of a coordinate, as a power of two."""
_ROUNDINGS = 4
"""Of a row and of what is added up, beside one a term."""


@struct(eq=False)
class Row:
    """A vector in the coordinates of a frame: entry s is vector[s] * scale[s] * 2^-exponent, at most 1 in size and of a
    relative error of 2^-52."""

    vector: Integers
    values: Floats
    exponent: int


class Scales:
    """Coordinates by the letters that remain: powers of two near M_u 1, for a word u of so many."""

    def __init__(self, part: IntegerSystem, matrices: Sequence[Floats], guide: Word) -> None:
        self._matrices = matrices
        column = np.ones(part.size)
        self._exponents = [np.zeros(part.size, dtype=np.int64)]
        for position in reversed(guide):
            column = matrices[position] @ column
            column = column / column.max()
            with np.errstate(divide="ignore"):
                exponents = np.maximum(np.round(np.log2(column)), _SMALLEST_SCALE)
            self._exponents.append((exponents - exponents.max()).astype(np.int64))

    def exponents(self, letters: int) -> list[int]:
        """The binary logarithms of the scales with that many letters left; the largest is 0."""
        return [int(exponent) for exponent in self._exponents[letters]]

    def of(self, letters: int) -> Floats:
        """The scales with that many letters left."""
        return np.ldexp(1.0, self._exponents[letters])

    def step(self, position: int, letters: int) -> Floats:
        """The matrix of a letter from the coordinates with `letters` letters left to those with one less; its largest
        entry is 1."""
        matrix = self._matrices[position] / self.of(letters)[:, None] * self.of(letters - 1)
        return np.asarray(matrix / matrix.max())

    def row(self, vector: Integers, letters: int) -> Row | None:
        """The vector, which is not zero, as a row; None where its entries differ too much."""
        plain = float_rows([vector])
        if not plain.usable[0]:
            return None
        values = plain.values[0] * self.of(letters)
        shift = int(np.frexp(np.abs(values).max())[1])
        return Row(vector=vector, values=np.ldexp(values, -shift), exponent=plain.exponents[0] + shift)


class Frame:
    """Harmless vectors for one number of letters, each with the number by which a proof knows it."""

    def __init__(self, size: int) -> None:
        self.values = np.zeros((0, size))
        self._numbers: list[int] = []
        self._exponents: list[int] = []
        self._place: dict[Integers, int] = {}
        self._program: LinearProgram | None = None
        self._size = size

    def add(self, row: Row, number: int) -> None:
        """Add a vector."""
        self.values = np.vstack([self.values, row.values])
        self._numbers.append(number)
        self._exponents.append(row.exponent)
        self._place[row.vector] = number
        if self._program is not None:
            self._program.add_rows(row.values[None, :], -np.inf, 0.0)

    def covering(self, row: Row) -> tuple[Covering | None, Floats]:
        """A covering, if one is found, and a future on which the row is largest, among those in which no vector of the
        frame has positive mass."""
        if row.vector in self._place:
            return Covering(terms=((self._place[row.vector], Fraction(1)),)), np.ones(self._size)
        if not len(self.values):
            return None, np.ones(self._size)
        solution = self._solved(row.values)
        if solution is None:
            return None, np.ones(self._size)
        future, multipliers, value = solution
        return (self.certified(row, multipliers) if value <= 0 else None), future

    def certified(self, row: Row, multipliers: Floats) -> Covering | None:
        """The combination with these multipliers as a covering, if the row is at most that for certain."""
        indices = np.flatnonzero(multipliers > _NEGLIGIBLE)
        weights, used = multipliers[indices], self.values[indices]
        sizes = np.abs(row.values) + weights @ np.abs(used)
        if not (row.values - weights @ used <= -sizes * (ROUNDING * (len(indices) + _ROUNDINGS))).all():
            return None
        terms: Terms = tuple(
            (self._numbers[index], Fraction(float(weight)) * Fraction(2) ** (row.exponent - self._exponents[index]))
            for index, weight in zip(indices.tolist(), weights)
        )
        return Covering(terms=terms)

    def nearest(self, futures: Sequence[Floats], count: int) -> list[int]:
        """The places of the vectors that bound most what is large on these futures: about `count` a future."""
        if len(self.values) <= count:
            return list(range(len(self.values)))
        found: set[int] = set()
        for future in futures:
            found.update(np.argsort(-(self.values @ future), kind="stable")[:count].tolist())
        return sorted(found)

    def below(self, row: Row) -> Covering | None:
        """The covering by the vector that was added last, which is above the row."""
        last = self.values[-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = row.values / last
        low = quotients[last > 0].max(initial=0.0)
        high = quotients[last < 0].min(initial=np.inf)
        multipliers = np.zeros(len(self.values))
        multipliers[-1] = (low + high) / 2 if np.isfinite(high) else 2 * low + 1
        return self.certified(row, multipliers)

    def _solved(self, values: Floats) -> tuple[Floats, Floats, float] | None:
        """maximise values z, subject to u z <= 0 for all u of the frame, sum of z = 1, z >= 0: z, the multipliers of
        the vectors, and the value, with a slack."""
        if self._program is None:
            self._program = LinearProgram()
            self._program.add_variables(np.zeros((0, self._size)))
            self._program.add_rows(np.ones((1, self._size)), 1.0, 1.0)
            self._program.add_rows(self.values, -np.inf, 0.0)
        self._program.set_costs(values + _SLACK)
        solution = self._program.solve()
        if solution is None:
            return None
        return solution.variables, solution.multipliers[1:], solution.value
