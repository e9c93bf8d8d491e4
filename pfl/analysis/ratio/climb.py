"""A word that is good made better: a few neighbouring letters are changed at a time, as long as its ratio grows.

Floats throughout: what is found is a word, whose ratio the caller works out. Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from pfl.analysis.ratio.float_rows import Floats, float_rows
from pfl.analysis.ratio.futures import dense_matrix
from pfl.analysis.ratio.integer_system import Word
from pfl.analysis.ratio.obligation import Obligation
from pfl.base.budget import Budget

_MOST_ENTRIES = 500_000
_MOST_CHANGES = 300
_MOST_SWEEPS = 40
_FEW_LETTERS = 8
_LETTERS_OF_KICKED_WORDS = 1_000
_KICKED_LETTERS = 12
_GAIN = 1 + 1e-9
"""By how much a change must make the ratio larger; smaller gains may be rounding."""


class Climb:
    """Changes of words, letters by position, for one obligation; none where its matrices are too large."""

    def __init__(self, task: Obligation) -> None:
        self._task = task
        part = task.part
        count = len(part.letters)
        self._matrices: list[Floats] = []
        self._changes: list[Word] = []
        self._products = np.zeros((0, part.size, part.size))
        if count <= _MOST_CHANGES and count * part.size**2 <= _MOST_ENTRIES:
            self._matrices = [dense_matrix(rows, part.size) for rows in part.rows]
            self._changes = [(position,) for position in range(count)]
            self._products = np.array(self._matrices)
            while self._changes and self._may_grow(count):
                self._changes = [(*word, position) for word in self._changes for position in range(count)]
                self._products = np.concatenate(
                    [[_scaled(product @ matrix) for matrix in self._matrices] for product in self._products]
                )

        self._numbers = {change: number for number, change in enumerate(self._changes)}

    @property
    def width(self) -> int:
        """How many neighbouring letters are changed at once."""
        return len(self._changes[0]) if self._changes else 0

    def _may_grow(self, count: int) -> bool:
        grown = len(self._changes) * count
        return count > 1 and grown <= _MOST_CHANGES and self._products.size * count <= _MOST_ENTRIES

    def improved(self, word: Word, budget: Budget) -> Word:
        """A word of the same length, in floats at least as good."""
        if not self.width or len(word) < self.width:
            return word
        best = self._climbed(word, budget)
        for other in self._elsewhere(len(word)):
            best = max(best, self._climbed(other, budget), key=self._ratio)
        source = random.Random(len(word))
        for _ in range(_LETTERS_OF_KICKED_WORDS // len(word)):
            for other in (_kicked(best, len(self._matrices), source), _shifted(_shifted(best, source), source)):
                best = max(best, self._climbed(other, budget), key=self._ratio)
        return best

    def _elsewhere(self, length: int) -> list[Word]:
        """Words of one letter only, unless they are many."""
        count = len(self._matrices)
        return [(position,) * length for position in range(count)] if count <= _FEW_LETTERS else []

    def _climbed(self, word: Word, budget: Budget) -> Word:
        for _ in range(_MOST_SWEEPS):
            budget.check("a search for a better word")
            better = self._swept(word)
            if better == word:
                break
            word = better
        return word

    def _ratio(self, word: Word) -> float:
        """On the scale of this obligation; -1 for a word that neither side shows."""
        sides = _sides(self._task)
        for position in word:
            sides = _scaled(sides @ self._matrices[position])
        left, right = (float(side.sum()) for side in sides)
        return left / right if right else np.inf if left else -1.0

    def _swept(self, word: Word) -> Word:
        """The word after the best change at each place in turn, where one is better than none."""
        letters, width = list(word), self.width
        after = self._columns(letters)
        sides = _sides(self._task)
        for place in range(len(letters) - width + 1):
            masses = sides @ (self._products @ after[place + width]).T
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = masses[0] / masses[1]
            ratios[np.isnan(ratios)] = -1.0
            best = int(np.argmax(ratios))
            own = self._numbers[tuple(letters[place : place + width])]
            if ratios[best] > max(ratios[own] * _GAIN, ratios[own]):
                letters[place : place + width] = self._changes[best]
            sides = _scaled(sides @ self._matrices[letters[place]])
        return tuple(letters)

    def _columns(self, letters: Sequence[int]) -> list[Floats]:
        """The directions of M_u 1 for the rests u of the word, the longest first."""
        columns = [np.ones(self._task.part.size)]
        for position in reversed(letters):
            columns.append(_scaled(self._matrices[position] @ columns[-1]))
        return columns[::-1]


def _kicked(word: Word, count: int, source: random.Random) -> Word:
    """The word with some neighbouring letters drawn anew."""
    width = min(_KICKED_LETTERS, len(word))
    place = source.randint(0, len(word) - width)
    return (*word[:place], *source.choices(range(count), k=width), *word[place + width :])


def _shifted(word: Word, source: random.Random) -> Word:
    """The word with one letter somewhere else, and what lies between a place nearer to where it was."""
    letters = list(word)
    letter = letters.pop(source.randrange(len(word)))
    letters.insert(source.randrange(len(word)), letter)
    return tuple(letters)


def _sides(task: Obligation) -> Floats:
    """Both starts (2 x states), each scaled by itself."""
    return np.array(
        [
            _scaled(float_rows([side]).values[0]) if any(side) else np.zeros(len(side))
            for side in (task.left, task.right)
        ]
    )


def _scaled(values: Floats) -> Floats:
    return np.asarray(values / max(float(values.max(initial=0.0)), np.finfo(float).tiny))
