"""Obligations settled by the cheapest method that can: plain enumeration first, the numerical search where it is too
long. What is worked out for a system is shared by all obligations about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING

from pfl.analysis.ratio.enumeration import Allowance, enumerate_ratios
from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Obligation, Settled, Unbounded, Unsettled
from pfl.analysis.ratio.prepared import Prepared
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

if TYPE_CHECKING:
    from pfl.analysis.ratio.bounded import BoundedSearch
    from pfl.analysis.ratio.every_length import EveryLength

_PLAIN_WORK_IN_ALL = 3_000_000
_PLAIN_WORK = 150_000
_PLAIN_WORK_TO_CLOSE = 20_000
_WORK_ON_LARGE_SYSTEMS = 10**9
_MOST_DENSE_ENTRIES = 20_000_000


@struct(eq=False, frozen=False)
class Ratios:
    """Answers about obligations, one after the other."""

    budget: Budget
    _prepared: Prepared = field(default_factory=Prepared)
    _plain: Allowance = field(default_factory=lambda: Allowance(left=_PLAIN_WORK_IN_ALL))
    _too_long: set[tuple[int, bool]] = field(default_factory=set)
    """Parts of systems (and whether for every length) whose enumeration was too long before."""

    def obligation(self, system: LabelledSystem, left: Sequence[Number], right: Sequence[Number]) -> Obligation:
        """mass(left, w) <= c mass(right, w) for the words of a system; numbers must be constants."""
        return self._prepared.obligation(system, left, right)

    def largest(
        self, task: Obligation, length: int, floor: Fraction, *, most_kept: int | None = None
    ) -> Settled | Exceeded | Unsettled:
        """The largest ratio above `floor` over words of at most `length` letters; `Exceeded` for an infinite one.

        `Unsettled` only once more than `most_kept` prefixes had to be kept.
        """
        plain = self._enumerated(task, length, floor)
        return plain or self._search(task, length, floor, None).settle(most_kept)

    def check(self, task: Obligation, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        """Whether all ratios are at most `bound`, or above it but not too large."""
        outcome = self._search(task, length, bound, is_too_large).settle(None)
        assert not isinstance(outcome, Unsettled)
        return outcome

    def largest_of_every_length(self, task: Obligation, floor: Fraction) -> Settled | Exceeded | Unsettled | Unbounded:
        """The least bound above `floor` that could be proved for every length, with the best word found."""
        plain = self._enumerated(task, None, floor)
        return plain or self._every_length(task, floor).interval()

    def check_every_length(
        self, task: Obligation, bound: Fraction, is_too_large: IsTooLarge
    ) -> Settled | Exceeded | Unsettled:
        """Whether all ratios, at every length, are at most `bound`, or above it but not too large."""
        plain = self._enumerated(task, None, Fraction(0))
        match plain:
            case Settled(bound=found, best=best) if best is not None and is_too_large(found):
                return Exceeded(witness=best)
            case Settled() | Exceeded():
                return plain
            case None:
                return self._every_length(task, bound).check(is_too_large)

    def _enumerated(self, task: Obligation, length: int | None, floor: Fraction) -> Settled | Exceeded | None:
        """What enumeration finds; None where it is too long. A system that is too large for dense matrices has no other
        method, so there it may take all the time there is."""
        kind = (id(task.part), length is None)
        is_large = task.part.size**2 * len(task.part.rows) > _MOST_DENSE_ENTRIES
        if kind in self._too_long or (self._plain.left <= 0 and not is_large):
            return None
        most = _PLAIN_WORK_TO_CLOSE if length is None else _PLAIN_WORK
        own = Allowance(left=_WORK_ON_LARGE_SYSTEMS if is_large else min(self._plain.left, most))
        before = own.left
        outcome = enumerate_ratios(task, length, floor, own, self.budget)
        self._plain.spend(before - max(own.left, 0))
        if outcome is None and is_large:
            raise LimitReached(
                f"the system has {task.part.size:,} states and too many prefixes to go through; try a smaller length"
            )
        if outcome is None:
            self._too_long.add(kind)
        return outcome

    def _search(self, task: Obligation, length: int, bound: Fraction, is_too_large: IsTooLarge | None) -> BoundedSearch:
        from pfl.analysis.ratio.bounded import BoundedSearch

        tools = self._prepared.tools(task.part)
        return BoundedSearch(task, tools, length=length, bound=bound, is_too_large=is_too_large, budget=self.budget)

    def _every_length(self, task: Obligation, bound: Fraction) -> EveryLength:
        from pfl.analysis.ratio.every_length import EveryLength

        return EveryLength(task, self._prepared.tools(task.part), bound=bound, budget=self.budget)
