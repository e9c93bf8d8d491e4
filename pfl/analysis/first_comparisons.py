"""The first comparisons that ask something, of many, by what their words have for masses.

Source: docs/theory/comparisons-alike.md.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from pfl.base.budget import Budget

Row = Mapping[Any, int]
"""The words of one side that are possible, each with the number of its mass; 0 is the number of the mass 0."""


def first_ratios(
    rows: Sequence[Row],
    left: Any,
    right: Any,
    kind: Callable[[int, int], Hashable],
    *,
    both_ways: bool,
    budget: Budget,
) -> dict[Hashable, int]:
    """For each kind of a pair of masses that some comparison has on a word the first comparison that has it.

    `left` and `right` are arrays, the rows of each comparison; kind(m, n) says which masses ask the same.
    """
    import numpy as np

    first: dict[Hashable, int] = {}
    for column in _columns(rows):
        budget.check(f"{len(left):,} comparisons were told apart by their words")
        known, of_row = np.unique(column, return_inverse=True)
        for above, below in ((left, right), (right, left)) if both_ways else ((left, right),):
            codes = of_row[above] * len(known) + of_row[below]
            for code, place in zip(*_firsts(codes, len(known) ** 2)):
                masses = int(known[code // len(known)]), int(known[code % len(known)])
                if masses == (0, 0):
                    continue
                asked = kind(*masses)
                if place < first.get(asked, len(left)):
                    first[asked] = place
    return first


def _firsts(codes: Any, size: int) -> tuple[list[int], list[int]]:
    """The codes that occur, all below a size, and where each occurs first."""
    import numpy as np

    if size > 2 * len(codes) + (1 << 20):
        found, places = np.unique(codes, return_index=True)
        return found.tolist(), places.tolist()
    first = np.full(size, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    found = np.flatnonzero(first >= 0)
    return found.tolist(), first[found].tolist()


def first_multisets(
    rows: Sequence[Row],
    left: Any,
    right: Any,
    kind: Callable[[int, int], Hashable],
    *,
    both_ways: bool,
    budget: Budget,
) -> Any:
    """For each comparison a number that is equal for two where the same kinds come equally often; an array."""
    import numpy as np

    columns = _columns(rows)
    there, back = (np.empty((len(left), len(columns)), dtype=np.int64) for _ in range(2))
    numbers: dict[Hashable, int] = {}
    for place, column in enumerate(columns):
        budget.check(f"{len(left):,} comparisons were told apart by their words")
        known, of_row = np.unique(column, return_inverse=True)
        for found, above, below in ((there, left, right), (back, right, left)):
            codes, inverse = np.unique(of_row[above] * len(known) + of_row[below], return_inverse=True)
            kinds = (kind(int(known[code // len(known)]), int(known[code % len(known)])) for code in codes.tolist())
            found[:, place] = np.array([numbers.setdefault(each, len(numbers)) for each in kinds])[inverse]
    both = np.concatenate([np.sort(there, axis=1), np.sort(back, axis=1)])
    _, numbered = np.unique(both, axis=0, return_inverse=True)
    numbered = numbered.reshape(-1)
    one, other = numbered[: len(left)], numbered[len(left) :]
    if not both_ways:
        return one
    return np.minimum(one, other) * len(both) + np.maximum(one, other)


def _columns(rows: Sequence[Row]) -> list[Any]:
    """The numbers of the masses of each word, an array over the rows."""
    import numpy as np

    places: dict[Any, int] = {}
    for row in rows:
        for word in row:
            places.setdefault(word, len(places))
    found = np.zeros((len(places), len(rows)), dtype=np.int64)
    for number, row in enumerate(rows):
        found[[places[word] for word in row], number] = list(row.values())
    return list(found)
