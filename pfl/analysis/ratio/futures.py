"""What can follow a prefix in its next letters, once for a system and used for every prefix.

Source: docs/theory/futures.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from pfl.analysis.ratio.float_rows import ROUNDING, SMALLEST_ENTRY, Floats
from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, Word
from pfl.base.struct import struct

_MOST_CUT_ENTRIES = 400_000
_MOST_WORDS = 4_000
_MOST_MASS_ENTRIES = 2_000_000
_FEW_WORDS = 256
_MOST_LETTERS = 12


@struct(eq=False)
class Futures:
    """Columns for all words of some letters, each scaled so that its largest entry is about 1.

    `cuts[r]` (states x columns) holds the directions of M_w e_y for the words w of r letters and all states y; where
    mass can be lost, also M_v 1 for all shorter v. A vector that is <= 0 on each column has no future: whatever follows
    is a non-negative combination of these columns. `masses[r]` (states x letters^r) holds M_w 1 for the words
    of r letters, in lexical order. Entries are sums of products of non-negative numbers, so each has a relative error
    of at most ROUNDING * `terms`, which includes the products with a row.
    """

    part: IntegerSystem
    cuts: tuple[Floats, ...]
    masses: tuple[Floats, ...]

    @property
    def cut(self) -> Floats:
        """The columns that look furthest ahead."""
        return self.cuts[-1]

    @property
    def cut_letters(self) -> int:
        """How many letters the columns of `cut` look ahead."""
        return len(self.cuts) - 1

    @property
    def mass_letters(self) -> int:
        """The largest number of letters of which the masses of all words are known."""
        return len(self.masses) - 1

    @property
    def few_letters(self) -> int:
        """As many letters as have few words."""
        few = (letters for letters, columns in enumerate(self.masses) if columns.shape[1] <= _FEW_WORDS)
        return max(few)

    @property
    def terms(self) -> int:
        """How many roundings a product of a row and a column may have passed through."""
        return (self.part.size + 4) * (max(self.cut_letters, self.mass_letters) + 1)

    def errors(self, sizes: Floats) -> Floats:
        """Bounds on the errors of row * column, given |row| * column."""
        return sizes * (ROUNDING * self.terms)

    def word(self, letters: int, column: int) -> Word:
        """The word, as positions in `part.letters`, of a column of `masses[letters]`."""
        count = len(self.part.letters)
        digits = []
        for _ in range(letters):
            column, digit = divmod(column, count)
            digits.append(digit)
        return tuple(reversed(digits))

    def has_none(self, vector: Integers, letters: int | None = None) -> bool:
        """Whether the vector has no future, seen after `letters` letters (default `cut_letters`); exact."""
        remaining = self.cut_letters if letters is None else letters
        if all(entry <= 0 for entry in vector):
            return True
        if not remaining or (not self.part.lossless and sum(vector) > 0):
            return False
        return all(
            self.has_none(self.part.step(vector, position), remaining - 1) for position in range(len(self.part.letters))
        )

    def positive_word(self, vector: Integers, letters: int) -> Word | None:
        """A word of at most `letters` letters, as positions, after which the vector has positive mass; exact."""
        if all(entry <= 0 for entry in vector):
            return None
        if sum(vector) > 0:
            return ()
        if not letters:
            return None
        for position in range(len(self.part.letters)):
            word = self.positive_word(self.part.step(vector, position), letters - 1)
            if word is not None:
                return (position, *word)
        return None


def futures_of(part: IntegerSystem) -> Futures:
    """Columns for as many letters as keep them few and their entries within the range of floats."""
    matrices = [dense_matrix(rows, part.size) for rows in part.rows]
    within_range = bool(matrices) and all(_is_within_range(matrix) for matrix in matrices)
    masses = [np.ones((part.size, 1))]
    while within_range and len(masses) <= _MOST_LETTERS and _may_grow(masses[-1], len(matrices)):
        longer = _longer(matrices, masses[-1])
        if longer is None:
            break
        masses.append(longer)
    cuts = [np.eye(part.size)]
    while len(cuts) < len(masses) and cuts[-1].size * len(matrices) <= _MOST_CUT_ENTRIES:
        longer = _longer(matrices, cuts[-1]) if len(cuts) > 1 else _distinct_columns(part)
        if longer is None:
            break
        cuts.append(longer[:, longer.any(axis=0)])
    if not part.lossless:
        cuts = [np.hstack([cut, *masses[:letters]]) for letters, cut in enumerate(cuts)]
    return Futures(part=part, cuts=tuple(cuts), masses=tuple(masses))


def _may_grow(masses: Floats, letters: int) -> bool:
    return masses.shape[1] * letters <= _MOST_WORDS and masses.size * letters <= _MOST_MASS_ENTRIES


def _longer(matrices: Sequence[Floats], columns: Floats) -> Floats | None:
    """M_a g for every letter a and column g, scaled; None where an entry is too small beside the largest."""
    result = np.hstack([matrix @ columns for matrix in matrices])
    result /= np.maximum(result.max(axis=0, initial=0.0), np.finfo(float).tiny)
    return result if _is_within_range(result) else None


def _is_within_range(scaled: Floats) -> bool:
    """Whether products of two such entries cannot be lost to underflow."""
    return not ((scaled > 0) & (scaled < SMALLEST_ENTRY)).any()


def _distinct_columns(part: IntegerSystem) -> Floats:
    """The directions of M_a e_y, each once."""
    found: dict[Integers, None] = {}
    for rows in part.rows:
        columns = [[0] * part.size for _ in range(part.size)]
        for state, row in enumerate(rows):
            for column, weight in row:
                columns[column][state] = weight
        for entries in columns:
            content = gcd(*entries)
            if content:
                found.setdefault(tuple(entry // content for entry in entries))
    return np.array([[entry / max(column) for entry in column] for column in found]).T.reshape(part.size, len(found))


def dense_matrix(rows: Sequence[Sequence[tuple[int, int]]], size: int) -> Floats:
    """The matrix (size x size) divided by its largest entry; what underflows is the smallest number that does not."""
    result = np.zeros((size, size))
    largest = max((weight for row in rows for _, weight in row), default=1)
    for state, row in enumerate(rows):
        for column, weight in row:
            result[state, column] = max(weight / largest, np.finfo(float).tiny)
    return result
