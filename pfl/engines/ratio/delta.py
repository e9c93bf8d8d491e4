"""Claims with an additive delta, and the smallest delta at an epsilon, with constant numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from itertools import groupby
from typing import Any

from pfl.analysis.excess.certificate import MOST_VECTORS, excess_certificate
from pfl.analysis.excess.excess import Excess
from pfl.analysis.ratio.integer_system import constant
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure, decimal_text
from pfl.base.struct import struct
from pfl.engines.answer import (
    MOST_SHOWN_LETTERS,
    MOST_SHOWN_WORDS,
    Answer,
    Attains,
    Computed,
    Evidence,
    Fails,
    NamedValue,
    Proved,
    Unknown,
    Violation,
)
from pfl.engines.obligation import Directed, each_of
from pfl.engines.ratio.obligations import weighted
from pfl.model.compare import Compare, Comparison, Direction

NAME = "exact"
_BITS = (64, 256, 1024)
_SHOWN = Fraction(1, 10**9)
_DIGITS = 18
"""Significant digits to which both ends of a delta are written out that is not rational, as e^eps is not."""
_MOST_PRODUCTS = 20_000_000
_FIRST_BITS = 128
_MOST_BITS = 1 << 12
"""Precision at which e^eps is given up as the ratio that the longer words tend to."""


def answer(question: Compare, budget: Budget) -> Answer:
    """Whether delta suffices for every comparison at its epsilon; or the largest delta that one needs.

    A spent budget makes it undecided, with the delta that is needed at least. Source: docs/theory/excess.md.
    """
    search = Deltas(question, budget)
    try:
        return search.computed() if question.goal == "delta" else search.checked()
    except LimitReached as limit:
        return Unknown(engine=NAME, reason=f"{search.known()}{limit.reason}")


@struct
class _Between(Directed):
    """The delta of one comparison lies from `low` to `high`; `low` is the excess of the words of one direction."""

    low: Fraction
    high: Fraction
    excess: Excess = field(repr=False)

    def shown(self) -> Violation | None:
        """The words whose excess `low` is; None where that is 0, which no word has, or the budget is spent.

        Replay takes one product with a matrix a letter, so that large systems get fewer letters.
        """
        entries = max(sum(map(len, matrix)) for matrix in self.direction.comparison.system.matrices)
        try:
            found = self.excess.word_set(MOST_SHOWN_WORDS, min(MOST_SHOWN_LETTERS, _MOST_PRODUCTS // max(entries, 1)))
        except LimitReached:
            return None
        if not found.words:
            return None
        return self.violation(*found.words, out_of=found.out_of)


class Deltas:
    """Goes through the comparisons of a question; knows what delta is needed at least."""

    def __init__(self, question: Compare, budget: Budget) -> None:
        self._question = question
        self._budget = budget
        self._needed = Fraction(0)

    def known(self) -> str:
        """What is known of delta so far, to begin a sentence with; empty where it may be 0 to six places."""
        least = self._needed // _SHOWN * _SHOWN
        return f"delta is at least {decimal_text(least)}; " if least else ""

    def checked(self) -> Answer:
        """Whether the delta of the question suffices."""
        assert self._question.delta is not None
        delta = constant(self._question.delta)
        length = None if self._question.lengths == "any" else max(self._question.lengths)
        found: list[dict[str, Any] | None] = []
        for direction in self._question.directions:
            for bits in _BITS:
                low, high = _exponential(direction.comparison, bits)
                needed = self._at_least(direction, high, length, delta)
                if needed.delta > delta:
                    violation = Directed(direction=direction).violation(*needed.words(delta))
                    return Fails(engine=NAME, violation=violation)
                shown = needed if low == high else self._excess(direction, low, length).settle(delta)
                if shown.at_most <= delta:
                    found.append(excess_certificate(shown, low))
                    break
            else:
                reason = "delta is too near the excess to tell; try a slightly larger one"
                return Unknown(engine=NAME, reason=reason)
        detail = "the excess of every set of outcomes was summed up"
        certificates = tuple(each for each in found if each is not None)
        if len(certificates) < len(found):
            reason = f"its certificates would have more than {MOST_VECTORS:,} vectors"
            return Proved(engine=NAME, evidence=Evidence(kind="exhaustive", detail=detail, uncertified=reason))
        return Proved(engine=NAME, evidence=Evidence(kind="exhaustive", detail=detail, certificates=certificates))

    def computed(self) -> Computed | Attains:
        """One number where every e^eps is rational and is found exactly, else an interval, with its ends as values.

        Longer words have no smaller excess, so that the longest show the largest.
        """
        lengths = each_of(self._question.lengths)
        by_length: dict[int | None, tuple[Fraction, Fraction]] = {}
        by_group: dict[str, tuple[Fraction, Fraction]] = {}
        best: _Between | None = None
        for length in lengths:
            by_group, best = {}, None
            for _, both in groupby(self._question.directions, lambda direction: direction.number):
                found = self._between(list(both), length)
                name = ", ".join(f"{variable} = {value}" for variable, value in found.bindings)
                low, high = by_group.get(name, (found.low, found.high))
                by_group[name] = max(low, found.low), max(high, found.high)
                if best is None or found.low > best.low:
                    best = found
            by_length[length] = max(low for low, _ in by_group.values()), max(high for _, high in by_group.values())
        values: list[NamedValue] = []
        if len(lengths) > 1:
            for length, ends in by_length.items():
                values += _named(f"length {length}", ends)
        if len(by_group) > 1:
            for word, pick in (("largest", max), ("smallest", min)):
                name = pick(by_group, key=lambda name: by_group[name])
                values += _named(f"{word} at {name}", by_group[name])
        low, high = by_length[lengths[-1]]
        if low == high:
            computed = Computed(engine=NAME, value=high, values=tuple(values))
        else:
            low, high = _rounded_outward(low, high)
            values = [*_named("", (low, high)), *values]
            computed = Computed(engine=NAME, value=Enclosure(low, high), values=tuple(values))
        shown = None if best is None else best.shown()
        return computed if shown is None else Attains(computed=computed, violation=shown)

    def _between(self, directions: Sequence[Direction], length: int | None) -> _Between:
        """The larger delta of the directions of a comparison, from below and above; a larger e^eps needs a smaller one.

        The ends lie apart by 10^-_DIGITS of delta at most, or by what is not known of an excess even where e^eps is.
        """
        bits = _FIRST_BITS
        while True:
            below, above = _exponential(directions[0].comparison, bits)
            found = [self._at_least(direction, above, length, None) for direction in directions]
            best, direction = max(zip(found, directions), key=lambda each: each[0].at_least)
            if below != above:
                found += [self._excess(direction, below, length).settle(None) for direction in directions]
            high = max(excess.at_most for excess in found)
            doubt = max(excess.at_most - excess.at_least for excess in found)
            if high - best.at_least <= max(3 * doubt, high / 10**_DIGITS) or bits >= _MOST_BITS:
                return _Between(direction=direction, low=best.at_least, high=high, excess=best)
            bits *= 2

    def _at_least(self, direction: Direction, bound: Fraction, length: int | None, doubt: Fraction | None) -> Excess:
        """The excess at a bound that is not below e^eps, taken note of even where it is not settled."""
        excess = self._excess(direction, bound, length)
        try:
            return excess.settle(doubt, by_words=True)
        finally:
            self._needed = max(self._needed, excess.at_least)

    def _excess(self, direction: Direction, bound: Fraction, length: int | None) -> Excess:
        return Excess(direction.comparison.system, *weighted(direction), bound, length, self._budget)


def _named(name: str, ends: tuple[Fraction, Fraction]) -> list[NamedValue]:
    low, high = ends
    if low == high:
        return [NamedValue(name=name, value=high)]
    low, high = _rounded_outward(low, high)
    return [
        NamedValue(name=f"{name} at least".strip(), value=low),
        NamedValue(name=f"{name} at most".strip(), value=high),
    ]


def _rounded_outward(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The ends of an interval from 0 up, to `_DIGITS` digits, so that it still holds what it held."""
    unit = Fraction(1)
    while unit * 10**_DIGITS > high:
        unit /= 10
    return low // unit * unit, -(-high // unit) * unit


def _exponential(comparison: Comparison, bits: int) -> tuple[Fraction, Fraction]:
    """e^eps from below and above."""
    assert comparison.epsilon is not None
    exact = comparison.epsilon.exact_exponential()
    if isinstance(exact, Fraction):
        return exact, exact
    return comparison.epsilon.lower_bound(bits), comparison.epsilon.upper_bound(bits)
