"""Many vectors at once through all letters, in exact integers."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.analysis.ratio.integer_system import Integers, IntegerSystem

_MOST_DENSE_STATES = 160


class ExactSteps:
    """The integer matrices of a system; dense ones go through flint."""

    def __init__(self, part: IntegerSystem) -> None:
        self._part = part
        self._matrices = None
        if part.size <= _MOST_DENSE_STATES:
            from flint import fmpz_mat

            self._matrices = [fmpz_mat(_dense(matrix, part.size)) for matrix in part.rows]

    def images(self, vectors: Sequence[Integers], position: int) -> list[Integers]:
        """Each vector times `rows[position]` of the system."""
        if self._matrices is None or not vectors:
            return [self._part.step(vector, position) for vector in vectors]
        from flint import fmpz_mat

        width = self._part.size
        flat = (
            fmpz_mat(len(vectors), width, [e for vector in vectors for e in vector]) * self._matrices[position]
        ).entries()
        whole = [int(entry) for entry in flat]
        return [tuple(whole[start : start + width]) for start in range(0, len(whole), width)]


def _dense(matrix: Sequence[Sequence[tuple[int, int]]], size: int) -> list[list[int]]:
    rows = [[0] * size for _ in range(size)]
    for state, row in enumerate(matrix):
        for column, weight in row:
            rows[state][column] = weight
    return rows
