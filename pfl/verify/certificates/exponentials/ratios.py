"""An independent check of a proof that no word is more likely than a claim allows, at all values of a parameter and its
exponential: every sign is shown again.

The masses of all words are added up here from the system itself, and each inequality is multiplied out in polynomials
with rational coefficients. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.budget import Budget
from pfl.base.closed_form import in_unit, power_of_e, unit_of
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.model.compare import Compare, Direction
from pfl.model.parameters import ExponentialSpace
from pfl.verify.certificates.certificate_format import Damage, Malformed, Unproved, Unshown, intact
from pfl.verify.certificates.exact.common_denominators import CommonDenominators
from pfl.verify.certificates.exact.polynomials import Poly
from pfl.verify.certificates.exponentials.signs import Signs, listed, read_word
from pfl.verify.certificates.masses import NOTHING, AllMasses

KIND = "exponential"

Shown: TypeAlias = tuple[int, int, Epsilon]
"""Two masses, numbered, and the epsilon that is kept."""

_BITS = 64
_HIGHEST_ROOT = 64
"""Fractions of logarithms with larger denominators are not multiplied out."""


def verify_ratios(certificate: Any, question: Compare, budget: Budget) -> list[str]:
    """What is wrong with a certificate that no word is more likely than a claim allows; empty if nothing is.

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
        self._record, self._budget = record, budget
        self._space: ExponentialSpace = question.exponents
        self._signs = Signs.of(record, self._space)
        self._directions = tuple(question.directions)
        self._masses = AllMasses(question, budget)
        self._numbers: dict[Number, int] = {}
        self._factors: dict[Epsilon, tuple[int, Number]] = {}
        self._common = CommonDenominators(self._signs.quotient)
        self._denominators: dict[int, int] = {}

    def problems(self) -> list[str]:
        by_name = {(each.number, each.is_reversed): each for each in self._directions}
        shown: set[Shown] = set()
        for number, entry in enumerate(listed(self._record.get("signs"), "`signs`")):
            self._budget.check(f"{number:,} signs were shown again")
            if not isinstance(entry, dict):
                raise Malformed("each of `signs` must be an object")
            name = (entry.get("comparison"), entry.get("reversed"))
            if type(name[0]) is not int or type(name[1]) is not bool or name not in by_name:
                raise Malformed("a sign is about no comparison of the claim")
            shown.add(self._shown(by_name[name], entry))
        for direction in self._directions:
            if any(each not in shown for each in self._required(direction)):
                return [f"nothing is shown of `{direction.above.label}` against `{direction.below.label}`"]
        return []

    def _required(self, direction: Direction) -> Iterator[Shown]:
        """What must be shown of a direction: all of its words that are possible on the left."""
        epsilon = direction.comparison.epsilon
        assert epsilon is not None, "a check claims an epsilon of every comparison"
        above, below = self._masses.sides(direction)
        for word, mass in above.items():
            yield self._number(mass), self._number(below.get(word, NOTHING)), epsilon

    def _number(self, mass: Number) -> int:
        """A number that says which masses are equal."""
        return self._numbers.setdefault(mass, len(self._numbers))

    def _shown(self, direction: Direction, entry: dict[str, Any]) -> Shown:
        """The masses and the epsilon of which an entry shows that they are as claimed. Raises Malformed, Unshown."""
        place = self._masses.place(direction, read_word(entry.get("word")))
        if place is None:
            raise Malformed("a sign is about no word that must be looked at")
        above, below = self._masses.sides(direction)
        left, right = above.get(place, NOTHING), below.get(place, NOTHING)
        epsilon = direction.comparison.epsilon
        assert epsilon is not None, "a check claims an epsilon of every comparison"
        self._signs.require(entry, self._spared(left, right, epsilon, entry.get("root")))
        return self._number(left), self._number(right), epsilon

    def _spared(self, left: Number, right: Number, epsilon: Epsilon, root: object) -> Poly:
        """A polynomial with the sign of e^eps right - left, or of less, for c = (e^eps)^root: c right^root - left^root.

        Masses are not negative.
        """
        if type(root) is not int:
            raise Malformed("`root` must be a number")
        if epsilon not in self._factors:
            self._factors[epsilon] = factor_below(epsilon, self._space)
        needed, factor = self._factors[epsilon]
        if needed != root:
            raise Malformed("`root` is not that of the epsilon")
        c = self._signs.quotient(factor)
        p, q, common = self._common.of(left, right)
        spared, power = c.above, c.below
        for _ in range(root):
            spared, power = spared * q, power * p
        difference = spared - power
        sign = self._signs.sign(c.below) * self._sign(common) ** root
        return difference if sign > 0 else -difference

    def _sign(self, denominator: Poly) -> int:
        """The sign of a common denominator, of which there are few."""
        if id(denominator) not in self._denominators:
            self._denominators[id(denominator)] = self._signs.sign(denominator)
        return self._denominators[id(denominator)]


def factor_below(epsilon: Epsilon, space: ExponentialSpace) -> tuple[int, Number]:
    """n, and (e^eps)^n as a number of a space, or a number below it. Raises Unshown."""
    power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
    if power is None or power[0] > _HIGHEST_ROOT:
        raise Unshown(f"e^({epsilon}) is too long to write out")
    root, factor = power
    exponent = epsilon.constant * root
    if not exponent:
        return root, factor
    constant = power_of_e(exponent)
    unit = unit_of(constant)
    if space.base == ONE and unit is not None and space.unit % unit == 0:
        return root, factor * in_unit(constant, space.unit)
    return root, factor * Epsilon.rational(exponent).lower_bound(_BITS)


def factor_below_without_root(epsilon: Epsilon, space: ExponentialSpace) -> Number:
    """e^eps as a number of a space, or a number below it. Raises Unshown."""
    root, factor = factor_below(epsilon, space)
    if root == 1:
        return factor
    constant = Epsilon(epsilon.constant, tuple(each for each in epsilon.logarithms if isinstance(each[1], Fraction)))
    root, factor = factor_below(epsilon - constant, space)
    if root > 1:
        raise Unshown(f"with a delta, e^({epsilon}) must not be a root of what depends on a parameter, or on e")
    return factor * constant.lower_bound(_BITS)
