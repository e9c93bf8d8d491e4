"""Numbers made of rational powers of e by the four operations: their signs, and enclosures of their values.

They are rational functions in the one name e^(-1/n). Such a number is 0 only where its function is, since e^(-1/n) is
transcendental, so that enclosures of growing precision come to an end. Source: docs/theory/epsilon.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure, exp
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE, Exponential
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction


def unit_of(number: Number) -> int | None:
    """The least n of which it is a function of e^(-1/n), as it is written; None where it depends on parameters."""
    if isinstance(number, Fraction):
        return 1
    found = [Exponential.of(name) for name in number.parameters]
    if any(each is None or each.base != ONE for each in found):
        return None
    return lcm(*(each.unit for each in found if each is not None))


def is_constant(name: str) -> bool:
    """Whether a name of a function is that of a power of e, not of a parameter."""
    held = Exponential.of(name)
    return held is not None and held.base == ONE


def is_closed(number: object) -> bool:
    """Whether something is a number that holds powers of e, and no parameters."""
    return isinstance(number, RationalFunction) and unit_of(number) is not None


def in_unit(number: Number, unit: int) -> Number:
    """The number as a function of e^(-1/unit), of which the unit of each of its names is a divisor."""
    if isinstance(number, Fraction):
        return number
    z = RationalFunction.parameter(Exponential(base=ONE, unit=unit).name)
    powers = {}
    for name in number.parameters:
        held = Exponential.of(name)
        assert held is not None, f"{name} is no power of e"
        powers[name] = z ** (unit // held.unit)
    return number.evaluate(powers)


def power_of_e(exponent: Fraction) -> Number:
    """e^exponent."""
    if not exponent:
        return Fraction(1)
    return RationalFunction.parameter(Exponential(base=ONE, unit=exponent.denominator).name) ** -exponent.numerator


def together(*numbers: Number) -> list[Number]:
    """The numbers as functions of one power of e; raises ValueError for one that depends on parameters."""
    units = [unit_of(number) for number in numbers]
    if any(unit is None for unit in units):
        raise ValueError("a number depends on parameters")
    unit = lcm(*(unit for unit in units if unit is not None))
    return [in_unit(number, unit) for number in numbers]


def sign(number: Number) -> int:
    """-1, 0 or 1, always decided; raises ValueError for a number that depends on parameters."""
    (number,) = together(number)
    if isinstance(number, Fraction):
        return (number > 0) - (number < 0)
    bits = 64
    while True:
        above, below = (_polynomial(part, bits) for part in (number.numerator, number.denominator))
        signs = {(end.low > 0) - (end.high < 0) for end in (above, below)}
        if 0 not in signs:
            return 1 if len(signs) == 1 else -1
        bits *= 2


def compare(left: Number, right: Number, epsilon: Epsilon) -> int:
    """The sign of left - e^epsilon * right, for right >= 0, always decided; raises ValueError for numbers that depend
    on parameters, and LimitReached where e^epsilon is too large to write out."""
    power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
    if power is None:
        raise LimitReached(f"e^({epsilon}) is too large to write out; try a smaller epsilon")
    root, factor = power
    left, right, factor, constant = together(left, right, factor, power_of_e(epsilon.constant))
    if sign(left) < 0:
        return -1
    return sign(left**root - factor * (constant * right) ** root)


def floor(number: Number) -> int:
    """The largest integer that is not above the number, always decided; raises ValueError as `sign`."""
    bits = 64
    while True:
        found = enclosure(number, bits)
        if found.low // 1 == found.high // 1:  # a number that is no rational is no integer
            return found.low // 1
        bits *= 2


def enclosure(number: Number, bits: int) -> Enclosure:
    """An interval of relative width at most 2^-bits that holds the number; raises ValueError as `sign`."""
    (number,) = together(number)
    if isinstance(number, Fraction):
        return Enclosure(number, number)
    precision = bits + 16
    while True:
        above, below = (_polynomial(part, precision) for part in (number.numerator, number.denominator))
        precision *= 2
        if below.low <= 0 <= below.high or above.low <= 0 <= above.high:
            continue
        ends = [a / b for a in (above.low, above.high) for b in (below.low, below.high)]
        found = Enclosure(min(ends), max(ends))
        if (found.high - found.low) * (1 << bits) <= min(abs(found.low), abs(found.high)):
            return found


def _polynomial(polynomial: Polynomial, bits: int) -> Enclosure:
    """An enclosure of a polynomial in one power of e, whose ends are short: what is far below the largest term is
    enclosed by 0 and a power of 2, since it may have millions of digits."""
    total = Enclosure(Fraction(0), Fraction(0))
    (name,) = {name for monomial, _ in polynomial.terms for name, _ in monomial} or {""}
    held = Exponential.of(name)
    unit = 1 if held is None else held.unit
    terms = [(Fraction(-dict(monomial).get(name, 0), unit), coefficient) for monomial, coefficient in polynomial.terms]
    least = max((_binary_digits(*term) for term in terms), default=0) - 2 * bits
    for exponent, coefficient in terms:
        if _binary_digits(exponent, coefficient) + _SLACK < least:
            total = total + Enclosure(Fraction(0), Fraction(2) ** least).scaled(Fraction(1 if coefficient > 0 else -1))
        elif exponent:
            total = total + exp(exponent, bits).scaled(coefficient)
        else:
            total = total + Enclosure(coefficient, coefficient)
    return total


_SLACK = 64
"""More than what `_binary_digits` leaves open."""


def _binary_digits(exponent: Fraction, coefficient: Fraction) -> int:
    """|coefficient| e^exponent is below 2 to the power of this and two more; nearly the least such number."""
    bound = exponent * (_LOG2_E_BELOW if exponent < 0 else _LOG2_E_ABOVE)
    return int(bound // 1) + coefficient.numerator.bit_length() - coefficient.denominator.bit_length()


_LOG2_E_BELOW, _LOG2_E_ABOVE = (Fraction(digits, 10**16) for digits in (14426950408889634, 14426950408889635))
