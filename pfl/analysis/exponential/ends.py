"""Proofs that a polynomial is non-negative near 0, by its Taylor series, and near infinity, by its leading terms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import factorial

from pfl.analysis.exponential.coefficient_rules import Certificate, Taylor
from pfl.base.enclosure import exp
from pfl.base.exact_text import fraction_text

_TERMS = 32
_MOST_HALVINGS = 60
_TAIL_BITS = 24
_LARGEST_START = 1 << 12
_MOST_BITS = 1 << 20
"""Of the numbers that are added up for a tail."""

_MOST_TERMS = 600
"""Of a Taylor polynomial."""


def prove_near_zero(taylor: Taylor, most: Fraction | None) -> tuple[Fraction, Certificate] | None:
    """An r with g >= 0 on (0, r], as large as is easily found but at most `most`, with what repeats the proof.

    None if the first Taylor coefficient that is not 0 is negative, or no r is found.
    """
    normal = taylor.normal
    first, value = taylor.first()
    if value < 0:
        return None
    count = max(first, normal.degree) + _TERMS
    if count > _MOST_TERMS:
        return None
    widest = Fraction(count + 1 - normal.degree, 2 * max(normal.rate, 1))
    if normal.rate == 0 and most is not None:
        widest = most
    polynomial = _truncated(taylor, first, count)
    radius = _power_of_two_below(widest)
    if most is not None and most <= widest:
        radius = most
    for _ in range(_MOST_HALVINGS):
        if _is_non_negative_up_to(polynomial, radius):
            return radius, {"to": fraction_text(radius), "terms": count}
        radius = _power_of_two_below(radius)
    return None


def _truncated(taylor: Taylor, first: int, count: int) -> list[int]:
    """A positive multiple of the Taylor polynomial without its factor t^first, its last coefficient less the rest.

    sum of a_n t^n / n! from n = count on is at least -rest t^count for 0 <= t <= r, where each negative term c t^i y^k
    adds |c| k^(n-i) t^n / (n-i)!, falling by half or more from count on as 2 k r <= count + 1 - i.
    """
    scale, found = 1, []
    for n in range(count - 1, first - 1, -1):
        found.append(taylor.coefficients(count)[n] * scale)
        scale *= n
    found.reverse()
    whole, rest = factorial(count - 1), 0
    for (power, rate), value in taylor.normal.terms.items():
        if value < 0:
            rest += -(-2 * -value * rate ** (count - power) * whole // factorial(count - power))
    return [*found, -rest]


def _is_non_negative_up_to(polynomial: list[int], radius: Fraction) -> bool:
    """Whether all Bernstein coefficients on [0, radius] are >= 0."""
    from flint import fmpz_poly

    above, below = radius.numerator, radius.denominator
    degree = len(polynomial) - 1
    scaled = [value * above**n * below ** (degree - n) for n, value in enumerate(polynomial)]
    return all(value >= 0 for value in fmpz_poly(scaled[::-1])(fmpz_poly([1, 1])).coeffs())


def _power_of_two_below(number: Fraction) -> Fraction:
    """The largest power of two that is smaller than a positive number."""
    power = Fraction(1)
    while power >= number:
        power /= 2
    while 2 * power < number:
        power *= 2
    return power


def prove_near_infinity(taylor: Taylor, least: Fraction) -> tuple[Fraction, Certificate] | None:
    """A start R >= least with g >= 0 on [R, infinity), with what repeats the proof.

    None if the leading term is negative, or no R is found.
    """
    normal = taylor.normal
    if normal.leading_sign < 0:
        return None
    start = max(least, Fraction(1, 2 * max(normal.rate, 1)))
    last: Fraction | None = None
    while start <= _LARGEST_START:
        found = _tail_from(normal.terms, start)
        if found:
            between = _between(normal.terms, last, start) if last is not None else None
            return between or (start, found)
        last, start = start, 2 * start
    return None


def _between(
    terms: Mapping[tuple[int, int], int], fails: Fraction, holds: Fraction
) -> tuple[Fraction, Certificate] | None:
    """A better start between one from which the proof fails and one from which it works."""
    middle = (fails + holds) / 2
    found = _tail_from(terms, middle)
    return (middle, found) if found else None


def _tail_from(terms: Mapping[tuple[int, int], int], start: Fraction) -> Certificate | None:
    largest = max(rate for _, rate in terms)
    if largest * (_TAIL_BITS + 2 * start.numerator // start.denominator) > _MOST_BITS:
        return None
    bounds = exp(start, _TAIL_BITS)
    low, high = rounded(bounds.low, -1), rounded(bounds.high, 1)
    leading = max((rate, power) for power, rate in terms)[1]
    for reference in {leading, 0}:
        if leads_from(terms, start, (low, high), reference):
            return {
                "from": fraction_text(start),
                "base": [fraction_text(low), fraction_text(high)],
                "power": reference,
            }
    return None


def rounded(value: Fraction, direction: int, bits: int = _TAIL_BITS) -> Fraction:
    """A number with so many binary digits that is at most (-1) or at least (1) the value > 0, and next to it."""
    shift = bits - value.numerator.bit_length() + value.denominator.bit_length()
    scaled = value.numerator << shift if shift >= 0 else value.numerator
    below = value.denominator if shift >= 0 else value.denominator << -shift
    units = scaled // below if direction < 0 else -(-scaled // below)
    return Fraction(units, 1 << shift) if shift >= 0 else Fraction(units << -shift)


def leads_from(
    terms: Mapping[tuple[int, int], int], start: Fraction, bounds: tuple[Fraction, Fraction], reference: int
) -> bool:
    """Whether terms of a large rate outweigh the others from the start > 0 on; `bounds` of e^start.

    The derivative of ln(t^(i-reference) e^(k t)) is k + (i - reference)/t, between k and its value at the start. With
    the terms in falling order of rates (positive terms have at least theirs, negative ones at most), sums from the top
    that are >= 0 at the start are >= 0 from there on, by Abel's partial summation.
    """
    low, high = bounds
    ordered: list[tuple[int, int, int]] = []
    degree = max(power for power, _ in terms)
    largest = max(rate for _, rate in terms)
    below = max(low.denominator, high.denominator)  # powers of two
    ends = {1: int(low * below), -1: int(high * below)}
    exponentials: dict[tuple[int, int], int] = {}
    for (power, rate), value in terms.items():
        sign = 1 if value > 0 else -1
        if (sign, rate) not in exponentials:
            exponentials[sign, rate] = ends[sign] ** rate * below ** (largest - rate)
        summand = value * start.numerator**power * start.denominator ** (degree - power) * exponentials[sign, rate]
        bound = rate * start.numerator
        if (power < reference) if value > 0 else (power > reference):
            bound += (power - reference) * start.denominator
        ordered.append((-bound, -sign, summand))
    ordered.sort()
    total = 0
    for _, _, summand in ordered:
        total += summand
        if total < 0:
            return False
    return True
