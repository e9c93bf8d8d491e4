"""Two runs of an automaton in which what is seen fixes the state: the largest ratio is a largest product over pairs."""

from __future__ import annotations

from pfl.analysis.unwinding.moves import Moves, single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.ir.claims import Comparison
from pfl.ir.interactive import InteractiveSystem


class RunProblems:
    """The obligations of comparisons of two runs; equal ones are one object."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._moves: dict[InteractiveSystem, Moves | None] = {}
        self._known: dict[tuple[object, ...], RunPairs] = {}

    def problem(self, comparison: Comparison, is_reversed: bool) -> tuple[RunPairs, tuple[object, ...]] | None:
        """The problem of one direction and what identifies it; None where pairs of states do not settle it."""
        runs = comparison.runs
        if runs is None:
            return None
        system = runs.system
        if system not in self._moves:
            self._moves[system] = single_moves(system)
        moves = self._moves[system]
        if moves is None:
            return None
        key = (system, runs.adjacency, is_reversed)
        if key not in self._known:
            self._known[key] = RunPairs(runs, moves, is_reversed=is_reversed, budget=self._budget)
        return self._known[key], key
