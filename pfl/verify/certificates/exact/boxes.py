"""Boxes of parameters, and what the coefficients of a polynomial on a box show, by rational arithmetic alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, lcm
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.verify.certificates.exact.polynomials import Poly


@struct
class Interval:
    """An interval with open or closed ends; a number by itself where both are one."""

    low: Fraction
    high: Fraction
    low_open: bool
    high_open: bool

    @property
    def is_empty(self) -> bool:
        """Whether it holds no number."""
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def below(self, end: Fraction, *, is_open: bool) -> Interval:
        """The part up to an end."""
        if end > self.high or (end == self.high and (self.high_open or not is_open)):
            return self
        return Interval(low=self.low, high=end, low_open=self.low_open, high_open=is_open)

    def above(self, end: Fraction, *, is_open: bool) -> Interval:
        """The part from an end on."""
        if end < self.low or (end == self.low and (self.low_open or not is_open)):
            return self
        return Interval(low=end, high=self.high, low_open=is_open, high_open=self.high_open)


Box: TypeAlias = tuple[Interval, ...]
"""One interval a parameter."""


def halves(box: Box, used: Sequence[int]) -> tuple[Box, Box]:
    """The box cut in the middle of the widest of some parameters; the cut belongs to the first half."""
    widest = max(used, key=lambda place: box[place].high - box[place].low)
    middle = (box[widest].low + box[widest].high) / 2
    left, right = box[widest].below(middle, is_open=False), box[widest].above(middle, is_open=True)
    return (*box[:widest], left, *box[widest + 1 :]), (*box[:widest], right, *box[widest + 1 :])


def coefficients(polynomial: Poly, box: Box) -> dict[tuple[int, ...], int]:
    """The coefficients in u after p = (low + high u)/(1 + u), times (1 + u)^degree and a positive number that makes
    them whole, those that are not 0: on the box u goes through all that is not negative, so that one sign of all of
    them is that of the polynomial."""
    scale = lcm(*(coefficient.denominator for coefficient in polynomial.terms.values()))
    found = {powers: int(coefficient * scale) for powers, coefficient in polynomial.terms.items()}
    for place, interval in enumerate(box):
        if any(powers[place] for powers in found):
            found = _moved(found, place, interval)
    return found or {(): 0}


def _moved(terms: Mapping[tuple[int, ...], int], place: int, interval: Interval) -> dict[tuple[int, ...], int]:
    """The same for one parameter: with low = a/q and high = b/q, the sum of c (a + b u)^k (q + q u)^(n - k), n the
    degree, over the terms c p^k of each product of powers of the others, by Horner's rule."""
    q = lcm(interval.low.denominator, interval.high.denominator)
    a, b = int(interval.low * q), int(interval.high * q)
    degree = max(powers[place] for powers in terms)
    of_others: dict[tuple[int, ...], list[int]] = {}
    for powers, coefficient in terms.items():
        others = (*powers[:place], 0, *powers[place + 1 :])
        of_others.setdefault(others, [0] * (degree + 1))[powers[place]] = coefficient
    rest = [[comb(n, k) * q**n for k in range(n + 1)] for n in range(degree + 1)]
    found: dict[tuple[int, ...], int] = {}
    for others, column in of_others.items():
        row = [column[degree]]
        for left in range(1, degree + 1):
            row = [a * low + b * high for low, high in zip((*row, 0), (0, *row))]
            if coefficient := column[degree - left]:
                row = [one + coefficient * other for one, other in zip(row, rest[left])]
        for power, coefficient in enumerate(row):
            if coefficient:
                found[(*others[:place], power, *others[place + 1 :])] = coefficient
    return found


def fails(polynomial: Poly, box: Box, or_zero: bool) -> bool:
    """Whether it is shown that a polynomial is nowhere below 0 on a box, and not 0 either where that is allowed."""
    return min(coefficients(polynomial, box).values()) >= 0 and (not or_zero or is_strict(polynomial, box))


def is_strict(polynomial: Poly, box: Box) -> bool:
    """Whether all coefficients have one sign, and some is there on each face that belongs to the box."""
    found = coefficients(polynomial, box)
    if not (min(found.values()) > 0 or max(found.values()) < 0):
        return False
    ends: list[list[int | None]] = []
    for place, interval in enumerate(box):
        if interval.low == interval.high:
            ends.append([None])
            continue
        closed: list[int | None] = [0] * (not interval.low_open)
        closed += [polynomial.degree(place)] * (not interval.high_open)
        ends.append(closed or [None])
    return all(
        any(all(end is None or power == end for power, end in zip(powers, face)) for powers in found)
        for face in product(*ends)
    )
