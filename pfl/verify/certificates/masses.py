"""The masses of all words that a check must look at, added up from the systems themselves."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.model.compare import Compare, Direction, Side
from pfl.model.labelled_system import LabelledSystem
from pfl.verify.certificates.words import Word, Words, words_of

Masses: TypeAlias = Mapping[int, Number]
"""The masses of words that are not 0, by the numbers of the words."""

NOTHING = Fraction(0)


class AllMasses:
    """The words of the systems of a question, and their masses on each side, times the weight of the other side."""

    def __init__(self, question: Compare, budget: Budget) -> None:
        self._question, self._budget = question, budget
        self._words: dict[LabelledSystem, Words] = {}
        self._places: dict[LabelledSystem, Mapping[Word, int]] = {}
        self._masses: dict[tuple[int, LabelledSystem, Number], Masses] = {}

    def words(self, system: LabelledSystem) -> Words:
        """The words that have mass from some side. Raises Unshown, LimitReached."""
        if system not in self._words:
            tables = [table for table in self._question.tables if table.system == system]
            starts = [side.vector for table in tables for side in table.sides]
            self._words[system] = words_of(system, starts, self._question.lengths, self._budget)
        return self._words[system]

    def place(self, direction: Direction, word: Word) -> int | None:
        """The number of a word; None where it is none that must be looked at."""
        words = self.words(direction.comparison.system)
        if words.system not in self._places:
            self._places[words.system] = {words.word(n): n for n in (*words.leaves, *words.lossy)}
        return self._places[words.system].get(word)

    def sides(self, direction: Direction) -> tuple[Masses, Masses]:
        """The masses above and below, each times the weight of the other."""
        above, below, system = direction.above, direction.below, direction.comparison.system
        return self._of(system, above, below.weight), self._of(system, below, above.weight)

    def _of(self, system: LabelledSystem, side: Side, weight: Number) -> Masses:
        key = (id(side.vector), system, weight)
        if key not in self._masses:
            masses = self.words(system).masses(side.vector, self._budget)
            self._masses[key] = masses if weight == 1 else {word: mass * weight for word, mass in masses.items()}
        return self._masses[key]
