"""The largest ratio over the words of one length: bounds, exact searches, better words, until nothing is above.

Dinkelbach's iteration: search with the bound c; a word above c gives c := its ratio; it ends with the exact ratio.
Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pfl.analysis.ratio.beam import Beam
from pfl.analysis.ratio.front import FrontSearch
from pfl.analysis.ratio.integer_system import Integers, Word
from pfl.analysis.ratio.obligation import Obligation, ratio_of
from pfl.analysis.ratio.outcome import Exceeded, IsTooLarge, Settled, Unsettled, Witness
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget

_FIRST_WIDTH = 24
_WIDEST = 512
_WIDER = 4
_BEAM_STEPS_A_VECTOR = 10
"""A vector that a search looks at costs about as much as so many steps of a beam."""


class BoundedSearch:
    """Searches over the words of at most `length` letters, of exactly that many where no mass is lost.

    `bound` only grows: some word has that ratio (`best`, letters by position), or the search began with it.
    """

    def __init__(
        self,
        task: Obligation,
        tools: Tools,
        *,
        length: int,
        bound: Fraction,
        is_too_large: IsTooLarge | None,
        budget: Budget,
    ) -> None:
        self.length = length
        self.bound = bound
        self.best: Witness | None = None
        self._task = task
        self._tools = tools
        self._is_too_large = is_too_large
        self._budget = budget

    def settle(self, most_kept: int | None) -> Settled | Exceeded | Unsettled:
        """The largest ratio above `bound`; `Exceeded` once a word is found whose ratio is too large, `Unsettled` once
        a search has kept more than `most_kept` prefixes."""
        self.look_for_more([()], _FIRST_WIDTH)
        while not self.is_exceeded():
            search = FrontSearch(self._task, self._tools, length=self.length, bound=self.bound)
            self._exhaust(search, most_kept)
            if search.is_done:
                return Settled(bound=self.bound, best=self.in_letters(), proof=search.proof())
            if search.bound == self.bound and not self.is_exceeded():
                reason = f"{len(search.kept)} prefixes of up to {search.level} letters had to be kept"
                return Unsettled(bound=self.bound, best=self.in_letters(), reason=reason)
        best = self.in_letters()
        assert best is not None
        return Exceeded(witness=best)

    def _exhaust(self, search: FrontSearch, most_kept: int | None) -> None:
        """Advance until the search is done, `bound` has been raised above its bound, or it has kept too much."""
        width = _FIRST_WIDTH * _WIDER
        while not search.is_done and (most_kept is None or len(search.kept) <= most_kept):
            self._budget.check(f"{search.level} of {self.length} letters, with {len(search.frontier)} prefixes open")
            above = search.advance(self._budget)
            if above:
                for word in above:
                    self.take(word)
                self.look_for_more(above, _FIRST_WIDTH)
                return
            self._budget.progress(f"{search.level} of {self.length} letters, {len(search.frontier)} prefixes open")
            # A beam from the open prefixes is due when it costs no more than what has been looked at since the start.
            steps = width * (self.length - search.level)
            if len(search.frontier) >= width // _WIDER and steps <= _BEAM_STEPS_A_VECTOR * len(search.kept):
                if self.look_for_more([search.kept[index].word for index in search.frontier], width):
                    return
                width = min(_WIDEST, width * _WIDER)

    def look_for_more(self, prefixes: Iterable[Word], width: int) -> bool:
        """Whether a beam search from the prefixes raised the bound."""
        beam = Beam(self._task, self._tools, self._budget)
        found = beam.search(prefixes, self.length, width, self.bound)
        return found is not None and self.take(found.word)

    def take(self, word: Word) -> bool:
        """Whether the word, continued to the full length, is above the bound, which it then raises."""
        left, right = self._task.follow(word)
        if ratio_of(left, right) is not None:
            word, left, right = self._continued(word, left, right)
        ratio = ratio_of(left, right)
        if ratio is not None and ratio <= self.bound:
            return False
        self.best = Witness(word=word, ratio=ratio)
        self.bound = self.bound if ratio is None else ratio
        return True

    def _continued(self, word: Word, left: Integers, right: Integers) -> tuple[Word, Integers, Integers]:
        """Where no mass is lost, some letter keeps the ratio at least where it is."""
        while self._task.part.lossless and len(word) < self.length:
            steps = [self._task.step(left, right, position) for position in range(len(self._task.part.letters))]
            infinite = [index for index, pair in enumerate(steps) if ratio_of(*pair) is None]
            best = infinite[0] if infinite else max(range(len(steps)), key=lambda index: ratio_of(*steps[index]) or 0)
            word, (left, right) = (*word, best), steps[best]
        return word, left, right

    def is_exceeded(self) -> bool:
        """Whether the best ratio is infinite or too large."""
        if self.best is None:
            return False
        ratio = self.best.ratio
        return ratio is None or (self._is_too_large is not None and self._is_too_large(ratio))

    def in_letters(self) -> Witness | None:
        """`best` with the letters of the labelled system."""
        if self.best is None:
            return None
        letters = self._task.part.letters
        return Witness(word=tuple(letters[position] for position in self.best.word), ratio=self.best.ratio)
