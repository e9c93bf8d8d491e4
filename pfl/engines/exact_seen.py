"""Two runs of an automaton of which words say more than an examiner sees: what he sees is searched besides.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from pfl.analysis.interleavings import SeenSearch, best_seen, seen_mass
from pfl.analysis.ratio.outcome import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled, Witness
from pfl.base.budget import Budget
from pfl.base.rational_function import RationalFunction
from pfl.engines.exact_runs import Problem
from pfl.ir.claims import Comparison
from pfl.ir.labelled_system import LabelledSystem, Vector
from pfl.transform.two_runs import side_by_side, starts

_SHORT = 3
"""Inputs of the runs that are looked at where their number is not bounded."""
_OPEN = (
    "an observer who also sees where among the data points a response comes could tell the runs apart; whether the "
    "examiner can is open"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """Everything that can be seen was gone through; there is no certificate of that."""

    @property
    def is_exhaustive(self) -> bool:
        return True

    def certificate(self) -> dict[str, Any]:
        raise ValueError("a compute has no certificate")


class SeenProblem:
    """One direction of a comparison: `plain` is about words, which bound what is seen."""

    def __init__(
        self, plain: Problem, comparison: Comparison, *, is_reversed: bool, most: int | None, budget: Budget
    ) -> None:
        """`most` is the number of inputs, None for any."""
        self._plain = plain
        self._comparison = comparison
        self._is_reversed = is_reversed
        self._most = most
        self._budget = budget

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded | Unsettled:
        del length, floor, most_kept  # a length of words is not one of inputs
        best = self._search.best
        return Exceeded(witness=best) if best.ratio is None else Unsettled(bound=Fraction(0), best=best, reason=_OPEN)

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
        return Unsettled(bound=Fraction(0), best=best, reason=_OPEN)

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        outcome = self._plain.check_every_length(bound, is_too_large)
        if isinstance(outcome, Settled):
            return outcome
        best = self._better(outcome.witness if isinstance(outcome, Exceeded) else outcome.best)
        if best.ratio is None or is_too_large(best.ratio):
            return Exceeded(witness=best)
        reason = _OPEN if isinstance(outcome, Exceeded) else outcome.reason
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
        runs = self._comparison.runs
        assert runs is not None, "the two runs are of an automaton"
        left, right = starts(runs)
        return side_by_side(runs), *((right, left) if self._is_reversed else (left, right))

    @cached_property
    def _search(self) -> SeenSearch:
        runs = self._comparison.runs
        assert runs is not None, "the two runs are of an automaton"
        extras = [runs.extra_letter(extra) for extra in range(len(runs.extras))]
        most = _SHORT if self._most is None else self._most
        return best_seen(*self._sides, extras, most, self._budget)
