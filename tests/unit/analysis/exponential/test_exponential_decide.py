"""Signs of exponential polynomials: known answers."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from pfl.analysis.exponential.certificate import faults
from pfl.analysis.exponential.decide import NegativeAt, NonNegative, Open, decide
from pfl.analysis.exponential.evaluation import enclose, sign_at
from pfl.analysis.exponential.negative_stretches import stretches
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval
from pfl.base.budget import Budget, moment_after
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import decimal_text

X = ExponentialPolynomial({(1, 0): 1})
Y = ExponentialPolynomial({(0, 1): 1})
ONE = ExponentialPolynomial({(0, 0): 1})
F = Fraction


def power(g: ExponentialPolynomial, exponent: int) -> ExponentialPolynomial:
    product = ONE
    for _ in range(exponent):
        product = product * g
    return product


HOLD = {
    "e^x - 1 - x": Y - ONE - X,
    "1 - (1 - x) e^x": ONE - (ONE - X) * Y,
    "(x e^x - 1)^2": power(X * Y - ONE, 2),
    "(e^x - 2)^2 (e^x - x)": power(Y - ONE * 2, 2) * (Y - X),
    "e^x - x^2": Y - X * X,
    "e^x - 2.718281828 x": Y - X * F(2718281828, 10**9),
    "0": ExponentialPolynomial({}),
    "x e^-x": X.times_exponential(-1),
    "1 - e^-x": ONE - ONE.times_exponential(-1),
    "e^(2x) + 1 - 2 e^x": power(Y - ONE, 2),
}
FAIL = {
    "e^(2x) - x^20": Y * Y - power(X, 20),
    "e^x - x^3": Y - power(X, 3),
    "e^x - 2.718281829 x": Y - X * F(2718281829, 10**9),
    "-(x e^x - 1)^2": -power(X * Y - ONE, 2),
    "x - 1": X - ONE,
    "e^-x - 1": ONE.times_exponential(-1) - ONE,
    "1 - x e^(-100 x) 10^9": ONE - X.times_exponential(-100) * 10**9,
}


@pytest.mark.parametrize("name", HOLD)
def test_holds_with_a_certificate(name: str) -> None:
    decision = decide(HOLD[name])
    assert isinstance(decision, NonNegative)
    assert faults(HOLD[name], POSITIVE, json.loads(json.dumps(decision.certificate))) == []


@pytest.mark.parametrize("name", FAIL)
def test_fails_at_a_point(name: str) -> None:
    decision = decide(FAIL[name])
    assert isinstance(decision, NegativeAt)
    assert sign_at(FAIL[name], decision.point) == -1


def test_points_are_simple() -> None:
    assert decide(FAIL["e^x - 2.718281829 x"]) == NegativeAt(F(1))
    assert decide(FAIL["e^(2x) - x^20"]) == NegativeAt(F(2))
    assert decide(X - ONE * F(1, 40), unit=F(1, 50)) == NegativeAt(F(1, 50))
    thin = (Y - ONE * F(1001, 1000) * F(27182818, 10**7)) * (Y - ONE * F(1002, 1000) * F(27182818, 10**7))
    decision = decide(thin)
    assert isinstance(decision, NegativeAt)
    assert decision.point.denominator < 10**4


def test_a_root_at_an_end_of_an_interval() -> None:
    g = (X - ONE) * (Y - ONE * 3) * (X - ONE * 2)
    low, high = Interval(low=F(1), high=F(109, 100)), Interval(low=F(11, 10), high=F(2), high_open=False)
    for interval in (low, high):
        decision = decide(g, interval)
        other = decide(-g, interval)
        assert {type(decision), type(other)} == {NonNegative, NegativeAt}
        for one, h in ((decision, g), (other, -g)):
            if isinstance(one, NonNegative):
                assert faults(h, interval, one.certificate) == []
    assert isinstance(decide(X - ONE, Interval(low=F(1))), NonNegative)
    assert isinstance(decide(ONE - X, Interval(high=F(1))), NonNegative)


def test_an_interval_of_one_point() -> None:
    point = Interval(low=F(1), high=F(1), low_open=False, high_open=False)
    assert isinstance(decide(X - ONE, point), NonNegative)
    assert decide(Y - ONE * 3, point) == NegativeAt(F(1))
    assert faults(X - ONE, point, {"rule": "point"}) == []
    assert faults(Y - ONE * 3, point, {"rule": "point"}) != []


def test_what_is_too_large_stays_open() -> None:
    assert isinstance(decide(Y - power(X, 3) + ExponentialPolynomial({(3000, 0): 1})), Open)
    huge = ExponentialPolynomial({(0, 10**7): 1, (0, 1): -(10**30), (0, 0): 10**31, (1, 3): -1})
    assert isinstance(decide(huge), Open | NonNegative | NegativeAt)


def test_time_is_kept() -> None:
    g = power(X * Y - ONE, 2) + ONE * F(1, 10**12)
    with pytest.raises(LimitReached):
        decide(g, POSITIVE, Budget(deadline=moment_after(-1)))


def decimals(g: ExponentialPolynomial, interval: Interval = POSITIVE) -> list[tuple[str, str]]:
    found = stretches(g, interval)
    assert found is not None
    return [
        (decimal_text(each.low.low, 10), "inf" if each.high is None else decimal_text(each.high.low, 10))
        for each in found
    ]


def test_stretches() -> None:
    assert decimals(Y * Y - power(X, 20)) == [("1.1183255916", "35.7715206395")]
    assert decimals(Y - power(X, 3)) == [("1.8571838602", "4.5364036550")]
    assert decimals(power(X * Y - ONE, 2)) == []
    assert decimals(-power(X * Y - ONE, 2)) == [("0.0000000000", "0.5671432904"), ("0.5671432904", "inf")]
    assert decimals((Y - ONE * 2) * (X - ONE) * (X - ONE * 2)) == [
        ("0.0000000000", "0.6931471806"),
        ("1.0000000000", "2.0000000000"),
    ]
    assert decimals(X - ONE * 3, Interval(low=F(1), high=F(2))) == [("1.0000000000", "2.0000000000")]
    assert decimals(ExponentialPolynomial({})) == []


def test_signs_at_points() -> None:
    assert sign_at(X - ONE, F(1)) == 0
    assert sign_at((X - ONE) * (Y + X), F(1)) == 0
    assert sign_at(Y - ONE - X, F(0)) == 0
    assert sign_at(Y - X * F(2718281828459045235360287471352662497757, 10**39), F(1)) == 1
    with pytest.raises(ValueError, match="x >= 0"):
        sign_at(X, F(-1))
    found = enclose(Y - X * F(2718281828, 10**9), F(1), 50)
    assert decimal_text(found.low, 18) == "0.000000000459045235"
    assert (found.high - found.low) * 2**50 <= found.low
    assert enclose(X - ONE, F(1), 50).high == 0


def test_ring() -> None:
    g = ExponentialPolynomial.of({(1, 2): F(1, 2), (0, -1): F(1, 3)})
    assert g == ExponentialPolynomial({(1, 2): 3, (0, -1): 2}, 6)
    assert g - g == ExponentialPolynomial({})
    assert g * 6 == ExponentialPolynomial({(1, 2): 3, (0, -1): 2})
    assert g.derivative() == ExponentialPolynomial.of({(0, 2): F(1, 2), (1, 2): F(1), (0, -1): F(-1, 3)})
    assert g.scaled(2).scaled(F(1, 2)) == g
    assert hash(g * g * 4) == hash(g * 2 * (g * 2))
    with pytest.raises(ValueError, match="whole"):
        g.scaled(F(1, 2))
    with pytest.raises(ValueError, match="negative"):
        ExponentialPolynomial({(-1, 0): 1})
    many = power(X + Y + ONE, 20)
    assert many * many == power(X + Y + ONE, 40)
    with pytest.raises(ValueError, match="negative"):
        Interval(low=F(-1))
    with pytest.raises(ValueError, match="between"):
        Interval(low=F(1), high=F(1))
