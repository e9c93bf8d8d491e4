"""Two runs of an automaton: largest products over pairs of states, and unwinding where the ratio engine stays open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from pfl.analysis.ratio.outcome import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled
from pfl.analysis.unwinding.coupled import proved_by
from pfl.analysis.unwinding.lifting import Couplings
from pfl.analysis.unwinding.moves import Moves, single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.ir.claims import Comparison
from pfl.ir.interactive import InteractiveSystem, TwoRuns


class Problem(Protocol):
    """One obligation with the means to settle it; the methods are those of `Ratios`, about this obligation."""

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        """The largest ratio above `floor` over words of at most `length` letters."""

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        """Whether all ratios are at most `bound`, or above it but not too large."""

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        """The least bound above `floor` that could be proved for every length, with the best word found."""

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        """Whether all ratios, at every length, are at most `bound`, or above it but not too large."""


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoupledProblem:
    """The problem of two runs whose states are not fixed by what is seen: `plain` first; for every length, an unwinding
    by couplings where that stays open or leaves a gap."""

    plain: Problem
    runs: TwoRuns
    is_reversed: bool
    budget: Budget

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        return self.plain.largest(length, floor, most_kept=most_kept)

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        return self.plain.check(length, bound, is_too_large)

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        outcome = self.plain.largest_of_every_length(floor)
        match outcome:
            case Settled(bound=bound, best=best) if best is None or best.ratio == bound:
                return outcome
            case Settled(bound=bound):
                coupled = self._coupled(outcome)
                return coupled if coupled is not None and coupled.bound < bound else outcome
            case Unsettled():
                return self._coupled(outcome) or outcome
            case _:
                return outcome

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        outcome = self.plain.check_every_length(bound, is_too_large)
        if not isinstance(outcome, Unsettled):
            return outcome
        coupled = self._coupled(outcome)
        return outcome if coupled is None or is_too_large(coupled.bound) else coupled

    def _coupled(self, outcome: Settled | Unsettled) -> Settled | None:
        proof = proved_by(self.runs, Couplings(), is_reversed=self.is_reversed, budget=self.budget)
        if proof is None:
            return None
        seen = outcome.best.ratio if outcome.best is not None else None
        bound = proof.bound if seen is None else max(proof.bound, seen)
        return Settled(bound=bound, best=outcome.best, proof=replace(proof, bound=bound))
