"""The smallest epsilon: at one value of the parameter an enclosure, for all of them its smallest multiple."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log
from typing import TypeAlias

from pfl.analysis.exponential.decide import Open
from pfl.analysis.exponential.functions import Functions
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.analysis.exponential.smallest_multiple import (
    Multiple,
    Unbounded,
    limit_at_infinity,
    limit_at_zero,
    smallest_multiple,
)
from pfl.base.closed_form import enclosure, sign
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Answer, Bound, Computed, Unknown
from pfl.engines.exponential.factor import factor_of
from pfl.engines.exponential.obligations import NAME, Obligations
from pfl.engines.exponential.places import simple_values
from pfl.engines.word_pairs import Pair

_BITS = 80
_NOTHING = Epsilon()

Polynomials: TypeAlias = tuple[ExponentialPolynomial, ExponentialPolynomial]
"""P and Q, up to a common positive factor."""


def smallest_epsilon_at(asked: Obligations) -> Answer:
    """The largest ratio, enclosed. Raises LimitReached."""
    best: Pair | None = None
    ratio: Number = Fraction(0)
    about = Enclosure(Fraction(0), Fraction(0))
    for pair in asked.pairs:
        asked.budget.check("some ratios were compared")
        if not pair.below:
            violation = pair.task.violation(pair.word)
            return Computed(engine=NAME, bound=Bound(ratio="inf", lower="inf", upper="inf", best=violation))
        other = pair.above / pair.below
        near = enclosure(other, _BITS)
        if near.high < about.low or (near.low <= about.high and sign(other - ratio) <= 0):
            continue
        best, ratio, about = pair, other, near
    if best is None or about.high <= 1:
        return Computed(engine=NAME, bound=Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)))
    violation = best.task.violation(best.word)
    if isinstance(ratio, Fraction):
        return Computed(engine=NAME, bound=Bound(ratio=ratio, lower=ratio, upper=ratio, best=violation))
    # Of a ratio next to 1 the logarithm is as long as what it has above 1, which is what is enclosed.
    rest = enclosure(ratio - 1, _BITS)
    shift = _BITS + max(0, rest.low.denominator.bit_length() - rest.low.numerator.bit_length())
    unit = Fraction(1, 1 << shift)
    low, high = 1 + rest.low // unit * unit, 1 - (-rest.high // unit) * unit
    return Computed(engine=NAME, bound=Bound(ratio=None, lower=low, upper=high, best=violation, closed=ratio))


def smallest_multiple_of(asked: Obligations, beyond: Epsilon = _NOTHING) -> Answer:
    """The smallest rational c such that c times the parameter is enough for all its values, or an interval of such;
    together with the epsilon `beyond`, or a little more than that where its exponential is no number of the space.

    Raises LimitReached, and NoExponential where the exponential of `beyond` is too long to write out. Source:
    docs/theory/exponential-signs.md.
    """
    functions = asked.functions
    pairs = list(asked.pairs)
    factor = factor_of(beyond, functions)
    root, more = factor.root, functions.of(factor.high)
    quotients = [(functions.of(pair.above**root), functions.of(pair.below**root)) for pair in pairs]
    polynomials = [
        (above.above * below.below * more.below, below.above * above.below * more.above) for above, below in quotients
    ]
    impossible = next((pair for pair in pairs if not pair.below), None)
    if impossible is not None:
        return _unbounded(impossible, functions)
    found = smallest_multiple(polynomials, functions.interval, asked.budget)
    unit = functions.space.unit * root
    match found:
        case Multiple(low=low, high=high):
            if low == high:
                parameter = RationalFunction.parameter(functions.space.base)
                value = parameter * (low / unit) if low else Fraction(0)
                return Computed(engine=NAME, value=value, bound=_reached(pairs, polynomials, low, functions))
            best = _largest(pairs, polynomials, functions)
            return Computed(engine=NAME, value=Enclosure(low / unit, high / unit), bound=best)
        case Unbounded(pair=number):
            return _unbounded(pairs[number], functions)
        case Open(reason=reason):
            return Unknown(engine=NAME, reason=reason)


def _reached(
    pairs: Sequence[Pair], polynomials: Sequence[Polynomials], multiple: Fraction, functions: Functions
) -> Bound | None:
    """A pair whose ln(P/Q)/x is the multiple everywhere, or tends to it at an end, with its masses at a simple value of
    the parameter."""
    interval = functions.interval
    if multiple.denominator == 1:
        for pair, (above, below) in zip(pairs, polynomials):
            if above == below.times_exponential(int(multiple)):
                return _shown(pair, "", functions)
    for pair, (above, below) in zip(pairs, polynomials):
        base = functions.space.base
        if not interval.low and limit_at_zero(above, below) == multiple:
            return _shown(pair, f"{base} -> 0", functions)
        if interval.high is None and limit_at_infinity(above, below) == multiple:
            return _shown(pair, f"{base} -> inf", functions)
    return None


def _shown(pair: Pair, limit: str, functions: Functions) -> Bound:
    violation = pair.task.violation(pair.word, at=_anywhere(functions))
    return Bound(ratio=None, lower=None, upper=None, best=violation, attained=not limit, limit_at=limit)


def _largest(pairs: Sequence[Pair], polynomials: Sequence[Polynomials], functions: Functions) -> Bound | None:
    """The pair, and the simple value of the parameter, at which ln(P/Q)/x is largest, as floats say."""
    unit = functions.space.unit
    values = [value for value in simple_values(functions.space) if value]
    rated = [
        (rate, number, value)
        for number, polynomial in enumerate(polynomials)
        for value in values
        if (rate := _rate(polynomial, float(value / unit))) is not None
    ]
    if not rated:
        return None
    _, number, value = max(rated, key=lambda each: each[0])
    violation = pairs[number].task.violation(pairs[number].word, at={functions.space.base: value})
    return Bound(ratio=None, lower=None, upper=None, best=violation)


def _rate(polynomials: Polynomials, t: float) -> float | None:
    try:
        above, below = (
            sum(float(c) * t**power * exp(rate * t) for (power, rate), c in each.terms.items()) / each.denominator
            for each in polynomials
        )
        return log(above / below) / t
    except (ArithmeticError, ValueError):
        return None


def _unbounded(pair: Pair, functions: Functions) -> Answer:
    """No multiple is enough: the other side is impossible, or the ratio stays above 1 as the parameter falls to 0."""
    if not pair.below:
        violation = pair.task.violation(pair.word, at=_anywhere(functions))
        return Computed(engine=NAME, bound=Bound(ratio="inf", lower="inf", upper="inf", best=violation))
    return Computed(engine=NAME, value="inf")


def _anywhere(functions: Functions) -> dict[str, Fraction]:
    space = functions.space
    high = space.low + 2 if space.high is None else space.high
    middle = Fraction(1) if space.contains(Fraction(1)) else (space.low + high) / 2
    return {space.base: middle}
