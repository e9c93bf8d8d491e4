"""Where an exponential polynomial is negative: its roots, isolated and enclosed, and the signs between them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from pfl.analysis.exponential.cells import cell_between, is_non_negative_on
from pfl.analysis.exponential.coefficient_rules import Taylor
from pfl.analysis.exponential.ends import prove_near_infinity, prove_near_zero
from pfl.analysis.exponential.evaluation import sign_of
from pfl.analysis.exponential.factors import factors_of
from pfl.analysis.exponential.normal_form import MOST_POWER, NormalForm
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.struct import struct

_DIGITS = Fraction(1, 10**11)
"""Width of the enclosure of a root, relative to it."""

_MOST_CELLS = 3000


@struct(kw_only=False)
class Stretch:
    """An open interval of x between two numbers, enclosed relatively to 10^-11; `high` is None for infinity."""

    low: Enclosure
    high: Enclosure | None


def stretches(
    g: ExponentialPolynomial, interval: Interval = POSITIVE, budget: Budget | None = None
) -> list[Stretch] | None:
    """The open intervals, in ascending order, of which g < 0 holds inside and which end where g = 0 or at an end of the
    interval; None if not all roots are isolated.

    Raises LimitReached once the time of the budget is over.
    """
    budget = budget or Budget()
    if not g or interval.is_point:
        return []
    if max(power for power, _ in g.terms) > MOST_POWER:
        return None
    normal = NormalForm.on(g, interval)
    if not normal.is_small:
        return None
    brackets: list[_Bracket] = []
    for factor in factors_of(normal)[1]:
        found = _roots(factor.polynomial, normal.low, normal.high, budget)
        if found is None:
            return None
        brackets += found
    ends = [_Ends(normal.low, normal.low), *_separated(brackets)]
    if normal.high is not None:
        ends.append(_Ends(normal.high, normal.high))
    found_stretches = []
    for left, right in pairwise(ends):
        if sign_of(normal, simplest_between(left.high, right.low)) < 0:
            found_stretches.append(Stretch(left.enclosure(normal.scale), right.enclosure(normal.scale)))
    if normal.high is None and sign_of(normal, ends[-1].high + 1) < 0:
        found_stretches.append(Stretch(ends[-1].enclosure(normal.scale), None))
    return found_stretches


@struct(kw_only=False)
class _Ends:
    """A number between two rationals, which are equal where it is one of them."""

    low: Fraction
    high: Fraction

    def enclosure(self, scale: int) -> Enclosure:
        """It in terms of x."""
        return Enclosure(self.low / scale, self.high / scale)


class _Bracket:
    """The only root of an irreducible factor in an interval, which is halved as often as is asked for."""

    def __init__(self, own: NormalForm, low: Fraction, high: Fraction) -> None:
        self._own = own
        self.low, self.high = low, high
        self._sign = sign_of(own, low * own.scale) if low < high else 0

    def halve(self) -> None:
        """Half the interval; nothing for a root that is known exactly."""
        if self.low < self.high:
            middle = (self.low + self.high) / 2
            if sign_of(self._own, middle * self._own.scale) == self._sign:
                self.low = middle
            else:
                self.high = middle

    def ends(self) -> _Ends:
        """The interval as it is now."""
        return _Ends(self.low, self.high)


def _separated(brackets: list[_Bracket]) -> list[_Ends]:
    """Narrow intervals of the roots, ascending, of which no two touch; different factors have different roots."""
    for bracket in brackets:
        while bracket.high - bracket.low > bracket.low * _DIGITS:
            bracket.halve()
    ordered = sorted(brackets, key=lambda each: each.low)
    place = 0
    while place + 1 < len(ordered):
        first, second = ordered[place], ordered[place + 1]
        if first.high < second.low:
            place += 1
            continue
        first.halve()
        second.halve()
        ordered[place : place + 2] = sorted((first, second), key=lambda each: each.low)
        place = max(place - 1, 0)
    return [bracket.ends() for bracket in ordered]


def _roots(
    factor: ExponentialPolynomial, low: Fraction, high: Fraction | None, budget: Budget
) -> list[_Bracket] | None:
    """The roots of an irreducible factor inside the interval. It vanishes at no rational t but 0, unless it is linear
    in t alone."""
    own = NormalForm(factor, low, high)
    if own.rate == 0 and own.degree == 1:
        root = Fraction(-factor.terms.get((0, 0), 0), factor.terms[1, 0])
        return [_Bracket(own, root, root)] if low < root and (high is None or root < high) else []
    start, end = low, high
    if low == 0:
        near = prove_near_zero(Taylor(own if Taylor(own).first()[1] > 0 else own.negated()), own.high)
        if near is None:
            return None
        start = near[0] / own.scale
    if end is None:
        far = prove_near_infinity(Taylor(own if own.leading_sign > 0 else own.negated()), start * own.scale)
        if far is None:
            return None
        end = far[0] / own.scale
    return _isolated(factor, own, start, end, budget)


def _isolated(
    factor: ExponentialPolynomial, own: NormalForm, low: Fraction, high: Fraction, budget: Budget
) -> list[_Bracket] | None:
    """The roots between low > 0 and high: cells without one, and cells on which the factor is monotonic."""
    slope = factor.derivative()
    rising = NormalForm(slope, Fraction(0), None) if slope else None
    found: list[_Bracket] = []
    pending, count = [], 0
    while low < high:
        pending.append((low, min(high, 2 * low)))
        low *= 2
    while pending:
        low, high = pending.pop()
        count += 1
        budget.check(f"{len(found)} roots are isolated")
        if count > _MOST_CELLS:
            return None
        middle = (low + high) / 2
        if _is_definite(own, low, high, sign_of(own, middle * own.scale)):
            continue
        signs = [sign_of(own, end * own.scale) for end in (low, high)]
        if signs[0] != signs[1] and rising and _is_definite(rising, low, high, signs[1]):
            found.append(_Bracket(own, low, high))
        else:
            pending += [(low, middle), (middle, high)]
    return found


def _is_definite(normal: NormalForm, low: Fraction, high: Fraction, sign: int) -> bool:
    """Whether sign times the polynomial is proved to be >= 0 on an interval of t."""
    signed = normal if sign > 0 else normal.negated()
    return is_non_negative_on(signed, cell_between(low * normal.scale, high * normal.scale))
