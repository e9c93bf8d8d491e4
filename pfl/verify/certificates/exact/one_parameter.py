"""The sign of a polynomial in one parameter on an interval, decided by Sturm's theorem, in integers.

Source: docs/theory/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import TypeAlias

Whole: TypeAlias = tuple[int, ...]
"""Coefficients by power, the last not 0; empty for 0."""


def whole(coefficients: Sequence[Fraction]) -> Whole:
    """The shortest integer polynomial that is a positive multiple."""
    scale = lcm(*(each.denominator for each in coefficients))
    return _primitive([int(each * scale) for each in coefficients])


def is_never_positive(polynomial: Whole, low: Fraction, high: Fraction) -> bool:
    """Whether it is at most 0 on the closed interval.

    Between low and high it changes its sign at the roots of odd multiplicity alone.
    """
    if not polynomial or low == high:
        return _sign_at(polynomial, low) <= 0
    if max(_on_the_half_line(polynomial, low, high)) <= 0:
        return True
    odd = _odd_part(polynomial)
    return not _roots_inside(odd, low, high) and _some_sign(polynomial, low, high) < 0


def has_no_root(polynomial: Whole, low: Fraction, high: Fraction, *, low_open: bool, high_open: bool) -> bool:
    """Whether it is 0 nowhere on an interval with open or closed ends."""
    if not polynomial:
        return False
    if not low_open and not _sign_at(polynomial, low):
        return False
    if not high_open and not _sign_at(polynomial, high):
        return False
    return low == high or not _roots_inside(_square_free(polynomial), low, high)


def _on_the_half_line(polynomial: Whole, low: Fraction, high: Fraction) -> list[int]:
    """The coefficients of a positive multiple of (1 + t)^n p((low + high t)/(1 + t)), n the degree: p is at most 0 on
    the interval if none is positive. Source: docs/theory/certificates.md."""
    scale = lcm(low.denominator, high.denominator)
    start, width = int(low * scale), int((high - low) * scale)
    degree = len(polynomial) - 1
    # In x with start + width x for p's variable times scale, then backward, then with 1 + 1/t in place of x.
    moved = [each * scale ** (degree - power) for power, each in enumerate(polynomial)]
    moved = [each * width**power for power, each in enumerate(_shifted(moved, start))]
    return _shifted(moved[::-1], 1)


def _shifted(coefficients: Sequence[int], by: int) -> list[int]:
    """The coefficients of p(x + by)."""
    found = list(coefficients)
    if by:
        for end in range(len(found) - 1):
            for place in range(len(found) - 2, end - 1, -1):
                found[place] += by * found[place + 1]
    return found


def _some_sign(polynomial: Whole, low: Fraction, high: Fraction) -> int:
    """The sign at some point between, where it is not 0; there are more points than roots."""
    count = len(polynomial) + 1
    signs = (_sign_at(polynomial, low + (high - low) * Fraction(place, count)) for place in range(1, count))
    return next(sign for sign in signs if sign)


def _roots_inside(polynomial: Whole, low: Fraction, high: Fraction) -> int:
    """How many roots a polynomial without multiple ones has between low and high."""
    if len(polynomial) < 2:
        return 0
    chain = list(_sturm_chain(polynomial))
    up_to_high = _changes(chain, low) - _changes(chain, high)
    return up_to_high - (not _sign_at(polynomial, high))


def _sturm_chain(polynomial: Whole) -> Iterator[Whole]:
    first, second = polynomial, _derivative(polynomial)
    while first:
        yield first
        first, second = second, tuple(-each for each in _remainder(first, second)) if second else ()


def _changes(chain: Sequence[Whole], point: Fraction) -> int:
    signs = [sign for sign in (_sign_at(each, point) for each in chain) if sign]
    return sum(one != other for one, other in pairwise(signs))


def _sign_at(polynomial: Whole, point: Fraction) -> int:
    above, below, power, total = point.numerator, point.denominator, 1, 0
    for coefficient in reversed(polynomial):
        total = total * above + coefficient * power
        power *= below
    return (total > 0) - (total < 0)


def _square_free(polynomial: Whole) -> Whole:
    """The product of its different irreducible factors, up to a constant."""
    return _quotient(polynomial, common_factor(polynomial, _derivative(polynomial)))


def _odd_part(polynomial: Whole) -> Whole:
    """The product of the irreducible factors of odd multiplicity, up to a constant."""
    found: Whole = (1,)
    rest, is_odd = polynomial, True
    while len(rest) > 1:
        # With f = product of g^m, f / gcd(f, f') is the product of all g, and gcd(f, f') has each once less.
        shorter = common_factor(rest, _derivative(rest))
        here, following = _quotient(rest, shorter), _square_free(shorter) if len(shorter) > 1 else (1,)
        if is_odd:
            found = _product(found, _quotient(here, following))
        rest, is_odd = shorter, not is_odd
    return found


def common_factor(left: Whole, right: Whole) -> Whole:
    """The common divisor of the highest degree, shortest integers; 1 where there is none that depends on x."""
    while right:
        left, right = right, _remainder(left, right)
    return _primitive(left) if len(left) > 1 else (1,)


def _remainder(left: Whole, right: Whole) -> Whole:
    """A positive multiple of the remainder of left by right, shortest integers."""
    rest = list(left)
    leading = right[-1]
    while len(rest) >= len(right):
        last = rest.pop()
        shift = len(rest) - len(right) + 1
        if not last:
            continue
        common = gcd(last, leading)
        factor, times = abs(leading) // common, last // common * (1 if leading > 0 else -1)
        rest = [each * factor for each in rest]
        for place in range(len(right) - 1):
            rest[shift + place] -= times * right[place]
    return _primitive(rest)


def _quotient(left: Whole, right: Whole) -> Whole:
    """left / right, which leaves no remainder, up to a constant."""
    # By Gauss's lemma the quotient by a polynomial without a common factor has integers.
    divisor = _primitive(right)
    rest, found = list(left), []
    while len(rest) >= len(divisor):
        factor = rest.pop() // divisor[-1]
        found.append(factor)
        shift = len(rest) - len(divisor) + 1
        for place in range(len(divisor) - 1):
            rest[shift + place] -= factor * divisor[place]
    return _primitive(found[::-1])


def _product(left: Whole, right: Whole) -> Whole:
    found = [0] * (len(left) + len(right) - 1)
    for place, each in enumerate(left):
        for shift, other in enumerate(right):
            found[place + shift] += each * other
    return _primitive(found)


def _derivative(polynomial: Whole) -> Whole:
    return _primitive([place * each for place, each in enumerate(polynomial)][1:])


def _primitive(coefficients: Sequence[int]) -> Whole:
    """The coefficients divided by what they have in common, which is positive."""
    found = list(coefficients)
    while found and not found[-1]:
        found.pop()
    common = gcd(*found) or 1
    return tuple(each // common for each in found)
