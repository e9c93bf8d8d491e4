"""Many vectors at once through all letters, in exact integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, Matrix

if TYPE_CHECKING:
    from flint import fmpz_mat

_MOST_DENSE_STATES = 160
_FEW_ENTRIES_A_ROW = 8


class ExactSteps:
    """The integer matrices of a system; dense ones, not too large, go through flint."""

    def __init__(self, part: IntegerSystem) -> None:
        self._part = part
        self._dense = [_dense(matrix) for matrix in part.rows]

    def images(self, vectors: Sequence[Integers], position: int) -> list[Integers]:
        """Each vector times `rows[position]` of the system."""
        matrix = self._dense[position]
        if matrix is None or not vectors:
            return [self._part.step(vector, position) for vector in vectors]
        from flint import fmpz_mat

        width = self._part.size
        flat = (fmpz_mat(len(vectors), width, [e for vector in vectors for e in vector]) * matrix).entries()
        whole = [int(entry) for entry in flat]
        return [tuple(whole[start : start + width]) for start in range(0, len(whole), width)]


def _dense(matrix: Matrix) -> fmpz_mat | None:
    """The matrix for flint, None where steps in plain integers are faster."""
    size = len(matrix)
    if size > _MOST_DENSE_STATES or sum(map(len, matrix)) <= _FEW_ENTRIES_A_ROW * size:
        return None
    from flint import fmpz_mat

    rows = [[0] * size for _ in range(size)]
    for state, row in enumerate(matrix):
        for column, weight in row:
            rows[state][column] = weight
    return fmpz_mat(rows)
