"""The privacy parameter: eps = q0 + sum of q_i ln r_i, and certified knowledge of e^eps."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm, prod

from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure, decimal_text, exp, ln
from pfl.base.exact_text import fraction_text, integer_text
from pfl.base.exponential import ONE, multiple_text
from pfl.base.number import Number, exponent_of
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct

_LONGEST_EXPONENTIAL = 1 << 20
"""Bits of the longest e^eps that is written out; beyond it bounds are loose but sound."""


@struct(eq=False, kw_only=False)
class Epsilon:
    """eps = rational + sum of coefficient * ln(argument), exact.

    `logarithms` are pairs (coefficient, argument) as the author wrote them: different arguments, none 1, no
    coefficient 0. Arguments are positive rationals, or functions of parameters that are positive where the claim is
    judged. Two epsilons are equal if their values are: ln(4)/2 == ln(2). Source: docs/theory/epsilon.md.
    """

    constant: Fraction = Fraction(0)
    logarithms: tuple[tuple[Fraction, Number], ...] = ()

    @staticmethod
    def rational(value: Fraction) -> Epsilon:
        return Epsilon(Fraction(value))

    @staticmethod
    def ln(argument: Number) -> Epsilon:
        """The natural logarithm; raises ValueError where a constant argument is not positive."""
        if isinstance(argument, Fraction) and argument <= 0:
            raise ValueError(f"the logarithm of {argument} is not a real number")
        exponent = exponent_of(argument)
        if exponent is not None and exponent[0] == ONE:
            return Epsilon(exponent[1])
        return Epsilon(Fraction(0), () if argument == 1 else ((Fraction(1), argument),))

    def __add__(self, other: Epsilon) -> Epsilon:
        total: dict[Number, Fraction] = {}
        for coefficient, argument in self.logarithms + other.logarithms:
            total[argument] = total.get(argument, Fraction(0)) + coefficient
        logarithms = tuple((coefficient, argument) for argument, coefficient in total.items() if coefficient)
        return Epsilon(self.constant + other.constant, logarithms)

    def __mul__(self, factor: Fraction | int) -> Epsilon:
        if not factor:
            return Epsilon()
        scaled = tuple((coefficient * factor, argument) for coefficient, argument in self.logarithms)
        return Epsilon(self.constant * factor, scaled)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Fraction | int) -> Epsilon:
        return self * (1 / Fraction(divisor))

    def __neg__(self) -> Epsilon:
        return self * -1

    def __sub__(self, other: Epsilon) -> Epsilon:
        return self + -other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Epsilon):
            return NotImplemented
        return (self - other).is_zero

    def __hash__(self) -> int:
        return hash(self.constant)

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that the value depends on as written, sorted."""
        names = {name for _, a in self.logarithms if isinstance(a, RationalFunction) for name in a.parameters}
        return tuple(sorted(names))

    @property
    def is_zero(self) -> bool:
        """Whether the value is exactly 0 for all parameters; a rational q0 != 0 is no logarithm of an algebraic number
        (Lindemann)."""
        if self._symbolic():
            power = self.algebraic()
            return power is not None and power[1] == 1
        return not self.constant and not any(self._powers().values())

    def algebraic(self) -> tuple[int, Number] | None:
        """(n, P) with (e^eps)^n = P, P rational or a rational function, n >= 1 least as written; None if e^eps is
        transcendental or P too long to write out."""
        if self.constant:
            return None
        powers = self._powers()
        root = lcm(*(c.denominator for c in powers.values()), *(c.denominator for c, _ in self._symbolic()))
        if sum(abs(c) * root * base.bit_length() for base, c in powers.items()) > _LONGEST_EXPONENTIAL:
            return None
        constant = prod((Fraction(base) ** int(c * root) for base, c in powers.items()), start=Fraction(1))
        symbolic: Number = constant
        for coefficient, argument in self._symbolic():
            symbolic = symbolic * argument ** int(coefficient * root)
        return root, symbolic

    def exact_exponential(self) -> Number | None:
        """e^eps where it is rational, or a rational function; None otherwise, or where it is too long to write out."""
        power = self.algebraic()
        return power[1] if power is not None and power[0] == 1 else None

    def compare(self, ratio: Fraction) -> int:
        """The sign of ratio - e^eps, always decided; raises ValueError if eps depends on parameters.

        With q0 = 0 equality is decided on powers; with q0 != 0, e^eps is transcendental and certified enclosures of
        growing precision come to an end.
        """
        if ratio <= 0:
            return -1
        return (Epsilon.ln(ratio) - self).sign()

    def sign(self) -> int:
        """-1, 0 or 1; raises ValueError if eps depends on parameters."""
        bits = 64
        while True:
            enclosure = self.enclosure(bits)
            if enclosure.low > 0:
                return 1
            if enclosure.high < 0:
                return -1
            if bits == 64 and self.is_zero:
                return 0
            bits *= 2

    def enclosure(self, bits: int) -> Enclosure:
        """An interval of width at most 2^-bits that holds eps; raises ValueError if eps depends on parameters."""
        total = Enclosure(self.constant, self.constant)
        extra = len(self.logarithms).bit_length()
        for coefficient, argument in self.logarithms:
            if isinstance(argument, RationalFunction):
                raise ValueError(f"the value of {self} depends on {', '.join(argument.parameters)}")
            needed = (
                bits + extra + max(coefficient.numerator.bit_length() - coefficient.denominator.bit_length() + 1, 0)
            )
            total = total + ln(argument, needed).scaled(coefficient)
        return total

    def lower_bound(self, bits: int) -> Fraction:
        """A rational at most e^eps, within a factor 1 - 2^-bits unless e^eps is too long to write out."""
        return self._exponential_bound(bits, upper=False)

    def upper_bound(self, bits: int) -> Fraction:
        """A rational at least e^eps, within a factor 1 + 2^-bits; raises LimitReached if that is too long."""
        return self._exponential_bound(bits, upper=True)

    def _exponential_bound(self, bits: int, *, upper: bool) -> Fraction:
        exact = self.exact_exponential()
        if isinstance(exact, Fraction):
            return exact
        logarithm = self.enclosure(bits + 4)
        edge = logarithm.high if upper else logarithm.low
        if edge > _LONGEST_EXPONENTIAL:
            if upper:
                raise LimitReached(f"e^({self}) is too large to write out; try a smaller epsilon")
            return Fraction(1 << _LONGEST_EXPONENTIAL)
        if edge < -_LONGEST_EXPONENTIAL:
            return Fraction(1, 1 << _LONGEST_EXPONENTIAL) if upper else Fraction(0)
        enclosure = exp(_rounded(edge, bits + 8, upper=upper), bits + 2)
        return enclosure.high if upper else enclosure.low

    def evaluate(self, values: Mapping[str, Fraction]) -> Epsilon:
        """The epsilon at given values of parameters; raises ValueError where it is the logarithm of no positive number,
        ZeroDivisionError at a pole."""
        total = Epsilon(self.constant)
        for coefficient, argument in self.logarithms:
            value = argument.evaluate(values) if isinstance(argument, RationalFunction) else argument
            total = total + Epsilon.ln(value) * coefficient
        return total

    def value(self) -> float:
        """eps as a float, for display; raises ValueError if eps depends on parameters."""
        if not self.parameters and self.is_zero:
            return 0.0
        enclosure = self.enclosure(80)
        return float((enclosure.low + enclosure.high) / 2)

    def decimal(self, places: int = 6) -> str:
        """eps rounded to `places` decimals, every digit right; raises ValueError if eps depends on parameters."""
        if not self.logarithms or self.is_zero:
            return decimal_text(self.constant, places)
        bits = 4 * places + 16
        while True:
            enclosure = self.enclosure(bits)
            low, high = decimal_text(enclosure.low, places), decimal_text(enclosure.high, places)
            if low == high:
                return low
            bits *= 2

    def _symbolic(self) -> list[tuple[Fraction, RationalFunction]]:
        return [(c, argument) for c, argument in self.logarithms if isinstance(argument, RationalFunction)]

    def _powers(self) -> dict[int, Fraction]:
        """Integers > 1, pairwise coprime, with exponents whose denominators are as small as can be; the product
        of the powers is e^(the logarithms without parameters)."""
        powers: dict[int, Fraction] = {}
        for coefficient, argument in self.logarithms:
            if isinstance(argument, Fraction):
                _multiply(powers, argument.numerator, coefficient)
                _multiply(powers, argument.denominator, -coefficient)
        return dict(_without_roots(base, exponent) for base, exponent in powers.items() if exponent)

    def __str__(self) -> str:
        """As in the source: `2*ln(2)`, `ln(4)/2`, `1/2 + ln(3)`, `ln(2) - 1/10`."""
        terms = [_term_text(coefficient, argument) for coefficient, argument in self.logarithms]
        if self.constant or not terms:
            constant = fraction_text(abs(self.constant))
            terms.insert(len(terms) if self.constant < 0 else 0, (self.constant < 0, constant))
        first_negative, text = terms[0]
        text = f"-{text}" if first_negative else text
        return text + "".join(f" {'-' if negative else '+'} {term}" for negative, term in terms[1:])

    def __repr__(self) -> str:
        return f"Epsilon({self})"


def _term_text(coefficient: Fraction, argument: Number) -> tuple[bool, str]:
    """Whether a multiple of a logarithm is negative, and its text without the sign; that of e^x is x."""
    exponent = exponent_of(argument)
    if exponent is not None:
        multiple = coefficient * exponent[1]
        return multiple < 0, multiple_text(exponent[0], abs(multiple))
    above, below = abs(coefficient.numerator), coefficient.denominator
    inner = fraction_text(argument) if isinstance(argument, Fraction) else str(argument)
    factor = "" if above == 1 else f"{integer_text(above)}*"
    divisor = "" if below == 1 else f"/{integer_text(below)}"
    return coefficient < 0, f"{factor}ln({inner}){divisor}"


def _multiply(powers: dict[int, Fraction], base: int, exponent: Fraction) -> None:
    """Multiply a product of pairwise coprime bases by base^exponent, keeping the bases coprime."""
    if base == 1:
        return
    for other in powers:
        common = gcd(base, other)
        if common > 1:
            held = powers.pop(other)
            _multiply(powers, other // common, held)
            _multiply(powers, base // common, exponent)
            _multiply(powers, common, held + exponent)
            return
    powers[base] = exponent


def _without_roots(base: int, exponent: Fraction) -> tuple[int, Fraction]:
    """The same power with the least denominator of the exponent: 4^(1/2) is 2^1, 8^(1/6) is 2^(1/2)."""
    for prime in _prime_factors(exponent.denominator):
        while exponent.denominator % prime == 0:
            root = _integer_root(base, prime)
            if root**prime != base:
                break
            base, exponent = root, exponent * prime
    return base, exponent


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            factors.append(divisor)
            while number % divisor == 0:
                number //= divisor
        divisor += 1
    return factors + [number] * (number > 1)


def _integer_root(number: int, degree: int) -> int:
    """floor(number^(1/degree)), by Newton's iteration from above."""
    if degree >= number.bit_length():
        return 1
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def _rounded(value: Fraction, bits: int, *, upper: bool) -> Fraction:
    """The value rounded up or down to a multiple of 2^-bits, so that sums of long fractions stay short."""
    scaled = value * (1 << bits)
    return Fraction(-(-scaled // 1) if upper else scaled // 1, 1 << bits)
