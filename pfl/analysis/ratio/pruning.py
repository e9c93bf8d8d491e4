"""Vectors without a future: floats decide what they can for certain, exact integers the rest.

Source: docs/theory/futures.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfl.analysis.ratio.float_rows import FloatRows
from pfl.analysis.ratio.futures import Futures
from pfl.analysis.ratio.integer_system import Integers

_ENTRIES_AT_ONCE = 2_000_000
_COLUMNS_TO_LEARN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """Indices of vectors: `alive`, the most promising first; `dead`, with the letters after which no future is seen."""

    alive: list[int]
    dead: dict[int, int]


def prune(vectors: Sequence[Integers], rows: FloatRows, futures: Futures, telling: list[int]) -> Pruned:
    """Tell the vectors that have a future from those that have none.

    `telling` are columns of `futures.cut` that are tried first, as a positive one settles the question; it grows by
    those that turn out to do so.
    """
    columns = futures.cut[:, telling]
    values, sizes = rows.values @ columns, np.abs(rows.values) @ columns
    alive = (values > futures.errors(sizes)).any(axis=1) & rows.usable
    with np.errstate(divide="ignore", invalid="ignore"):
        promise = np.where(sizes > 0, values / sizes, -1.0).max(axis=1, initial=-1.0)
    dead: dict[int, int] = {}
    unclear = np.flatnonzero(~alive & rows.usable)
    for letters in range(len(futures.cuts)):
        possible = _possible(unclear, rows, futures, letters)
        dead.update((index, letters) for index in unclear[~possible].tolist())
        unclear = unclear[possible]
    for index in [*unclear.tolist(), *np.flatnonzero(~rows.usable).tolist()]:
        positive = _positive_columns(index, rows, futures) if rows.usable[index] else []
        telling += positive
        if positive or not futures.has_none(vectors[index]):
            alive[index] = True
        else:
            dead[index] = futures.cut_letters
    return Pruned(alive=sorted(np.flatnonzero(alive).tolist(), key=lambda index: -promise[index]), dead=dead)


def _possible(indices: NDArray[np.intp], rows: FloatRows, futures: Futures, letters: int) -> NDArray[np.bool_]:
    """Whether a column of that many letters may be positive, of each row."""
    columns = futures.cuts[letters]
    step = max(1, _ENTRIES_AT_ONCE // max(1, columns.shape[1]))
    found = np.zeros(len(indices), dtype=bool)
    for start in range(0, len(indices), step):
        chunk = rows.values[indices[start : start + step]]
        errors = futures.errors(np.abs(chunk) @ columns)
        found[start : start + step] = (chunk @ columns > -errors).any(axis=1)
    return found


def _positive_columns(index: int, rows: FloatRows, futures: Futures) -> list[int]:
    """Columns furthest ahead that are positive for certain, the clearest few."""
    row = rows.values[index]
    sizes = np.abs(row) @ futures.cut
    margin = row @ futures.cut - futures.errors(sizes)
    clearest = np.argsort(-margin / np.maximum(sizes, np.finfo(float).tiny))[:_COLUMNS_TO_LEARN]
    return [column for column in clearest.tolist() if margin[column] > 0]
