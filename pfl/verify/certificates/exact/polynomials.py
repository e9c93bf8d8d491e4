"""Polynomials in named parameters by rational arithmetic alone: what certificates compute with, and nothing else does.

Shares no code with the numbers of models, which are read here once, term by term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.number import Number
from pfl.base.rational_function import Polynomial
from pfl.base.struct import struct
from pfl.verify.certificates.certificate_format import Malformed, exact_rational

Powers: TypeAlias = tuple[int, ...]
"""One exponent a parameter."""
Terms: TypeAlias = dict[Powers, Fraction]

MOST_TERMS = 20_000
"""Of one polynomial that a certificate holds; no certificate is written with more."""
HIGHEST_POWER = 2_000


@struct(eq=False, kw_only=False)
class Poly:
    """A polynomial, as its coefficients that are not 0 by powers."""

    terms: Terms

    @staticmethod
    def constant(number: Fraction | int, size: int) -> Poly:
        """A constant in `size` parameters."""
        return Poly({(0,) * size: Fraction(number)} if number else {})

    def to_number(self, names: Sequence[str]) -> Number:
        """The polynomial as a number of a model, in parameters of these names."""
        terms = [
            (tuple((name, power) for name, power in sorted(zip(names, powers)) if power), coefficient)
            for powers, coefficient in self.terms.items()
        ]
        return Polynomial(tuple(terms)).to_number()

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 everywhere."""
        return not self.terms

    @property
    def value(self) -> Fraction | None:
        """The number that it is everywhere; None where it depends on a parameter."""
        if any(any(powers) for powers in self.terms):
            return None
        return sum(self.terms.values(), Fraction(0))

    def mentions(self, place: int) -> bool:
        """Whether it depends on the parameter of that place."""
        return any(powers[place] for powers in self.terms)

    def degree(self, place: int) -> int:
        """Its degree in the parameter of that place."""
        return max((powers[place] for powers in self.terms), default=0)

    def __add__(self, other: Poly) -> Poly:
        found = dict(self.terms)
        for powers, coefficient in other.terms.items():
            total = found.get(powers, 0) + coefficient
            if total:
                found[powers] = Fraction(total)
            else:
                del found[powers]
        return Poly(found)

    def __neg__(self) -> Poly:
        return Poly({powers: -coefficient for powers, coefficient in self.terms.items()})

    def __sub__(self, other: Poly) -> Poly:
        return self + -other

    def __mul__(self, other: Poly) -> Poly:
        found: dict[Powers, Fraction] = {}
        for powers, coefficient in self.terms.items():
            for more, factor in other.terms.items():
                key = tuple(map(int.__add__, powers, more))
                found[key] = found.get(key, Fraction(0)) + coefficient * factor
        return Poly({powers: coefficient for powers, coefficient in found.items() if coefficient})

    def equals(self, other: Poly) -> bool:
        """Whether both are one polynomial."""
        return self.terms == other.terms

    def with_value(self, place: int, value: Poly) -> Poly:
        """The polynomial with another one in place of a parameter, by Horner's rule."""
        by_power: dict[int, Terms] = {}
        for powers, coefficient in self.terms.items():
            rest = (*powers[:place], 0, *powers[place + 1 :])
            by_power.setdefault(powers[place], {})[rest] = coefficient
        found = Poly({})
        for power in range(max(by_power, default=0), -1, -1):
            found = found * value + Poly(by_power.get(power, {}))
        return found

    def over(self, divisor: Poly) -> Poly | None:
        """The quotient, where the divisor divides it; None where it does not."""
        rest, found = dict(self.terms), dict[Powers, Fraction]()
        leading = max(divisor.terms)
        degrees = [self.degree(place) - divisor.degree(place) for place in range(len(leading))]
        while rest:
            powers = max(rest)
            quotient = tuple(map(int.__sub__, powers, leading))
            if min(quotient, default=0) < 0 or any(map(int.__gt__, quotient, degrees)):
                return None  # degrees of a product are sums
            factor = rest[powers] / divisor.terms[leading]
            found[quotient] = factor
            for more, coefficient in divisor.terms.items():
                key = tuple(map(int.__add__, quotient, more))
                total = rest.get(key, 0) - factor * coefficient
                if total:
                    rest[key] = Fraction(total)
                else:
                    del rest[key]
        return Poly(found)


@struct
class Quotient:
    """`above` / `below`, not reduced; `below` is not 0 everywhere."""

    above: Poly
    below: Poly

    def minus(self, other: Quotient) -> Quotient:
        """The difference."""
        above = self.above * other.below - other.above * self.below
        return Quotient(above=above, below=self.below * other.below)

    @property
    def product(self) -> Poly:
        """A polynomial with the sign of the quotient wherever that is defined."""
        return self.above * self.below


def read_quotient(number: Number, names: Sequence[str]) -> Quotient:
    """A number of a model, in the parameters of these names. Raises ValueError where it has another one."""
    if isinstance(number, Fraction):
        return Quotient(above=Poly.constant(number, len(names)), below=Poly.constant(1, len(names)))
    parts = (_of_terms(part.terms, names) for part in (number.numerator, number.denominator))
    above, below = parts
    return Quotient(above=above, below=below)


def _of_terms(terms: Iterable[tuple[Iterable[tuple[str, int]], Fraction]], names: Sequence[str]) -> Poly:
    place = {name: index for index, name in enumerate(names)}
    found: Terms = {}
    for monomial, coefficient in terms:
        powers = [0] * len(names)
        for name, power in monomial:
            if name not in place:
                raise ValueError(f"{name} is no parameter of the claim")
            powers[place[name]] = power
        found[tuple(powers)] = coefficient
    return Poly(found)


def read_poly(entry: Any, size: int, where: str) -> Poly:
    """A polynomial of a certificate: pairs of a coefficient and `size` powers. Raises Malformed."""
    if not isinstance(entry, list) or len(entry) > MOST_TERMS:
        raise Malformed(f"{where} must hold polynomials: lists of coefficients with powers")
    found: Terms = {}
    for pair in entry:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], list):
            raise Malformed(f"{where} must hold polynomials: lists of coefficients with powers")
        powers = tuple(pair[1])
        if len(powers) != size or not all(type(power) is int and 0 <= power <= HIGHEST_POWER for power in powers):
            raise Malformed(f"a polynomial in {where} must have one power a parameter")
        coefficient = exact_rational(pair[0], f"a coefficient in {where}")
        if not coefficient or powers in found:
            raise Malformed(f"a polynomial in {where} has a coefficient that is 0, or two of one power")
        found[powers] = coefficient
    return Poly(found)
