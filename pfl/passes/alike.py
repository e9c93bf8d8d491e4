"""Comparisons that ask the same, kept once. Why that is sound: docs/theory/comparisons-alike.md."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.first_comparisons import first_multisets, first_ratios
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.pair_array import PairArray
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Vector, sparse

FEWEST = 200
"""Fewer comparisons than these are settled as soon, and each of them may be the one that a reader would name."""
MOST_WORDS = 500_000
MOST_STEPS = 20_000_000
"""Words with their masses, of all states and lengths together, that are written down, and steps that are taken with
them; with more, nothing is left out."""
MOST_LOOKS = 200_000_000
"""Words that are looked at for each pair, of all pairs together; the same then."""

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
    groups: dict[Hashable, list[Table]] = {}
    for table in question.tables:
        if _is_plain(table):
            key = (table.system, table.epsilon, table.bindings, table.prior, table.one_way)
            groups.setdefault(key, []).append(table)
    pairs: dict[Table, Sequence[tuple[int, int]]] = {}
    try:
        for tables in groups.values():
            pairs |= _first(tables, sorted(set(question.lengths)), adds=question.delta != 0, budget=budget)
    except _TooManyWords:
        return question.tables
    kept = ((table, pairs.get(table, table.pairs)) for table in question.tables)
    return tuple(table if left is table.pairs else replace(table, pairs=left) for table, left in kept if left)


def _is_plain(table: Table) -> bool:
    """Whether what comparisons ask is no more than the masses of their words."""
    if table.runs is not None or table.interleaved or not table.system.stochastic or table.system.final is not None:
        return False
    return all(side.weight == 1 and not side.nonzero for side in table.sides)


def _first(
    tables: Sequence[Table], lengths: Sequence[int], *, adds: bool, budget: Budget
) -> dict[Table, tuple[tuple[int, int], ...]]:
    """Of tables of one system the pairs, in their order, that ask what none before asks."""
    import numpy as np

    words = _Words(tables[0].system, adds=adds)
    ends = np.cumsum([0, *(len(table.pairs) for table in tables)])
    kept: set[int] = set()
    numbered = []
    for length in lengths:
        of_sides = [np.array([words.row(side, length) for side in table.sides]) for table in tables]
        left, right = (
            np.concatenate([rows[_column(table.pairs, place)] for rows, table in zip(of_sides, tables)])
            for place in (0, 1)
        )
        words.spend_on_pairs(len(left))
        both_ways = not tables[0].one_way
        if adds:
            numbered.append(first_multisets(words.rows, left, right, words.kind, both_ways=both_ways, budget=budget))
        else:
            kept |= set(first_ratios(words.rows, left, right, words.kind, both_ways=both_ways, budget=budget).values())
    if adds:
        _, first = np.unique(np.stack(numbered), axis=1, return_index=True)
        kept = set(first.tolist())
    places = np.array(sorted(kept), dtype=np.int64)
    found = {}
    for table, start, end in zip(tables, ends, ends[1:]):
        own = places[(places >= start) & (places < end)] - start
        found[table] = tuple(table.pairs[place] for place in own.tolist())
    return found


def _column(pairs: Sequence[tuple[int, int]], place: int) -> Any:
    """The sides of pairs that stand in one place, as an array."""
    import numpy as np

    if isinstance(pairs, PairArray):
        return (pairs.left, pairs.right)[place]
    return np.array([pair[place] for pair in pairs], dtype=np.int64)


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

    @property
    def rows(self) -> Sequence[Mapping[Word, int]]:
        """The different distributions of words that were met, each mass by its number; 0 is that of the mass 0."""
        return self._as_mappings

    def kind(self, left: int, right: int) -> int:
        """Which pair of masses it is, or, where only ratios matter, of which ratio it is."""
        pair = left, right
        if pair not in self._pairs:
            exact = self._numbered[left], self._numbered[right]
            self._pairs[pair] = self._kinds.setdefault(exact if self.adds else in_proportion(*exact), len(self._kinds))
        return self._pairs[pair]

    def row(self, side: Side, length: int) -> int:
        """Which distribution of words the side has."""
        key = (id(side.vector), length)
        if key not in self._rows:
            self._starts.append(side.vector)  # keeps the identity in the key alive
            weights = sparse(side.vector)
            masses = self._mixed((weight, self._masses(state, length)) for state, weight in weights)
            numbered = {word: self._number(mass) for word, mass in masses.items() if mass}
            row = frozenset(numbered.items())
            if row not in self._distinct_rows:
                self._write_down(len(row))
                self._distinct_rows[row] = len(self._as_mappings)
                self._as_mappings.append(numbered)
            self._rows[key] = self._distinct_rows[row]
        return self._rows[key]

    def spend_on_pairs(self, pairs: int) -> None:
        """Counts what looking at each word of so many pairs takes; raises _TooManyWords."""
        if pairs * len(frozenset().union(*self._as_mappings)) > MOST_LOOKS:
            raise _TooManyWords

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
    return number.scale if isinstance(number, RationalFunction) else abs(number)
