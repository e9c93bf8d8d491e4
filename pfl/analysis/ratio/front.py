"""The search for a word above a bound, level by level, keeping only prefixes that others do not cover.

A prefix w is the vector x = (pi - c tau) M_w up to scale; some word above the bound c starts with w iff x M_v 1 > 0 for
some v. Source: docs/theory/ratio-engine.md.

Vectors without a future: floats decide what they can for certain, exact integers the rest.

Source: docs/theory/futures.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pfl.analysis.ratio.certificate import FrontProof
from pfl.analysis.ratio.covering import Covering, Kept
from pfl.analysis.ratio.domination import Cover
from pfl.analysis.ratio.float_rows import FloatRows, float_rows
from pfl.analysis.ratio.futures import Futures
from pfl.analysis.ratio.integer_system import Integers, Word, primitive
from pfl.analysis.ratio.obligation import Obligation, signed
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget
from pfl.base.struct import struct

_ENTRIES_AT_ONCE = 2_000_000
_COLUMNS_TO_LEARN = 3


@struct
class Pruned:
    """Indices of vectors: `alive`, the most promising first; `dead`, with the letters after which no future is seen."""

    alive: list[int]
    dead: dict[int, int]


def prune(vectors: Sequence[Integers], rows: FloatRows, futures: Futures, telling: list[int]) -> Pruned:
    """Tell the vectors that have a future from those that have none.

    `telling` are columns of `futures.cut` that are tried first, as a positive one settles the question; it grows by
    those that turn out to do so.
    """
    columns = futures.cut[:, telling]
    values, sizes = rows.values @ columns, np.abs(rows.values) @ columns
    alive = (values > futures.errors(sizes)).any(axis=1) & rows.usable
    with np.errstate(divide="ignore", invalid="ignore"):
        promise = np.where(sizes > 0, values / sizes, -1.0).max(axis=1, initial=-1.0)
    dead: dict[int, int] = {}
    unclear = np.flatnonzero(~alive & rows.usable)
    for letters in range(len(futures.cuts)):
        possible = _possible(unclear, rows, futures, letters)
        dead.update((index, letters) for index in unclear[~possible].tolist())
        unclear = unclear[possible]
    for index in [*unclear.tolist(), *np.flatnonzero(~rows.usable).tolist()]:
        positive = _positive_columns(index, rows, futures) if rows.usable[index] else []
        telling += positive
        if positive or not futures.has_none(vectors[index]):
            alive[index] = True
        else:
            dead[index] = futures.cut_letters
    return Pruned(alive=sorted(np.flatnonzero(alive).tolist(), key=lambda index: -promise[index]), dead=dead)


def _possible(indices: NDArray[np.intp], rows: FloatRows, futures: Futures, letters: int) -> NDArray[np.bool_]:
    """Whether a column of that many letters may be positive, of each row."""
    columns = futures.cuts[letters]
    step = max(1, _ENTRIES_AT_ONCE // max(1, columns.shape[1]))
    found = np.zeros(len(indices), dtype=bool)
    for start in range(0, len(indices), step):
        chunk = rows.values[indices[start : start + step]]
        errors = futures.errors(np.abs(chunk) @ columns)
        found[start : start + step] = (chunk @ columns > -errors).any(axis=1)
    return found


def _positive_columns(index: int, rows: FloatRows, futures: Futures) -> list[int]:
    """Columns furthest ahead that are positive for certain, the clearest few."""
    row = rows.values[index]
    sizes = np.abs(row) @ futures.cut
    margin = row @ futures.cut - futures.errors(sizes)
    clearest = np.argsort(-margin / np.maximum(sizes, np.finfo(float).tiny))[:_COLUMNS_TO_LEARN]
    return [column for column in clearest.tolist() if margin[column] > 0]


_START = (-1, -1)
"""Where the covering of the start is recorded."""
_VECTORS_BETWEEN_CHECKS = 16
"""Each may take a linear program."""


class FrontSearch:
    """One search, for words of at most `length` letters (None: of every length); `advance` until `is_done`."""

    def __init__(self, task: Obligation, tools: Tools, *, length: int | None, bound: Fraction) -> None:
        self.length = length
        self.bound = bound
        self.kept: list[Kept] = []
        self.frontier: list[int] = []
        """Indices of the kept vectors of the last level."""
        self._coverings: dict[tuple[int, int], Covering] = {}
        self._part = task.part
        self._tools = tools
        self._futures = tools.futures
        self._cover = Cover(tools.futures, tools.memory)
        self._rows: list[int] = []
        self._exponents: list[int] = []
        self._place: dict[Integers, int] = {}
        self._task = task

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be covered."""
        return bool(self._coverings) and not self.frontier

    @property
    def level(self) -> int:
        """The number of letters of the words that are next; 0 where none are left."""
        return self.kept[self.frontier[0]].level if self.frontier else 0

    def proof(self) -> FrontProof:
        """The proof that a finished search is."""
        return FrontProof(
            bound=self.bound,
            length=self.length,
            part=self._part,
            kept=tuple(self.kept),
            coverings=self._coverings,
        )

    def advance(self, budget: Budget) -> list[Word]:
        """Look one letter further; words (letters by position) above the bound, one a new prefix, if there are any.

        Raises LimitReached, after which the search is of no further use.
        """
        if not self._coverings:
            start = signed(self._task.left, self._task.right, self.bound)
            return self._look_at({start: [_START]}, {start: ()}, budget)
        reached: dict[Integers, list[tuple[int, int]]] = {}
        words: dict[Integers, Word] = {}
        vectors = [self.kept[index].vector for index in self.frontier]
        for position in range(len(self._part.letters)):
            for index, image in zip(self.frontier, self._tools.steps.images(vectors, position)):
                vector = primitive(image)
                reached.setdefault(vector, []).append((index, position))
                words.setdefault(vector, (*self.kept[index].word, position))
        return self._look_at(reached, words, budget)

    def _look_at(
        self, reached: dict[Integers, list[tuple[int, int]]], words: dict[Integers, Word], budget: Budget
    ) -> list[Word]:
        level = len(next(iter(words.values()), ()))
        remaining = None if self.length is None else self.length - level
        open_vectors = []
        for vector, places in reached.items():
            if all(entry <= 0 for entry in vector):
                self._record(places, Covering())
            elif vector in self._place:
                self._record(places, Covering(terms=((self._place[vector], Fraction(1)),)))
            else:
                open_vectors.append(vector)
        if not open_vectors:
            self.frontier = []
            return []
        rows = float_rows(open_vectors)
        surpassing = self._surpassing(open_vectors, rows, remaining)
        if surpassing:
            return [(*words[vector], *rest) for vector, rest in surpassing]
        if remaining is not None and remaining <= self._futures.mass_letters:
            for vector in open_vectors:
                self._record(reached[vector], Covering(tested=True))
            self.frontier = []
            return []
        if self.length is not None:
            self._new_cover()
        self.frontier = []
        pruned = prune(open_vectors, rows, self._futures, self._tools.memory.telling)
        for index, letters in pruned.dead.items():
            self._record(reached[open_vectors[index]], Covering(futures=letters))
        for number, index in enumerate(pruned.alive):
            if number % _VECTORS_BETWEEN_CHECKS == 0:
                budget.check(f"{level} letters, with {len(self.kept)} prefixes kept")
            vector = open_vectors[index]
            row = rows.values[index]
            covering = self._covering(row, rows.exponents[index]) if rows.usable[index] else None
            if covering is not None:
                self._record(reached[vector], covering)
                continue
            kept = len(self.kept)
            self.kept.append(Kept(word=words[vector], vector=vector))
            self._place[vector] = kept
            self._record(reached[vector], Covering(terms=((kept, Fraction(1)),)))
            self.frontier.append(kept)
            if rows.usable[index]:
                self._cover.keep(row)
                self._rows.append(kept)
                self._exponents.append(rows.exponents[index])
        return []

    def _record(self, places: Iterable[tuple[int, int]], covering: Covering) -> None:
        for place in places:
            self._coverings[place] = covering

    def _new_cover(self) -> None:
        self._cover = Cover(self._futures, self._tools.memory)
        self._rows, self._exponents = [], []

    def _covering(self, row: np.ndarray[tuple[int], np.dtype[np.float64]], exponent: int) -> Covering | None:
        found = self._cover.find(row)
        if found is None:
            return None
        exact = tuple(
            (self._rows[index], Fraction(weight) * Fraction(2) ** (exponent - self._exponents[index]))
            for index, weight in found.terms
        )
        return Covering(terms=exact, futures=found.letters)

    def _surpassing(
        self, vectors: list[Integers], rows: FloatRows, remaining: int | None
    ) -> list[tuple[Integers, Word]]:
        """Vectors with a word of positive mass: among all words that remain if these are few, else a little ahead."""
        is_last = remaining is not None and remaining <= self._futures.mass_letters
        most = remaining if remaining is not None and is_last else self._futures.few_letters
        lengths = [most] if self._part.lossless else list(range(most + 1))
        doubtful: list[int] = np.flatnonzero(~rows.usable).tolist()
        found: dict[int, Word] = {}
        for letters in lengths:
            columns = self._futures.masses[letters]
            values = rows.values @ columns
            errors = self._futures.errors(np.abs(rows.values) @ columns)
            doubtful += np.flatnonzero(((values > -errors) & (values <= errors)).any(axis=1)).tolist()
            for index in np.flatnonzero((values > errors).any(axis=1) & rows.usable).tolist():
                found[index] = self._futures.word(letters, int(np.argmax(values[index] - errors[index])))
        for index in set(doubtful) - found.keys():
            word = self._futures.positive_word(vectors[index], most)
            if word is not None:
                found[index] = word
        return [(vectors[index], word) for index, word in found.items()]
