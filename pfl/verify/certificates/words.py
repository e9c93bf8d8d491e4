"""The words that must be looked at, so that nothing is missed, and their masses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import Lengths
from pfl.model.labelled_system import LabelledSystem, sparse
from pfl.verify.certificates.certificate_format import Unshown

Word: TypeAlias = tuple[int, ...]
States: TypeAlias = frozenset[int]

MOST_WORDS = 1_000_000


@struct(eq=False)
class Words:
    """Words of a system as a tree: word i is word `parents[i]` and the letter `letters[i]`; word 0 is empty.

    `leaves` are words of which none begins another; every other word begins one, is begun by one, or has no mass.
    `lossy` are those before them whose masses may not be the sums of the masses of longer ones, whatever is asked.
    """

    system: LabelledSystem
    parents: Sequence[int]
    letters: Sequence[int]
    leaves: Sequence[int]
    lossy: Sequence[int]

    def word(self, number: int) -> Word:
        """The letters of a word."""
        found = []
        while number:
            found.append(self.letters[number])
            number = self.parents[number]
        return tuple(reversed(found))

    def masses(self, start: Sequence[Number], budget: Budget) -> dict[int, Number]:
        """The masses of leaves and lossy words, where they are not 0."""
        vectors: list[dict[int, Number]] = [dict(sparse(start))]
        for number in range(1, len(self.parents)):
            if number % 1024 == 0:
                budget.check(f"the masses of {number:,} words were added up")
            vectors.append(_after(self.system, vectors[self.parents[number]], self.letters[number]))
        totals = ((number, self._total(vectors[number])) for number in (*self.leaves, *self.lossy))
        return {number: total for number, total in totals if total}

    def _total(self, vector: dict[int, Number]) -> Number:
        final = self.system.final
        return sum((w if final is None else w * final[state] for state, w in vector.items()), Fraction(0))


def _after(system: LabelledSystem, vector: dict[int, Number], letter: int) -> dict[int, Number]:
    found: dict[int, Number] = {}
    for state, weight in vector.items():
        for column, entry in system.matrices[letter][state]:
            found[column] = found.get(column, Fraction(0)) + weight * entry
    return found


def words_of(system: LabelledSystem, starts: Iterable[Sequence[Number]], lengths: Lengths, budget: Budget) -> Words:
    """The words from some starts, up to a length, or until all runs only repeat one letter.

    Raises Unshown for too many, and where some runs never do so; LimitReached.
    """
    longest = None if lengths == "any" else max(lengths, default=0)
    first = frozenset(state for start in starts for state, _ in sparse(start))
    keeping = _keeping(system)
    parents, letters, depths, supports = [0], [-1], [0], [first]
    leaves, lossy = [], []
    number = 0
    while number < len(parents):
        support, depth = supports[number], depths[number]
        if depth == longest or _is_over(system, support):
            leaves.append(number)
        else:
            if number % 1024 == 0:
                budget.check(f"{number:,} words were gone through")
            if longest is None and _repeats(number, parents, supports):
                raise Unshown("runs may go on without end")
            if not any(support <= states for states in keeping):
                lossy.append(number)
            for letter, reached in _onward(system, support):
                parents.append(number)
                letters.append(letter)
                depths.append(depth + 1)
                supports.append(reached)
            if len(parents) > MOST_WORDS:
                raise Unshown(f"there are more than {MOST_WORDS:,} words")
        number += 1
    return Words(system=system, parents=parents, letters=letters, leaves=leaves, lossy=lossy)


def _onward(system: LabelledSystem, support: States) -> Iterator[tuple[int, States]]:
    for letter, matrix in enumerate(system.matrices):
        reached = frozenset(column for state in support for column, _ in matrix[state])
        if reached:
            yield letter, reached


def _is_over(system: LabelledSystem, support: States) -> bool:
    """Whether all states repeat the same letter, and stay where they are."""
    repeated = set()
    for state in support:
        rows = [(letter, matrix[state]) for letter, matrix in enumerate(system.matrices) if matrix[state]]
        if len(rows) != 1 or rows[0][1] != ((state, Fraction(1)),):
            return False
        repeated.add(rows[0][0])
    return len(repeated) == 1


def _repeats(number: int, parents: Sequence[int], supports: Sequence[States]) -> bool:
    """Whether the same states were possible before."""
    support = supports[number]
    while number:
        number = parents[number]
        if supports[number] == support:
            return True
    return False


def _keeping(system: LabelledSystem) -> list[States]:
    """For each input that may be given, the states from which its letters lose no mass."""
    inputs = system.inputs or (-1,) * len(system.letters)
    final = system.final or (Fraction(1),) * system.size
    found = []
    for given in sorted(set(inputs)):
        matrices = [matrix for matrix, answered in zip(system.matrices, inputs) if answered == given]
        kept = set()
        for state in range(system.size):
            entries = [entry for matrix in matrices for entry in matrix[state]]
            if sum((weight * final[column] for column, weight in entries), Fraction(0)) == final[state]:
                kept.add(state)
        found.append(frozenset(kept))
    return found
