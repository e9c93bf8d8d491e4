"""Whether two starts of a labelled system make every word equally likely, and otherwise a word that they do not.

Source: Tzeng, A polynomial-time algorithm for the equivalence of probabilistic automata, SIAM J. Comput. 21 (1992);
docs/theory/refinement.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.ratio.certificate import ClosureText, Terms
from pfl.analysis.ratio.integer_system import Word
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Vector

Sparse: TypeAlias = dict[int, Number]


@struct(eq=False)
class Equality:
    """`basis` spans all differences (left - right) M_w, and the mass of each of its vectors is 0."""

    system: LabelledSystem
    difference: Sparse
    basis: _Basis

    def certificates(self, budget: Budget) -> tuple[dict[str, Any], dict[str, Any]]:
        """Closure certificates that neither start has more mass than the other for any word: the vectors of the basis
        and their opposites, of which every difference is a sum. The numbers must be constants. Raises LimitReached."""
        rows = [_exact(row) for row in self.basis.rows.values()]
        opposite = [{column: -weight for column, weight in row.items()} for row in rows]
        text = ClosureText([*rows, *opposite])

        def covered(vector: Mapping[int, Fraction], sign: int) -> dict[str, Any]:
            """A combination, in which a vector with a factor below 0 gives way to its opposite."""
            budget.check("all words were found equally likely, before the proof was written")
            terms: Terms = [
                (place if sign * factor > 0 else place + len(rows), abs(factor))
                for place, factor in self.basis.factors(vector)
            ]
            return text.covered(terms, {column: sign * weight for column, weight in vector.items()})

        letters = range(len(self.system.letters))
        steps = [
            [covered(_exact(_moved(self.system, dict(row), letter)), sign) for letter in letters]
            for sign in (1, -1)
            for row in rows
        ]
        start = _exact(self.difference)
        one, other = (text.certificate(Fraction(1), covered(start, sign), steps) for sign in (1, -1))
        return one, other


def first_difference(system: LabelledSystem, left: Vector, right: Vector, budget: Budget) -> Word | Equality:
    """A shortest word with different masses; where there is none, why.

    Goes through words breadth first, but only on from those with a difference (left - right) M_w that is linearly
    independent of those before: at most |S| of them. With parameters all of that is over the field of rational
    functions, so equal masses are equal for all their values. Raises LimitReached.
    """
    difference: Sparse = {
        state: weight for state, (one, other) in enumerate(zip(left, right)) if (weight := one - other)
    }
    basis = _Basis()
    basis.add(difference)
    pending: list[tuple[Word, Sparse]] = [((), difference)]
    for number, (word, vector) in enumerate(pending):
        if number % 64 == 0:
            budget.check(f"{number:,} independent words of at most {system.size:,}")
        for letter in range(len(system.letters)):
            after = _moved(system, vector, letter)
            if sum(after.values(), Fraction(0)):
                return (*word, letter)
            if basis.add(after):
                pending.append(((*word, letter), after))
    return Equality(system=system, difference=difference, basis=basis)


class _Basis:
    """Vectors, reduced so that each has a first column of its own, with entry 1."""

    def __init__(self) -> None:
        self.rows: dict[int, Sparse] = {}
        self._places: dict[int, int] = {}

    def add(self, vector: Mapping[int, Number]) -> bool:
        """Whether the vector is independent of those before; then it is kept."""
        rest, _ = self._reduced(vector)
        if not rest:
            return False
        pivot = min(rest)
        self._places[pivot] = len(self.rows)
        self.rows[pivot] = {column: weight / rest[pivot] for column, weight in rest.items()}
        return True

    def factors(self, vector: Mapping[int, Fraction]) -> list[tuple[int, Fraction]]:
        """The vector, which must be in the span, as a sum of rows: their places with factors."""
        rest, used = self._reduced(vector)
        assert not rest, "the basis spans it"
        return [(self._places[pivot], factor) for pivot, factor in _exact(used).items()]

    def _reduced(self, vector: Mapping[int, Number]) -> tuple[Sparse, Sparse]:
        """What is left of a vector, and the factors of the rows, by their first columns, that were taken away."""
        rest, used = dict(vector), {}
        while rest:
            pivot = min(rest)
            row = self.rows.get(pivot)
            if row is None:
                break
            factor = used[pivot] = rest[pivot]
            for column, weight in row.items():
                left = rest.get(column, Fraction(0)) - factor * weight
                if left:
                    rest[column] = left
                else:
                    rest.pop(column, None)
        return rest, used


def _moved(system: LabelledSystem, vector: Sparse, letter: int) -> Sparse:
    matrix = system.matrices[letter]
    result: Sparse = {}
    for state, weight in vector.items():
        for column, entry in matrix[state]:
            result[column] = (result[column] if column in result else Fraction(0)) + weight * entry
    return {column: weight for column, weight in result.items() if weight}


def _exact(vector: Mapping[int, Number]) -> dict[int, Fraction]:
    constants = {column: weight for column, weight in vector.items() if isinstance(weight, Fraction)}
    assert len(constants) == len(vector), "the numbers are constants"
    return constants
