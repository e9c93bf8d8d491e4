"""Two runs of an automaton: largest products over pairs of states, and unwinding where the ratio engine stays open."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.unwinding.coupling_proof import CouplingProof
from pfl.analysis.unwinding.lifting import Couplings
from pfl.analysis.unwinding.moves import Moves, proved_by, single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.model.compare import Direction
from pfl.model.interactive import InteractiveSystem
from pfl.model.two_runs import TwoRuns

_MOST_WORK_OF_COUPLINGS = 40_000
"""Pairs of states times letters up to which an unwinding is tried first."""
_SHORT = 6
"""Inputs of the words that are looked at for one that attains the bound of an unwinding."""
_FEW = 200
"""Prefixes that may be kept for that."""


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

    def problem(self, direction: Direction) -> tuple[RunPairs, tuple[object, ...]] | None:
        """The problem of one direction and what identifies it; None where pairs of states do not settle it."""
        runs = direction.comparison.table.unwindable
        if runs is None:
            return None
        system = runs.system
        if system not in self._moves:
            self._moves[system] = single_moves(system)
        moves = self._moves[system]
        if moves is None:
            return None
        key = (system, runs.adjacency, direction.is_reversed)
        if key not in self._known:
            self._known[key] = RunPairs(runs, moves, is_reversed=direction.is_reversed, budget=self._budget)
        return self._known[key], key


class CoupledProblem:
    """The problem of two runs whose states are not fixed by what is seen.

    For every length an unwinding by couplings is tried first where it is cheap: a word that attains its bound, or a
    claim that allows it, settles the matter. Otherwise `plain` is asked, and the unwinding where that stays open.
    """

    def __init__(self, plain: Problem, runs: TwoRuns, *, is_reversed: bool, budget: Budget) -> None:
        self._plain = plain
        self._runs = runs
        self._is_reversed = is_reversed
        self._budget = budget
        system = runs.system
        self._is_cheap = system.size**2 * (len(system.data) + len(system.answer_letters)) <= _MOST_WORK_OF_COUPLINGS

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        return self._plain.largest(length, floor, most_kept=most_kept)

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        return self._plain.check(length, bound, is_too_large)

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        if self._is_cheap and self._proof is not None:
            settled = self._settled(self._proof, floor)
            if settled.proof.is_exhaustive:
                return settled
        outcome = self._plain.largest_of_every_length(floor)
        match outcome:
            case Settled(bound=bound, best=best) if best is None or best.ratio == bound:
                return outcome
            case Settled(bound=bound) if self._proof is not None and self._proof.bound < bound:
                return _coupled(self._proof, outcome.best, floor)
            case Unsettled() if self._proof is not None:
                return _coupled(self._proof, outcome.best, floor)
            case _:
                return outcome

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        best = self._best_of_short(None)
        if best is not None and (best.ratio is None or is_too_large(best.ratio)):
            return Exceeded(witness=best)
        if self._is_cheap and self._proof is not None and not is_too_large(self._proof.bound):
            return self._settled(self._proof, Fraction(0))
        outcome = self._plain.check_every_length(bound, is_too_large)
        if not isinstance(outcome, Unsettled) or self._proof is None or is_too_large(self._proof.bound):
            return outcome
        return _coupled(self._proof, outcome.best, Fraction(0))

    @cached_property
    def _proof(self) -> CouplingProof | None:
        return proved_by(self._runs, Couplings(), is_reversed=self._is_reversed, budget=self._budget)

    def _settled(self, proof: CouplingProof, floor: Fraction) -> Settled:
        """The bound of the unwinding with the best of the short words, which may attain it."""
        return _coupled(proof, self._best_of_short(proof.bound), floor)

    def _best_of_short(self, enough: Fraction | None) -> Witness | None:
        """The short word with the largest ratio, or the first with a ratio that is enough."""
        best: Witness | None = None
        for length in range(1, _SHORT + 1):
            outcome = self._plain.largest(length, Fraction(0), most_kept=_FEW)
            if isinstance(outcome, Exceeded):
                return outcome.witness
            best = outcome.best or best
            if isinstance(outcome, Unsettled) or (best is not None and best.ratio == enough):
                break
        return best


def _coupled(proof: CouplingProof, best: Witness | None, floor: Fraction) -> Settled:
    is_attained = best is not None and best.ratio == proof.bound >= floor
    bound = max(proof.bound, floor)
    return Settled(bound=bound, best=best, proof=replace(proof, bound=bound, is_attained=is_attained))
