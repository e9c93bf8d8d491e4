"""An independent check of a proof for all values of a parameter and its exponential: every sign is shown again.

The masses of all words are added up here from the system itself, and each inequality is multiplied out in polynomials
with rational coefficients. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.analysis.exponential.certificate import faults
from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval
from pfl.base.budget import Budget
from pfl.base.closed_form import in_unit, power_of_e, unit_of
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import integer_value
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.model.compare import Compare, Direction, Side
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import ExponentialSpace
from pfl.verify.certificates.certificate_format import Damage, Malformed, Uncertifiable, Unproved, intact
from pfl.verify.certificates.exact.one_parameter import has_no_root, whole
from pfl.verify.certificates.exact.polynomials import Poly, Quotient, read_quotient

KIND = "exponential"

Masses: TypeAlias = Mapping[tuple[int, ...], Number]
"""The masses of words that are not 0."""

Shown: TypeAlias = tuple[int, int, str]
"""Two masses, numbered, and the epsilon that is kept."""

MOST_WORDS = 1_000_000
_BITS = 64


class Unshown(Exception):
    """What the certificate does not show; the text says what."""


def verify_exponential(certificate: Any, question: Compare, budget: Budget) -> list[str]:
    """What is wrong with a certificate that no word is more likely than a claim allows; empty if nothing is.

    Raises LimitReached.
    """
    try:
        return _Checking(certificate, question, budget).problems()
    except Malformed as malformed:
        return [Damage(malformed)]
    except Unshown as unshown:
        return [Unproved(unshown)]


class _Checking:
    def __init__(self, certificate: Any, question: Compare, budget: Budget) -> None:
        self._record, kind = intact(certificate)
        if kind != KIND:
            raise Malformed(f"a certificate of the kind `{kind}` shows nothing of exponentials")
        assert question.exponents is not None, "the claim holds exponentials"
        self._question, self._budget = question, budget
        self._space: ExponentialSpace = question.exponents
        self._names = (self._space.base, self._space.exponential.name)
        self._directions = {(each.number, each.is_reversed): each for each in question.directions}
        self._masses: dict[tuple[int, int, Number], Masses] = {}
        self._texts: dict[int, str] = {}
        self._kept: dict[int, tuple[Masses, Mapping[tuple[int, ...], int]]] = {}
        self._numbers: dict[Number, int] = {Fraction(0): 0}
        unit = self._space.unit
        self._interval = Interval(
            low=self._space.low / unit,
            high=None if self._space.high is None else self._space.high / unit,
            low_open=self._space.low_open,
            high_open=self._space.high_open,
        )

    def problems(self) -> list[str]:
        if self._question.lengths == "any":
            return [Uncertifiable("words of every length have no certificate where numbers hold exponentials")]
        shown: set[Shown] = set()
        for number, entry in enumerate(self._list(self._record.get("signs"), "`signs`")):
            self._budget.check(f"{number:,} signs were shown again")
            shown.add(self._shown(entry))
        longest = max(self._question.lengths, default=0)
        for direction in self._directions.values():
            above, below = (self._numbered(masses) for masses in self._sides(direction))
            epsilon = self._text(direction.comparison.epsilon)
            for word, mass in above.items():
                if len(word) == longest and (mass, below.get(word, 0), epsilon) not in shown:
                    return [f"nothing is shown of `{direction.above.label}` against `{direction.below.label}`"]
        return []

    def _text(self, epsilon: Epsilon | None) -> str:
        if id(epsilon) not in self._texts:
            self._texts[id(epsilon)] = str(epsilon)
        return self._texts[id(epsilon)]

    def _numbered(self, masses: Masses) -> Mapping[tuple[int, ...], int]:
        """The masses as numbers that are equal where they are; 0 is that of no mass."""
        if id(masses) not in self._kept:
            numbered = {word: self._number(mass) for word, mass in masses.items()}
            self._kept[id(masses)] = (masses, numbered)
        return self._kept[id(masses)][1]

    def _number(self, mass: Number) -> int:
        return self._numbers.setdefault(mass, len(self._numbers)) if mass else 0

    def _shown(self, entry: Any) -> Shown:
        """The masses and the epsilon of which an entry shows that they are as claimed. Raises Malformed."""
        if not isinstance(entry, dict):
            raise Malformed("each of `signs` must be an object")
        word = tuple(self._list(entry.get("word"), "`word`"))
        direction = self._directions.get((entry.get("comparison"), entry.get("reversed")))  # type: ignore[arg-type]
        if direction is None:
            raise Malformed("a sign is about no comparison of the claim")
        above, below = self._sides(direction)
        left, right = above.get(word, Fraction(0)), below.get(word, Fraction(0))
        epsilon = direction.comparison.epsilon
        assert epsilon is not None
        function = self._function(entry.get("function"))
        self._require_same_sign(function, left, right, epsilon, entry.get("root"))
        if wrong := faults(function, self._interval, entry.get("proof")):
            raise Malformed(f"a sign is not shown: {wrong[0]}")
        return self._number(left), self._number(right), self._text(epsilon)

    def _require_same_sign(
        self, function: ExponentialPolynomial, left: Number, right: Number, epsilon: Epsilon, root: object
    ) -> None:
        """That the function is a positive multiple of e^eps right - left, or below it."""
        if type(root) is not int or not 1 <= root <= 64:
            raise Malformed("`root` must be a small number")
        factor = self._factor(epsilon, root)
        p, q, c = (self._quotient(number) for number in (left, right, factor))
        spared = Quotient(above=c.above, below=c.below)
        for _ in range(root):
            spared = Quotient(above=spared.above * q.above * p.below, below=spared.below * q.below * p.below)
        power = Quotient(above=Poly.constant(1, 2), below=Poly.constant(1, 2))
        for _ in range(root):
            power = Quotient(above=power.above * p.above * q.below, below=power.below * p.below * q.below)
        # c q^n / (c' q'^n) - p^n / p'^n over the common denominator c' q'^n p'^n
        difference = spared.above - power.above * c.below
        if self._sign(c.below) * _power_sign(self._sign(q.below) * self._sign(p.below), root) < 0:
            difference = -difference
        stated, shown = _lowest(_as_poly(function, self._space.unit)), _lowest(difference)
        if shown.is_zero:
            if not stated.is_zero:
                raise Malformed("a function is not 0, though its masses are as the claim allows")
            return
        multiple = None if stated.is_zero else shown.over(stated)
        if multiple is None or self._sign(multiple) < 0:
            raise Malformed("a function is not that of its word")

    def _factor(self, epsilon: Epsilon, root: int) -> Number:
        """(e^eps)^root, or a number below it."""
        power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
        if power is None or power[0] != root:
            raise Malformed("`root` is not that of the epsilon")
        factor, exponent = power[1], epsilon.constant * root
        if not exponent:
            return factor
        constant = power_of_e(exponent)
        unit = unit_of(constant)
        if self._space.base == ONE and unit is not None and self._space.unit % unit == 0:
            return factor * in_unit(constant, self._space.unit)
        return factor * Epsilon.rational(exponent).lower_bound(_BITS)

    def _quotient(self, number: Number) -> Quotient:
        try:
            return read_quotient(number, self._names)
        except ValueError as error:
            raise Unshown(f"its numbers hold more than one exponential: {error}") from error

    def _sign(self, polynomial: Poly) -> int:
        """The sign that a polynomial has for all z in (0, 1) and x > 0. Raises Unshown."""
        signs = {coefficient > 0 for coefficient in polynomial.terms.values()}
        if len(signs) == 1:
            return 1 if signs.pop() else -1
        if not polynomial.mentions(0):
            degree = polynomial.degree(1)
            coefficients = whole([polynomial.terms.get((0, power), Fraction(0)) for power in range(degree + 1)])
            if has_no_root(coefficients, Fraction(0), Fraction(1), low_open=True, high_open=True):
                middle = sum(c * Fraction(1, 2) ** power for power, c in enumerate(coefficients))
                return 1 if middle > 0 else -1
        raise Unshown("the sign of a denominator is not shown")

    def _function(self, entry: Any) -> ExponentialPolynomial:
        terms: dict[tuple[int, int], int] = {}
        for term in self._list(entry, "`function`"):
            if not isinstance(term, list) or len(term) != 3 or type(term[0]) is not int or type(term[1]) is not int:
                raise Malformed("`function` must be a list of powers, rates and coefficients")
            if term[0] < 0 or not isinstance(term[2], str) or (value := _integer(term[2])) is None:
                raise Malformed("`function` must be a list of powers, rates and coefficients")
            terms[term[0], term[1]] = value
        return ExponentialPolynomial(terms)

    @staticmethod
    def _list(value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise Malformed(f"{where} must be a list")
        return value

    # --- masses -----------------------------------------------------------------

    def _sides(self, direction: Direction) -> tuple[Masses, Masses]:
        """The masses on both sides, each times the weight of the other."""
        above, below = direction.above, direction.below
        return self._of(direction, above, below.weight), self._of(direction, below, above.weight)

    def _of(self, direction: Direction, side: Side, weight: Number) -> Masses:
        key = (id(side.vector), id(direction.comparison.system), weight)
        if key not in self._masses:
            assert self._question.lengths != "any"
            longest = max(self._question.lengths, default=0)
            masses = _all_masses(direction.comparison.system, side.vector, longest, self._budget)
            self._masses[key] = masses if weight == 1 else {word: mass * weight for word, mass in masses.items()}
        return self._masses[key]


def _all_masses(system: LabelledSystem, start: Sequence[Number], letters: int, budget: Budget) -> Masses:
    """The masses of all words of up to so many letters, one letter after the other."""
    reached: dict[tuple[int, ...], dict[int, Number]] = {(): {s: w for s, w in enumerate(start) if w}}
    totals = _totals(system, reached)
    for _ in range(letters):
        after: dict[tuple[int, ...], dict[int, Number]] = {}
        for word, entries in reached.items():
            budget.check(f"{len(after):,} words")
            for state, weight in entries.items():
                for letter, matrix in enumerate(system.matrices):
                    for column, entry in matrix[state]:
                        there = after.setdefault((*word, letter), {})
                        there[column] = there.get(column, Fraction(0)) + weight * entry
        if len(after) > MOST_WORDS:
            raise Unshown(f"there are more than {MOST_WORDS:,} words")
        reached = after
        totals.update(_totals(system, reached))
    return {word: mass for word, mass in totals.items() if mass}


def _totals(
    system: LabelledSystem, reached: Mapping[tuple[int, ...], Mapping[int, Number]]
) -> dict[tuple[int, ...], Number]:
    final = system.final
    return {
        word: sum((w if final is None else w * final[s] for s, w in entries.items()), Fraction(0))
        for word, entries in reached.items()
    }


def _power_sign(sign: int, power: int) -> int:
    return sign if power % 2 else 1


def _as_poly(function: ExponentialPolynomial, unit: int) -> Poly:
    """In x = unit * t and z = e^-t, times a power of z."""
    highest = max((rate for _, rate in function.terms), default=0)
    return Poly(
        {
            (power, highest - rate): Fraction(value) / Fraction(unit) ** power
            for (power, rate), value in function.terms.items()
        }
    )


def _lowest(polynomial: Poly) -> Poly:
    """The polynomial without the powers of x and z that divide it, both being positive."""
    if polynomial.is_zero:
        return polynomial
    least = [min(powers[place] for powers in polynomial.terms) for place in (0, 1)]
    return Poly({(x - least[0], z - least[1]): value for (x, z), value in polynomial.terms.items()})


def _integer(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 100_000:
        return None
    return int(integer_value(digits)) * (-1 if text.startswith("-") else 1)
