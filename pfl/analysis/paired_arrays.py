"""The pairs of arrays that an automaton accepts which reads both element by element.

The work is that of the pairs it accepts, not of all pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.pair_array import PairArray

Moves: TypeAlias = Mapping[Hashable, Sequence[tuple[int, int, Hashable]]]
"""By state: the numbers of the two elements, and the state after them."""


MOST_PAIRS = 40_000_000
"""Each takes 16 bytes, and several times that while they are put in order."""


def accepted_pairs(
    levels: Sequence[Moves], sizes: Sequence[int], start: Hashable, accepting: Collection[Hashable], budget: Budget
) -> tuple[Any, Any]:
    """The numbers of all accepted pairs, as two arrays of int64.

    `levels[i]` are the moves on the i-th elements, of which there are `sizes[i]`; an array has the number
    sum_i element_i prod_(j > i) sizes_j. Each pair comes once, since the automaton is deterministic. Raises
    LimitReached for more than `MOST_PAIRS`, before any is made.
    """
    import numpy as np

    alive = [set(accepting)]
    for moves in reversed(levels):
        alive.append({state for state, onward in moves.items() if any(after in alive[-1] for *_, after in onward)})
    alive.reverse()
    counts: dict[Hashable, int] = {start: 1} if start in alive[0] else {}
    for moves, wanted in zip(levels, alive[1:]):
        longer: dict[Hashable, int] = {}
        for state, count in counts.items():
            for *_, after in moves[state]:
                if after in wanted:
                    longer[after] = longer.get(after, 0) + count
        counts = longer
    if sum(counts.values()) > MOST_PAIRS:
        raise LimitReached(
            f"an adjacency relates {sum(counts.values()):,} pairs of inputs, and no more than {MOST_PAIRS:,} can be "
            "looked at; try shorter arrays, or fewer values"
        )
    first = np.zeros(1, dtype=np.int64)
    reached: dict[Hashable, tuple[Any, Any]] = {start: (first, first)} if start in alive[0] else {}
    for moves, size, wanted in zip(levels, sizes, alive[1:]):
        budget.check("some of the pairs that an adjacency relates were made")
        following: dict[Hashable, list[tuple[Any, Any]]] = {}
        for state, (left, right) in reached.items():
            for one, other, after in moves[state]:
                if after in wanted:
                    following.setdefault(after, []).append((left * size + one, right * size + other))
        reached = {
            state: (np.concatenate([one for one, _ in parts]), np.concatenate([other for _, other in parts]))
            for state, parts in following.items()
        }
    nothing = np.zeros(0, dtype=np.int64)
    lefts, rights = zip(*reached.values()) if reached else ((nothing,), (nothing,))
    return np.concatenate(lefts), np.concatenate(rights)


def placed_pairs(pairs: tuple[Any, Any], places: Sequence[int]) -> PairArray:
    """The pairs of different arrays by their places, ascending; `places` are by number."""
    import numpy as np

    table = np.asarray(places, dtype=np.int64)
    left, right = table[pairs[0]], table[pairs[1]]
    different = left != right
    left, right = left[different], right[different]
    order = np.lexsort((right, left))
    return PairArray(left[order], right[order])
