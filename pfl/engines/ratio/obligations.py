"""The obligations of a question with constant numbers: every direction of every comparison, equal ones once.

Two runs of an automaton of which words say more than an examiner sees: what he sees is searched besides.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from pfl.analysis.interleavings import SeenSearch, best_seen, seen_mass
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Obligation, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.ratio.question import Ratios
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import MORE_THAN_SEEN
from pfl.engines.obligation import Directed
from pfl.engines.ratio.runs import CoupledProblem, Problem, RunProblems
from pfl.model.compare import Compare, Direction
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.two_runs import TwoRuns

_SHORT = 3
"""Inputs of the runs that are looked at where their number is not bounded."""


@struct
class _Looked:
    """Everything that can be seen was gone through; there is no certificate of that."""

    @property
    def is_exhaustive(self) -> bool:
        return True

    def certificate(self) -> dict[str, Any]:
        raise ValueError("a compute has no certificate")


class SeenProblem:
    """One direction of a comparison: `plain` is about words, which bound what is seen."""

    def __init__(self, plain: Problem, runs: TwoRuns, *, is_reversed: bool, most: int | None, budget: Budget) -> None:
        """`most` is the number of inputs, None for any."""
        self._plain = plain
        self._runs = runs
        self._is_reversed = is_reversed
        self._most = most
        self._budget = budget

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        del length, floor, most_kept  # a length of words is not one of inputs
        best = self._search.best
        return (
            Exceeded(witness=best)
            if best.ratio is None
            else Unsettled(bound=Fraction(0), best=best, reason=MORE_THAN_SEEN)
        )

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        del length, bound, is_too_large
        raise AssertionError("lengths are counted by the system itself")

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        outcome = self._plain.largest_of_every_length(floor)
        known = None if isinstance(outcome, Exceeded | Unbounded) else outcome.best
        if isinstance(outcome, Settled) and (known is None or self._seen(known).ratio == outcome.bound):
            return outcome
        search = self._search
        if search.best.ratio is None:
            return Exceeded(witness=search.best)
        if search.is_complete and self._most is not None:
            return Settled(bound=max(search.best.ratio, floor), best=search.best, proof=_Looked())
        words = outcome.witness if isinstance(outcome, Exceeded | Unbounded) else outcome.best
        best = self._better(words)
        if isinstance(outcome, Settled):
            return Settled(bound=outcome.bound, best=best, proof=outcome.proof)
        return Unsettled(bound=Fraction(0), best=best, reason=MORE_THAN_SEEN)

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        outcome = self._plain.check_every_length(bound, is_too_large)
        if isinstance(outcome, Settled):
            return outcome
        best = self._better(outcome.witness if isinstance(outcome, Exceeded) else outcome.best)
        if best.ratio is None or is_too_large(best.ratio):
            return Exceeded(witness=best)
        reason = MORE_THAN_SEEN if isinstance(outcome, Exceeded) else outcome.reason
        return Unsettled(bound=bound, best=best, reason=reason)

    def _better(self, words: Witness | None) -> Witness:
        """What was found by words, as it is seen, or by the search."""
        best = self._search.best
        if words is None or best.ratio is None:
            return best
        seen = self._seen(words)
        return seen if seen.exceeds(best.ratio) else best

    def _seen(self, witness: Witness) -> Witness:
        """The word with the ratio of what is seen of it."""
        system, left, right = self._sides
        mass, other = (seen_mass(system, start, witness.word) for start in (left, right))
        ratio = mass / other if other else None
        assert not isinstance(ratio, RationalFunction), "the numbers are constants"
        return Witness(word=witness.word, ratio=ratio if mass else Fraction(0))

    @cached_property
    def _sides(self) -> tuple[LabelledSystem, Vector, Vector]:
        """The two runs without a count of their inputs, which changes no letters."""
        left, right = self._runs.starts
        return self._runs.side_by_side, *((right, left) if self._is_reversed else (left, right))

    @cached_property
    def _search(self) -> SeenSearch:
        extras = [self._runs.extra_letter(extra) for extra in range(len(self._runs.extras))]
        most = _SHORT if self._most is None else self._most
        return best_seen(*self._sides, extras, most, self._budget)


_BITS = 64


@struct(eq=False)
class RatioProblem:
    """An obligation about any labelled system, for the ratio engine."""

    ratios: Ratios
    obligation: Obligation

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        return self.ratios.largest(self.obligation, length, floor, most_kept=most_kept)

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        return self.ratios.check(self.obligation, length, bound, is_too_large)

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        return self.ratios.largest_of_every_length(self.obligation, floor)

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        return self.ratios.check_every_length(self.obligation, bound, is_too_large)


@struct(eq=False)
class Task(Directed):
    """An obligation, and the means to settle it. Tasks of the same `key` and epsilon have the same answer."""

    key: tuple[object, ...]
    problem: Problem

    def bound(self) -> Fraction:
        """e^eps where it is rational, else a short rational just below it."""
        assert self.epsilon is not None
        exact = self.epsilon.exact_exponential()
        if isinstance(exact, Fraction):
            return exact
        low, close = self.epsilon.lower_bound(_BITS), self.epsilon.lower_bound(2 * _BITS)
        return simplest_between(low, close) if low < close else low

    def is_too_large(self, ratio: Fraction) -> bool:
        """Whether the ratio is more than e^eps."""
        assert self.epsilon is not None
        return self.epsilon.compare(ratio) > 0


def tasks(question: Compare, budget: Budget) -> list[Task]:
    """Every direction of every comparison, in order."""
    ratios = Ratios(budget=budget)
    of_runs = RunProblems(budget)
    found = []
    for number, direction in enumerate(question.directions):
        budget.check(f"{number:,} of the comparisons, both ways, were prepared")
        table = direction.comparison.table
        problem, key = of_runs.problem(direction) or _ratio_problem(direction, ratios, budget)
        if table.interleaved and table.runs is not None:
            most = None if question.claimed_lengths == "any" else max(question.claimed_lengths)
            problem = SeenProblem(problem, table.runs, is_reversed=direction.is_reversed, most=most, budget=budget)
        found.append(Task(direction=direction, key=key, problem=problem))
    return found


def _ratio_problem(direction: Direction, ratios: Ratios, budget: Budget) -> tuple[Problem, tuple[object, ...]]:
    """The problem of one direction, and what identifies it."""
    runs = direction.comparison.table.unwindable
    obligation = ratios.obligation(direction.comparison.system, *weighted(direction))
    problem: Problem = RatioProblem(ratios=ratios, obligation=obligation)
    if runs is not None:
        problem = CoupledProblem(problem, runs, is_reversed=direction.is_reversed, budget=budget)
    return problem, (id(obligation.part), obligation.left, obligation.right)


def weighted(direction: Direction) -> tuple[Sequence[Number], Sequence[Number]]:
    """Both starts as distributions, the one above first: divided by their weights, which are not 0."""
    above, below = (
        side.vector if side.weight == 1 else [entry / side.weight for entry in side.vector]
        for side in (direction.above, direction.below)
    )
    return above, below
