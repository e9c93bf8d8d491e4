"""Signs of functions of a parameter x and of z = e^(-x/unit), each shown by a certificate of its own.

The functions are read from the numbers of the claim here, as polynomials in x and z; what is stated of one in a
certificate is believed only if it is that function, but for factors that are positive.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

from pfl.analysis.exponential.certificate import Unchecked, faults
from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval
from pfl.base.exact_text import fraction_text, integer_value
from pfl.base.number import Number
from pfl.model.parameters import ExponentialSpace
from pfl.verify.certificates.certificate_format import Malformed, Unshown
from pfl.verify.certificates.exact.one_parameter import has_no_root, whole
from pfl.verify.certificates.exact.polynomials import Poly, Quotient, read_quotient

_MOST_DIGITS = 100_000
_HIGHEST_POWER = 1_000
_LONGEST_MULTIPLE = 10_000
"""Terms that the quotient of a stated function and that of the claim may have: what denominators have in common."""
_EXPONENT = 1 << 40
"""Beyond every exponent of a function of a claim."""


class Signs:
    """The functions of one space, which are read in its own unit, and what certificates show of their signs."""

    def __init__(self, space: ExponentialSpace, unit: Any) -> None:
        """`unit` is what the stated functions are of: t = x/unit, and e^t. Raises Malformed."""
        if type(unit) is not int or unit < 1:
            raise Malformed("`unit` must be a whole number from 1")
        if unit >= _EXPONENT:
            raise Unshown("the denominators of its exponents are too long to be checked")
        self.space = space
        self.names = (space.base, space.exponential.name)
        self._unit = unit
        self._interval = Interval(
            low=space.low / unit,
            high=None if space.high is None else space.high / unit,
            low_open=space.low_open,
            high_open=space.high_open,
        )
        self._known: dict[tuple[tuple[tuple[int, ...], Fraction], ...], int] = {}
        self._quotients: dict[Number, Quotient] = {}

    @staticmethod
    def of(record: dict[str, Any], space: ExponentialSpace) -> Signs:
        """The signs of a certificate that says that it is about a space; the unit is its own affair. Raises
        Malformed."""
        high = "inf" if space.high is None else fraction_text(space.high)
        interval: dict[str, Any] = {"low": fraction_text(space.low), "high": high}
        interval |= {"low_open": space.low_open, "high_open": space.high_open}
        if record.get("parameter") != space.base or record.get("interval") != interval:
            raise Malformed("`parameter` and `interval` must be those of the claim")
        return Signs(space, record.get("unit"))

    def quotient(self, number: Number) -> Quotient:
        """A number of the claim. Raises Unshown."""
        if number not in self._quotients:
            try:
                self._quotients[number] = read_quotient(number, self.names)
            except ValueError as error:
                raise Unshown(f"its numbers hold more than one exponential: {error}") from error
        return self._quotients[number]

    def numerator(self, number: Number) -> Poly:
        """A polynomial that has the sign of a number wherever that is defined. Raises Unshown."""
        quotient = self.quotient(number)
        return quotient.above if self.sign(quotient.below) > 0 else -quotient.above

    def sign(self, polynomial: Poly) -> int:
        """The sign that a polynomial has for all x > 0 and z in (0, 1). Raises Unshown."""
        key = tuple(sorted(polynomial.terms.items()))
        if key not in self._known:
            self._known[key] = _sign(polynomial)
        if not self._known[key]:
            raise Unshown("the sign of a denominator is not shown")
        return self._known[key]

    def is_nowhere_zero(self, polynomial: Poly) -> bool:
        """Whether it is shown that a polynomial is 0 for no x of the space; False says nothing."""
        try:
            self.sign(polynomial)
        except Unshown:
            return False
        if self.space.low == 0 and not self.space.low_open:  # there x is 0, and z is 1
            return bool(sum(value for (x, _), value in polynomial.terms.items() if not x))
        return True

    def require(self, entry: Any, function: Poly) -> None:
        """That an entry of a certificate shows that a polynomial is negative for no x. Raises Malformed, Unshown."""
        shown = self.shown(entry, function)
        if not shown:
            raise Malformed("a function is not the one that is to be shown")

    def shown(self, entry: Any, function: Poly) -> bool:
        """Whether an entry is about a polynomial, which then is negative for no x. Raises Malformed, Unshown."""
        if not isinstance(entry, dict):
            raise Malformed("each sign must be an object")
        stated = self.stated(entry)
        if not self.is_multiple(function, stated):
            return False
        self.prove(stated, entry)
        return True

    def is_multiple(self, function: Poly, stated: ExponentialPolynomial) -> bool:
        """Whether a polynomial is a stated function times one that is positive, or the other way round. Raises
        Unshown."""
        if function.is_zero or not stated:
            return function.is_zero and not stated
        powers = [power for power, _ in stated.terms]
        if max(powers) - min(powers) > _HIGHEST_POWER:
            return False
        wanted, known = self._in_one_unit(function, stated)
        longer, shorter = (wanted, known) if wanted.degree(1) >= known.degree(1) else (known, wanted)
        if any(longer.degree(place) < shorter.degree(place) for place in (0, 1)):
            return False
        if _height(shorter) > _height(longer) + 2 * (longer.degree(0) + longer.degree(1)) + 8:
            return False  # Gelfond: factors have no such coefficients
        multiple = longer.over(shorter, _LONGEST_MULTIPLE)
        return multiple is not None and self.sign(multiple) > 0

    def _in_one_unit(self, function: Poly, stated: ExponentialPolynomial) -> tuple[Poly, Poly]:
        """Both in x and one root of e^-x, without the powers of these that divide them."""
        own, other = self.space.unit, self._unit
        common = lcm(own, other)
        highest = max(rate for _, rate in stated.terms)
        least = min(power for power, _ in stated.terms)
        wanted = {(x, z * (common // own)): value for (x, z), value in function.terms.items()}
        known = {
            (power - least, (highest - rate) * (common // other)): Fraction(value, other ** (power - least))
            for (power, rate), value in stated.terms.items()
        }
        lowest = [min(powers[place] for powers in wanted) for place in (0, 1)]
        shifted = {(x - lowest[0], z - lowest[1]): value for (x, z), value in wanted.items()}
        step = gcd(*(z for _, z in shifted), *(z for _, z in known)) or 1
        return (
            Poly({(x, z // step): value for (x, z), value in shifted.items()}),
            Poly({(x, z // step): value for (x, z), value in known.items()}),
        )

    def prove(self, stated: ExponentialPolynomial, entry: dict[str, Any]) -> None:
        """That the proof of an entry shows that its function is negative for no x. Raises Malformed, and Unshown where
        it is too large."""
        if wrong := faults(stated, self._interval, entry.get("proof")):
            if isinstance(wrong[0], Unchecked):
                raise Unshown(wrong[0])
            raise Malformed(f"a sign is not shown: {wrong[0]}")

    @staticmethod
    def stated(entry: dict[str, Any]) -> ExponentialPolynomial:
        """The function of an entry. Raises Malformed, and Unshown where its exponents are too long."""
        terms: dict[tuple[int, int], int] = {}
        for term in listed(entry.get("function"), "`function`"):
            if not isinstance(term, list) or len(term) != 3 or type(term[0]) is not int or type(term[1]) is not int:
                raise Malformed("`function` must be a list of powers, rates and coefficients")
            if max(term[0], abs(term[1])) >= _EXPONENT:
                raise Unshown("its exponents are too long to be checked")
            if term[0] < 0 or (term[0], term[1]) in terms:
                raise Malformed("`function` has exponents that no function of a claim has, or has them twice")
            if not isinstance(term[2], str) or (value := _integer(term[2])) is None:
                raise Malformed("`function` must be a list of powers, rates and coefficients")
            terms[term[0], term[1]] = value
        return ExponentialPolynomial(terms)


def listed(value: Any, where: str) -> list[Any]:
    """A list of a certificate. Raises Malformed."""
    if not isinstance(value, list):
        raise Malformed(f"{where} must be a list")
    return value


def read_word(value: Any) -> tuple[int, ...]:
    """A word of a certificate. Raises Malformed."""
    word = listed(value, "`word`")
    if not all(type(letter) is int for letter in word):
        raise Malformed("`word` must be a list of letters")
    return tuple(word)


def _sign(polynomial: Poly) -> int:
    """The sign for all x > 0 and z in (0, 1); 0 where none is seen."""
    signs = {coefficient > 0 for coefficient in polynomial.terms.values()}
    if len(signs) == 1:
        return 1 if signs.pop() else -1
    if polynomial.is_zero or polynomial.mentions(0):
        return 0
    coefficients = whole(polynomial.along(1))
    if not has_no_root(coefficients, Fraction(0), Fraction(1), low_open=True, high_open=True):
        return 0
    middle = sum(coefficient * Fraction(1, 2) ** power for power, coefficient in enumerate(coefficients))
    return 1 if middle > 0 else -1


def _height(polynomial: Poly) -> int:
    """Binary digits of the largest coefficient of the shortest integer multiple."""
    common = lcm(*(value.denominator for value in polynomial.terms.values()))
    values = [value.numerator * (common // value.denominator) for value in polynomial.terms.values()]
    return (max(map(abs, values)) // gcd(*values)).bit_length()


def _integer(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _MOST_DIGITS:
        return None
    return int(integer_value(digits)) * (-1 if text.startswith("-") else 1)
