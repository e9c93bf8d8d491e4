"""The least c with P <= e^(c x) Q for pairs of positive exponential polynomials: their epsilon, as a multiple of x."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from pfl.analysis.exponential.decide import NonNegative, Open, decide
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval
from pfl.analysis.exponential.ratio_maximum import Pair, largest_multiple, multiple_at
from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.budget import Budget
from pfl.base.struct import struct

_MOST_STEPS = 40
_MOST_DENOMINATOR = 1000


@struct(kw_only=False)
class Multiple:
    """The least c lies in [low, high]; exact where they agree."""

    low: Fraction
    high: Fraction


@struct(kw_only=False)
class Unbounded:
    """No c will do: P/Q of this pair is beyond bound, as Q is 0, or as its limit at 0 is larger than 1."""

    pair: int


def smallest_multiple(
    pairs: Sequence[Pair], interval: Interval = POSITIVE, budget: Budget | None = None
) -> Multiple | Unbounded | Open:
    """The least c such that P <= e^(c x) Q for all pairs (P, Q) and all x of the interval, 0 if no pair asks for any.

    Each P and Q is > 0 inside the interval, or 0 identically. c is exact where it is a limit of ln(P/Q)/x at 0 or at
    infinity, else an interval of relative width 10^-6.

    Raises ValueError for the interval [0, 0], and LimitReached once the time of the budget is over.
    """
    if interval.high == 0:
        raise ValueError("at x = 0 every multiple is the same")
    budget = budget or Budget()
    asking = [(number, pair) for number, pair in enumerate(pairs) if pair[0]]
    if not asking:
        return Multiple(Fraction(0), Fraction(0))
    limits: dict[int, Fraction | None] = {}
    for number, (above, below) in asking:
        limit = limit_at_zero(above, below) if below and not interval.low else None
        if not below or limit == "inf":
            return Unbounded(number)
        limits[number] = _larger(limit, limit_at_infinity(above, below) if interval.high is None else None)
    best = max((limit for limit in limits.values() if limit is not None), default=None)
    failing = []
    for number, pair in asking:
        decision = decide(_gap(pair, best), _scaled(interval, best), budget) if best is not None else None
        if isinstance(decision, Open):
            return decision
        if not isinstance(decision, NonNegative):
            point = decision.point * best.denominator if best is not None and decision is not None else None
            failing.append((pair, limits[number], point))
    if not failing and best is not None:
        return Multiple(best, best)
    return _inside(failing, interval, best, budget)


def _larger(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return second if first is None else first if second is None else max(first, second)


def limit_at_zero(above: ExponentialPolynomial, below: ExponentialPolynomial) -> Fraction | Literal["inf"] | None:
    """The limit of ln(above/below)/x as x falls to 0; None for minus infinity.

    With a_n and b_n, the Taylor coefficients times n!, the least n at which one is not 0 decides; if they agree there,
    the limit is (a_(n+1) - b_(n+1))/((n+1) a_n).
    """
    first, second = _taylor_coefficients(above), _taylor_coefficients(below)
    n = min(place for place, values in enumerate(zip(first, second)) if any(values))
    if first[n] != second[n]:
        return "inf" if first[n] > second[n] else None
    return (first[n + 1] - second[n + 1]) / ((n + 1) * first[n])


def _taylor_coefficients(g: ExponentialPolynomial) -> list[Fraction]:
    """n! times the coefficient of x^n, up to one beyond the first that is not 0."""
    found: list[Fraction] = []
    while len(found) < 2 or not found[-2]:
        n, total = len(found), 0
        for (power, rate), value in g.terms.items():
            if power <= n:
                falling = 1
                for step in range(power):
                    falling *= n - step
                total += value * falling * rate ** (n - power)
        found.append(Fraction(total, g.denominator))
        if len(found) >= 2 and found[-2]:
            return found
    return found


def limit_at_infinity(above: ExponentialPolynomial, below: ExponentialPolynomial) -> Fraction:
    """The limit of ln(above/below)/x as x grows: the difference of the leading exponents."""
    return Fraction(above.rates[1] - below.rates[1])


def _gap(pair: Pair, multiple: Fraction) -> ExponentialPolynomial:
    """e^(c x) Q - P, as a function of x divided by the denominator of c."""
    above, below = pair
    steps = multiple.denominator
    return below.scaled(steps).times_exponential(multiple.numerator) - above.scaled(steps)


def _scaled(interval: Interval, multiple: Fraction) -> Interval:
    steps = multiple.denominator
    return Interval(
        low=interval.low / steps,
        high=None if interval.high is None else interval.high / steps,
        low_open=interval.low_open,
        high_open=interval.high_open,
    )


def _inside(
    failing: Sequence[tuple[Pair, Fraction | None, Fraction | None]],
    interval: Interval,
    best: Fraction | None,
    budget: Budget,
) -> Multiple | Open:
    """The least c of pairs whose ratio is largest, relative to x, between the ends: near the ends less is enough."""
    known = best
    for pair, _, point in failing:
        for x in [point, *_samples(interval)]:
            if x is not None:
                known = _larger(known, multiple_at(pair, x))
    if known is None:
        return Open("no value of the ratio is known")
    areas = []
    for pair, limit, _ in failing:
        least = known - 1 if limit is None else limit
        if least >= known:
            return Open("no point was found at which the ratio is larger than towards the ends")
        less = simplest_between(least, known)
        if less.denominator > _MOST_DENOMINATOR:
            return Open("the ratio is almost as large towards an end as it is anywhere")
        area = _area(pair, less, interval, budget)
        if area is None:
            return Open("no bound was found for the ratio towards an end")
        areas.append((pair, *area))
    found = largest_multiple(areas, known, budget)
    return Open("the largest ratio was not enclosed") if found is None else Multiple(*found)


def _samples(interval: Interval) -> list[Fraction]:
    """Points of the interval."""
    if interval.high is None:
        return [interval.low + Fraction(2) ** power for power in range(-6, 7)]
    return [interval.low + (interval.high - interval.low) * Fraction(step, 16) for step in range(1, 16)]


def _area(pair: Pair, multiple: Fraction, interval: Interval, budget: Budget) -> tuple[Fraction, Fraction] | None:
    """A bounded interval without 0, beyond which, but inside the interval given, P <= e^(multiple x) Q is proved."""
    gap = _gap(pair, multiple)
    low, high = interval.low, interval.high
    if not low:
        low = Fraction(1) if high is None else high
        for _ in range(_MOST_STEPS):
            low /= 2
            near = Interval(high=low / multiple.denominator, high_open=False)
            if isinstance(decide(gap, near, budget), NonNegative):
                break
        else:
            return None
    if high is None:
        high = max(low, Fraction(1))
        for _ in range(_MOST_STEPS):
            high *= 2
            far = Interval(low=high / multiple.denominator, low_open=False)
            if isinstance(decide(gap, far, budget), NonNegative):
                break
        else:
            return None
    return low, high
