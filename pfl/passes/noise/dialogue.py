"""What can be seen of runs that receive inputs while they hold a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.program import Point

Word: TypeAlias = tuple[int, ...]
"""Labels in the order in which they are shown, by their indices."""


@struct(eq=False, frozen=False)
class Dialogue:
    """The words from one state on. `masses[w]` is the probability of what is seen in w, given the inputs in it;
    `ended[w, cost, s]` that of seeing w, and then coming to s without another letter while no sample is held.

    `asked_at[w]` is the point of the program at which the last letter of w, an input, is received. `is_asked` says
    whether an input comes while a sample is held; `refusal`, if given, is raised where one does.
    """

    masses: dict[Word, Number] = field(default_factory=lambda: {(): Fraction(1)})
    ended: dict[tuple[Word, Number, int], Number] = field(default_factory=dict)
    is_asked: bool = False
    refusal: Callable[[], Exception] | None = None
    asked_at: dict[Word, Point] = field(default_factory=dict)
    _onward: dict[Word, list[int]] = field(default_factory=dict)

    def ask(self) -> None:
        """An input comes while a sample is held. Raises the refusal."""
        if self.refusal is not None:
            raise self.refusal()
        self.is_asked = True

    def add(self, word: Word, mass: Number) -> None:
        """Some runs see this word."""
        if word not in self.masses:
            self._onward.setdefault(word[:-1], []).append(word[-1])
            self.masses[word] = mass
        else:
            self.masses[word] = self.masses[word] + mass

    def onward(self, word: Word) -> Iterator[tuple[int, Number]]:
        """The letters that may be next, with the probability of the word and the letter."""
        for label in self._onward.get(word, ()):
            mass = self.masses[*word, label]
            if mass:
                yield label, mass
