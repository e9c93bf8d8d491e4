"""Directions that are looked at, in floats, with a bound of V from above and an event that shows much of it.

What is found here is a guess: `above` and `below` work out in whole numbers what it shows. Source:
docs/theory/excess-between.md.
"""

from __future__ import annotations

import numpy as np

from pfl.analysis.excess.moves import FloatArray, IntArray, Moves
from pfl.analysis.excess.simplices import Sums, as_sums
from pfl.base.budget import Budget
from pfl.base.struct import struct

NOTHING, ALL = -1, -2
"""Where a letter leads that leaves no positive entry, or no negative one: V is 0 there, or the whole mass."""
_SAME = float(1 << 40)
"""Directions whose entries agree to a multiple of its inverse are one point."""
_TINY = 1e-14
"""Entries that are taken for 0, which they are but for rounding, so that signs tell directions apart."""
_MARGIN = 1e-14
"""What values are larger than what follows them, so that they are so in whole numbers, too."""
_MOST_SWEEPS = 1_000
_LEAST, _STILL = 1e-15, 1e-13
_INHERITED = 0.05
"""Part of the width at its points that counts for a leaf: none is left out for rounding that helped it."""
_MOST_ROUNDS, _FEW = 2_000, 1e-13
"""Letters that runs are followed for, and the part of all visits that may be left out."""


@struct(eq=False)
class Event:
    """A set of words, told by an automaton whose states are points: at one that `stops` the set has all words that come
    so far if the mass is positive, and none otherwise; else each channel asks for one input (`choices`), and the run
    goes on at the point that `goes_on` at where it led."""

    stops: np.ndarray[tuple[int], np.dtype[np.bool_]]
    choices: IntArray
    goes_on: IntArray


class Points:
    """Directions with what follows them: row j of `directions` has entries whose sizes add up to 1.

    `after[j, c]` is where letter c leads, with the mass `factors[j, c]`, of those that are `expanded`.
    """

    def __init__(self, moves: Moves, start: FloatArray, budget: Budget) -> None:
        """With the direction of a start, a vector with positive and negative entries, as the first point."""
        self._moves = moves
        self._budget = budget
        self._known: dict[bytes, int] = {}
        self.directions: FloatArray = np.zeros((0, len(start)))
        self.expanded = np.zeros(0, dtype=np.bool_)
        self.after: IntArray = np.zeros((0, len(moves.letters)), dtype=np.int64)
        self.factors: FloatArray = np.zeros((0, len(moves.letters)))
        self.sums = Sums(points=np.zeros((0, 0), dtype=np.int64), factors=np.zeros((0, 0)))
        self.leaves: IntArray = np.zeros(0, dtype=np.int64)
        self.upper: FloatArray = np.zeros(0)
        self.lower: FloatArray = np.zeros(0)
        self.event: Event | None = None
        self._add((start / np.abs(start).sum())[None, :])
        self.bound()

    def grow(self, count: int) -> bool:
        """Expand so many of the directions where most is open, if there are; whether there were any."""
        shares = self._shares()
        order = np.argsort(-shares, kind="stable")[:count]
        chosen = self.leaves[order[shares[order] > 0]]
        self.expanded[chosen] = True
        for letter in range(len(self._moves.letters)):
            images = self.directions[chosen] @ self._moves.floats[letter]
            masses = np.abs(images).sum(axis=1)
            images[np.abs(images) < _TINY * masses[:, None]] = 0
            is_nothing, is_all = (images <= 0).all(axis=1), (images >= 0).all(axis=1)
            places = np.where(is_nothing, NOTHING, ALL)
            mixed = ~is_nothing & ~is_all
            places[mixed] = self._add(images[mixed] / masses[mixed, None])
            self.after[chosen, letter] = places
            self.factors[chosen, letter] = masses
        return len(chosen) > 0

    def bound(self) -> None:
        """Bounds of V at every point: `upper`, and `lower`, which the `event` shows."""
        self.leaves = np.flatnonzero(~self.expanded)
        inner = np.flatnonzero(self.expanded)
        if len(inner):
            sums = as_sums(self.directions[self.leaves], self.directions[inner])
            has_point = sums.points >= 0
            self.sums = Sums(points=np.where(has_point, inner[np.maximum(sums.points, 0)], -1), factors=sums.factors)
        else:
            self.sums = Sums(
                points=np.full((len(self.leaves), 1), -1, dtype=np.int64), factors=np.zeros((len(self.leaves), 1))
            )
        self._bound_above(inner)
        self._bound_below(inner)

    def _shares(self) -> FloatArray:
        """What each leaf adds to the width at the start: how often runs come to it, times what its own sum loses.

        The width at a point is the sum of those at what follows, and that at a leaf is what its sum loses more than the
        widths at its points.
        """
        width, leaves, sums = self.upper - self.lower, self.leaves, self.sums
        inner = np.flatnonzero(self.expanded)
        lost = width[leaves] - (sums.factors * np.where(sums.points >= 0, width[sums.points], 0)).sum(axis=1)
        after = self.after[inner]
        values = np.where(after == ALL, 1.0, np.where(after == NOTHING, 0.0, self.upper[np.maximum(after, 0)]))
        picked = self._picked(self._best(values * self.factors[inner])[0])
        flows = np.where(after >= 0, self.factors[inner] * picked, 0)
        targets = np.maximum(after, 0)
        count = len(self.directions)
        visits: FloatArray = np.zeros(count)
        arriving: FloatArray = np.zeros(count)
        arriving[0] = 1
        for _ in range(_MOST_ROUNDS):
            visits += arriving
            leaving = np.bincount(targets.ravel(), (flows * arriving[inner][:, None]).ravel(), count)
            summed = sums.factors * arriving[leaves][:, None] * (sums.points >= 0)
            arriving = np.asarray(
                leaving + np.bincount(np.maximum(sums.points, 0).ravel(), summed.ravel(), count), float
            )
            if arriving.sum() < _FEW * visits.sum():
                break
        shares: FloatArray = visits[leaves] * (np.maximum(lost, 0) + _INHERITED * width[leaves])
        return shares

    def _add(self, directions: FloatArray) -> IntArray:
        """The numbers of some directions, of which those that are not known become points."""
        keys = np.rint(directions * _SAME).astype(np.int64)
        numbers = np.zeros(len(keys), dtype=np.int64)
        new: list[int] = []
        for row, key in enumerate(keys):
            known = self._known.setdefault(key.tobytes(), len(self._known))
            numbers[row] = known
            if known == len(self.directions) + len(new):
                new.append(row)
        self.directions = np.vstack([self.directions, directions[new]])
        self.expanded = np.concatenate([self.expanded, np.zeros(len(new), dtype=np.bool_)])
        fill = np.full((len(new), len(self._moves.letters)), NOTHING, dtype=np.int64)
        self.after = np.vstack([self.after, fill])
        self.factors = np.vstack([self.factors, np.zeros((len(new), len(self._moves.letters)))])
        return numbers

    def _bound_above(self, inner: IntArray) -> None:
        """From the positive entries downwards: a bound on all that follows is a bound."""
        leaves, sums = self.leaves, self.sums
        own = np.maximum(self.directions.sum(axis=1), 0)
        upper = np.maximum(self.directions, 0).sum(axis=1)
        rest = self.directions[leaves].copy()
        for points, factors in zip(sums.points.T, sums.factors.T):
            rest -= factors[:, None] * self.directions[points]
        left_over = np.maximum(rest, 0).sum(axis=1)
        after, factors_after = self.after[inner], self.factors[inner]
        for sweep in range(_MOST_SWEEPS):
            before = upper[inner]
            values = (
                np.where(after == ALL, 1.0, np.where(after == NOTHING, 0.0, upper[np.maximum(after, 0)]))
                * factors_after
            )
            upper[inner] = np.maximum(own[inner], self._best(values)[1] + _MARGIN)
            upper[leaves] = left_over + (sums.factors * np.where(sums.points >= 0, upper[sums.points], 0)).sum(axis=1)
            if sweep % 64 == 0:
                self._budget.check(f"{len(upper):,} directions were bounded")
            if np.abs(before - upper[inner]).max(initial=0.0) < _STILL:
                break
        self.upper = upper

    def _bound_below(self, inner: IntArray) -> None:
        """From the empty word upwards: `given[j, s]` is the probability of the words of point j, from state s."""
        directions, leaves = self.directions, self.leaves
        own = directions.sum(axis=1)
        given = np.where(own > 0, 1.0, 0.0)[:, None] * np.ones_like(directions)
        worth = np.maximum(own, 0)
        stops = np.ones(len(directions), dtype=np.bool_)
        choices = np.zeros((len(directions), len(self._moves.channels)), dtype=np.int64)
        goes_on = np.arange(len(directions))
        after = self.after[inner]
        to = np.maximum(after, 0)
        is_all, is_nothing = (after == ALL)[:, :, None], (after == NOTHING)[:, :, None]
        for sweep in range(_MOST_SWEEPS):
            following = np.where(is_all, 1.0, np.where(is_nothing, 0.0, given[to]))
            by_letter = np.einsum("cst,jct->jcs", self._moves.floats, following, optimize=True)
            chosen, values = self._best(np.einsum("jcs,js->jc", by_letter, directions[inner]))
            better = values > worth[inner] + _LEAST
            changed = inner[better]
            gained = (values[better] - worth[changed]).max(initial=0.0)
            picked = self._picked(chosen)
            given[changed] = np.einsum("jc,jcs->js", picked[better], by_letter[better])
            worth[changed], stops[changed], choices[changed] = values[better], False, chosen[better]
            for points in self.sums.points.T:
                known = points >= 0
                at, near = leaves[known], points[known]
                shown = (given[near] * directions[at]).sum(axis=1)
                more = shown > worth[at] + _LEAST
                at, near = at[more], near[more]
                given[at], worth[at], stops[at], goes_on[at] = given[near], shown[more], False, near
            if sweep % 64 == 0:
                self._budget.check(f"{len(worth):,} directions were bounded")
            if gained < _STILL:
                break
        self.lower = worth
        self.event = Event(stops=stops, choices=choices, goes_on=goes_on)

    def _best(self, values: FloatArray) -> tuple[IntArray, FloatArray]:
        """Of the values of letters, the best input of each channel, and what these inputs add up to."""
        chosen = np.zeros((len(values), len(self._moves.channels)), dtype=np.int64)
        total = np.zeros(len(values))
        for channel, inputs in enumerate(self._moves.channels):
            sums = np.stack([values[:, list(answers)].sum(axis=1) for answers in inputs], axis=1)
            chosen[:, channel] = sums.argmax(axis=1)
            total += sums.max(axis=1)
        return chosen, total

    def _picked(self, chosen: IntArray) -> FloatArray:
        """1 for the letters that answer the chosen inputs, else 0."""
        picked = np.zeros((len(chosen), len(self._moves.letters)))
        for channel, inputs in enumerate(self._moves.channels):
            for number, answers in enumerate(inputs):
                picked[np.ix_(chosen[:, channel] == number, list(answers))] = 1
        return picked
