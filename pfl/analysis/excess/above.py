"""A bound of V from above, shown in whole numbers: values of vectors that are no less than what follows them.

Source: docs/theory/excess-between.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from pfl.analysis.excess.moves import IntArray, Moves, WholeArray
from pfl.analysis.excess.points import Points
from pfl.base.struct import struct

BITS = 53
"""Entries of vectors, values and factors are multiples of 2^-BITS."""
_UNIT = 1 << BITS
_MOST_REPAIRS = 50


@struct(eq=False)
class Above:
    """`upper` is at least every V_k of the start.

    In multiples of 2^-BITS: `vectors` (one a row, entries by state of the moves) with their `values`, and for each
    vector and each letter the vectors that are added up to what it leads to: their numbers in
    `points`, -1 for none, and their `factors`, both of shape (vectors, letters, summands). The start is a sum too.
    """

    upper: Fraction
    vectors: WholeArray
    values: WholeArray
    points: IntArray
    factors: WholeArray
    start: tuple[tuple[int, int], ...]


def shown_above(found: Points, moves: Moves, start: Sequence[Fraction]) -> Above | None:
    """What the upper values of the points show of a start, which the first point is the direction of; None where they
    are less than what follows them by more than rounding explains."""
    numbers, points, factors = _needed(found)
    vectors = np.rint(found.directions[numbers] * _UNIT).astype(np.int64).astype(object)
    values = np.ceil(found.upper[numbers] * _UNIT).astype(np.int64).astype(object)
    whole_factors = np.rint(factors * _UNIT).astype(np.int64).astype(object)
    own = vectors.sum(axis=1)
    values = np.maximum(values, own)
    scale = lcm(*moves.scales)
    rests = _rests(moves, scale, vectors, points, whole_factors)
    for _ in range(_MOST_REPAIRS):
        needed = _following(moves, scale, values, points, whole_factors, rests)
        short = needed > values
        if not short.any():
            break
        values = np.where(short, needed, values)
    else:
        return None
    return Above(
        upper=_of_start(start, vectors[0], values[0]),
        vectors=vectors,
        values=values,
        points=points,
        factors=whole_factors,
        start=((0, _factor(start)),),
    )


def _needed(found: Points) -> tuple[IntArray, IntArray, np.ndarray]:
    """The numbers of the points that the first one leads to, and what their letters lead to as sums of them."""
    leaf_place = np.full(len(found.directions), -1, dtype=np.int64)
    leaf_place[found.leaves] = np.arange(len(found.leaves))
    width = max(1, found.sums.points.shape[1])
    inner = np.flatnonzero(found.expanded)
    shape = (len(found.directions), found.after.shape[1], width)
    points = np.full(shape, -1, dtype=np.int64)
    factors = np.zeros(shape)
    for letter in range(shape[1]):
        to = found.after[inner, letter]
        direct = (to >= 0) & found.expanded[np.maximum(to, 0)]
        points[inner[direct], letter, 0] = to[direct]
        factors[inner[direct], letter, 0] = found.factors[inner[direct], letter]
        summed = (to >= 0) & ~direct
        rows = leaf_place[to[summed]]
        columns = found.sums.points.shape[1]
        points[inner[summed], letter, :columns] = found.sums.points[rows]
        factors[inner[summed], letter, :columns] = (
            found.sums.factors[rows] * found.factors[inner[summed], letter][:, None]
        )
    reached = np.zeros(len(found.directions), dtype=np.bool_)
    fresh = np.zeros(1, dtype=np.int64)
    while len(fresh):
        reached[fresh] = True
        following = points[fresh].ravel()
        following = np.unique(following[following >= 0])
        fresh = following[~reached[following]]
    numbers = np.flatnonzero(reached)
    place = np.full(len(found.directions) + 1, -1, dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    return numbers, place[points[numbers]], factors[numbers]


def _rests(moves: Moves, scale: int, vectors: WholeArray, points: IntArray, factors: WholeArray) -> WholeArray:
    """The positive entries, added up, of what the sums leave over of where it leads; unit 2^-2BITS / scale."""
    result = np.zeros(points.shape[:2], dtype=object)
    for letter in range(len(moves.letters)):
        matrix = np.array(
            [[weight * (scale // own) for weight in row] for row, own in zip(moves.whole[letter], moves.scales)],
            dtype=object,
        )
        rest = vectors.dot(matrix) * _UNIT
        for summand in range(points.shape[2]):
            factor = factors[:, letter, summand] * scale
            rest = rest - factor[:, None] * vectors[points[:, letter, summand]]
        result[:, letter] = np.maximum(rest, 0).sum(axis=1)
    return result


def _following(
    moves: Moves, scale: int, values: WholeArray, points: IntArray, factors: WholeArray, rests: WholeArray
) -> WholeArray:
    """What follows each vector at most, rounded up to the unit of the values."""
    after = (factors * values[points]).sum(axis=2) * scale + rests
    total = np.zeros(len(values), dtype=object)
    for inputs in moves.channels:
        best = None
        for answers in inputs:
            asked = after[:, list(answers)].sum(axis=1)
            best = asked if best is None else np.maximum(best, asked)
        total = total + best
    return -(-total // (scale * _UNIT))


def _factor(start: Sequence[Fraction]) -> int:
    return round(sum(abs(entry) for entry in start) * _UNIT)


def _of_start(start: Sequence[Fraction], vector: WholeArray, value: int) -> Fraction:
    factor = Fraction(_factor(start), _UNIT)
    rest = sum((max(Fraction(0), entry - factor * int(own) / _UNIT) for entry, own in zip(start, vector)), Fraction(0))
    return factor * int(value) / _UNIT + rest
