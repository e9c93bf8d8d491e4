"""Signed vectors whose futures are covered by one that was kept, at every point of a box.

Source: theory of the ratio engine with multipliers that are functions; docs/theory/parameters.md.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from pfl.analysis.parametric.obligation import at_most_zero
from pfl.ir.labelled_system import Vector

_COMPARED = 24
"""How many kept vectors a new one is compared with: half of them the first kept, half the last."""


class Kept:
    """The vectors x = Q left - P right that are expanded; a vector x is covered if x <= y u for a kept u and a
    function y >= 0."""

    def __init__(self) -> None:
        self._first: list[Vector] = []
        self._last: deque[Vector] = deque(maxlen=_COMPARED // 2)

    def covers(self, vector: Vector) -> bool:
        """Whether the vector is covered; if not, it is kept from now on."""
        if any(_is_covered(vector, kept) for kept in (*self._first, *self._last)):
            return True
        if len(self._first) < _COMPARED // 2:
            self._first.append(vector)
        else:
            self._last.append(vector)
        return False


def _is_covered(vector: Vector, kept: Vector) -> bool:
    """Whether x u_j <= u x_j for some j with x_j, u_j > 0: then x <= y u with y = x_j / u_j."""
    positive = [j for j, (x, u) in enumerate(zip(vector, kept)) if x and u and at_most_zero(-x) and at_most_zero(-u)]
    return any(
        all(at_most_zero(x * kept[j] - u * vector[j]) for x, u in zip(vector, kept)) for j in islice(positive, 3)
    )
