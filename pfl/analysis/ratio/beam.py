"""A good word quickly: a beam search, so that the exact search starts from a bound close to the largest ratio.

Nothing is proved here; every word is returned with its exact ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from pfl.analysis.ratio.float_rows import Floats, float_rows
from pfl.analysis.ratio.integer_system import Integers, Word, primitive_pair
from pfl.analysis.ratio.obligation import Obligation, ratio_of
from pfl.analysis.ratio.outcome import Witness
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget

_LETTERS_BETWEEN_REDUCTIONS = 6
_PRECISION = 80

_Prefix = tuple[Word, Integers, Integers]
"""A word (letters by position) with (pi M_w, tau M_w) up to a common scale."""

_Step = tuple[int, int]
"""The index of a prefix and a letter that is to follow it."""


class Beam:
    """Beam searches over one obligation; `best` is the best word so far (letters by position)."""

    def __init__(self, task: Obligation, tools: Tools, budget: Budget) -> None:
        self._task = task
        self._futures = tools.futures
        self._steps = tools.steps
        self._budget = budget
        self._letters_ahead = min(tools.futures.few_letters + 1, tools.futures.mass_letters)
        self._bound = Fraction(0)
        self._precision = _PRECISION
        """Bits after the point to which the bound is known where gains are compared; they shrink as words grow."""
        self.best: Witness | None = None

    def search(self, prefixes: Iterable[Word], length: int, width: int, bound: Fraction) -> Witness | None:
        """The best word of at most `length` letters found from the prefixes, if it is above `bound` (or infinite).

        Where no mass is lost it has exactly `length` letters.
        """
        self._bound = max(bound, self._bound)
        self.best = None
        waiting: dict[int, list[_Prefix]] = {}
        for word in prefixes:
            left, right = self._task.follow(word)
            waiting.setdefault(len(word), []).append((word, left, right))
        level = min(waiting, default=length)
        beam: list[_Prefix] = []
        while level <= length and not self._is_infinite():
            self._budget.check(f"a first search through {level} of {length} letters")
            beam += waiting.pop(level, [])
            steps = self._promising(beam, length - level)
            if level + self._letters_ahead >= length and not waiting:
                break
            beam = self._longer(beam, steps, width)
            level += 1
            if level % _LETTERS_BETWEEN_REDUCTIONS == 0:
                beam = [(word, *primitive_pair(left, right)) for word, left, right in beam]
        return self.best

    def _is_infinite(self) -> bool:
        return self.best is not None and self.best.ratio is None

    def _longer(self, beam: list[_Prefix], steps: list[_Step], width: int) -> list[_Prefix]:
        """Where the first steps lead, as many as have `width` different pairs."""
        found: dict[tuple[Integers, Integers], Word] = {}
        while steps and len(found) < width:
            taken, steps = steps[: width - len(found)], steps[width - len(found) :]
            for position in sorted({position for _, position in taken}):
                indices = [index for index, letter in taken if letter == position]
                images = self._steps.images([vector for index in indices for vector in beam[index][1:]], position)
                for index, left, right in zip(indices, images[::2], images[1::2]):
                    if any(left):
                        found.setdefault((left, right), (*beam[index][0], position))
        return [(word, left, right) for (left, right), word in found.items()]

    def _promising(self, beam: list[_Prefix], remaining: int) -> list[_Step]:
        """All steps that some word follows, those with the largest gain over the bound ahead first; raises the bound to
        what is found."""
        for prefix in beam:
            if not any(prefix[2]):
                self._take(prefix, ())
                return []
        if not beam:
            return []
        most = min(remaining, self._letters_ahead)
        lengths = [most] if self._task.part.lossless else list(range(most + 1))
        columns = np.hstack([self._futures.masses[letters] for letters in lengths])
        words = [(letters, column) for letters in lengths for column in range(self._futures.masses[letters].shape[1])]
        count = len(self._task.part.letters)
        # Words of one length are in lexical order: those with the same first letter are neighbours.
        firsts = [place for place, (letters, column) in enumerate(words) if column % count ** max(0, letters - 1) == 0]
        gains, quotients = self._gains(beam, columns, firsts)
        index, group = divmod(int(gains.argmax()), len(firsts))
        end = firsts[group + 1] if group + 1 < len(firsts) else len(words)
        self._take(
            beam[index], self._futures.word(*words[firsts[group] + int(quotients[index, firsts[group] : end].argmax())])
        )
        if most:
            scores = gains[:, int(lengths[0] == 0) :].reshape(len(beam), -1, count).max(axis=1)
        else:
            scores = np.repeat(gains, count, axis=1)
        order = np.argsort(-scores, axis=None, kind="stable")
        return [divmod(int(place), count) for place in order if scores.flat[place] > -np.inf]

    def _gains(self, beam: list[_Prefix], columns: Floats, firsts: list[int]) -> tuple[Floats, Floats]:
        """(pi M_w - c tau M_w) g / tau M_w g for prefixes and columns g, -inf for words of no mass on either side: the
        largest of each group of columns (which begin at `firsts`), on a scale that keeps order and sign; and all as
        floats, whose order is kept for each prefix alone."""
        shift = self._precision
        p = (self._bound.numerator << shift) // self._bound.denominator
        signed = [tuple((a << shift) - p * b for a, b in zip(left, right)) for _, left, right in beam]
        above = [index for index, vector in enumerate(signed) if any(vector)]
        gains, quotients = np.zeros((len(beam), len(firsts))), np.zeros((len(beam), columns.shape[1]))
        if not above:
            return gains, quotients
        rows = float_rows([signed[index] for index in above])
        below = float_rows([beam[index][2] for index in above])
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (rows.values @ columns) / (below.values @ columns)
            found[np.isnan(found)] = -np.inf
            best = np.maximum.reduceat(found, firsts, axis=1)
            exponents = np.array(rows.exponents, dtype=float) - np.array(below.exponents)
            logarithms = np.log2(np.abs(best)) + exponents[:, None]
            nearest = np.log2(np.where(np.isfinite(found), np.abs(found), 0.0).max(axis=1)) + exponents
        if np.isfinite(nearest).any():
            self._precision = _PRECISION + max(0, self._precision - int(nearest[np.isfinite(nearest)].min()))
        finite = np.isfinite(logarithms)
        heights = logarithms - logarithms[finite].min(initial=0.0) + 1
        gains[above] = np.copysign(np.where(finite, heights, np.where(best == 0, 0.0, np.inf)), best)
        quotients[above] = found
        return gains, quotients

    def _take(self, prefix: _Prefix, rest: Word) -> None:
        word, left, right = prefix
        for position in rest:
            left, right = self._task.step(left, right, position)
        ratio = ratio_of(left, right)
        if ratio is None or ratio > self._bound:
            self.best = Witness(word=(*word, *rest), ratio=ratio)
            self._bound = self._bound if ratio is None else ratio
