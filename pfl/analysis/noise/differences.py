"""Closed systems of constraints x - y <= c on named samples: what follows from them is read off. Source:
docs/theory/noise.md.

All that follows from such constraints is found along paths of them (R. Bellman, *On a routing problem*, 1958; the
matrices of A. Mine, *A new numerical abstract domain based on difference-bound matrices*, 2001).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

Pair: TypeAlias = tuple[Hashable, Hashable]


class Differences:
    """Constraints x - y <= c that can be satisfied, closed: the c of (x, y) is the least that follows, if any does.

    Of two systems with the same solutions both are equal. `touching` says whether a cycle of length 0, which leaves
    equalities alone, counts as satisfied: of integers it does, of real samples it has probability 0.
    """

    __slots__ = ("_bounds", "_hash")

    def __init__(self, bounds: Mapping[Pair, Fraction | int] | None = None) -> None:
        self._bounds: dict[Pair, Fraction | int] = dict(bounds or {})
        self._hash = hash(frozenset(self._bounds.items()))

    def bound(self, x: Hashable, y: Hashable) -> Fraction | int | None:
        """The least c with x - y <= c; None if there is none."""
        return self._bounds.get((x, y))

    def bounded(self, x: Hashable, y: Hashable, c: Fraction | int, *, touching: bool) -> Differences | None:
        """With x - y <= c in addition; None where that cannot be satisfied."""
        bounds = self._bounds
        known, back = bounds.get((x, y)), bounds.get((y, x))
        if back is not None and (back + c < 0 or (back + c == 0 and not touching)):
            return None
        if known is not None and known <= c:
            return self
        made = dict(bounds)
        into = [(x, c), *((p, d + c) for (p, q), d in bounds.items() if q == x)]
        out_of = [(y, 0), *((q, d) for (p, q), d in bounds.items() if p == y)]
        for p, d in into:
            for q, e in out_of:
                if p != q and ((p, q) not in made or d + e < made[p, q]):
                    made[p, q] = d + e
        return Differences(made)

    def without(self, name: Hashable) -> Differences:
        """What follows for the others: exact, as the system is closed (Fourier and Motzkin)."""
        return Differences({pair: c for pair, c in self._bounds.items() if name not in pair})

    def renamed(self, names: Mapping[Hashable, Hashable]) -> Differences:
        """With names[x] in place of x; of names that are missing nothing changes."""
        return Differences({(names.get(x, x), names.get(y, y)): c for (x, y), c in self._bounds.items()})

    def lower(self, name: Hashable, order: Sequence[Hashable]) -> list[tuple[Hashable, Fraction | int]]:
        """The (l, a) with l + a <= name of which none follows from another, by `order`, which has all names."""
        bounds = {other: self._bounds[other, name] for other in order if (other, name) in self._bounds}
        return [(other, -bounds[other]) for other in self._needed(bounds, order, lower=True)]

    def upper(self, name: Hashable, order: Sequence[Hashable]) -> list[tuple[Hashable, Fraction | int]]:
        """The (u, b) with name <= u + b of which none follows from another."""
        bounds = {other: self._bounds[name, other] for other in order if (name, other) in self._bounds}
        return [(other, bounds[other]) for other in self._needed(bounds, order, lower=False)]

    def _needed(
        self, bounds: Mapping[Hashable, Fraction | int], order: Sequence[Hashable], *, lower: bool
    ) -> Iterable[Hashable]:
        def implies(this: Hashable, that: Hashable) -> bool:
            step = self._bounds.get((that, this) if lower else (this, that))
            return step is not None and step + bounds[this] <= bounds[that]

        place = {name: index for index, name in enumerate(order)}
        for that in bounds:
            # Of bounds that imply each other the first one stays.
            if not any(
                this != that and implies(this, that) and (place[this] < place[that] or not implies(that, this))
                for this in bounds
            ):
                yield that

    def __eq__(self, other: object) -> bool:
        return self._bounds == other._bounds if isinstance(other, Differences) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Differences], tuple[object, ...]]:
        return Differences, (self._bounds,)  # without the hash, which differs from process to process

    def __repr__(self) -> str:
        return f"Differences({self._bounds})"
