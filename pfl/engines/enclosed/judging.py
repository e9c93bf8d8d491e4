"""What enclosures of one precision say of pairs of sides. Source: docs/theory/gaussian.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, inf

from pfl.analysis.enclosed.evaluation import Evaluation
from pfl.base.budget import Budget
from pfl.base.closed_form import enclosure
from pfl.base.enclosure import Enclosure
from pfl.base.struct import struct
from pfl.engines.answer import Bound
from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedSide, EnclosedTable, EnclosedWord
from pfl.model.enclosed.formulas import IntegralSum

_DIGITS = 9
"""Digits of the ratios that are told."""
_MOST_DOUBLINGS = 128
_HALVINGS = 48


@struct(eq=False)
class Pair:
    """One obligation: no word is much more likely `above` than `below`."""

    table: EnclosedTable
    above: EnclosedSide
    below: EnclosedSide

    @staticmethod
    def all(question: EnclosedCompare) -> list[Pair]:
        """The obligations of a question; of those whose probabilities are the same formulas one."""
        kept: dict[object, Pair] = {}
        for table in question.tables:
            rows = [frozenset(side.words.items()) for side in table.sides]
            for pair in table.pairs:
                for above, below in (pair,) if table.one_way else (pair, pair[::-1]):
                    key = id(table), rows[above], rows[below]
                    kept.setdefault(key, Pair(table=table, above=table.sides[above], below=table.sides[below]))
        return list(kept.values())

    @property
    def text(self) -> str:
        """`q = 0 against q = 1`."""
        return f"{self.above.label} against {self.below.label}"


@struct(eq=False)
class Word:
    """A word of a pair, with its probabilities, and the `factor` e^epsilon that the ratio of these may not exceed."""

    word: EnclosedWord
    above: Enclosure
    below: Enclosure
    factor: Enclosure

    @property
    def gap(self) -> Enclosure:
        """What e^epsilon times the probability below is more than that above."""
        low = self.factor.low * self.below.low - self.above.high
        return Enclosure(low, self.factor.high * self.below.high - self.above.low)

    @property
    def exceeds(self) -> bool:
        """Whether the ratio is too large for certain."""
        return self.gap.high < 0

    @property
    def least_ratio(self) -> Fraction | float:
        """A number that the ratio is at least, or infinity."""
        return self.above.low / self.below.high if self.below.high else inf


class Judging:
    """What is known with so many bits."""

    def __init__(self, question: EnclosedCompare, bits: int, budget: Budget) -> None:
        self.bits = bits
        self._budget = budget
        self._evaluations = {id(table): Evaluation(table.nodes, table.draws, bits, budget) for table in question.tables}
        self._known: dict[tuple[int, IntegralSum], Enclosure] = {}
        self._factors: dict[int, Enclosure] = {}
        self._delta = question.delta

    @property
    def delta(self) -> Enclosure:
        """The delta of the claim."""
        assert self._delta is not None
        return enclosure(self._delta, self.bits)

    def worst(self, pair: Pair) -> Word | None:
        """A word that is too likely, with the largest ratio; else one of which it is not known; else None."""
        factor = self._factor(pair.table)
        judged = [Word(word=w, above=above, below=below, factor=factor) for w, above, below in self._words(pair)]
        exceeding = [word for word in judged if word.exceeds]
        if exceeding:
            return max(exceeding, key=lambda word: word.least_ratio)
        return next((word for word in judged if word.gap.low < 0), None)

    def excess(self, pair: Pair, factor: Enclosure | None = None) -> Enclosure:
        """The sum of P(w) - factor Q(w) over all words for which that is above 0; the factor is e^epsilon."""
        factor = self._factor(pair.table) if factor is None else factor
        low = high = Fraction(0)
        for _, above, below in self._words(pair):
            low += max(above.low - factor.high * below.high, Fraction(0))
            high += max(above.high - factor.low * below.low, Fraction(0))
        return Enclosure(low, min(high, Fraction(1)))

    def exceeding(self, pair: Pair) -> list[EnclosedWord]:
        """The words that exceed for certain."""
        factor = self._factor(pair.table)
        return [word for word, above, below in self._words(pair) if above.low > factor.high * below.high]

    def bound(self, pairs: Sequence[Pair]) -> Bound:
        """What is known of the largest ratio of any word."""
        lower, upper = Fraction(1), Fraction(1)
        for pair in pairs:
            for _, above, below in self._words(pair):
                if not below.high:
                    return Bound(ratio="inf", lower="inf", upper="inf")
                lower = max(lower, above.low / below.high)
                upper = max(upper, above.high / below.low) if below.low else Fraction(0)
                if not upper:
                    return Bound(ratio=None, lower=_rounded(lower, down=True), upper=None)
        return _between(lower, upper)

    def bound_with_delta(self, pairs: Sequence[Pair]) -> Bound:
        """What is known of the least factor with which no excess is above delta."""
        delta = self.delta

        def is_enough(factor: Fraction) -> bool:
            return all(self.excess(pair, Enclosure(factor, factor)).high <= delta.low for pair in pairs)

        def may_be_enough(factor: Fraction) -> bool:
            return all(self.excess(pair, Enclosure(factor, factor)).low <= delta.high for pair in pairs)

        powers = [Fraction(1 << doublings) for doublings in range(_MOST_DOUBLINGS)]
        largest = next((power for power in powers if is_enough(power)), None)
        if largest is not None:
            low, high = _least(may_be_enough, largest)[0], _least(is_enough, largest)[1]
            return _between(low, high)
        if any(self._without_ratio(pair).low > delta.high for pair in pairs):
            return Bound(ratio="inf", lower="inf", upper="inf")
        least = max(power for power in powers if power == 1 or not may_be_enough(power / 2))
        return Bound(ratio=None, lower=least / 2 if least > 1 else least, upper=None)

    def _without_ratio(self, pair: Pair) -> Enclosure:
        """The probability of the words that have probability 0 below."""
        shown = [above for _, above, below in self._words(pair) if not below.high]
        return sum(shown, Enclosure(Fraction(0), Fraction(0)))

    def _words(self, pair: Pair) -> list[tuple[EnclosedWord, Enclosure, Enclosure]]:
        """The words with their probabilities above and below, but for those that have the same formula."""
        found = []
        for word, above in pair.above.words.items():
            below = pair.below.words.get(word, IntegralSum())
            if above != below:
                found.append((word, self._probability(pair.table, above), self._probability(pair.table, below)))
        return found

    def _probability(self, table: EnclosedTable, number: IntegralSum) -> Enclosure:
        key = id(table), number
        if key not in self._known:
            self._budget.check(f"{len(self._known):,} probabilities of Gaussian noise with {self.bits} bits")
            self._known[key] = self._evaluations[id(table)].probability(number)
        return self._known[key]

    def _factor(self, table: EnclosedTable) -> Enclosure:
        if id(table) not in self._factors:
            assert table.epsilon is not None
            low, high = (bound(2 * self.bits) for bound in (table.epsilon.lower_bound, table.epsilon.upper_bound))
            self._factors[id(table)] = Enclosure(low, high)
        return self._factors[id(table)]


def _least(holds: Callable[[Fraction], bool], largest: Fraction) -> tuple[Fraction, Fraction]:
    """A number at which something does not hold, or 1, and one near it at which it does; it holds at the largest."""
    low, high = Fraction(1), largest
    if holds(low):
        return low, low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def _between(low: Fraction, high: Fraction) -> Bound:
    """A ratio that lies between two numbers, or is one."""
    if low == high:
        return Bound(ratio=low, lower=low, upper=high)
    return Bound(ratio=None, lower=_rounded(low, down=True), upper=_rounded(high, down=False))


def _rounded(ratio: Fraction, *, down: bool) -> Fraction:
    """A number at least 1 with few digits, not above the ratio, or not below it."""
    unit = 10**_DIGITS
    return Fraction(floor(ratio * unit) if down else ceil(ratio * unit), unit)
