"""The excess of an event that an automaton tells, from below, in whole numbers.

Source: docs/theory/excess-between.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pfl.analysis.excess.moves import IntArray, Moves, WholeArray
from pfl.analysis.excess.points import ALL, NOTHING, Points
from pfl.base.budget import Budget

_WORD = 62
_LEAST_BITS, _LONG_BITS = 40, 64
_MOST_LETTERS = 4_000
_LOOKED_AT = 8
_STILL = Fraction(1, 10**13)
_NOT_ASKED = -3


def shown_below(
    found: Points, moves: Moves, left: Sequence[Fraction], right: Sequence[Fraction], budget: Budget
) -> Fraction:
    """A number that Pr(W | left) - Pr(W | right) is at least, W the words of the event of so many letters that more add
    little. The starts are given by state of the moves."""
    after, stops, accepts = _automaton(found, moves)
    bits = _WORD - max(moves.scales).bit_length()
    is_short = bits >= _LEAST_BITS
    kind = np.int64 if is_short else object
    unit = 1 << (bits if is_short else _LONG_BITS)
    matrices = [matrix.astype(kind) for matrix in moves.whole]
    scales = np.array(moves.scales, dtype=kind)
    fixed = np.zeros((3, len(moves.states)), dtype=kind)
    fixed[ALL] = unit
    ends = np.where(accepts, unit, 0).astype(kind)[:, None] * np.ones((1, len(moves.states)), dtype=kind)
    least = most = np.vstack([ends, fixed])
    known = Fraction(-1)
    for letters in range(1, _MOST_LETTERS + 1):
        least = np.vstack([np.where(stops[:, None], ends, _back(matrices, after, least) // scales), fixed])
        most = np.vstack([np.where(stops[:, None], ends, -(-_back(matrices, after, most) // scales)), fixed])
        if letters % _LOOKED_AT == 0:
            budget.check(f"the words of {letters} letters of {len(after):,} directions were added up")
            excess = _sum(left, least[0], unit) - _sum(right, most[0], unit)
            if excess - known < _STILL:
                return max(known, excess)
            known = excess
    return known


def _back(matrices: Sequence[WholeArray], after: IntArray, given: WholeArray) -> WholeArray:
    """From each state of the system and each of the automaton, the words of one letter more, times the scales."""
    total = np.zeros((len(after), given.shape[1]), dtype=given.dtype)
    for letter, matrix in enumerate(matrices):
        total = total + given[after[:, letter]].dot(matrix.T)
    return total


def _sum(weights: Sequence[Fraction], given: WholeArray, unit: int) -> Fraction:
    return sum((weight * int(each) for weight, each in zip(weights, given)), Fraction(0)) / unit


def _automaton(found: Points, moves: Moves) -> tuple[IntArray, np.ndarray, np.ndarray]:
    """The event as an automaton of the points that it reaches: where letters lead (`NOTHING`, `ALL`, or
    `_NOT_ASKED`, which is nothing, too), where it stops, and whether the words that end there belong to it."""
    event = found.event
    assert event is not None
    asked = np.zeros((len(found.directions), len(moves.letters)), dtype=np.bool_)
    for channel, inputs in enumerate(moves.channels):
        for number, answers in enumerate(inputs):
            asked[np.ix_(event.choices[:, channel] == number, list(answers))] = True
    after = np.where(found.after >= 0, event.goes_on[np.maximum(found.after, 0)], found.after)
    after = np.where(asked, after, _NOT_ASKED)
    after[event.stops] = NOTHING
    start = int(event.goes_on[0])
    reached = np.zeros(len(found.directions), dtype=np.bool_)
    fresh = np.array([start])
    while len(fresh):
        reached[fresh] = True
        following = after[fresh].ravel()
        following = np.unique(following[following >= 0])
        fresh = following[~reached[following]]
    numbers = np.concatenate([[start], np.setdiff1d(np.flatnonzero(reached), [start])])
    place = np.zeros(len(found.directions), dtype=np.int64)
    place[numbers] = np.arange(len(numbers))
    kept = after[numbers]
    # Rows for NOTHING, ALL and _NOT_ASKED are appended to the table of probabilities; negative numbers index them.
    return (
        np.where(kept >= 0, place[np.maximum(kept, 0)], kept),
        event.stops[numbers],
        found.directions[numbers].sum(axis=1) > 0,
    )
