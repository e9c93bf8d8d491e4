"""What is worked out once for a system and used by every obligation about it.

Many vectors at once through all letters, in exact integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, Matrix, reached_part
from pfl.analysis.ratio.obligation import Obligation, obligation
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

if TYPE_CHECKING:
    from flint import fmpz_mat

    from pfl.analysis.ratio.domination import CoverMemory
    from pfl.analysis.ratio.futures import Futures


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


@struct(eq=False)
class Tools:
    """Futures, exact matrices and learnt columns of one part of a system."""

    futures: Futures
    steps: ExactSteps
    memory: CoverMemory


@struct(eq=False, frozen=False)
class Prepared:
    """Parts of systems by what is reached, and their tools, made when first needed."""

    _parts: dict[tuple[int, frozenset[int]], IntegerSystem] = field(default_factory=dict)
    _systems: list[LabelledSystem] = field(default_factory=list)
    _tools: dict[int, Tools] = field(default_factory=dict)

    def obligation(self, system: LabelledSystem, left: Sequence[Number], right: Sequence[Number]) -> Obligation:
        """The obligation on the part of the system that the two starts reach."""
        support = frozenset(state for state, (a, b) in enumerate(zip(left, right)) if a or b)
        key = (id(system), support)
        if key not in self._parts:
            self._systems.append(system)  # keeps the identity in the key alive
            self._parts[key] = reached_part(system, (left, right))
        return obligation(system, left, right, self._parts[key])

    def tools(self, part: IntegerSystem) -> Tools:
        """The tools of a part; imports the numerical libraries."""
        from pfl.analysis.ratio.domination import CoverMemory
        from pfl.analysis.ratio.futures import futures_of

        if id(part) not in self._tools:
            futures = futures_of(part)
            self._tools[id(part)] = Tools(futures=futures, steps=ExactSteps(part), memory=CoverMemory(futures))
        return self._tools[id(part)]
