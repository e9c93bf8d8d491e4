"""Words of every length: a closed set of vectors proves a bound, a word or a pump refutes one.

Source: docs/theory/ratio-engine.md.

Words that can be repeated to make the ratio as large as one likes: no epsilon works for every length.

Words u, v and vectors 0 <= a <= pi M_u, a not 0, and b >= tau M_u with a M_v >= lambda a and b M_v <= rho b, where
lambda > rho, give mass(pi, u v^n) >= lambda^n a 1 and mass(tau, u v^n) <= rho^n b 1. Source: docs/theory/no-epsilon.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice, product

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat

from pfl.analysis.components import components
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.analysis.ratio.bounded import BoundedSearch
from pfl.analysis.ratio.float_rows import Floats, float_rows
from pfl.analysis.ratio.front import FrontSearch
from pfl.analysis.ratio.integer_system import Integers, Word
from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Obligation, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.ratio.prepared import Tools
from pfl.base.budget import Budget
from pfl.base.struct import struct

_MOST_CYCLES = 120
_MOST_STATES = 200
_MARGIN = 1e-7


@struct
class Pump:
    """Words u, v (letters by position) such that the ratio of u v^n grows without bound."""

    first: Word
    cycle: Word


def find_pump(task: Obligation, known: Word, budget: Budget) -> Pump | None:
    """A pump, if one of the cycles that are tried is one: all short words, and what a known good word repeats."""
    if task.part.size > _MOST_STATES:
        return None
    for first in dict.fromkeys([(), known[: len(known) // 4], known[: len(known) // 2]]):
        for cycle in _cycles(len(task.part.letters), known):
            budget.check("a search for words that can be repeated")
            found = _pumped(task, first, cycle)
            if found is not None:
                return found
    return None


def _cycles(letters: int, known: Word) -> Iterator[Word]:
    middle = len(known) // 2
    yield from dict.fromkeys(known[middle : middle + length] for length in (1, 2, 3, 4) if middle)
    short = (word for length in (1, 2, 3) for word in product(range(letters), repeat=length))
    yield from islice(short, _MOST_CYCLES)


def _pumped(task: Obligation, first: Word, cycle: Word) -> Pump | None:
    """u = first cycle^m, v = cycle, checked exactly for m large enough that mass has spread as far as it does."""
    matrix = _product(task, cycle)
    scaled = _scaled(matrix)
    left, right = task.follow(first)
    if not any(left):
        return None
    lefts, rights = _spread(scaled, left), _spread(scaled, right)
    part, rate = _fastest_part(scaled, lefts)
    if rate <= _radius(scaled[np.ix_(rights, rights)]) * (1 + _MARGIN):
        return None
    word = first
    for _ in range(task.part.size):
        if all(left[state] for state in part):
            break
        word = (*word, *cycle)
        left, right = task.follow(word)
    else:
        return None
    growth = _growth(matrix, scaled, part)
    slower = _radius(scaled[np.ix_(rights, rights)]) * max(abs(entry) for entry in map(int, matrix.entries()))
    bound = (growth + Fraction(slower)) / 2
    if growth > bound and _stays_below(matrix, right, rights, bound):
        return Pump(first=word, cycle=cycle)
    return None


def _product(task: Obligation, cycle: Word) -> fmpz_mat:
    size = task.part.size
    result = fmpz_mat([[int(row == column) for column in range(size)] for row in range(size)])
    for position in cycle:
        dense = [[0] * size for _ in range(size)]
        for state, row in enumerate(task.part.rows[position]):
            for column, weight in row:
                dense[state][column] = weight
        result = result * fmpz_mat(dense)
    return result


def _scaled(matrix: fmpz_mat) -> Floats:
    entries = tuple(map(int, matrix.entries()))
    if not any(entries):
        return np.zeros((matrix.nrows(), matrix.ncols()))
    rows = float_rows([entries])
    values = rows.values[0].reshape(matrix.nrows(), matrix.ncols())
    return np.asarray(values / values.max())


def _spread(matrix: Floats, start: Sequence[int]) -> list[int]:
    """The states that repeated steps reach from the support of a vector."""
    reached = np.array([bool(entry) for entry in start])
    for _ in range(len(start)):
        reached = reached | (matrix[reached] > 0).any(axis=0)
    return [int(state) for state in np.flatnonzero(reached)]


def _radius(matrix: Floats) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))


def _fastest_part(matrix: Floats, states: list[int]) -> tuple[list[int], float]:
    """The strongly connected part among the states with the largest spectral radius."""
    index = {state: place for place, state in enumerate(states)}
    targets, offsets = array("q"), array("q", [0])
    for state in states:
        targets.extend(index[int(target)] for target in np.flatnonzero(matrix[state]) if int(target) in index)
        offsets.append(len(targets))
    groups: dict[int, list[int]] = {}
    for state, component in zip(states, components(offsets, targets)):
        groups.setdefault(component, []).append(state)
    return max(((group, _radius(matrix[np.ix_(group, group)])) for group in groups.values()), key=lambda pair: pair[1])


def _growth(matrix: fmpz_mat, scaled: Floats, part: list[int]) -> Fraction:
    """A lambda with a M >= lambda a for some a > 0 on a part: min (a M)_j / a_j (Collatz and Wielandt)."""
    values, vectors = np.linalg.eig(scaled[np.ix_(part, part)].T)
    shape = np.abs(vectors[:, int(np.argmax(values.real))])
    whole = [max(1, int(entry * 2**48)) for entry in shape / shape.max()]
    images = [sum(weight * int(matrix[state, target]) for weight, state in zip(whole, part)) for target in part]
    return min(Fraction(image, weight) for image, weight in zip(images, whole))


def _stays_below(matrix: fmpz_mat, start: Integers, states: list[int], rate: Fraction) -> bool:
    """Whether some b >= start has b M <= rate b: b = start (I - M / rate)^-1, where that is not negative."""
    if not states:
        return True
    rho = fmpq(rate.numerator, rate.denominator)
    system = fmpq_mat([[rho * (i == j) - int(matrix[j, i]) for j in states] for i in states])
    wanted = fmpq_mat([[rho * start[state]] for state in states])
    try:
        solution = system.solve(wanted)
    except ZeroDivisionError:
        return False
    return all(entry >= 0 for entry in solution.entries())


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
