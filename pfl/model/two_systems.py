"""Two interactive systems with the same inputs as one labelled system. Source: docs/theory/refinement.md.

An interactive system whose queries and responses take turns, with each response as a letter of its own.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Exchange, LabelledSystem, Matrix, SparseRow, Vector


@struct(eq=False, cached=True)
class TwoSystems:
    """Two interactive systems with the same inputs, of which one is said to do what the other does; `names` are theirs,
    in the model's words."""

    concrete: InteractiveSystem
    abstract: InteractiveSystem
    names: tuple[str, str]

    @property
    def systems(self) -> tuple[InteractiveSystem, InteractiveSystem]:
        """The concrete system, then the abstract one."""
        return self.concrete, self.abstract

    @cached_property
    def _joined(self) -> tuple[LabelledSystem, Vector, Vector]:
        return next_to_each_other(self.concrete, self.abstract)

    @property
    def side_by_side(self) -> LabelledSystem:
        """The states of both, and a letter for whatever one of them can do."""
        return self._joined[0]

    @property
    def starts(self) -> tuple[Vector, Vector]:
        """The start vectors of the concrete and of the abstract one, in the states of both."""
        return self._joined[1:]


def take_apart(system: InteractiveSystem) -> InteractiveSystem:
    """The same system with states that are about to respond, one for each response and the state behind it."""
    if not system.takes_turns:
        return system
    waiting = system.bottom
    about = list(
        dict.fromkeys(
            (response, target)
            for answers in system.answers
            for response, matrix in answers
            for row in matrix
            for target, _ in row
        )
    )
    number = {each: waiting + place for place, each in enumerate(about)}
    bottom = waiting + len(about)
    silent: SparseRow = ((bottom, Fraction(1)),)

    def place(state: int) -> int:
        return bottom if state == system.bottom else state

    def after_data(moves: Matrix) -> Matrix:
        rows = (tuple((place(target), weight) for target, weight in row) for row in moves[:waiting])
        return (*rows, *[silent] * (len(about) + 1))

    def accepting(answers: tuple[tuple[str, Matrix], ...]) -> Matrix:
        rows = []
        for state in range(waiting):
            row: list[tuple[int, Number]] = [
                (number[response, target], weight) for response, matrix in answers for target, weight in matrix[state]
            ]
            never = 1 - sum((weight for _, weight in row), Fraction(0))
            rows.append(tuple(sorted([*row, (bottom, never)] if never else row)))
        return (*rows, *[()] * (len(about) + 1))

    def responding(response: str) -> Matrix:
        rows = (((place(target), Fraction(1)),) if shown == response else () for shown, target in about)
        return (*[()] * waiting, *rows, ())

    return replace(
        system,
        states=(*system.states[:waiting], *(f"about to respond {r}" for r, _ in about), system.states[-1]),
        start=(*system.start[:waiting], *[Fraction(0)] * len(about), system.start[-1]),
        data_moves=tuple(map(after_data, system.data_moves)),
        queries=(*system.queries, ""),
        answers=(
            *((("", accepting(answers)),) for answers in system.answers),
            tuple((response, responding(response)) for response in dict.fromkeys(r for r, _ in about)),
        ),
        values=(),
        responding=frozenset(number.values()),
    )


def next_to_each_other(left: InteractiveSystem, right: InteractiveSystem) -> tuple[LabelledSystem, Vector, Vector]:
    """The states of both, a letter for whatever one of them can do, and the start of each.

    Where queries and responses take turns in only one of them, they are letters of their own in both.
    """
    if left.takes_turns != right.takes_turns:
        left, right = take_apart(left), take_apart(right)
    one, other = dict(left.moves), dict(right.moves)
    exchanges = tuple(dict.fromkeys((*other, *one)))
    system = LabelledSystem(
        states=(*left.states, *right.states),
        letters=tuple(f"[{each.given}]" if each.seen is None else each.seen for each in exchanges),
        matrices=tuple(
            (*_rows(one, exchange, left.size), *_shifted(_rows(other, exchange, right.size), left.size))
            for exchange in exchanges
        ),
        stochastic=False,
        exchanges=exchanges,
    )
    nothing, missing = (Fraction(0),) * left.size, (Fraction(0),) * right.size
    return system, (*left.start, *missing), (*nothing, *right.start)


def _rows(moves: dict[Exchange, Matrix], exchange: Exchange, size: int) -> Matrix:
    return moves.get(exchange, ((),) * size)


def _shifted(matrix: Matrix, by: int) -> Matrix:
    return tuple(tuple((column + by, weight) for column, weight in row) for row in matrix)
