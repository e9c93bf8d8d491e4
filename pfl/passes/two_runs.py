"""Two runs of an automaton, put side by side: every word names a common prefix, the point in which the runs differ, and
what comes after it.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from pfl.model.interactive import Adjacency, InteractiveSystem, TwoRuns
from pfl.model.labelled_system import LabelledSystem, Matrix, SparseRow, Vector


def two_runs(system: InteractiveSystem, adjacency: Adjacency, *, both_ways: bool = False) -> TwoRuns:
    """Runs that differ in one data point: there or not, or exchanged in place for another.

    With `both_ways` either run may get either point, as an adversary wants it who has seen something before.
    """
    numbers = range(len(system.data))
    extras: list[tuple[int | None, int | None]] = []
    extras += [(data, None) for data in numbers] if adjacency == "insert" else combinations(numbers, 2)
    if both_ways:
        extras += [(right, left) for left, right in extras]
    return TwoRuns(system=system, adjacency=adjacency, extras=tuple(extras))


def side_by_side(runs: TwoRuns) -> LabelledSystem:
    """The labelled system of 3 |S| states whose words are seen of both runs, with the extra point as a letter.

    mass(left start, w) is the probability of w in the run that gets the left point of the extra letter of w, and
    mass(right start, w) in the other. Rows do not sum to 1: several inputs are possible, and bottom answers no query.
    """
    system = runs.system
    moves = [_in_every_run(system, matrix) for _, matrix in system.moves]
    extras = [_extra(runs, extra) for extra in range(len(runs.extras))]
    matrices = [*moves[: len(system.data)], *extras, *moves[len(system.data) :]]
    names = ("before the point, left", "before the point, right", "after it")
    return LabelledSystem(
        states=tuple(f"{state} ({when})" for when in names for state in system.states),
        letters=runs.letters,
        matrices=tuple(matrices),
        stochastic=False,
        inputs=tuple(_inputs(runs)),
        exchanges=runs.exchanges,
    )


def starts(runs: TwoRuns) -> tuple[Vector, Vector]:
    """The start vectors of the left and the right run."""
    nothing = (Fraction(0),) * runs.system.size
    return (*runs.system.start, *nothing, *nothing), (*nothing, *runs.system.start, *nothing)


def _inputs(runs: TwoRuns) -> Iterator[int]:
    """The number of the input that each letter answers; a query of which no answer is waited for is one of its own."""
    given = len(runs.system.data) + len(runs.extras)
    queries = len(runs.system.queries)
    yield from range(given)
    for query, answers in enumerate(runs.system.answers):
        yield from (given + query for _ in answers)
    yield from range(given + queries, given + queries + len(runs.system.asked))


def _in_every_run(system: InteractiveSystem, matrix: Matrix) -> Matrix:
    return (*_shifted(matrix, 0), *_shifted(matrix, system.size), *_shifted(matrix, 2 * system.size))


def _extra(runs: TwoRuns, extra: int) -> Matrix:
    """The runs take their points and come to what is after; there no other point differs."""
    size = runs.system.size
    sides = [runs.sides(extra, state) for state in range(size)]
    nothing: Sequence[SparseRow] = ((),) * size
    after = 2 * size
    left, right = (tuple(side[which] for side in sides) for which in (0, 1))
    return (*_shifted(left, after), *_shifted(right, after), *nothing)


def _shifted(matrix: Matrix, by: int) -> Iterator[SparseRow]:
    return (tuple((column + by, weight) for column, weight in row) for row in matrix)
