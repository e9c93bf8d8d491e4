"""Integer vectors as rows of floats that filter what is then settled exactly.

A row is the vector divided by a power of two so that its largest entry is about 1; each entry has a relative error of
at most 2^-52. A row is exact enough to be used if no entry is so much smaller than the largest that a product with a
column (see `futures`) could be lost to underflow.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfl.analysis.ratio.integer_system import Integers
from pfl.base.struct import struct

Floats = NDArray[np.float64]

ROUNDING = 2.0**-52
SMALLEST_ENTRY = 2.0**-400
"""The smallest entry, against the largest, of a row or column that is used in floats."""

_BITS = 900
_SPREAD = 400


@struct(eq=False)
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
