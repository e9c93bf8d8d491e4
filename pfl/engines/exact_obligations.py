"""The obligations of a question with constant numbers: every direction of every comparison, equal ones once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.ratio.obligation import Obligation
from pfl.analysis.ratio.outcome import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled
from pfl.analysis.ratio.question import Ratios
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.engines.answer import Violation
from pfl.engines.exact_runs import CoupledProblem, Problem, RunProblems
from pfl.engines.exact_seen import SeenProblem
from pfl.ir.claims import Comparison, Indistinguishability

_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """One direction of one comparison. Tasks of the same `key` and epsilon have the same answer."""

    comparison: int
    reversed: bool
    key: tuple[object, ...]
    problem: Problem
    epsilon: Epsilon | None
    bindings: tuple[tuple[str, str], ...]

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

    def violation(self, *words: tuple[int, ...]) -> Violation:
        """The words as what this direction fails on, or attains its largest ratio with."""
        return Violation(comparison=self.comparison, reversed=self.reversed, words=words)


def tasks(question: Indistinguishability, budget: Budget) -> list[Task]:
    """Left against right of every comparison, each followed by right against left unless it is one way."""
    ratios = Ratios(budget=budget)
    of_runs = RunProblems(budget)
    found = []
    for index, comparison in enumerate(question.comparisons):
        for is_reversed in (False,) if comparison.one_way else (False, True):
            known = of_runs.problem(comparison, is_reversed)
            problem, key = known or _ratio_problem(comparison, is_reversed, ratios, budget)
            if comparison.interleaved:
                most = None if question.claimed_lengths == "any" else max(question.claimed_lengths)
                problem = SeenProblem(problem, comparison, is_reversed=is_reversed, most=most, budget=budget)
            found.append(
                Task(
                    comparison=index,
                    reversed=is_reversed,
                    key=key,
                    problem=problem,
                    epsilon=comparison.epsilon,
                    bindings=comparison.bindings,
                )
            )
    return found


def _ratio_problem(
    comparison: Comparison, is_reversed: bool, ratios: Ratios, budget: Budget
) -> tuple[Problem, tuple[object, ...]]:
    """The problem of one direction, and what identifies it."""
    left, right = weighted(comparison)
    sides = (right, left) if is_reversed else (left, right)
    obligation = ratios.obligation(comparison.system, *sides)
    problem: Problem = RatioProblem(ratios=ratios, obligation=obligation)
    if comparison.unwindable is not None:
        problem = CoupledProblem(problem, comparison.unwindable, is_reversed=is_reversed, budget=budget)
    return problem, (id(obligation.part), obligation.left, obligation.right)


def weighted(comparison: Comparison) -> tuple[Sequence[Number], Sequence[Number]]:
    """Both starts as distributions: divided by their weights, which are not 0."""
    sides = (comparison.left, comparison.right)
    left, right = (side.start if side.weight == 1 else [entry / side.weight for entry in side.start] for side in sides)
    return left, right
