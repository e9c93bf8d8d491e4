"""The obligations of a question with constant numbers: every direction of every comparison, equal ones once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.ratio.obligation import Obligation
from pfl.analysis.ratio.question import Ratios
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.engines.answer import Violation
from pfl.ir.claims import Comparison, Indistinguishability

_BITS = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Task:
    """One direction of one comparison. Tasks of the same `key` and epsilon have the same answer."""

    comparison: int
    reversed: bool
    obligation: Obligation
    epsilon: Epsilon | None
    bindings: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        return id(self.obligation.part), self.obligation.left, self.obligation.right

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


def tasks(question: Indistinguishability, ratios: Ratios) -> list[Task]:
    """Left against right of every comparison, each followed by right against left unless it is one way."""
    found = []
    for index, comparison in enumerate(question.comparisons):
        left, right = weighted(comparison)
        for is_reversed in (False,) if comparison.one_way else (False, True):
            sides = (right, left) if is_reversed else (left, right)
            found.append(
                Task(
                    comparison=index,
                    reversed=is_reversed,
                    obligation=ratios.obligation(comparison.system, *sides),
                    epsilon=comparison.epsilon,
                    bindings=comparison.bindings,
                )
            )
    return found


def weighted(comparison: Comparison) -> tuple[Sequence[Number], Sequence[Number]]:
    """Both starts as distributions: divided by their weights, which are not 0."""
    sides = (comparison.left, comparison.right)
    left, right = (side.start if side.weight == 1 else [entry / side.weight for entry in side.start] for side in sides)
    return left, right
