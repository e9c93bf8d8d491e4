"""An independent check of a proof that the excesses of all words add up to at most delta, at all values of a parameter
and its exponential.

The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.closed_form import enclosure, in_unit, is_closed, is_constant, unit_of
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.model.compare import Compare, Direction
from pfl.model.parameters import names_in
from pfl.verify.certificates.certificate_format import Damage, Malformed, Unproved, Unshown, intact
from pfl.verify.certificates.exponentials.ratios import factor_below_without_root
from pfl.verify.certificates.exponentials.signs import Signs, listed, read_word
from pfl.verify.certificates.masses import AllMasses

KIND = "exponential-excess"

Excesses: TypeAlias = Mapping[Number, int]
"""What words have more above than is allowed below, and how many words have as much; none is 0."""

MOST_MIXED = 20
_BITS = 64


def verify_excesses(certificate: Any, question: Compare, budget: Budget) -> list[str]:
    """What is wrong with a certificate that no set of words exceeds by more than delta; empty if nothing is.

    Raises LimitReached.
    """
    try:
        record, kind = intact(certificate)
        if kind != KIND:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of this claim")
        return _Checking(record, question, budget).problems()
    except Malformed as malformed:
        return [Damage(malformed)]
    except Unshown as unshown:
        return [Unproved(unshown)]


class _Checking:
    def __init__(self, record: dict[str, Any], question: Compare, budget: Budget) -> None:
        assert question.exponents is not None, "the claim holds exponentials"
        assert question.delta is not None, "a check claims a delta"
        self._record, self._budget = record, budget
        self._space, self._signs = question.exponents, Signs.of(record, question.exponents)
        self._delta = self._below(question.delta)
        self._directions = tuple(question.directions)
        self._masses = AllMasses(question, budget)
        self._known: dict[tuple[int, bool], Mapping[int, Number]] = {}
        self._steps = 0

    def _below(self, delta: Number) -> Number:
        """The delta as a number of the space, or a number below it."""
        if not is_closed(delta):
            if any(map(is_constant, names_in(delta))):
                raise Unshown(f"the delta {delta} holds powers of e beside those of `{self._space.base}`")
            return delta
        unit = unit_of(delta)
        if self._space.base == ONE and unit is not None and self._space.unit % unit == 0:
            return in_unit(delta, self._space.unit)
        return enclosure(delta, _BITS).low

    def problems(self) -> list[str]:
        by_name = {(each.number, each.is_reversed): each for each in self._directions}
        shown = set()
        for entry in listed(self._record.get("sums"), "`sums`"):
            if not isinstance(entry, dict):
                raise Malformed("each of `sums` must be an object")
            name = (entry.get("comparison"), entry.get("reversed"))
            if type(name[0]) is not int or type(name[1]) is not bool or name not in by_name:
                raise Malformed("a sum is about no comparison of the claim")
            excesses = self._excesses(by_name[name])
            self._require(entry, excesses, by_name[name])
            shown.add(frozenset(excesses.items()))
        for direction in self._directions:
            excesses = self._excesses(direction)
            if excesses and frozenset(excesses.items()) not in shown:
                return [f"nothing is shown of `{direction.above.label}` against `{direction.below.label}`"]
        return []

    def _excesses(self, direction: Direction) -> Excesses:
        """The excesses of the words that are looked at, those from which mass is lost among them."""
        return Counter(self._by_word(direction).values())

    def _by_word(self, direction: Direction) -> Mapping[int, Number]:
        name = (direction.number, direction.is_reversed)
        if name not in self._known:
            self._known[name] = self._subtracted(direction)
        return self._known[name]

    def _subtracted(self, direction: Direction) -> Mapping[int, Number]:
        epsilon = direction.comparison.epsilon
        assert epsilon is not None, "a check claims an epsilon of every comparison"
        factor = factor_below_without_root(epsilon, self._space)
        above, below = self._masses.sides(direction)
        zero = Fraction(0)
        found = {}
        for word in above.keys() | below.keys():
            if excess := above.get(word, zero) - factor * below.get(word, zero):
                found[word] = excess
        return found

    def _require(self, entry: dict[str, Any], excesses: Excesses, direction: Direction) -> None:
        """That an entry shows of every set of words that its excesses are at most delta. Raises Malformed, Unshown.

        The set that matters at some value of the parameter is that of the words which exceed there: none of `never`,
        all of `always`, and some of `mixed`.
        """
        known: set[Number] = set()
        always: Number = Fraction(0)
        for key in ("never", "always"):
            for each in listed(entry.get(key), f"`{key}`"):
                self._check()
                excess = self._of_word(each, direction)
                if excess in known:
                    raise Malformed("two entries are about words that exceed by as much")
                known.add(excess)
                self._signs.require(each, self._signs.numerator(excess if key == "always" else -excess))
                if key == "always":
                    always = always + excess * excesses[excess]
        mixed = self._mixed(entry, direction)
        if len(mixed) > MOST_MIXED or len(set(mixed)) < len(mixed) or known.intersection(mixed):
            raise Malformed("`mixed` must hold few words, of excesses that differ")
        if known.union(mixed) != excesses.keys():
            raise Malformed("the words that are looked at are not all that exceed")
        sets = listed(entry.get("sets"), "`sets`")
        if len(sets) != 1 << len(mixed):
            raise Malformed("`sets` must hold a sign for each set of the mixed words")
        for number, each in enumerate(sets):
            self._check()
            chosen = (excess * excesses[excess] for place, excess in enumerate(mixed) if number >> place & 1)
            self._signs.require(each, self._signs.numerator(self._delta - sum(chosen, always)))

    def _mixed(self, entry: dict[str, Any], direction: Direction) -> list[Number]:
        return [self._of_word({"word": word}, direction) for word in listed(entry.get("mixed"), "`mixed`")]

    def _of_word(self, entry: Any, direction: Direction) -> Number:
        """The excess of a word that an entry names. Raises Malformed."""
        if not isinstance(entry, dict):
            raise Malformed("each sign must be an object")
        place = self._masses.place(direction, read_word(entry.get("word")))
        excess = None if place is None else self._by_word(direction).get(place)
        if excess is None:
            raise Malformed("a sign is about no word that exceeds, or falls short")
        return excess

    def _check(self) -> None:
        self._steps += 1
        self._budget.check(f"{self._steps:,} signs were shown again")
