"""The least multiple of x that bounds the logarithm of a ratio: known answers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.analysis.exponential.decide import NonNegative, decide
from pfl.analysis.exponential.negative_stretches import stretches
from pfl.analysis.exponential.polynomial import ExponentialPolynomial, Interval
from pfl.analysis.exponential.ratio_maximum import multiple_at
from pfl.analysis.exponential.smallest_multiple import Multiple, Unbounded, smallest_multiple

F = Fraction
ONE = ExponentialPolynomial({(0, 0): 1})
NOTHING = ExponentialPolynomial({})
P = ExponentialPolynomial.of({(0, 0): 1, (0, -2): F(-7, 6), (0, -4): F(1, 6), (0, -5): F(1, 6), (0, -7): F(-1, 6)})
Q = ExponentialPolynomial.of({(0, 0): F(1, 2), (0, -3): F(-1, 6), (0, -6): F(-1, 2), (0, -9): F(1, 6)})
"""Of a noisy value in [-1/2, 3/2] that is above a noisy threshold, x = eps/2: 7/20 eps holds, 3/10 eps does not."""


def test_a_limit_is_exact() -> None:
    flipped, kept = ONE.times_exponential(-1), ONE
    assert smallest_multiple([(kept, flipped), (flipped, kept)]) == Multiple(F(1), F(1))
    assert smallest_multiple([(ONE + ExponentialPolynomial({(1, 0): 1}), ONE)]) == Multiple(F(1), F(1))


def test_no_multiple_will_do() -> None:
    assert smallest_multiple([(ONE, ONE), (ONE * 2, ONE)]) == Unbounded(1)
    assert smallest_multiple([(ONE, NOTHING)]) == Unbounded(0)
    assert smallest_multiple([(NOTHING, ONE), (NOTHING, NOTHING)]) == Multiple(F(0), F(0))


def test_the_largest_is_inside() -> None:
    found = smallest_multiple([(P, Q), (ONE, ONE)])
    assert isinstance(found, Multiple)
    assert found.low < found.high < found.low * (1 + F(2, 10**6))
    assert F(6, 10) < found.low < F(7, 10)
    assert isinstance(decide(Q.scaled(10).times_exponential(7) - P.scaled(10)), NonNegative)
    (stretch,) = stretches(Q.scaled(10).times_exponential(6) - P.scaled(10)) or []
    assert stretch.high is not None
    assert f"{float(20 * stretch.low.low):.8f} {float(20 * stretch.high.low):.8f}" == "0.74907018 1.54859535"


@pytest.mark.parametrize(("low", "high"), [(1, 2), (F(1, 8), F(1, 4)), (0, F(1, 4))])
def test_bounded_intervals(low: Fraction, high: Fraction) -> None:
    """All values at points are at most the bound, and one is near to it."""
    interval = Interval(low=F(low), high=F(high), low_open=False, high_open=False)
    found = smallest_multiple([(P, Q)], interval)
    assert isinstance(found, Multiple)
    values = [multiple_at((P, Q), low + (high - low) * F(step, 200)) for step in range(1, 201)]
    assert max(values) <= found.high
    assert max(values) >= found.low - F(1, 100)
