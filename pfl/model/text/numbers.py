"""Exact numbers, quotients of polynomials and epsilons, read as they are written: `3/4`, `(1 - p)/(2*q)`, `2*ln(3)`.

Exponents are written over the unit of their exponential, `exp(-2*eps/4)`, so that what is read is of the same unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text, integer_text, integer_value
from pfl.base.exponential import ONE, Exponential
from pfl.base.number import Number, exponent_of
from pfl.base.rational_function import Monomial, Polynomial, RationalFunction
from pfl.model.text.errors import number_too_long
from pfl.model.text.lines import LONGEST_NUMBER, Line

CONSTANT = re.compile(r"-?[0-9]{1,4000}(?:/[0-9]{1,4000})?(?![0-9./*^(]| *[-+*/^(])")
"""A rational number of so few digits that it can be read at once, and no part of a longer term."""

_DIGITS = re.compile(r"[0-9]+")
_PARAMETER = re.compile(r"[^\W\d]\w*")
_SIGN = re.compile(r"[-+]")
_EXPONENT = re.compile(
    r"exp\((?P<sign>-?)(?:(?P<factor>[0-9]+)\*?)?(?P<base>[^\W\d]\w*(?:\*[^\W\d]\w*)?)?(?:/(?P<divisor>[0-9]+))?\)"
)

_MOST_POWERS = 10_000_000
"""Powers of parameters in one number: as many as terms times parameters."""


def number_text(number: Number) -> str:
    """The number as it is read back."""
    if isinstance(number, Fraction):
        return fraction_text(number)
    units = {held.base: held.unit for name in number.parameters if (held := Exponential.of(name)) is not None}
    return _EXPONENT.sub(lambda found: _over_unit(found, units), str(number)) if units else str(number)


def _over_unit(found: re.Match[str], units: Mapping[str, int]) -> str:
    """An exponent with the unit as its denominator."""
    base = found["base"] or ONE
    unit = units[base]
    factor = integer_value(found["factor"] or "1") * (unit // int(found["divisor"] or 1))
    return f"exp({found['sign']}{_over(base, factor, unit)})"


def _over(base: str, factor: int, unit: int) -> str:
    """factor * base / unit, not made shorter."""
    below = "" if unit == 1 else f"/{integer_text(unit)}"
    if base == ONE:
        return f"{integer_text(factor)}{below}"
    return f"{'' if factor == 1 else f'{integer_text(factor)}*'}{base}{below}"


def epsilon_text(epsilon: Epsilon) -> str:
    """The epsilon as it is read back."""
    terms = [_epsilon_term_text(*term) for term in epsilon.logarithms]
    if epsilon.constant or not terms:
        terms.insert(0, (epsilon.constant < 0, fraction_text(abs(epsilon.constant))))
    text = "".join(f" {'-' if negative else '+'} {term}" for negative, term in terms)
    return f"-{text[3:]}" if terms[0][0] else text[3:]


def _epsilon_term_text(coefficient: Fraction, argument: Number) -> tuple[bool, str]:
    exponent = exponent_of(argument)
    if exponent is not None and exponent[1] > 0 and coefficient == 1:
        assert isinstance(argument, RationalFunction)
        held = Exponential.of(argument.parameters[0])
        assert held is not None, "what has an exponent is a power of an exponential"
        return False, _over(held.base, int(exponent[1] * held.unit), held.unit)
    factor, divisor = abs(coefficient.numerator), coefficient.denominator
    before = "" if factor == 1 else f"{integer_text(factor)}*"
    behind = "" if divisor == 1 else f"/{integer_text(divisor)}"
    return coefficient < 0, f"{before}ln({number_text(argument)}){behind}"


def read_number(line: Line, known: dict[str, Fraction]) -> Number:
    """The number that stands here; constants of few digits are kept in `known`."""
    start = line.here()
    constant = line.match(CONSTANT)
    if constant is None:
        return _quotient(line)
    found = known.get(constant)
    if found is None:
        above, _, below = constant.partition("/")
        if below and not int(below):
            line.fail("the denominator is 0", start)
        found = known[constant] = Fraction(int(above), int(below or 1))
    return found


def _quotient(line: Line) -> Number:
    """A polynomial, or a quotient of two, of which those with several terms stand in brackets."""
    start = line.here()
    above, is_single = _part(line)
    if not line.take("/"):
        return above
    if not is_single:
        line.fail("what is divided must stand in brackets if it has several terms", start)
    start = line.here()
    below, is_single = _part(line, is_divisor=True)
    if not below:
        line.fail("the denominator is 0", start)
    return above / below


def _part(line: Line, *, is_divisor: bool = False) -> tuple[Number, bool]:
    """A polynomial, and whether it is one term, or stands in brackets; a divisor without brackets is one factor."""
    if line.take("("):
        polynomial, _ = _sum(line)
        line.expect(")")
        return polynomial, True
    if not is_divisor:
        return _sum(line)
    terms: dict[Monomial, Fraction] = {}
    _add(line, terms, negative=False, factors=1)
    return _number(line, terms), True


def _sum(line: Line) -> tuple[Number, bool]:
    """Terms, the first with or without a sign; and whether there is only one."""
    terms: dict[Monomial, Fraction] = {}
    count, sign = 0, line.match(_SIGN) or "+"
    while sign:
        _add(line, terms, negative=sign == "-")
        count += 1
        sign = line.match(_SIGN) or ""
    return _number(line, terms), count == 1


def _number(line: Line, terms: dict[Monomial, Fraction]) -> Number:
    names = {name for monomial in terms for name, _ in monomial}
    if len(names) * len(terms) > _MOST_POWERS:
        line.reject(number_too_long)
    if not terms:
        return Fraction(0)
    divisor: Number = Fraction(1)
    for name in sorted(names):  # exponentials of positive numbers are negative powers
        least = min(dict(monomial).get(name, 0) for monomial in terms)
        if least < 0:
            terms = {_raised(monomial, name, -least): factor for monomial, factor in terms.items()}
            divisor = divisor * RationalFunction.parameter(name) ** -least
    return Polynomial(tuple(terms.items())).to_number() / divisor


def _raised(monomial: Monomial, name: str, power: int) -> Monomial:
    """The monomial times a power."""
    powers = dict(monomial)
    powers[name] = powers.get(name, 0) + power
    return tuple((name, power) for name, power in sorted(powers.items()) if power)


def _add(line: Line, terms: dict[Monomial, Fraction], *, negative: bool, factors: int | None = None) -> None:
    """Read a term: whole numbers and powers of parameters, with `*` between them."""
    coefficient = -1 if negative else 1
    powers: dict[str, int] = {}
    while True:
        start = line.here()
        digits = line.match(_DIGITS)
        if digits is not None:
            coefficient *= line.whole(digits, start)
        else:
            name = line.match(_PARAMETER)
            if name is None:
                line.fail("a number is expected here: digits, or the name of a parameter")
            if name == "exp" and line.take("("):
                name, power = _exponential(line)
            else:
                power = _power(line) if line.take("^") else 1
            powers[name] = powers.get(name, 0) + power
        if factors == 1 or not line.take("*"):
            break
    monomial = tuple(sorted(powers.items()))
    total = terms.pop(monomial, Fraction(0)) + coefficient
    if total:
        terms[monomial] = total


_LARGEST_MULTIPLE = 10**1_000
"""Of a parameter, or of 1, in an exponent; `--set eps=1e400` makes such."""


def _power(line: Line, most: int = LONGEST_NUMBER) -> int:
    start = line.here()
    power = line.integer()
    if not 0 < power <= most:
        line.at = start
        line.reject(number_too_long)
    return power


def _exponential(line: Line) -> tuple[str, int]:
    """The name of an exponential, and its power: of `exp(-3*eps/4)`, what follows the bracket."""
    is_below_one = line.take("-")
    base, power, unit = _multiple(line)
    line.expect(")")
    return Exponential(base=base, unit=unit).name, power if is_below_one else -power


def _multiple(line: Line) -> tuple[str, int, int]:
    """(base, k, n) of k*base/n, as it is written; the base may be 1, `3/4`."""
    factor = _power(line, _LARGEST_MULTIPLE) if line.sees_digit else None
    base = ONE if factor is not None and not line.take("*") else _base(line)
    if base is None:
        line.fail("the name of a parameter is expected here")
    return base, 1 if factor is None else factor, _divisor(line)


def _base(line: Line) -> str | None:
    """The name of a parameter, or a product of two, of which an exponent is a multiple; None where none stands here."""
    first = line.match(_PARAMETER)
    if first is None or not line.take("*"):
        return first
    second = line.match(_PARAMETER)
    if second is None:
        line.fail("the name of a parameter is expected here")
    return Exponential.of_product(first, second).base


def read_epsilon(line: Line, known: dict[str, Fraction]) -> Epsilon:
    """A sum of rational numbers, of multiples of logarithms of numbers, and of multiples of a parameter."""
    total: dict[Number | None, Fraction] = {}
    sign = line.match(_SIGN) or "+"
    while sign:
        argument, factor = _epsilon_term(line, known)
        total[argument] = total.get(argument, Fraction(0)) + (factor if sign == "+" else -factor)
        sign = line.match(_SIGN) or ""
    constant = total.pop(None, Fraction(0))
    return Epsilon(constant, tuple((factor, argument) for argument, factor in total.items() if argument and factor))


def _epsilon_term(line: Line, known: dict[str, Fraction]) -> tuple[Number | None, Fraction]:
    """The number whose logarithm it is, None for a rational, and what that is multiplied by."""
    factor = 1
    if line.sees_digit:
        factor = line.integer()
        if not line.take("*"):
            return None, Fraction(factor, _divisor(line))
    if not line.take("ln"):
        return _exponential_of_multiple(line, factor), Fraction(1)
    line.expect("(")
    start = line.here()
    argument = read_number(line, known)
    if isinstance(argument, Fraction) and (argument <= 0 or argument == 1):
        line.fail("the logarithm of this is 0, or no real number", start)
    line.expect(")")
    return argument, Fraction(factor, _divisor(line))


def _exponential_of_multiple(line: Line, factor: int) -> Number:
    """e^(factor * base/n), of which `base/n` stands here."""
    base = _base(line)
    if base is None:
        line.fail("a logarithm, or the name of a parameter, is expected here")
    if not 0 <= factor <= _LARGEST_MULTIPLE:
        line.reject(number_too_long)
    return RationalFunction.parameter(Exponential(base=base, unit=_divisor(line)).name) ** -factor


def _divisor(line: Line) -> int:
    if not line.take("/"):
        return 1
    start = line.here()
    divisor = line.integer()
    if divisor <= 0:
        line.fail("a whole number above 0 is expected here", start)
    return divisor
