"""Whether two interactive systems make every word equally likely, and otherwise a word that they do not.

Source: Tzeng, A polynomial-time algorithm for the equivalence of probabilistic automata, SIAM J. Comput. 21 (1992);
docs/theory/refinement.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.labelled_system import Matrix, SparseRow, Vector

Sparse: TypeAlias = dict[int, Number]
Step: TypeAlias = tuple[str, str | None]
"""A data point, with None; or a query and a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """After `path`, with what is seen by then equally likely in both systems, the masses differ by `step`.

    Step None: already those of `path`. `left` and `right` are the vectors of both systems after the path.
    """

    path: tuple[Step, ...]
    step: Step
    left: Sparse
    right: Sparse


def first_difference(left: InteractiveSystem, right: InteractiveSystem, budget: Budget) -> Difference | None:
    """A shortest word with different masses; None where there is none. Both have the same inputs.

    Goes through words breadth first, but only on from those whose joint vectors (v M_w, u N_w) are linearly independent
    of the ones before: at most |S| + |S'| of them. With parameters all of that is over the field of rational functions,
    so equal masses are equal for all their values. Raises LimitReached.
    """
    basis = _Basis(left.size)
    pending: list[tuple[tuple[Step, ...], Sparse, Sparse]] = [((), _sparse(left.start), _sparse(right.start))]
    basis.add(pending[0][1], pending[0][2])
    steps = list(_steps(left, right))
    for number, (path, v, u) in enumerate(pending):
        if number % 64 == 0:
            budget.check(f"{number:,} independent words of at most {left.size + right.size:,}")
        if left.asked and waiting(left, v) != waiting(right, u):
            return Difference(path=path, step=(left.asked[0], None), left=v, right=u)
        for step, mine, theirs in steps:
            after, other = _moved(v, mine), _moved(u, theirs)
            if _total(after) != _total(other):
                return Difference(path=path, step=step, left=v, right=u)
            if basis.add(after, other):
                pending.append(((*path, step), after, other))
    return None


def _steps(left: InteractiveSystem, right: InteractiveSystem) -> Iterator[tuple[Step, Matrix, Matrix]]:
    """Every data point, and every query with every response that one of the systems knows."""
    nothing: Matrix = ()
    moves = dict(zip(right.data, right.data_moves))
    for data, matrix in zip(left.data, left.data_moves):
        yield (data, None), matrix, moves[data]
    others = {query: dict(answers) for query, answers in zip(right.queries, right.answers)}
    for query, answers in zip(left.queries, left.answers):
        known = dict(answers)
        for response in dict.fromkeys((*known, *others[query])):
            yield (query, response), known.get(response, nothing), others[query].get(response, nothing)


def waiting(system: InteractiveSystem, vector: Sparse) -> Number:
    """The mass of the states that take inputs."""
    return sum((weight for state, weight in vector.items() if system.waits(state)), Fraction(0))


class _Basis:
    """Joint vectors, reduced so that each has a column of its own; scale is of no matter."""

    def __init__(self, shift: int) -> None:
        self._shift = shift
        self._rows: dict[int, Sparse] = {}

    def add(self, left: Sparse, right: Sparse) -> bool:
        """Whether the vector is independent of those before; then it is kept."""
        vector = {**left, **{column + self._shift: weight for column, weight in right.items()}}
        while vector:
            pivot = min(vector)
            row = self._rows.get(pivot)
            if row is None:
                scale = vector[pivot]
                self._rows[pivot] = {column: weight / scale for column, weight in vector.items()}
                return True
            factor = vector[pivot]
            for column, weight in row.items():
                rest = vector.get(column, Fraction(0)) - factor * weight
                if rest:
                    vector[column] = rest
                else:
                    vector.pop(column, None)
        return False


def _total(vector: Sparse) -> Number:
    return sum(vector.values(), Fraction(0))


def _sparse(vector: Vector) -> Sparse:
    return {state: weight for state, weight in enumerate(vector) if weight}


def _moved(vector: Sparse, matrix: Sequence[SparseRow]) -> Sparse:
    result: Sparse = {}
    for state, weight in vector.items():
        for column, entry in matrix[state] if matrix else ():
            result[column] = (result[column] if column in result else Fraction(0)) + weight * entry
    return result
