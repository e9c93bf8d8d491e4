"""Linear programs in floats, solved again and again as they grow; what they answer has to be checked exactly.

`highspy` is imported with this module, so import it only where a program is needed.
"""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from pfl.base.struct import struct

Floats = NDArray[np.float64]

_TOLERANCE = 1e-10
"""The smallest that the solver allows."""


@struct(eq=False)
class LinearSolution:
    """An optimum: its value, one entry a variable, one multiplier a row (what a unit more of its bound is worth)."""

    value: float
    variables: Floats
    multipliers: Floats


class LinearProgram:
    """maximise costs x, subject to low <= rows x <= high and x >= 0; keeps its basis between solutions."""

    def __init__(self) -> None:
        solver = _QuietHighs()
        for option, value in (
            ("presolve", "off"),
            ("solver", "simplex"),
            ("threads", 1),
            ("primal_feasibility_tolerance", _TOLERANCE),
            ("dual_feasibility_tolerance", _TOLERANCE),
        ):
            solver.setOptionValue(option, value)
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._solver: Any = solver
        self.rows = 0
        self.variables = 0

    def add_rows(self, coefficients: Floats, low: float, high: float | Floats) -> None:
        """One row for each row of `coefficients` (new rows x variables), all with the same bounds, or with one `high` a
        row."""
        count, width = coefficients.shape
        starts = np.arange(count, dtype=np.int32) * width
        indices = np.tile(np.arange(width, dtype=np.int32), count)
        self._solver.addRows(
            count, np.full(count, low), np.full(count, high), count * width, starts, indices, coefficients.ravel()
        )
        self.rows += count

    def add_variables(self, coefficients: Floats, first_row: int = 0) -> None:
        """One variable for each column of `coefficients` (rows from `first_row` on x new variables), of cost 0."""
        height, count = coefficients.shape
        starts = np.arange(count, dtype=np.int32) * height
        indices = np.tile(np.arange(first_row, first_row + height, dtype=np.int32), count)
        self._solver.addCols(
            count,
            np.zeros(count),
            np.zeros(count),
            np.full(count, np.inf),
            count * height,
            starts,
            indices,
            coefficients.T.ravel(),
        )
        self.variables += count

    def set_costs(self, costs: Floats) -> None:
        """One cost a variable."""
        self._solver.changeColsCost(self.variables, np.arange(self.variables, dtype=np.int32), costs)

    def solve(self) -> LinearSolution | None:
        """The optimum; None where there is none, or the solver gave up."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            self._solver.clearSolver()
            self._solver.run()
            if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
                return None
        solution = self._solver.getSolution()
        return LinearSolution(
            value=self._solver.getObjectiveValue(),
            variables=np.array(solution.col_value),
            multipliers=np.array(solution.row_dual),
        )


class _QuietHighs(highspy.Highs):  # type: ignore[misc]
    """A solver that prints nothing: the base class prints a line here, before its output can be turned off."""

    def enableCallbacks(self) -> None:
        self.silent()
