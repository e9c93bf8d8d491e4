"""The largest ratio over the words of one length: bounds, exact searches, better words, until nothing is above.

Dinkelbach's iteration: search with the bound c; a word above c gives c := its ratio; it ends with the exact ratio.
Source: docs/theory/ratio-engine.md.

A good word quickly: a beam search, so that the exact search starts from a bound close to the largest ratio.

Nothing is proved here; every word is returned with its exact ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from pfl.analysis.ratio.certificate import FrontProof
from pfl.analysis.ratio.climb import Climb
from pfl.analysis.ratio.directed.search import DirectedSearch, is_suitable
from pfl.analysis.ratio.float_rows import Floats, float_rows
from pfl.analysis.ratio.front import FrontSearch
from pfl.analysis.ratio.integer_system import Integers, Word, primitive_pair
from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Obligation, Settled, Unsettled, Witness, ratio_of
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget

_LETTERS_BETWEEN_REDUCTIONS = 6
_PRECISION = 80

_Prefix = tuple[Word, Integers, Integers]
"""A word (letters by position) with (pi M_w, tau M_w) up to a common scale."""

_Step = tuple[int, int]
"""The index of a prefix and a letter that is to follow it."""


class Beam:
    """Beam searches over one obligation; `best` is the best word so far (letters by position)."""

    def __init__(self, task: Obligation, tools: Tools, budget: Budget) -> None:
        self._task = task
        self._futures = tools.futures
        self._steps = tools.steps
        self._budget = budget
        self._letters_ahead = min(tools.futures.few_letters + 1, tools.futures.mass_letters)
        self._bound = Fraction(0)
        self._precision = _PRECISION
        """Bits after the point to which the bound is known where gains are compared; they shrink as words grow."""
        self.best: Witness | None = None

    def search(self, prefixes: Iterable[Word], length: int, width: int, bound: Fraction) -> Witness | None:
        """The best word of at most `length` letters found from the prefixes, if it is above `bound` (or infinite).

        Where no mass is lost it has exactly `length` letters.
        """
        self._bound = max(bound, self._bound)
        self.best = None
        waiting: dict[int, list[_Prefix]] = {}
        for word in prefixes:
            left, right = self._task.follow(word)
            waiting.setdefault(len(word), []).append((word, left, right))
        level = min(waiting, default=length)
        beam: list[_Prefix] = []
        while level <= length and not self._is_infinite():
            self._budget.check(f"a first search through {level} of {length} letters")
            beam += waiting.pop(level, [])
            steps = self._promising(beam, length - level)
            if level + self._letters_ahead >= length and not waiting:
                break
            beam = self._longer(beam, steps, width)
            level += 1
            if level % _LETTERS_BETWEEN_REDUCTIONS == 0:
                beam = [(word, *primitive_pair(left, right)) for word, left, right in beam]
        return self.best

    def _is_infinite(self) -> bool:
        return self.best is not None and self.best.ratio is None

    def _longer(self, beam: list[_Prefix], steps: list[_Step], width: int) -> list[_Prefix]:
        """Where the first steps lead, as many as have `width` different pairs."""
        found: dict[tuple[Integers, Integers], Word] = {}
        while steps and len(found) < width:
            taken, steps = steps[: width - len(found)], steps[width - len(found) :]
            for position in sorted({position for _, position in taken}):
                indices = [index for index, letter in taken if letter == position]
                images = self._steps.images([vector for index in indices for vector in beam[index][1:]], position)
                for index, left, right in zip(indices, images[::2], images[1::2]):
                    if any(left):
                        found.setdefault((left, right), (*beam[index][0], position))
        return [(word, left, right) for (left, right), word in found.items()]

    def _promising(self, beam: list[_Prefix], remaining: int) -> list[_Step]:
        """All steps that some word follows, those with the largest gain over the bound ahead first; raises the bound to
        what is found."""
        for prefix in beam:
            if not any(prefix[2]):
                self._take(prefix, ())
                return []
        if not beam:
            return []
        most = min(remaining, self._letters_ahead)
        lengths = [most] if self._task.part.lossless else list(range(most + 1))
        columns = np.hstack([self._futures.masses[letters] for letters in lengths])
        words = [(letters, column) for letters in lengths for column in range(self._futures.masses[letters].shape[1])]
        count = len(self._task.part.letters)
        # Words of one length are in lexical order: those with the same first letter are neighbours.
        firsts = [place for place, (letters, column) in enumerate(words) if column % count ** max(0, letters - 1) == 0]
        gains, quotients = self._gains(beam, columns, firsts)
        index, group = divmod(int(gains.argmax()), len(firsts))
        end = firsts[group + 1] if group + 1 < len(firsts) else len(words)
        self._take(
            beam[index], self._futures.word(*words[firsts[group] + int(quotients[index, firsts[group] : end].argmax())])
        )
        if most:
            scores = gains[:, int(lengths[0] == 0) :].reshape(len(beam), -1, count).max(axis=1)
        else:
            scores = np.repeat(gains, count, axis=1)
        order = np.argsort(-scores, axis=None, kind="stable")
        return [divmod(int(place), count) for place in order if scores.flat[place] > -np.inf]

    def _gains(self, beam: list[_Prefix], columns: Floats, firsts: list[int]) -> tuple[Floats, Floats]:
        """(pi M_w - c tau M_w) g / tau M_w g for prefixes and columns g, -inf for words of no mass on either side: the
        largest of each group of columns (which begin at `firsts`), on a scale that keeps order and sign; and all as
        floats, whose order is kept for each prefix alone."""
        shift = self._precision
        p = (self._bound.numerator << shift) // self._bound.denominator
        signed = [tuple((a << shift) - p * b for a, b in zip(left, right)) for _, left, right in beam]
        above = [index for index, vector in enumerate(signed) if any(vector)]
        gains, quotients = np.zeros((len(beam), len(firsts))), np.zeros((len(beam), columns.shape[1]))
        if not above:
            return gains, quotients
        rows = float_rows([signed[index] for index in above])
        below = float_rows([beam[index][2] for index in above])
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (rows.values @ columns) / (below.values @ columns)
            found[np.isnan(found)] = -np.inf
            best = np.maximum.reduceat(found, firsts, axis=1)
            exponents = np.array(rows.exponents, dtype=float) - np.array(below.exponents)
            logarithms = np.log2(np.abs(best)) + exponents[:, None]
            nearest = np.log2(np.where(np.isfinite(found), np.abs(found), 0.0).max(axis=1)) + exponents
        if np.isfinite(nearest).any():
            self._precision = _PRECISION + max(0, self._precision - int(nearest[np.isfinite(nearest)].min()))
        finite = np.isfinite(logarithms)
        heights = logarithms - logarithms[finite].min(initial=0.0) + 1
        gains[above] = np.copysign(np.where(finite, heights, np.where(best == 0, 0.0, np.inf)), best)
        quotients[above] = found
        return gains, quotients

    def _take(self, prefix: _Prefix, rest: Word) -> None:
        word, left, right = prefix
        for position in rest:
            left, right = self._task.step(left, right, position)
        ratio = ratio_of(left, right)
        if ratio is None or ratio > self._bound:
            self.best = Witness(word=(*word, *rest), ratio=ratio)
            self._bound = self._bound if ratio is None else ratio


_FIRST_WIDTH = 12
_WIDEST = 512
_WIDER = 4
_FIRST_TURN = 400
"""So many prefixes a search from the front keeps before it is the turn of one from behind; turns double."""
_BEHIND_A_VECTOR = 4
"""A vector that the front keeps takes about as long as so many that are looked at from behind."""
_BEAM_STEPS_A_VECTOR = 4
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
        self._climb = Climb(task)
        self._is_too_large = is_too_large
        self._budget = budget

    def settle(self, most_kept: int | None) -> Settled | Exceeded | Unsettled:
        """The largest ratio above `bound`; `Exceeded` once a word is found whose ratio is too large, `Unsettled` once
        a search has kept more than `most_kept` prefixes."""
        self.look_for_more([()], _FIRST_WIDTH)
        behind = self._from_behind() if most_kept is None else None
        turn = _FIRST_TURN if behind else most_kept
        search = FrontSearch(self._task, self._tools, length=self.length, bound=self.bound)
        while not self.is_exceeded():
            self._exhaust(search, turn)
            proof: FrontProof | None = None
            if search.is_done:
                proof = search.proof()
            elif search.bound == self.bound and not self.is_exceeded():
                if behind is None or turn is None:
                    reason = f"{len(search.kept)} prefixes of up to {search.level} letters had to be kept"
                    return Unsettled(bound=self.bound, best=self.in_letters(), reason=reason)
                proof = self._proved_by(behind, behind.opened + _BEHIND_A_VECTOR * turn)
                turn *= 2
            if proof is not None:
                return Settled(bound=self.bound, best=self.in_letters(), proof=proof)
            if search.bound < self.bound:
                search = FrontSearch(self._task, self._tools, length=self.length, bound=self.bound)
        best = self.in_letters()
        assert best is not None
        return Exceeded(witness=best)

    def _from_behind(self) -> DirectedSearch | None:
        """A search from the last letters, if there can be one."""
        if not is_suitable(self._task, self._tools, self.length):
            return None
        guide = self.best or Beam(self._task, self._tools, self._budget).search(
            [()], self.length, _FIRST_WIDTH, Fraction(0)
        )
        if guide is None or len(guide.word) != self.length:
            return None
        return DirectedSearch(self._task, self._tools, length=self.length, guide=guide.word)

    def _proved_by(self, search: DirectedSearch, most: int) -> FrontProof | None:
        """A proof for the bound, which grows by the words that are found; None once `most` prefixes were looked at, or
        the bound is exceeded."""
        while not self.is_exceeded():
            found = search.prove(self.bound, most, self._budget)
            if not isinstance(found, tuple):
                return found
            self.take(found)
            self._climb_on()
        return None

    def _exhaust(self, search: FrontSearch, most_kept: int | None) -> None:
        """Advance until the search is done, `bound` has been raised above its bound, or it has kept too much."""
        width, beam_steps = _FIRST_WIDTH * _WIDER, 0
        while not search.is_done and (most_kept is None or len(search.kept) <= most_kept):
            self._budget.check(f"{search.level} of {self.length} letters, with {len(search.frontier)} prefixes open")
            above = search.advance(self._budget)
            if above:
                for word in above:
                    self.take(word)
                self.look_for_more(above, _FIRST_WIDTH)
                return
            self._budget.progress(f"{search.level} of {self.length} letters, {len(search.frontier)} prefixes open")
            # A beam from the open prefixes is due when all together cost no more than what has been looked at.
            steps = width * (self.length - search.level)
            affordable = _BEAM_STEPS_A_VECTOR * len(search.kept) - beam_steps
            if len(search.frontier) >= width // _WIDER and steps <= affordable:
                beam_steps += steps
                if self.look_for_more([search.kept[index].word for index in search.frontier], width):
                    return
                width = min(_WIDEST, width * _WIDER)

    def look_for_more(self, prefixes: Iterable[Word], width: int) -> bool:
        """Whether a beam search from the prefixes raised the bound."""
        beam = Beam(self._task, self._tools, self._budget)
        found = beam.search(prefixes, self.length, width, self.bound)
        if found is None or not self.take(found.word):
            return False
        self._climb_on()
        return True

    def _climb_on(self) -> None:
        """Change the best word letter by letter, as long as that makes it better."""
        if self.best is not None and self.best.ratio is not None:
            better = self._climb.improved(self.best.word, self._budget)
            if better != self.best.word:
                self.take(better)

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
