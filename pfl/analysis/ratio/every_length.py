"""Words of every length: a closed set of vectors proves a bound, a word or a pump refutes one.

Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.ratio.bounded import BoundedSearch
from pfl.analysis.ratio.front import FrontSearch
from pfl.analysis.ratio.integer_system import Word
from pfl.analysis.ratio.obligation import Obligation
from pfl.analysis.ratio.outcome import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.ratio.prepared import Tools
from pfl.analysis.ratio.pumping import Pump, find_pump
from pfl.base.budget import Budget

_HORIZONS = (8, 32, 96)
_WIDTH = 12
_NEGLIGIBLE_GAIN = Fraction(1, 10**12)
_FAST_GROWTH = Fraction(1, 100)
_MOST_KEPT_IN_A_CHECK = 1_500
_MOST_KEPT = 400
_MOST_KEPT_AT_THE_BEST = 40
_MOST_RAISES = 12
_LOOSEST = (Fraction(1, 200), Fraction(1, 20), Fraction(1, 2), Fraction(9), Fraction(999))
_TIGHTER = (Fraction(1, 10**4), Fraction(1, 10**6), Fraction(1, 10**8), Fraction(1, 10**10))


class EveryLength:
    """Searches for one obligation over words of every length; `best` is the best word so far."""

    def __init__(self, task: Obligation, tools: Tools, *, bound: Fraction, budget: Budget) -> None:
        self._task = task
        self._tools = tools
        self._budget = budget
        self._floor = bound
        self._still_grows = False
        self.best: Witness | None = None

    def check(self, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        """Whether every ratio is at most `bound`; ratios above it that are not too large are allowed."""
        while True:
            if self._look_ahead(is_too_large):
                return Exceeded(witness=self._in_letters())
            search = FrontSearch(self._task, self._tools, length=None, bound=self._floor)
            above = self._close(search, _MOST_KEPT_IN_A_CHECK)
            if search.is_done and not above:
                best = self._in_letters() if self.best and self.best.ratio == self._floor else None
                return Settled(bound=self._floor, best=best, proof=search.proof())
            if above:
                self._take(above)
                if self._is_exceeded(is_too_large):
                    return Exceeded(witness=self._in_letters())
                continue
            pump = self._pump()
            if pump is not None:
                return Exceeded(witness=self._pumped(pump, is_too_large))
            kept = len(search.kept)
            reason = f"{kept} prefixes of up to {search.level} letters do not cover what follows them"
            return Unsettled(bound=self._floor, best=self._in_letters() if self.best else None, reason=reason)

    def interval(self) -> Settled | Exceeded | Unsettled | Unbounded:
        """The least bound that could be proved, with the best word found; `Exceeded` only for an infinite ratio.

        Ratios up to `bound` are of no interest. `Settled.best` is None where nothing is above it.
        """
        if self._look_ahead(None):
            return Exceeded(witness=self._in_letters())
        if self._still_grows and self._pump() is not None:
            return Unbounded(witness=self._in_letters())
        proved = self._proved_at(self._floor, _MOST_KEPT if self.best is None else _MOST_KEPT_AT_THE_BEST)
        for slack in () if proved else _LOOSEST:
            proved = self._proved_near(slack)
            if proved is not None or self._is_exceeded(None):
                break
            if slack == _LOOSEST[0] and self._pump() is not None:
                return Unbounded(witness=self._in_letters())
        if self._is_exceeded(None):
            return Exceeded(witness=self._in_letters())
        if proved is None:
            reason = "no bound could be proved for every length"
            return Unsettled(bound=self._floor, best=self._in_letters() if self.best else None, reason=reason)
        for slack in _TIGHTER:
            if proved.bound > self._floor * (1 + slack):
                better = self._proved_near(slack)
                if better is None:
                    break
                proved = better
        best = self._in_letters() if self.best is not None else None
        return Settled(bound=proved.bound, best=best, proof=proved.proof)

    def _proved_near(self, slack: Fraction) -> Settled | None:
        for _ in range(_MOST_RAISES):
            floor = self._floor
            bound = simplest_between(floor * (1 + slack / 2), floor * (1 + slack))
            proved = self._proved_at(bound, _MOST_KEPT)
            if proved is not None or self._floor == floor or self._is_exceeded(None):
                return proved
        return None

    def _proved_at(self, bound: Fraction, most: int) -> Settled | None:
        """A proof that no ratio is above the bound; a word above it raises the floor."""
        search = FrontSearch(self._task, self._tools, length=None, bound=bound)
        above = self._close(search, most)
        if above:
            self._take(above)
            self._look_ahead(None)
            return None
        return Settled(bound=bound, best=None, proof=search.proof()) if search.is_done else None

    def _pump(self) -> Pump | None:
        return find_pump(self._task, self.best.word if self.best else (), self._budget)

    def _close(self, search: FrontSearch, most: int) -> list[Word]:
        """Words above the bound, if there are any; else the search is done, or has kept too much."""
        while not search.is_done and len(search.kept) <= most:
            self._budget.check(f"{search.level} letters, with {len(search.kept)} prefixes kept")
            above = search.advance(self._budget)
            if above:
                return above
            self._budget.progress(f"{search.level} letters, {len(search.frontier)} prefixes open")
        return []

    def _look_ahead(self, is_too_large: IsTooLarge | None) -> bool:
        """Whether a beam search finds a ratio that is infinite or too large; it raises the floor in any case."""
        for horizon in _HORIZONS:
            search = self._bounded(horizon, is_too_large)
            search.look_for_more([()], _WIDTH)
            gain = self._adopt(search)
            if search.is_exceeded():
                return True
            self._still_grows = gain is None or gain > _FAST_GROWTH
            if gain is not None and gain < _NEGLIGIBLE_GAIN:
                break
        return False

    def _is_exceeded(self, is_too_large: IsTooLarge | None) -> bool:
        if self.best is None:
            return False
        ratio = self.best.ratio
        return ratio is None or (is_too_large is not None and is_too_large(ratio))

    def _take(self, words: list[Word]) -> None:
        search = self._bounded(max(len(word) for word in words), None)
        for word in words:
            search.take(word)
        self._adopt(search)

    def _bounded(self, length: int, is_too_large: IsTooLarge | None) -> BoundedSearch:
        return BoundedSearch(
            self._task, self._tools, length=length, bound=self._floor, is_too_large=is_too_large, budget=self._budget
        )

    def _adopt(self, search: BoundedSearch) -> Fraction | None:
        """Take over what a search found; how much it raised the floor, relatively, None where there was none."""
        if search.best is None:
            return Fraction(0)
        before, self.best, self._floor = self._floor, search.best, search.bound
        return (self._floor - before) / before if before else None

    def _pumped(self, pump: Pump, is_too_large: IsTooLarge) -> Witness:
        """The shortest repetition that is too large."""
        word = pump.first
        while True:
            self._budget.check(f"a word of {len(word)} letters that can be repeated")
            word = (*word, *pump.cycle)
            search = self._bounded(len(word), is_too_large)
            if search.take(word) and search.is_exceeded():
                self._adopt(search)
                return self._in_letters()

    def _in_letters(self) -> Witness:
        assert self.best is not None
        letters = self._task.part.letters
        return Witness(word=tuple(letters[position] for position in self.best.word), ratio=self.best.ratio)
