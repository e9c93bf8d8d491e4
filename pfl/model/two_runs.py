"""Two runs of an automaton, put side by side: every word names a common prefix, the point in which the runs differ, and
what comes after it.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Exchange, LabelledSystem, Matrix, SparseRow, Vector

Adjacency: TypeAlias = Literal["insert", "replace"]


@struct(eq=False, cached=True)
class TwoRuns:
    """Two runs of an automaton whose inputs differ in one data point, as a labelled system compares them.

    `extras` are the ways in which they differ: numbers of data points (left, right), None for the run that has one
    point less, the right one unless they go both ways. The letters of the labelled system are, in this order: the data
    points; the extras; for each query its responses; for each query that is asked `y?`, accepted and not yet answered.
    Its states are those of the system three times: the left run before the extra point, the right one, and both after
    it.
    Source: docs/theory/noninterference.md.
    """

    system: InteractiveSystem
    adjacency: Adjacency
    extras: tuple[tuple[int | None, int | None], ...]

    @property
    def numbers(self) -> Iterator[Number]:
        """The numbers of its system: those of the two runs, without a need to put them side by side."""
        return self.system.numbers

    @property
    def goes_both_ways(self) -> bool:
        """Whether either run may get either point, so that one direction of a comparison is as good as both."""
        return bool(self.extras) and self.extras[0][::-1] in self.extras

    def sides(self, extra: int, state: int) -> tuple[SparseRow, SparseRow]:
        """What the left and the right run come to from a state by their points; no point leaves a state that waits."""
        one, other = self.extras[extra]
        return self._after(one, state), self._after(other, state)

    def _after(self, data: int | None, state: int) -> SparseRow:
        if data is not None:
            return self.system.data_moves[data][state]
        return ((state if self.system.waits(state) else self.system.bottom, Fraction(1)),)

    def data_letter(self, data: int) -> int:
        """The letter of a data point that both runs get, by its number."""
        return data

    def extra_letter(self, extra: int) -> int:
        """The letter of a way in which the runs differ, by its number in `extras`."""
        return len(self.system.data) + extra

    def answer_letter(self, query: int, answer: int) -> int:
        """The letter of a response to a query, by the numbers of both."""
        before = sum(len(answers) for answers in self.system.answers[:query])
        return len(self.system.data) + len(self.extras) + before + answer

    def accepted_letter(self, query: int) -> int:
        """The letter `y?`."""
        return self.answer_letter(len(self.system.queries), query)

    def before(self, state: int, *, left: bool) -> int:
        """The state of the labelled system in which a run is before the extra point."""
        return state if left else self.system.size + state

    def after(self, state: int) -> int:
        """The state of the labelled system in which either run is after the extra point."""
        return 2 * self.system.size + state

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters in words; what the examiner does not see is in brackets."""
        return tuple(f"[{each.given}]" if each.seen is None else each.seen for each in self.exchanges)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What of each letter is an input, and what the examiner sees of it."""
        both_ways = self.goes_both_ways
        extras = (Exchange(self._extra_name(*points, both_ways=both_ways), None) for points in self.extras)
        moves = [exchange for exchange, _ in self.system.moves]
        count = len(self.system.data)
        return (*moves[:count], *extras, *moves[count:])

    def _extra_name(self, left: int | None, right: int | None, *, both_ways: bool) -> str:
        one, other = ("nothing" if point is None else self.system.data[point] for point in (left, right))
        return f"extra {one}" if right is None and not both_ways else f"{one} against {other}"

    @cached_property
    def side_by_side(self) -> LabelledSystem:
        """The labelled system of 3 |S| states whose words are seen of both runs, with the extra point as a letter.

        mass(left start, w) is the probability of w in the run that gets the left point of the extra letter of w, and
        mass(right start, w) in the other. Rows do not sum to 1: several inputs are possible, and bottom answers no
        query.
        """
        system = self.system
        moves = [_in_every_run(system, matrix) for _, matrix in system.moves]
        extras = [_extra(self, extra) for extra in range(len(self.extras))]
        matrices = [*moves[: len(system.data)], *extras, *moves[len(system.data) :]]
        names = ("before the point, left", "before the point, right", "after it")
        return LabelledSystem(
            states=tuple(f"{state} ({when})" for when in names for state in system.states),
            letters=self.letters,
            matrices=tuple(matrices),
            stochastic=False,
            inputs=tuple(_inputs(self)),
            exchanges=self.exchanges,
        )

    @property
    def starts(self) -> tuple[Vector, Vector]:
        """The start vectors of the left and the right run; shapes 3 |S|."""
        nothing = (Fraction(0),) * self.system.size
        return (*self.system.start, *nothing, *nothing), (*nothing, *self.system.start, *nothing)


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
