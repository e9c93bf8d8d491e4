"""Words of an obligation on a box, breadth first, leaving out prefixes whose futures are known.

Why what is left out cannot matter: docs/theory/parameters.md.

Signed vectors whose futures are covered by one that was kept, at every point of a box.

Source: theory of the ratio engine with multipliers that are functions; docs/theory/parameters.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeAlias

from pfl.analysis.parametric.obligation import Charted, at_most_zero, primitive_pair
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Vector

Word: TypeAlias = tuple[int, ...]
IsDead: TypeAlias = Callable[[Vector, Vector], bool]


class TooWide(Exception):
    """More prefixes of one length are left than allowed; a smaller box may leave fewer."""

    def __init__(self, depth: int, prefixes: int) -> None:
        self.depth = depth
        self.prefixes = prefixes
        super().__init__(f"{prefixes} prefixes of {depth} letters")


@struct
class Prefix:
    """A word and the directions of left M_word and right M_word, divided by one positive function."""

    system: LabelledSystem
    word: Word
    left: Vector
    right: Vector

    @property
    def left_mass(self) -> Number:
        """The mass of the word on the left side."""
        return self.system.total(self.left)

    @property
    def right_mass(self) -> Number:
        """The same on the right side."""
        return self.system.total(self.right)


def prefixes(
    task: Charted,
    *,
    depth: int | None,
    is_dead: IsDead,
    budget: Budget,
    widest: int,
) -> Iterator[Prefix]:
    """Non-empty words of at most `depth` letters (None: of every length, until none is new), shortest first.

    Left out: words that the left side gives mass 0; words with a direction that came before, whose futures are
    those of the earlier one; and those with a proper prefix that is dead. `is_dead` must hold only where no future of
    the two vectors matters, also for all later calls. Raises TooWide, and LimitReached by the budget.
    """
    seen: set[tuple[Vector, Vector]] = set()
    level = [Prefix(system=task.system, word=(), left=task.left, right=task.right)]
    length = 0
    while level and length != depth:
        length += 1
        following: list[Prefix] = []
        for prefix in level:
            if is_dead(prefix.left, prefix.right):
                continue
            budget.check(f"words of {length} letters, {len(seen)} different directions of prefixes")
            for letter in range(len(task.system.letters)):
                left = task.system.step(prefix.left, letter)
                if not any(left):
                    continue
                pair = primitive_pair(left, task.system.step(prefix.right, letter))
                if pair in seen:
                    continue
                seen.add(pair)
                child = Prefix(system=task.system, word=(*prefix.word, letter), left=pair[0], right=pair[1])
                following.append(child)
                yield child
                if len(following) > widest:
                    raise TooWide(length, len(following))
        budget.progress(f"{length} letters, {len(following)} prefixes")
        level = following


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
        if any(is_covered(vector, kept) for kept in (*self._first, *self._last)):
            return True
        if len(self._first) < _COMPARED // 2:
            self._first.append(vector)
        else:
            self._last.append(vector)
        return False


def is_covered(vector: Vector, kept: Vector) -> bool:
    """Whether x u_j <= u x_j for some j with x_j, u_j > 0: then x <= y u with y = x_j / u_j."""
    positive = [j for j, (x, u) in enumerate(zip(vector, kept)) if x and u and at_most_zero(-x) and at_most_zero(-u)]
    return any(
        all(at_most_zero(x * kept[j] - u * vector[j]) for x, u in zip(vector, kept)) for j in islice(positive, 3)
    )
