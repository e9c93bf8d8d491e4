"""A harmless vector made larger, as far as what is known of one letter later allows.

Source: docs/theory/directed-search.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pfl.analysis.linear_program import LinearProgram
from pfl.analysis.ratio.float_rows import Floats
from pfl.analysis.ratio.integer_system import Integers, primitive

_ROOM = 4e-9
"""By how much every coordinate must grow at least, or the vector stays as it is."""
_BELOW_THE_LIMIT = 2e-9
_BITS = 48
"""After the point, of the coordinates of a vector that was made larger."""
_EVENLY = 1e-4
_FIRST_COLUMNS = 12
_NEW_COLUMNS = 8
_MOST_ROUNDS = 60
_TOLERANCE = 1e-9


def raised_within(values: Floats, steps: Sequence[Floats], frame: Floats, aim: Floats) -> tuple[Floats, Floats] | None:
    """The row above `values` that is largest on the future `aim`, such that after each of `steps` it is at most a
    combination of the rows of `frame`, with the multipliers of these (steps x rows); None where there is no room."""
    size, count = len(values), len(frame)
    lowest = values + _ROOM
    program = LinearProgram()
    program.add_variables(np.zeros((0, size)))
    program.add_rows(np.vstack([step.T for step in steps]), -np.inf, -np.concatenate([lowest @ step for step in steps]))
    for number in range(len(steps)):
        program.add_variables(-frame.T, first_row=number * size)
    program.set_costs(np.concatenate([aim + _EVENLY, np.zeros(len(steps) * count)]))
    solution = program.solve()
    if solution is None:
        return None
    growth = np.maximum(solution.variables[:size], 0.0)
    multipliers = np.maximum(solution.variables[size:], 0.0).reshape(len(steps), count)
    return lowest + growth - _BELOW_THE_LIMIT, multipliers


class LastLetters:
    """The same with so few letters left that the columns of all words are known (states x words)."""

    def __init__(self, columns: Floats) -> None:
        self._columns = columns / columns.max(axis=0)
        self._telling: list[int] = []

    def raised(self, values: Floats, aim: Floats) -> tuple[Floats, Floats] | None:
        """The row above `values` that is largest on `aim` and positive on no column, with no multipliers; None where
        there is no room."""
        lowest = values + _ROOM
        reached = lowest @ self._columns
        if (reached > 0).any():
            return None
        program = LinearProgram()
        program.add_variables(np.zeros((0, len(values))))
        program.set_costs(aim + _EVENLY)
        nearest = np.argsort(-reached, kind="stable")[:_FIRST_COLUMNS].tolist()
        new = sorted({*nearest, *self._telling[-_NEW_COLUMNS * _FIRST_COLUMNS :]})
        for _ in range(_MOST_ROUNDS):
            program.add_rows(self._columns[:, new].T, -np.inf, -reached[new])
            solution = program.solve()
            if solution is None:
                return None
            growth = np.maximum(solution.variables, 0.0)
            excess = (lowest + growth) @ self._columns
            worst = np.argsort(-excess, kind="stable")[:_NEW_COLUMNS]
            new = [int(column) for column in worst if excess[column] > _TOLERANCE]
            if not new:
                return lowest + growth - _BELOW_THE_LIMIT, np.zeros((0, 0))
            self._telling += [column for column in new if column not in self._telling]
        return None


def rounded(values: Floats, exponents: Sequence[int]) -> Integers:
    """The direction of the vector with these coordinates, rounded down to few bits, given the logarithms of scales."""
    largest = float(np.abs(values).max())
    steps = np.floor(np.ldexp(values / largest, _BITS))
    return primitive([int(step) << -exponent for step, exponent in zip(steps.tolist(), exponents)])
