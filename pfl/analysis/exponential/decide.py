"""Whether an exponential polynomial is non-negative on an interval."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.analysis.exponential.coefficient_rules import (
    Certificate,
    Taylor,
    prove_by_coefficients,
    prove_by_taylor,
)
from pfl.analysis.exponential.evaluation import sign_at, sign_of
from pfl.analysis.exponential.factors import Factor, factors_of
from pfl.analysis.exponential.normal_form import MOST_POWER, NormalForm
from pfl.analysis.exponential.points import Points
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval
from pfl.analysis.exponential.three_stretches import Crossing, Undecided, prove_by_stretches
from pfl.base.budget import Budget
from pfl.base.enclosure import exp
from pfl.base.exact_text import fraction_text
from pfl.base.struct import struct


@struct(kw_only=False)
class NonNegative:
    """g >= 0 on the whole interval; the certificate is data for JSON that `certificate.faults` checks."""

    certificate: Certificate


@struct(kw_only=False)
class NegativeAt:
    """g(point) < 0, at a rational point of the interval."""

    point: Fraction


@struct(kw_only=False)
class Open:
    """Not decided."""

    reason: str


Decision = NonNegative | NegativeAt | Open


def decide(
    g: ExponentialPolynomial,
    interval: Interval = POSITIVE,
    budget: Budget | None = None,
    *,
    unit: Fraction = Fraction(1),
) -> Decision:
    """Whether g >= 0 on the interval, cheap rules first; docs/theory/exponential-signs.md.

    A point at which it is negative is, where that is easy, a simple multiple of the unit > 0; with x = eps/M and the
    unit 1/M, one at which eps is simple. Raises LimitReached once the time of the budget is over.
    """
    budget = budget or Budget()
    if not g:
        return NonNegative({"rule": "zero"})
    if interval.is_point:
        return _at_one_point(g, interval.low)
    if max(power for power, _ in g.terms) > MOST_POWER:
        return Open(f"a power of x is larger than {MOST_POWER}")
    normal, points = NormalForm.on(g, interval), Points(interval, unit)
    taylor = Taylor(normal)
    ends_are_non_negative = (interval.high is not None or normal.leading_sign > 0) and (
        interval.low > 0 or taylor.first()[1] > 0
    )
    if ends_are_non_negative:
        certificate = prove_by_rules(taylor)
        if certificate:
            return NonNegative(certificate)
    point = _simple_negative_point(normal, points)
    if point is not None:
        return NegativeAt(point)
    if not ends_are_non_negative:
        return NegativeAt(_towards_an_end(normal, points, interval.low == 0 and taylor.first()[1] < 0))
    if not normal.is_small:
        found = prove_by_stretches(taylor, budget)
        if isinstance(found, Crossing):
            return NegativeAt(_simplest_negative(normal, points, found.point / normal.scale))
        return Open(found.reason) if isinstance(found, Undecided) else NonNegative(found)
    return _decide_by_factors(normal, points, budget)


def _at_one_point(g: ExponentialPolynomial, x: Fraction) -> Decision:
    sign = sign_at(g, x)
    return NegativeAt(x) if sign < 0 else NonNegative({"rule": "point"})


def prove_by_rules(taylor: Taylor) -> Certificate | None:
    """A certificate by rules that look at coefficients; None where they do not apply."""
    normal = taylor.normal
    if normal.is_dense:
        base = Fraction(1) if not normal.low else _base(normal.low)
        certificate = prove_by_coefficients(normal, normal.low, base)
        if certificate:
            return certificate
    return prove_by_taylor(taylor) if taylor.first()[1] > 0 else None


def _base(start: Fraction) -> Fraction:
    """A short rational that is at most e^start, and near to it."""
    bound = exp(start, 20).low
    return Fraction(bound.numerator * (1 << 16) // bound.denominator, 1 << 16)


def _simple_negative_point(normal: NormalForm, points: Points) -> Fraction | None:
    """A simple x of the interval at which g < 0, among a few."""
    for x in points.simple():
        if sign_of(normal, x * normal.scale) < 0:
            return x
    return None


def _towards_an_end(normal: NormalForm, points: Points, is_zero: bool) -> Fraction:
    """An x at which g < 0, where the terms that lead towards 0, or else towards infinity, are negative."""
    factor = Fraction(1, 2) if is_zero else Fraction(2)
    x = Fraction(1, 2) if is_zero else max(Fraction(2), points.interval.low + 1)
    while x not in points or sign_of(normal, x * normal.scale) >= 0:
        x *= factor
    return _simplest_negative(normal, points, x)


def _simplest_negative(normal: NormalForm, points: Points, x: Fraction) -> Fraction:
    return points.simplest_near(x, lambda other: sign_of(normal, other * normal.scale) < 0)


def _decide_by_factors(normal: NormalForm, points: Points, budget: Budget) -> Decision:
    """By the signs of the irreducible factors of odd multiplicity, which are crossed wherever they vanish inside."""
    constant, factors = factors_of(normal)
    is_positive, written = constant > 0, list[dict[str, Any]]()
    for factor in factors:
        entry: dict[str, Any] = {"terms": factor.written(), "power": factor.multiplicity}
        if factor.multiplicity % 2:
            found = _sign_of_factor(factor, normal, budget)
            if isinstance(found, Undecided):
                return Open(found.reason)
            if isinstance(found, Crossing):
                return NegativeAt(_beside_the_crossing(found, factor, normal, points, budget))
            entry["sign"], entry["proof"] = found
            is_positive ^= found[0] < 0
        written.append(entry)
    if not is_positive:
        inside = normal.low + 1 if normal.high is None else (normal.low + normal.high) / 2
        while not sign_of(normal, inside):
            inside = (normal.low + inside) / 2
        return NegativeAt(_simplest_negative(normal, points, inside / normal.scale))
    if len(written) == 1 and factors[0].multiplicity == 1:
        return NonNegative(written[0]["proof"])
    return NonNegative({"rule": "factors", "constant": fraction_text(constant), "factors": written})


def _sign_of_factor(
    factor: Factor, normal: NormalForm, budget: Budget
) -> tuple[int, Certificate] | Crossing | Undecided:
    """The sign that the factor has all over the interval, with a proof; or where it changes; or why that is open."""
    inside = normal.low + 1 if normal.high is None else (normal.low + normal.high) / 2
    own = NormalForm(factor.polynomial, normal.low, normal.high)
    while not sign_of(own, inside * own.scale):
        inside = (normal.low + inside) / 2  # only at the root of a factor x - c
    sign = sign_of(own, inside * own.scale)
    signed = own if sign > 0 else own.negated()
    taylor = Taylor(signed)
    if (normal.high is not None or signed.leading_sign > 0) and (normal.low > 0 or taylor.first()[1] > 0):
        certificate = prove_by_rules(taylor)
        if certificate:
            return sign, certificate
    found = prove_by_stretches(taylor, budget)
    if isinstance(found, Crossing):
        return Crossing(found.point / own.scale, inside)
    return found if isinstance(found, Undecided) else (sign, found)


def _beside_the_crossing(
    crossing: Crossing, factor: Factor, normal: NormalForm, points: Points, budget: Budget
) -> Fraction:
    """An x at which g < 0, beside a root of a factor of odd multiplicity, which has other signs at two points of t.

    Other factors vanish elsewhere. So where only this root is left between, g has both signs.
    """
    own = NormalForm(factor.polynomial, normal.low, normal.high)
    ends = [crossing.point, crossing.inside]
    signs = [sign_of(own, end * own.scale) for end in ends]
    while True:
        budget.check("some roots were enclosed")
        for end in ends:
            if sign_of(normal, end) < 0 and end / normal.scale in points:
                return _simplest_negative(normal, points, end / normal.scale)
        middle = (ends[0] + ends[1]) / 2
        sign = sign_of(own, middle * own.scale)
        if not sign:  # a rational root, look beside it
            middle = (ends[0] + 2 * ends[1]) / 3
            sign = sign_of(own, middle * own.scale)
        ends[0 if sign == signs[0] else 1] = middle
