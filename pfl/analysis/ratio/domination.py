"""Which vectors may be dropped: those that are at most a conic combination of kept ones, in all futures.

x is dropped if x - sum y_i u_i, y >= 0, has no future (`futures`). Floats look for the y_i by linear programs on a few
columns of the futures at a time; what they find is checked on every column with certified rounding errors, so a tight
or doubtful case keeps x, which is always sound. Source: docs/theory/domination.md.
"""

from __future__ import annotations

import numpy as np

from pfl.analysis.linear_program import LinearProgram
from pfl.analysis.ratio.float_rows import Floats
from pfl.analysis.ratio.futures import Futures
from pfl.base.struct import struct

_SLACK = 1e-8
"""How far, relative to its sizes, a vector must stay below a combination to be dropped."""
_NEGLIGIBLE = 1e-13
_NEW_COLUMNS = 8
_FIRST_COLUMNS = 40
_MOST_COLUMNS = 200
_MOST_TELLING = 1_000
_MOST_SEPARATORS = 100
_MOST_ROUNDS = 30
_MOST_SINGLES = 3


Terms = tuple[tuple[int, float], ...]
"""sum y_i u_i: pairs (index of the kept row, y_i)."""


@struct(kw_only=False)
class Combination:
    """Less `terms`, a row has no future that is seen after `letters` letters."""

    terms: Terms
    letters: int


class CoverMemory:
    """What searches over the same futures learn.

    `columns` of `futures.cut` tell rows apart, `telling` ones showed that a row has a future, `separators` are
    non-negative futures on which some row was not covered.
    """

    def __init__(self, futures: Futures) -> None:
        count = futures.cut.shape[1]
        self.columns = list(range(0, count, max(1, count // _FIRST_COLUMNS)))
        self.telling: list[int] = list(self.columns)
        self.separators: list[Floats] = []

    def trim(self) -> None:
        """Forget the oldest, where there are many."""
        del self.columns[: max(0, len(self.columns) - _MOST_COLUMNS)]
        del self.telling[: max(0, len(self.telling) - _MOST_TELLING)]
        del self.separators[: max(0, len(self.separators) - _MOST_SEPARATORS)]


class Cover:
    """Kept rows, and the question which further rows they cover."""

    def __init__(self, futures: Futures, memory: CoverMemory) -> None:
        memory.trim()
        self._futures = futures
        self._memory = memory
        self._columns = list(memory.columns)
        self._rows = np.zeros((0, futures.part.size))
        self._profiles = np.zeros((0, len(self._columns)))
        self._separators = np.array(memory.separators).reshape(len(memory.separators), futures.part.size)
        self._program: LinearProgram | None = None

    def keep(self, row: Floats) -> None:
        """Add a kept row; its index is the number of rows kept before."""
        self._rows = np.vstack([self._rows, row])
        self._separators = self._separators[self._separators @ row <= _SLACK]
        profile = (row @ self._futures.cut[:, self._columns])[None, :]
        self._profiles = np.vstack([self._profiles, profile])
        if self._program is not None:
            self._program.add_rows(profile, -np.inf, 0.0)

    def find(self, row: Floats) -> Combination | None:
        """A combination of kept rows that the row is below in all futures, for certain; None if none was found."""
        if not len(self._rows):
            return None
        single = self._single(row)
        if single is not None or (self._separators @ row > 10 * _SLACK).any():
            return single
        return self._combination(row)

    def _single(self, row: Floats) -> Combination | None:
        profile = row @ self._futures.cut[:, self._columns]
        positive, negative = self._profiles > 0, self._profiles < 0
        with np.errstate(divide="ignore", invalid="ignore"):
            quotients = profile / self._profiles
        low = np.where(positive, quotients, 0.0).max(axis=1, initial=0.0)
        high = np.where(negative, quotients, np.inf).min(axis=1, initial=np.inf)
        fits = (low * (1 + _SLACK) < high) & ~((profile > 0) & ~positive).any(axis=1)
        for index in np.flatnonzero(fits)[:_MOST_SINGLES]:
            above = high[index] if np.isfinite(high[index]) else 2 * low[index] + 1
            terms = ((int(index), float((low[index] + above) / 2)),)
            if self._excess(row, terms) is None:
                return Combination(terms, self._letters_needed(row, terms))
        return None

    def _combination(self, row: Floats) -> Combination | None:
        size = np.abs(row)
        for _ in range(_MOST_ROUNDS):
            program = self._program or self._new_program()
            active = self._futures.cut[:, self._columns]
            program.set_costs(row @ active + _SLACK * (size @ active))
            solution = program.solve()
            if solution is None:
                return None
            if solution.value > 0:
                self._memory.separators.append(active @ solution.variables)
                return None
            multipliers = solution.multipliers[1:]
            terms = tuple((int(i), float(multipliers[i])) for i in np.flatnonzero(multipliers > _NEGLIGIBLE))
            excess = self._excess(row, terms)
            if excess is None:
                return Combination(terms, self._letters_needed(row, terms))
            worst = np.argsort(-excess)[:_NEW_COLUMNS]
            new = [int(j) for j in worst if excess[j] > -1 and int(j) not in self._columns]
            if not new:
                return None
            self._use_columns(new)
        return None

    def _use_columns(self, new: list[int]) -> None:
        profiles = self._rows @ self._futures.cut[:, new]
        if self._program is not None:
            self._program.add_variables(np.vstack([np.ones((1, len(new))), profiles]))
        self._profiles = np.hstack([self._profiles, profiles])
        self._columns += new
        self._memory.columns += [column for column in new if column not in self._memory.columns]

    def _new_program(self) -> LinearProgram:
        self._program = LinearProgram()
        self._program.add_variables(np.zeros((0, len(self._columns))))
        self._program.add_rows(np.ones((1, len(self._columns))), 1.0, 1.0)
        self._program.add_rows(self._profiles, -np.inf, 0.0)
        return self._program

    def _excess(self, row: Floats, terms: Terms) -> Floats | None:
        """None if row - sum y_i u_i is <= 0 on every column of the futures, for certain; else by how much, relative to
        its sizes, each column falls short of that, -1 where it does not."""
        values, sizes, errors = self._differences(row, terms, self._futures.cut)
        doubtful = values > -errors
        if not doubtful.any():
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(doubtful, (values + errors) / sizes, -1.0)

    def _letters_needed(self, row: Floats, terms: Terms) -> int:
        """The fewest letters after which row - sum y_i u_i has no future for certain, known for `cut_letters`."""
        for letters, columns in enumerate(self._futures.cuts[:-1]):
            values, _, errors = self._differences(row, terms, columns)
            if (values <= -errors).all():
                return letters
        return self._futures.cut_letters

    def _differences(self, row: Floats, terms: Terms, columns: Floats) -> tuple[Floats, Floats, Floats]:
        """row - sum y_i u_i on some columns, the sizes of what is added there, and bounds on the errors."""
        indices = [index for index, _ in terms]
        weights = np.array([weight for _, weight in terms])
        sizes = (np.abs(row) + weights @ np.abs(self._rows[indices])) @ columns
        values = (row - weights @ self._rows[indices]) @ columns
        return values, sizes, self._futures.errors(sizes) * (1 + len(terms) / self._futures.terms)
