"""The delta of runs without end between two bounds, where prefixes lead to more and more directions.

Source: docs/theory/excess-between.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from pfl.analysis.excess.above import Above, shown_above
from pfl.analysis.excess.below import shown_below
from pfl.analysis.excess.moves import Moves, moves_of
from pfl.analysis.excess.points import Points
from pfl.analysis.ratio.integer_system import constant, reached_part
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

MOST_STATES = 24
"""States that may matter; matrices are stored whole."""
_FIRST_POINTS, _FIRST_SHOWN, _MOST_POINTS = 64, 2_048, 200_000
_SHARE = 0.95
"""Part of the wanted width that floats must keep below before whole numbers are asked."""
_CLEARLY = 1e-11
_FINEST = 1e-12
"""Width below which rounding is most of it."""


@struct(eq=False)
class Between:
    """Every V_k of a start is at most `upper`, which `above` shows, and some are at least `lower`."""

    lower: Fraction
    upper: Fraction
    above: Above | None
    moves: Moves


def excess_between(
    system: LabelledSystem,
    left: Sequence[Number],
    right: Sequence[Number],
    bound: Fraction,
    *,
    doubt: Fraction | None,
    width: Fraction,
    budget: Budget,
) -> Iterator[Between]:
    """The limit of V_k(left - bound right) between nearer and nearer bounds.

    They are worked out once they promise to lie on one side of `doubt`, or no further apart than `width`, and sometimes
    before. There are no more where directions became too many, and none at all where too many states matter, or where
    the start has no entry of either sign, so that V is its mass or 0. Raises LimitReached by the budget.
    """
    part = reached_part(system, (left, right))
    if part.size > MOST_STATES:
        return
    moves = moves_of(system, part)
    above = [constant(left[state]) for state in part.states]
    below = [bound * constant(right[state]) for state in part.states]
    start = [one - other for one, other in zip(above, below)]
    if all(entry <= 0 for entry in start) or all(entry >= 0 for entry in start):
        return
    # In parts of the start's size: where e^epsilon is huge, floats do not hold its entries.
    size = sum((abs(entry) for entry in start), Fraction(0))
    enough, doubted = _SHARE * float(width / size), None if doubt is None else float(doubt / size)
    points = Points(moves, np.array([float(entry / size) for entry in start]), budget)
    count, shown_at = _FIRST_POINTS, _FIRST_SHOWN
    while True:
        grows = points.grow(count)
        points.bound()
        lower, upper = float(points.lower[0]), float(points.upper[0])
        is_clear = upper - lower < enough
        if doubted is not None:
            is_clear |= lower > doubted + _CLEARLY or upper < doubted - _CLEARLY
        count = int(points.expanded.sum())
        is_last = not grows or count > _MOST_POINTS or upper - lower < _FINEST
        if is_clear or is_last or count >= shown_at:
            shown_at = 4 * count
            shown = shown_above(points, moves, start)
            yield Between(
                lower=max(Fraction(0), shown_below(points, moves, above, below, budget)),
                upper=sum((max(entry, Fraction(0)) for entry in start), Fraction(0)) if shown is None else shown.upper,
                above=shown,
                moves=moves,
            )
        if is_last:
            return
