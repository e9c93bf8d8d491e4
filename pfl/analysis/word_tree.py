"""The words of a system that are worth looking at, and their masses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import Lengths
from pfl.model.labelled_system import LabelledSystem, Vector, sparse

Word: TypeAlias = tuple[int, ...]
Entries: TypeAlias = dict[int, Number]
"""The entries of a vector that are not 0, by state."""


class WithoutEnd(Exception):
    """Runs go on without end, so that there are infinitely many words, or more than can be gone through."""


@struct(eq=False)
class WordTree:
    """Words of a system as a tree: `letters[i]` leads from word `parents[i]` to word i; word 0 is empty, its parent -1.

    `leaves` are words of which none begins another, but for those that lose mass whatever is asked: what is more likely
    than a bound allows on some word is so on a leaf, for masses of words add up to those of what they begin with.
    """

    system: LabelledSystem
    parents: Sequence[int]
    letters: Sequence[int]
    leaves: Sequence[int]

    def word(self, number: int) -> Word:
        """The letters of a word."""
        found: list[int] = []
        while number > 0:
            found.append(self.letters[number])
            number = self.parents[number]
        return tuple(reversed(found))

    def masses(self, vector: Vector) -> list[Number]:
        """The mass of each leaf from a start, in the order of the leaves."""
        system = self.system
        vectors: list[Entries] = [{}] * len(self.parents)
        vectors[0] = dict(sparse(vector))
        for number in range(1, len(self.parents)):
            vectors[number] = _step(system, vectors[self.parents[number]], self.letters[number])
        return [self._total(vectors[leaf]) for leaf in self.leaves]

    def _total(self, entries: Entries) -> Number:
        final = self.system.final
        return sum((w if final is None else w * final[s] for s, w in entries.items()), Fraction(0))


def _step(system: LabelledSystem, entries: Entries, letter: int) -> Entries:
    moved: Entries = {}
    for state, weight in entries.items():
        for column, entry in system.matrices[letter][state]:
            share = weight if entry == 1 else weight * entry
            moved[column] = moved[column] + share if column in moved else share
    return moved


def word_tree(
    system: LabelledSystem, starts: Iterable[Vector], lengths: Lengths, most: int, budget: Budget
) -> WordTree:
    """The words that have mass from some start: all of the longest length, but for what follows where every run has
    ended. Raises WithoutEnd for more than `most` words, and where there are infinitely many; LimitReached."""
    longest = None if lengths == "any" else max(lengths, default=0)
    first = frozenset(state for start in starts for state, _ in sparse(start))
    parents, letters, leaves = [-1], [-1], []
    supports, depths = [first], [0]
    quiet, keeping = _Quiet(system), _keeping(system)
    number = 0
    while number < len(parents):
        budget.check(f"{len(parents):,} words")
        support = supports[number]
        if depths[number] == longest or quiet.is_over(support):
            leaves.append(number)
        else:
            if longest is None and _repeats(number, parents, supports):
                raise WithoutEnd("runs may go on without end")
            if not any(support <= states for states in keeping):
                leaves.append(number)
            for letter, reached in _onward(system, support):
                parents.append(number)
                letters.append(letter)
                supports.append(reached)
                depths.append(depths[number] + 1)
            if len(parents) > most:
                raise WithoutEnd(f"there are more than {most:,} words")
        number += 1
    return WordTree(system=system, parents=parents, letters=letters, leaves=leaves)


def _onward(system: LabelledSystem, support: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
    for letter, matrix in enumerate(system.matrices):
        reached = frozenset(column for state in support for column, _ in matrix[state])
        if reached:
            yield letter, reached


def _keeping(system: LabelledSystem) -> Sequence[frozenset[int]]:
    """The states from which no mass is lost over the letters that answer an input, for each input."""
    everywhere = frozenset(range(system.size))
    if system.stochastic:
        return (everywhere,)
    letters: dict[int, list[int]] = {}
    for letter in range(len(system.letters)):
        letters.setdefault(-1 if system.inputs is None else system.inputs[letter], []).append(letter)
    found = []
    for answers in letters.values():
        rows = ([entry for letter in answers for _, entry in system.matrices[letter][s]] for s in range(system.size))
        found.append(frozenset(state for state, row in enumerate(rows) if sum(row, Fraction(0)) == 1))
    return found


def _repeats(number: int, parents: Sequence[int], supports: Sequence[frozenset[int]]) -> bool:
    """Whether a word begins with another after which the same states are possible."""
    support, number = supports[number], parents[number]
    while number >= 0:
        if supports[number] == support:
            return True
        number = parents[number]
    return False


class _Quiet:
    """Which states repeat one letter for ever."""

    def __init__(self, system: LabelledSystem) -> None:
        shown: dict[int, list[int]] = {}
        for letter, matrix in enumerate(system.matrices):
            for state, row in enumerate(matrix):
                if row:
                    shown.setdefault(state, []).append(letter if row == ((state, Fraction(1)),) else -1)
        self._letters = {state: found[0] for state, found in shown.items() if len(found) == 1 and found[0] >= 0}

    def is_over(self, support: frozenset[int]) -> bool:
        """Whether all that can still be seen is known."""
        letters = {self._letters.get(state, -1) for state in support}
        return len(letters) == 1 and -1 not in letters
