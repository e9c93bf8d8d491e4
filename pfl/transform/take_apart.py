"""An interactive system whose queries and responses take turns, with each response as a letter of its own.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pfl.base.number import Number
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.labelled_system import Matrix, SparseRow


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
