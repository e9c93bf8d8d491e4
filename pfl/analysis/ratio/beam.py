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


class Beam:
    """Beam searches over one obligation; `best` is the best word so far (letters by position)."""

    def __init__(self, task: Obligation, tools: Tools, budget: Budget) -> None:
        self._task = task
        self._futures = tools.futures
        self._steps = tools.steps
        self._budget = budget
        self._letters_ahead = tools.futures.few_letters
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
            beam = self._promising(beam, length - level, width)
            if level + self._letters_ahead >= length and not waiting:
                break
            beam = self._longer(beam)
            level += 1
            if level % _LETTERS_BETWEEN_REDUCTIONS == 0:
                beam = [(word, *primitive_pair(left, right)) for word, left, right in beam]
        return self.best

    def _is_infinite(self) -> bool:
        return self.best is not None and self.best.ratio is None

    def _longer(self, beam: list[_Prefix]) -> list[_Prefix]:
        flat = [vector for _, left, right in beam for vector in (left, right)]
        found: dict[tuple[Integers, Integers], Word] = {}
        for position in range(len(self._task.part.letters)):
            images = self._steps.images(flat, position)
            for index, (word, _, _) in enumerate(beam):
                pair = images[2 * index], images[2 * index + 1]
                if any(pair[0]):
                    found.setdefault(pair, (*word, position))
        return [(word, left, right) for (left, right), word in found.items()]

    def _promising(self, beam: list[_Prefix], remaining: int, width: int) -> list[_Prefix]:
        """The `width` prefixes with the largest gain over the bound ahead; raises the bound to what is found."""
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
        gains = self._gains(beam, columns)
        best = gains.argmax(axis=1)
        order = sorted(range(len(beam)), key=lambda index: -gains[index, best[index]])
        self._take(beam[order[0]], self._futures.word(*words[int(best[order[0]])]))
        return [beam[index] for index in order[:width]]

    def _gains(self, beam: list[_Prefix], columns: Floats) -> Floats:
        """(pi M_w - c tau M_w) g / tau M_w g for prefixes and columns g, on a scale that keeps order and sign; -inf for
        words of no mass on either side."""
        q = 1 << self._precision
        p = self._bound.numerator * q // self._bound.denominator
        signed = [tuple(q * a - p * b for a, b in zip(left, right)) for _, left, right in beam]
        above = [index for index, vector in enumerate(signed) if any(vector)]
        gains = np.zeros((len(beam), columns.shape[1]))
        if not above:
            return gains
        rows = float_rows([signed[index] for index in above])
        below = float_rows([beam[index][2] for index in above])
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = (rows.values @ columns) / (below.values @ columns)
            exponents = np.array(rows.exponents) - np.array(below.exponents)
            logarithms = np.log2(np.abs(quotients)) + exponents[:, None]
        finite = np.isfinite(logarithms)
        nearest = np.where(finite, logarithms, -np.inf).max(axis=1)
        if np.isfinite(nearest).any():
            self._precision = _PRECISION + max(0, self._precision - int(nearest[np.isfinite(nearest)].min()))
        least = logarithms[finite].min(initial=0.0)
        with np.errstate(invalid="ignore"):
            ordered = np.sign(quotients) * np.maximum(logarithms - least + 1, 0.0)
        gains[above] = np.where(np.isnan(quotients), -np.inf, np.nan_to_num(ordered, nan=0.0, posinf=np.inf))
        return gains

    def _take(self, prefix: _Prefix, rest: Word) -> None:
        word, left, right = prefix
        for position in rest:
            left, right = self._task.step(left, right, position)
        ratio = ratio_of(left, right)
        if ratio is None or ratio > self._bound:
            self.best = Witness(word=(*word, *rest), ratio=ratio)
            self._bound = self._bound if ratio is None else ratio
