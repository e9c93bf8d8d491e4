"""Comparisons that ask the same, kept once. Why that is sound: docs/theory/comparisons-alike.md."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.compare import Compare, Comparison, Side, Table
from pfl.model.labelled_system import LabelledSystem, Vector

FEWEST = 200
"""Fewer comparisons than these are settled as soon, and each of them may be the one that a reader would name."""
MOST_WORDS = 500_000
MOST_STEPS = 20_000_000
"""Words with their masses, of all states and lengths together, that are written down, and steps that are taken with
them; with more, nothing is left out."""

Word: TypeAlias = tuple[int, ...]
Masses: TypeAlias = Mapping[Word, Number]
"""The words of one length that are possible, with their masses."""


def without_repetitions(question: Compare, budget: Budget) -> Compare:
    """The question without the comparisons that ask what an earlier one asks, at its lengths; so are the shorter ones.

    Where the words are too many to be gone through, or the lengths are not given, the question stays as it is.
    """
    shorter = tuple(without_repetitions(each, budget) for each in question.shorter)
    return replace(question, tables=_kept(question, budget), shorter=shorter)


def _kept(question: Compare, budget: Budget) -> tuple[Table, ...]:
    if len(question.comparisons) < FEWEST or question.lengths == "any":
        return question.tables
    lengths = sorted(set(question.lengths))
    words: dict[LabelledSystem, _Words] = {}
    kept: dict[Hashable, Comparison] = {}
    try:
        for number, comparison in enumerate(question.comparisons):
            if not _is_plain(comparison):
                kept[number] = comparison
                continue
            table = comparison.table
            budget.check(f"{number:,} of {len(question.comparisons):,} comparisons were told apart")
            of_system = words.setdefault(comparison.system, _Words(comparison.system, adds=question.delta != 0))
            asked = tuple(of_system.asked(comparison, length) for length in lengths)
            key = (table.system, table.epsilon, table.bindings, table.prior, table.one_way)
            kept.setdefault((*key, comparison.nonzero, asked), comparison)
    except _TooManyWords:
        return question.tables
    pairs: dict[Table, list[tuple[int, int]]] = {}
    for comparison in kept.values():
        pairs.setdefault(comparison.table, []).append(comparison.pair)
    return tuple(replace(table, pairs=tuple(left)) for table, left in pairs.items())


def _is_plain(comparison: Comparison) -> bool:
    """Whether what a comparison asks is no more than the masses of its words."""
    if comparison.table.runs is not None or comparison.table.interleaved:
        return False
    return (
        comparison.system.stochastic
        and comparison.system.final is None
        and all(side.weight == 1 for side in comparison.sides)
    )


class _TooManyWords(Exception):
    """Going through the words takes longer than it may save."""


@struct(eq=False, frozen=False, kw_only=False)
class _Words:
    """The words of one system. Numbers and pairs of them are known by how many were met before."""

    system: LabelledSystem
    adds: bool
    """Whether masses are added up over words, as for a delta; else only their ratios matter."""
    words_left: int = MOST_WORDS
    steps_left: int = MOST_STEPS
    _from_states: dict[tuple[int, int], Masses] = field(default_factory=dict)
    _rows: dict[tuple[int, int], int] = field(default_factory=dict)
    _starts: list[Vector] = field(default_factory=list)
    _distinct_rows: dict[frozenset[tuple[Word, int]], int] = field(default_factory=dict)
    _as_mappings: list[dict[Word, int]] = field(default_factory=list)
    _numbers: dict[Number, int] = field(default_factory=lambda: {Fraction(0): 0})
    _numbered: list[Number] = field(default_factory=lambda: [Fraction(0)])
    _pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    _kinds: dict[Hashable, int] = field(default_factory=dict)
    _asked: dict[tuple[int, int], Hashable] = field(default_factory=dict)

    def asked(self, comparison: Comparison, length: int) -> Hashable:
        """What a comparison asks of the words of a length: equal for two that ask the same."""
        left, right = self._row(comparison.left, length), self._row(comparison.right, length)
        there = self._direction(left, right)
        return there if comparison.table.one_way else frozenset({there, self._direction(right, left)})

    def _direction(self, left: int, right: int) -> Hashable:
        if (left, right) not in self._asked:
            one, other = self._as_mappings[left], self._as_mappings[right]
            self._spend(len(one) + len(other))
            pairs = ((one.get(word, 0), other.get(word, 0)) for word in one.keys() | other.keys())
            kinds = [self._kind(pair) for pair in pairs]
            self._asked[left, right] = tuple(sorted(kinds)) if self.adds else frozenset(kinds)
        return self._asked[left, right]

    def _kind(self, pair: tuple[int, int]) -> int:
        """Which pair of masses it is, or, where only ratios matter, of which ratio it is."""
        if pair not in self._pairs:
            exact = self._numbered[pair[0]], self._numbered[pair[1]]
            self._pairs[pair] = self._kinds.setdefault(exact if self.adds else in_proportion(*exact), len(self._kinds))
        return self._pairs[pair]

    def _row(self, side: Side, length: int) -> int:
        """Which distribution of words the side has."""
        key = (id(side.vector), length)
        if key not in self._rows:
            self._starts.append(side.vector)  # keeps the identity in the key alive
            weights = [(state, weight) for state, weight in enumerate(side.vector) if weight]
            masses = self._mixed((weight, self._masses(state, length)) for state, weight in weights)
            numbered = {word: self._number(mass) for word, mass in masses.items() if mass}
            row = frozenset(numbered.items())
            if row not in self._distinct_rows:
                self._write_down(len(row))
                self._distinct_rows[row] = len(self._as_mappings)
                self._as_mappings.append(numbered)
            self._rows[key] = self._distinct_rows[row]
        return self._rows[key]

    def _number(self, mass: Number) -> int:
        if mass not in self._numbers:
            self._numbers[mass] = len(self._numbered)
            self._numbered.append(mass)
        return self._numbers[mass]

    def _masses(self, state: int, length: int) -> Masses:
        """The words of a length from a state; what several words end with is gone through once."""
        waiting = [(state, length)] if length else []
        while waiting:
            at, left = waiting[-1]
            if (at, left) in self._from_states:
                waiting.pop()
                continue
            steps = [(letter, matrix[at]) for letter, matrix in enumerate(self.system.matrices) if matrix[at]]
            missing = [
                (target, left - 1)
                for _, row in steps
                for target, _ in row
                if left > 1 and (target, left - 1) not in self._from_states
            ]
            if missing:
                waiting += missing
                continue
            found: dict[Word, Number] = {}
            for letter, row in steps:
                rests = ((weight, self._rest(target, left - 1)) for target, weight in row)
                found |= {(letter, *word): mass for word, mass in self._mixed(rests).items()}
            self._write_down(len(found))
            self._from_states[at, left] = found
            waiting.pop()
        return self._rest(state, length)

    def _rest(self, state: int, length: int) -> Masses:
        return self._from_states[state, length] if length else {(): Fraction(1)}

    def _mixed(self, parts: Iterable[tuple[Number, Masses]]) -> dict[Word, Number]:
        found: dict[Word, Number] = {}
        for weight, masses in parts:
            self._spend(len(masses))
            for word, mass in masses.items():
                found[word] = found[word] + weight * mass if word in found else weight * mass
        return found

    def _spend(self, steps: int) -> None:
        self.steps_left -= steps
        if self.steps_left < 0:
            raise _TooManyWords

    def _write_down(self, words: int) -> None:
        self.words_left -= words
        if self.words_left < 0:
            raise _TooManyWords


def in_proportion(left: Number, right: Number) -> Hashable:
    """Equal for pairs of which one is a positive constant times the other, and for no others.

    A function that both sides share is not divided out: where it is 0, neither side says anything.
    """
    scale = _size(left) or _size(right) or Fraction(1)
    return left / scale, right / scale


def _size(number: Number) -> Fraction:
    """A positive constant that is so many times larger where the number is; 0 for 0."""
    if isinstance(number, RationalFunction):
        (_, above), (_, below) = number.numerator.terms[0], number.denominator.terms[0]
        return abs(above / below)
    return abs(number)
