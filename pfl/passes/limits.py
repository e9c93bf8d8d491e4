"""A labelled system that counts the outputs of a run itself, where letters may show none.

Source: docs/theory/exploration.md.

A labelled system that counts the inputs of a run itself, where a length cannot: responses are letters, too.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import Lengths
from pfl.model.labelled_system import LabelledSystem, Matrix, SparseRow, Vector

OVER = "(enough was seen)"
"""The state of a run whose last output that counts was seen; it has no letter."""


@struct
class Counted:
    """Letters of a system that show no output, and those that show that no output will come any more."""

    without_output: frozenset[int]
    ends: frozenset[int]


@struct(eq=False, cached=True)
class LimitedOutputs:
    """`system` has a state for each state of another one with the number of outputs that are still to be seen.

    A word has the mass that it has there if it comes to an end with its last output that counts, else none. `index`
    are the states by (state, outputs to be seen).
    """

    system: LabelledSystem
    index: dict[tuple[int, int], int]

    def start(self, start: Vector, outputs: int) -> Vector:
        """A start of the other system, of which so many outputs are seen; shape |S|."""
        if not outputs:
            return self.system.vector([(self.system.size - 1, sum(start, Fraction(0)))])
        return self.system.vector((self.index[state, outputs], weight) for state, weight in enumerate(start) if weight)

    @cached_property
    def longest(self) -> Lengths:
        """One length that no word has more letters than, `any` where there is none."""
        longest = _longest_path(_successors(self.system))
        return "any" if longest is None else (longest,)


def limit_outputs(
    system: LabelledSystem, counted: Counted, starts: Sequence[tuple[Vector, int]], budget: Budget
) -> LimitedOutputs:
    """The system from some starts, each with how many outputs of it are seen. Raises LimitReached."""
    index: dict[tuple[int, int], int] = {}
    for start, outputs in starts:
        for state, weight in enumerate(start):
            if weight and outputs:
                index.setdefault((state, outputs), len(index))
    rows: list[dict[int, list[tuple[tuple[int, int] | None, Number]]]] = []
    pending = list(index)
    for state, outputs in pending:
        row: dict[int, list[tuple[tuple[int, int] | None, Number]]] = {}
        for letter, matrix in enumerate(system.matrices):
            left = outputs if letter in counted.without_output else 0 if letter in counted.ends else outputs - 1
            for target, weight in matrix[state]:
                following = (target, left) if left else None
                if following is not None and following not in index:
                    index[following] = len(index)
                    pending.append(following)
                row.setdefault(letter, []).append((following, weight))
        rows.append(row)
        if len(rows) % 256 == 0:
            budget.check(f"{len(rows):,} states that count outputs")
        if len(index) > budget.max_states:
            raise LimitReached(
                f"counting outputs takes more than {budget.max_states:,} states; try a smaller `length`, or a larger "
                "--max-states"
            )
    over = len(index)
    matrices: list[Matrix] = []
    for letter in range(len(system.letters)):
        matrices.append((*(_row(row.get(letter, ()), index, over) for row in rows), ()))
    names = (f"{system.states[state]}, {outputs} to be seen" for state, outputs in index)
    return LimitedOutputs(
        system=replace(system, states=(*names, OVER), matrices=tuple(matrices), stochastic=False), index=index
    )


def _row(
    entries: Iterable[tuple[tuple[int, int] | None, Number]], index: dict[tuple[int, int], int], over: int
) -> SparseRow:
    total: dict[int, Number] = {}
    for following, weight in entries:
        target = over if following is None else index[following]
        total[target] = total[target] + weight if target in total else weight
    return tuple(sorted(total.items()))


def _successors(system: LabelledSystem) -> list[set[int]]:
    return [{target for matrix in system.matrices for target, _ in matrix[state]} for state in range(system.size)]


def _longest_path(successors: Sequence[set[int]]) -> int | None:
    """The number of steps of the longest path, None where there is a cycle."""
    open_ = [len(targets) for targets in successors]
    before: list[list[int]] = [[] for _ in successors]
    for state, targets in enumerate(successors):
        for target in targets:
            before[target].append(state)
    steps = [0] * len(successors)
    pending = [state for state, count in enumerate(open_) if not count]
    for state in pending:
        for earlier in before[state]:
            steps[earlier] = max(steps[earlier], steps[state] + 1)
            open_[earlier] -= 1
            if not open_[earlier]:
                pending.append(earlier)
    return max(steps, default=0) if len(pending) == len(successors) else None


def limit_inputs(system: LabelledSystem, counted: frozenset[int], most: int) -> LabelledSystem:
    """The system of (most + 1) |S| states whose words with more than `most` of the `counted` letters have no mass.

    All other words keep their mass from `first_of(start, most)`.
    """
    matrices = tuple(
        _counting(matrix, most) if letter in counted else _anywhere(matrix, most)
        for letter, matrix in enumerate(system.matrices)
    )
    states = tuple(f"{state} after {count} inputs" for count in range(most + 1) for state in system.states)
    return replace(system, states=states, matrices=matrices)


def first_of(start: Vector, most: int) -> Vector:
    """A start of the system, before any input."""
    return (*start, *(0 * entry for _ in range(most) for entry in start))


def _counting(matrix: Matrix, most: int) -> Matrix:
    nothing: Matrix = ((),) * len(matrix)
    return tuple(row for count in range(most) for row in _moved(matrix, count + 1)) + nothing


def _anywhere(matrix: Matrix, most: int) -> Matrix:
    return tuple(row for count in range(most + 1) for row in _moved(matrix, count))


def _moved(matrix: Matrix, count: int) -> list[SparseRow]:
    shift = count * len(matrix)
    return [tuple((column + shift, weight) for column, weight in row) for row in matrix]
