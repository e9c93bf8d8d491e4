"""Values of exponential polynomials at rational points: enclosures, and signs that are always decided."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.analysis.exponential.normal_form import NormalForm
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.enclosure import Enclosure

_FIRST_BITS = 64


def sign_at(g: ExponentialPolynomial, x: Fraction) -> int:
    """-1, 0 or 1, the sign of g(x) for a rational x >= 0; raises ValueError for a negative one.

    For x != 0 a value 0 means that g(x, Y) is the zero polynomial of Q[Y], as e^x is transcendental (Lindemann); so
    balls of growing precision decide all other cases.
    """
    if x < 0:
        raise ValueError(f"signs are decided for x >= 0, not at {x}")
    if not g:
        return 0
    if not x:
        total = sum(value for (power, _), value in g.terms.items() if not power)
        return (total > 0) - (total < 0)
    normal = NormalForm(g, x, x)
    return sign_of(normal, normal.low)


def sign_of(normal: NormalForm, t: Fraction) -> int:
    """The sign at a rational t > 0."""
    value = _ball(normal, t, _FIRST_BITS)
    if value > 0:
        return 1
    if value < 0:
        return -1
    if vanishes_at(normal, t):
        return 0
    bits = _FIRST_BITS
    while not (value > 0 or value < 0):
        bits *= 2
        value = _ball(normal, t, bits)
    return 1 if value > 0 else -1


def vanishes_at(normal: NormalForm, t: Fraction) -> bool:
    """Whether every coefficient of a power of y is 0 at a rational t."""
    columns: dict[int, int] = {}
    for (power, rate), value in normal.terms.items():
        summand = value * t.numerator**power * t.denominator ** (normal.degree - power)
        columns[rate] = columns.get(rate, 0) + summand
    return not any(columns.values())


def _ball(normal: NormalForm, t: Fraction, bits: int) -> Any:
    """A ball of arb that holds the value at t."""
    from flint import arb, ctx, fmpq

    with ctx.workprec(bits):
        point = arb(fmpq(t.numerator, t.denominator))
        if not normal.is_dense:
            total = arb(0)
            for (power, rate), value in normal.terms.items():
                total += value * point**power * (point * (rate - normal.rate)).exp()
            return total
        base = point.exp()
        total = arb(0)
        for row in reversed(normal.rows):
            total = total * point + row(base)
        return total


def enclose(g: ExponentialPolynomial, x: Fraction, bits: int) -> Enclosure:
    """An interval that holds g(x) for a rational x of any sign, of relative width at most 2^-bits."""
    from flint import arb, ctx, fmpq

    if not x:
        exact = Fraction(sum(value for (power, _), value in g.terms.items() if not power), g.denominator)
        return Enclosure(exact, exact)
    if not g or vanishes_at(NormalForm(g, Fraction(0), None), x * NormalForm(g, Fraction(0), None).scale):
        return Enclosure(Fraction(0), Fraction(0))
    precision = bits + 32
    while True:
        with ctx.workprec(precision):
            point = arb(fmpq(x.numerator, x.denominator))
            total = arb(0)
            for (power, rate), value in g.terms.items():
                total += value * point**power * (rate * point).exp()
            total /= g.denominator
            if total.rel_accuracy_bits() > bits + 2:
                return Enclosure(_fraction(total.lower()), _fraction(total.upper()))
        precision *= 2


def _fraction(exact: Any) -> Fraction:
    """The number of a ball without radius."""
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * (Fraction(2) ** int(exponent))
