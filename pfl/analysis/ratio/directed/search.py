"""A proof that no word of a length is above a bound, from the last letters to the first.

What must be shown of a prefix is shown of all its children first; then the prefix is made larger, as far as these
proofs allow, and covers others. This is property-directed reachability (Bradley 2011), with cones of vectors for sets
of states. Source: docs/theory/directed-search.md.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction

import numpy as np

from pfl.analysis.ratio.certificate import FrontProof
from pfl.analysis.ratio.covering import Covering, Kept, Raised
from pfl.analysis.ratio.directed.frames import Frame, Row, Scales
from pfl.analysis.ratio.directed.raising import LastLetters, raised_within, rounded
from pfl.analysis.ratio.float_rows import Floats
from pfl.analysis.ratio.futures import dense_matrix
from pfl.analysis.ratio.integer_system import Integers, Word, primitive
from pfl.analysis.ratio.obligation import Obligation, signed
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget
from pfl.base.struct import struct

_MOST_STATES = 24
"""In more dimensions cones need too many vectors."""
_NEAREST = 12
"""Vectors of a frame a letter that bound how large a vector may be made."""
_START = (-1, -1)


@struct(eq=False, frozen=False)
class _Open:
    """A prefix of which it is to be shown that it is harmless; `aim` is a future on which it is not covered."""

    word: Word
    row: Row
    aim: Floats
    children: list[Row | None] = field(default_factory=list)
    """A letter each, None for one without a positive entry."""
    waiting: list[int] = field(default_factory=list)
    """Letters that are to be looked at, the next one last."""
    coverings: dict[int, Covering] = field(default_factory=dict)
    futures: dict[int, Floats] = field(default_factory=dict)
    """Of letters that were looked at: a future on which the child was largest."""
    is_expanded: bool = False


def is_suitable(task: Obligation, tools: Tools, length: int) -> bool:
    """Whether a directed search may be tried for words of this length."""
    part = task.part
    return part.lossless and part.size <= _MOST_STATES and 0 < tools.futures.mass_letters < length - 1


class DirectedSearch:
    """Proofs for words of `length` letters, for one bound after the other: the harmless stays harmless.

    `guide` is a word of that length, a good one at best: its rests give the scales of coordinates. The task must be
    suitable.
    """

    def __init__(self, task: Obligation, tools: Tools, *, length: int, guide: Word) -> None:
        part = task.part
        self.opened = 0
        """Prefixes looked at so far."""
        self._task = task
        self._part = part
        self._tools = tools
        self._futures = tools.futures
        self._length = length
        self._last = tools.futures.mass_letters
        """With so many letters left, all words are looked at."""
        matrices = [dense_matrix(rows, part.size) for rows in part.rows]
        self._scales = Scales(part, matrices, guide)
        self._frames: dict[int, Frame] = {}
        self._steps: dict[int, list[Floats]] = {}
        self._kept: list[Kept | Raised] = []
        self._coverings: dict[tuple[int, int], Covering] = {}
        columns = np.hstack([matrix @ tools.futures.masses[self._last] for matrix in matrices])
        self._last_letters = LastLetters(columns / self._scales.of(self._last + 1)[:, None])

    def prove(self, bound: Fraction, most: int, budget: Budget) -> FrontProof | Word | None:
        """A proof that no ratio is above the bound, a word above it (letters by position), or None once `most` prefixes
        were looked at or numbers are out of the range of floats. Raises LimitReached."""
        # A word leads to another vector once the bound is another one.
        self._kept = [
            Raised(vector=kept.vector, level=kept.level) if isinstance(kept, Kept) else kept for kept in self._kept
        ]
        start = signed(self._task.left, self._task.right, bound)
        row = self._scales.row(start, self._length) if any(entry > 0 for entry in start) else None
        if row is None:
            return None
        known, aim = self._frame(self._length).covering(row)
        stack = [] if known else [_Open(word=(), row=row, aim=aim)]
        while stack:
            budget.check(f"{self.opened} prefixes were looked at from behind")
            top = stack[-1]
            if not top.is_expanded:
                self.opened += 1
                if self.opened > most or not self._expand(top):
                    return None
            found = self._look_at_children(top)
            if isinstance(found, _Open):
                stack.append(found)
            elif found is not None:
                return found
            else:
                stack.pop()
                known = self._close(top)
                if known is None:
                    return None
                if stack:
                    stack[-1].coverings[stack[-1].waiting.pop()] = known
        assert known is not None
        return self._proof(bound, known)

    def _letters_left(self, prefix: _Open) -> int:
        return self._length - len(prefix.word)

    def _frame(self, letters: int) -> Frame:
        return self._frames.setdefault(letters, Frame(self._part.size))

    def _expand(self, prefix: _Open) -> bool:
        """Whether the rows of all children are known: the last to wait is the one that seems the most promising."""
        prefix.is_expanded = True
        children = self._children(prefix.row.vector, self._letters_left(prefix))
        if children is None:
            return False
        prefix.children = children
        promise = {}
        for position, child in enumerate(children):
            if child is None:
                prefix.coverings[position] = Covering()
            else:
                promise[position] = float(child.values.sum() / np.abs(child.values).sum())
        prefix.waiting = sorted(promise, key=lambda position: promise[position])
        return True

    def _children(self, vector: Integers, letters: int) -> list[Row | None] | None:
        """The vector with `letters` letters left after each letter, None for those without a positive entry; None where
        one is out of range."""
        found: list[Row | None] = []
        for position in range(len(self._part.letters)):
            image = primitive(self._part.step(vector, position))
            is_harmless = all(entry <= 0 for entry in image)
            row = None if is_harmless else self._scales.row(image, letters - 1)
            if row is None and not is_harmless:
                return None
            found.append(row)
        return found

    def _look_at_children(self, prefix: _Open) -> _Open | Word | None:
        """The first child that nothing covers, or a word above the bound; None where all are covered."""
        letters = self._letters_left(prefix) - 1
        while prefix.waiting:
            position = prefix.waiting[-1]
            row, word = prefix.children[position], (*prefix.word, position)
            assert row is not None
            aim = np.ones(self._part.size)
            if letters == self._last:
                rest = self._surpassing(row)
                if rest is not None:
                    return (*word, *rest)
                covering: Covering | None = Covering(tested=True)
            else:
                covering, aim = self._frame(letters).covering(row)
                prefix.futures[position] = aim
            if covering is None:
                return _Open(word=word, row=row, aim=aim)
            prefix.coverings[position] = covering
            prefix.waiting.pop()
        return None

    def _surpassing(self, row: Row) -> Word | None:
        """A word of the last letters that gives the vector a positive mass; exact."""
        columns = self._futures.masses[self._last]
        values = row.values / self._scales.of(self._last)
        products, errors = values @ columns, self._futures.errors(np.abs(values) @ columns)
        if (products <= -errors).all():
            return None
        best = int(np.argmax(products - errors))
        if products[best] > errors[best]:
            return self._futures.word(self._last, best)
        return self._futures.positive_word(row.vector, self._last)

    def _close(self, prefix: _Open) -> Covering | None:
        """Keep a prefix, all of whose children are covered, or a larger vector instead; how it is covered now."""
        letters = self._letters_left(prefix)
        frame, number = self._frame(letters), len(self._kept)
        raised = self._raised(prefix, letters)
        if raised is not None:
            row, coverings = raised
            frame.add(row, number)
            covering = frame.below(prefix.row)
            self._kept.append(Raised(vector=row.vector, level=len(prefix.word)))
        else:
            coverings = prefix.coverings
            frame.add(prefix.row, number)
            covering = Covering(terms=((number, Fraction(1)),))
            self._kept.append(Kept(word=prefix.word, vector=prefix.row.vector))
        self._coverings.update(((number, position), found) for position, found in coverings.items())
        return covering

    def _raised(self, prefix: _Open, letters: int) -> tuple[Row, dict[int, Covering]] | None:
        """A larger vector with the coverings of its children; None where it cannot be made larger for certain."""
        nearest: list[int] = []
        if letters - 1 == self._last:
            raised = self._last_letters.raised(prefix.row.values, prefix.aim)
        else:
            nearest = self._frame(letters - 1).nearest(list(prefix.futures.values()), _NEAREST)
            rows = self._frame(letters - 1).values[nearest]
            raised = raised_within(prefix.row.values, self._steps_at(letters), rows, prefix.aim)
        if raised is None:
            return None
        values, multipliers = raised
        vector = rounded(values, self._scales.exponents(letters))
        row = self._scales.row(vector, letters) if any(vector) else None
        images = self._children(vector, letters) if row is not None else None
        if row is None or images is None:
            return None
        coverings = {}
        for position, image in enumerate(images):
            covering: Covering | None = Covering()
            if image is not None and letters - 1 == self._last:
                covering = Covering(tested=True) if self._surpassing(image) is None else None
            elif image is not None:
                frame, size = self._frame(letters - 1), np.abs(values @ self._steps_at(letters)[position]).max()
                known = np.zeros(len(frame.values))
                known[nearest] = multipliers[position] * np.abs(image.values).max() / size
                covering = frame.certified(image, known) or frame.covering(image)[0]
            if covering is None:
                return None
            coverings[position] = covering
        return row, coverings

    def _steps_at(self, letters: int) -> list[Floats]:
        if letters not in self._steps:
            self._steps[letters] = [self._scales.step(position, letters) for position in range(len(self._part.letters))]
        return self._steps[letters]

    def _proof(self, bound: Fraction, start: Covering) -> FrontProof:
        """The proof, of the vectors that the start needs."""
        order: dict[int, int] = {}
        waiting = [index for index, _ in start.terms]
        count = len(self._part.letters)
        while waiting:
            number = waiting.pop()
            if number not in order:
                order[number] = len(order)
                waiting += [index for a in range(count) for index, _ in self._coverings[number, a].terms]
        coverings = {
            (place, a): _renumbered(self._coverings[number, a], order)
            for number, place in order.items()
            for a in range(count)
        }
        coverings[_START] = _renumbered(start, order)
        kept = tuple(self._kept[number] for number in order)
        return FrontProof(bound=bound, length=self._length, part=self._part, kept=kept, coverings=coverings)


def _renumbered(covering: Covering, order: dict[int, int]) -> Covering:
    terms = tuple((order[index], weight) for index, weight in covering.terms)
    return Covering(terms=terms, futures=covering.futures, tested=covering.tested)
