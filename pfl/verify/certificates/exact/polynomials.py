"""Polynomials in named parameters by rational arithmetic alone: what certificates compute with, and nothing else does.

Shares no code with the numbers of models, which are read here once, term by term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import Any, TypeAlias

from pfl.base.number import Number
from pfl.base.rational_function import Polynomial
from pfl.base.struct import struct
from pfl.verify.certificates.certificate_format import Malformed, exact_rational
from pfl.verify.certificates.exact.one_parameter import common_factor, whole

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

    def along(self, place: int) -> list[Fraction]:
        """The coefficients by the power of the parameter of that place, where it depends on no other."""
        found = [Fraction(0)] * (self.degree(place) + 1)
        for powers, coefficient in self.terms.items():
            found[powers[place]] = coefficient
        return found

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
        if len(self.terms) > len(other.terms):
            return other * self
        strides = _strides(self, other)
        (left, scale), (right, more_scale) = _packed(self, strides), _packed(other, strides)
        found: dict[int, int] = {}
        for place, coefficient in left.items():
            for shift, factor in right.items():
                key = place + shift
                found[key] = found.get(key, 0) + coefficient * factor
        return _unpacked(found, strides, scale * more_scale)

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

    def over(self, divisor: Poly, most_terms: int | None = None) -> Poly | None:
        """The quotient, where the divisor divides it; None where it does not, or has more than `most_terms`."""
        if self.terms.keys() == divisor.terms.keys():
            share = _share(self, divisor)
            if share is not None:
                return Poly.constant(share, len(next(iter(self.terms))))
        strides = _strides(self, divisor)
        (rest, scale), (known, divisor_scale) = _packed(self, strides), _packed(divisor, strides)
        # By Gauss's lemma the quotient of integer polynomials by one without a common factor has integers, too.
        content = gcd(*known.values())
        last = max(known)
        highest = [self.degree(place) - divisor.degree(place) for place in range(len(strides))]
        leading = known.pop(last) // content
        others = [(key - last, coefficient // content) for key, coefficient in known.items()]
        found: dict[int, int] = {}
        waiting = [-key for key in rest]
        heapify(waiting)
        while waiting:
            key = -heappop(waiting)
            coefficient = rest.pop(key, 0)
            if not coefficient:
                continue
            factor, left = divmod(coefficient, leading)
            if left or key < last or any(map(int.__gt__, _powers(key - last, strides), highest)):
                return None  # degrees of a product are sums
            found[key - last] = factor
            if most_terms is not None and len(found) > most_terms:
                return None
            for shift, entry in others:
                place = key + shift
                if place in rest:
                    rest[place] -= factor * entry
                elif place >= 0:
                    rest[place] = -factor * entry
                    heappush(waiting, -place)
                else:
                    return None
        return _unpacked(found, strides, Fraction(scale * content, divisor_scale))


def _share(one: Poly, other: Poly) -> Fraction | None:
    """The constant by which a polynomial is a multiple of one with the same powers; None where it is not."""
    pairs = ((coefficient, other.terms[powers]) for powers, coefficient in one.terms.items())
    shares = (left / right for left, right in pairs)
    first = next(shares, None)
    return first if all(share == first for share in shares) else None


def _strides(one: Poly, other: Poly) -> list[int]:
    """For each place by what its powers are multiplied to pack all of a product's into one number, the first highest.

    Packed powers ascend as the powers do, and are added as these are.
    """
    powers = next(iter(one.terms or other.terms), ())
    found, stride = [0] * len(powers), 1
    for place in reversed(range(len(powers))):
        found[place] = stride
        stride *= one.degree(place) + other.degree(place) + 1
    return found


def _packed(polynomial: Poly, strides: Sequence[int]) -> tuple[dict[int, int], int]:
    """Integer coefficients by packed powers, and by what they were multiplied."""
    scale = lcm(*(coefficient.denominator for coefficient in polynomial.terms.values()))
    return {
        sum(map(int.__mul__, powers, strides)): coefficient.numerator * (scale // coefficient.denominator)
        for powers, coefficient in polynomial.terms.items()
    }, scale


def _powers(key: int, strides: Sequence[int]) -> Powers:
    found = []
    for stride in strides:
        power, key = divmod(key, stride)
        found.append(power)
    return tuple(found)


def _unpacked(terms: Mapping[int, int], strides: Sequence[int], scale: Fraction | int) -> Poly:
    """The terms divided by `scale`."""
    above, below = scale.denominator, scale.numerator
    return Poly(
        {
            _powers(key, strides): Fraction(coefficient * above, below)
            for key, coefficient in terms.items()
            if coefficient
        }
    )


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


def common_multiple(one: Poly, other: Poly) -> Poly:
    """A polynomial that both divide, of the lowest degree where they depend on one parameter; both are not 0."""
    if one.over(other) is not None:
        return one
    rest: Poly | None = other
    places = {place for each in (one, other) for powers in each.terms for place, power in enumerate(powers) if power}
    if len(places) == 1:
        rest = other.over(_common_divisor(one, other, places.pop()))
    elif other.over(one) is not None:
        return other
    assert rest is not None, "a common divisor divides"
    return one * rest


def _common_divisor(one: Poly, other: Poly, place: int) -> Poly:
    """Of polynomials in one parameter, that of a place, the common divisor of the highest degree."""
    size = len(next(iter(one.terms)))
    left, right = (whole(each.along(place)) for each in (one, other))
    found = enumerate(common_factor(left, right))
    return Poly(
        {(*(0,) * place, power, *(0,) * (size - place - 1)): Fraction(value) for power, value in found if value}
    )


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
