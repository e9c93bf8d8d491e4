"""Many pairs of small numbers as two arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from pfl.base.struct import struct

_CHUNK = 1 << 16


@struct(eq=False, kw_only=False)
class PairArray(Sequence[tuple[int, int]]):
    """Pairs as two arrays of int64 of one length. Reading them one by one takes long where they are many."""

    left: Any
    right: Any

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for start in range(0, len(self), _CHUNK):
            part = slice(start, start + _CHUNK)
            yield from zip(self.left[part].tolist(), self.right[part].tolist())

    @overload
    def __getitem__(self, place: int) -> tuple[int, int]: ...

    @overload
    def __getitem__(self, place: slice) -> PairArray: ...

    def __getitem__(self, place: int | slice) -> tuple[int, int] | PairArray:
        if isinstance(place, slice):
            return PairArray(self.left[place], self.right[place])
        return int(self.left[place]), int(self.right[place])

    def unordered(self) -> PairArray:
        """Each pair once in one of the two orders, that in which it came first, in the order of their coming."""
        import numpy as np

        codes = self._codes(np.minimum(self.left, self.right), np.maximum(self.left, self.right))
        _, first = np.unique(codes, return_index=True)
        first.sort()
        return PairArray(self.left[first], self.right[first])

    def distinct(self, left: Sequence[int], right: Sequence[int], *, exchangeable: bool) -> PairArray:
        """Of pairs of the same classes the first, in the order of their coming; `left` and `right` give the class of
        each number. If they are `exchangeable`, pairs of classes in either order are the same."""
        import numpy as np

        one, other = np.asarray(left, dtype=np.int64)[self.left], np.asarray(right, dtype=np.int64)[self.right]
        if exchangeable:
            one, other = np.minimum(one, other), np.maximum(one, other)
        _, first = np.unique(one * (max(left) + max(right) + 1) + other, return_index=True)
        first.sort()
        return PairArray(self.left[first], self.right[first])

    def one_sided(self) -> tuple[int, int] | None:
        """The first pair that does not come in the other order; None if there is none."""
        import numpy as np

        there, back = self._codes(self.left, self.right), self._codes(self.right, self.left)
        missing = np.flatnonzero(~np.isin(back, there))
        return self[int(missing[0])] if len(missing) else None

    def within(self, size: int) -> bool:
        """Whether all numbers are from 0 and below a size."""
        if not len(self):
            return True
        parts = (self.left, self.right)
        return all(part.min() >= 0 and part.max() < size for part in parts)

    def _codes(self, high: Any, low: Any) -> Any:
        size = int(max(self.left.max(), self.right.max())) + 1 if len(self) else 1
        return high * size + low
