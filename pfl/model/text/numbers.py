"""Exact numbers, quotients of polynomials and epsilons, read as they are written: `3/4`, `(1 - p)/(2*q)`, `2*ln(3)`."""

from __future__ import annotations

import re
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import Monomial, Polynomial
from pfl.model.text.errors import number_too_long
from pfl.model.text.lines import LONGEST_NUMBER, Line

CONSTANT = re.compile(r"-?[0-9]{1,4000}(?:/[0-9]{1,4000})?(?![0-9./*^(]| *[-+*/^(])")
"""A rational number of so few digits that it can be read at once, and no part of a longer term."""

_DIGITS = re.compile(r"[0-9]+")
_PARAMETER = re.compile(r"[^\W\d]\w*")
_SIGN = re.compile(r"[-+]")

_MOST_POWERS = 10_000_000
"""Powers of parameters in one number: as many as terms times parameters."""


def number_text(number: Number) -> str:
    """The number as it is read back."""
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


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
    return Polynomial(tuple(terms.items())).to_number()


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
            power = 1
            if line.take("^"):
                start = line.here()
                power = line.integer()
                if not 0 < power <= LONGEST_NUMBER:
                    line.at = start
                    line.reject(number_too_long)
            powers[name] = powers.get(name, 0) + power
        if factors == 1 or not line.take("*"):
            break
    monomial = tuple(sorted(powers.items()))
    total = terms.pop(monomial, Fraction(0)) + coefficient
    if total:
        terms[monomial] = total


def read_epsilon(line: Line, known: dict[str, Fraction]) -> Epsilon:
    """A sum of rational numbers and of multiples of logarithms of numbers."""
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
    if not line.sees("ln"):
        factor = line.integer()
        if not line.take("*"):
            return None, Fraction(factor, _divisor(line))
    line.expect("ln")
    line.expect("(")
    start = line.here()
    argument = read_number(line, known)
    if isinstance(argument, Fraction) and (argument <= 0 or argument == 1):
        line.fail("the logarithm of this is 0, or no real number", start)
    line.expect(")")
    return argument, Fraction(factor, _divisor(line))


def _divisor(line: Line) -> int:
    if not line.take("/"):
        return 1
    start = line.here()
    divisor = line.integer()
    if divisor <= 0:
        line.fail("a whole number above 0 is expected here", start)
    return divisor
