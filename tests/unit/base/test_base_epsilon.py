"""Epsilon and the enclosures behind it, against independent high-precision arithmetic and by their laws."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import decimal_text, exp, ln
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction

CONTEXT = Context(prec=120)
"""Python's decimal arithmetic: its exp and ln are correctly rounded, and share nothing with ours."""
ERROR = Fraction(1, 10**110)

A = RationalFunction.parameter("a")
POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)
SMALL = st.fractions(min_value=-40, max_value=40, max_denominator=60)


def reference(function: str, argument: Fraction) -> Fraction:
    """exp or ln of an argument that has an exact decimal, or of one that is rounded to 120 digits."""
    value = CONTEXT.divide(Decimal(argument.numerator), Decimal(argument.denominator))
    return Fraction(getattr(CONTEXT, function)(value))


@settings(max_examples=200, deadline=None)
@given(POSITIVE, st.integers(4, 300))
def test_ln_is_enclosed(argument: Fraction, bits: int) -> None:
    enclosure = ln(argument, bits)
    expected = reference("ln", argument)
    assert enclosure.low - ERROR <= expected <= enclosure.high + ERROR
    assert enclosure.high - enclosure.low <= Fraction(1, 2**bits)


@settings(max_examples=200, deadline=None)
@given(SMALL, st.integers(4, 300))
def test_exp_is_enclosed(argument: Fraction, bits: int) -> None:
    enclosure = exp(argument, bits)
    expected = reference("exp", argument)
    assert enclosure.low * (1 - ERROR) <= expected <= enclosure.high * (1 + ERROR)
    assert enclosure.high - enclosure.low <= enclosure.high / 2**bits


def test_extremes_are_enclosed() -> None:
    for argument in (Fraction(1), 1 + Fraction(1, 10**50), Fraction(10**5000), Fraction(1, 3**4000)):
        enclosure = ln(argument, 100)
        assert enclosure.high - enclosure.low <= Fraction(1, 2**100)
    assert ln(Fraction(1), 64).low <= 0 <= ln(Fraction(1), 64).high
    assert ln(1 + Fraction(1, 10**50), 300).low > 0
    for argument in (Fraction(0), Fraction(1000), Fraction(-1000), Fraction(1, 10**18)):
        enclosure = exp(argument, 80)
        assert 0 < enclosure.low <= enclosure.high <= enclosure.low * (1 + Fraction(1, 2**79))
    with pytest.raises(ValueError, match="not a real number"):
        ln(Fraction(0), 10)


def test_texts_are_as_in_the_source() -> None:
    assert str(2 * Epsilon.ln(Fraction(2))) == "2*ln(2)"
    assert str(Epsilon.ln(Fraction(4)) / 2) == "ln(4)/2"
    assert str(Epsilon.ln(Fraction(2)) * Fraction(3, 2)) == "3*ln(2)/2"
    assert str(Epsilon.rational(Fraction(5, 2))) == "5/2"
    assert str(Epsilon.rational(Fraction(1, 2)) + Epsilon.ln(Fraction(3))) == "1/2 + ln(3)"
    assert str(-Epsilon.ln(Fraction(3, 2))) == "-ln(3/2)"
    assert str(Epsilon.ln(1 / A) - Epsilon.ln(Fraction(3))) == "ln(1/a) - ln(3)"
    assert str(Epsilon.ln(Fraction(2)) - Epsilon.rational(Fraction(1, 10))) == "ln(2) - 1/10"
    assert str(-Epsilon.ln(Fraction(2)) - Epsilon.rational(Fraction(1))) == "-ln(2) - 1"
    assert str(Epsilon.rational(Fraction(-1))) == "-1"
    assert str(Epsilon()) == "0"


def test_equal_values_are_equal() -> None:
    two = Epsilon.ln(Fraction(2))
    assert Epsilon.ln(Fraction(4)) / 2 == two
    assert Epsilon.ln(Fraction(8)) * Fraction(1, 3) == two
    assert Epsilon.ln(Fraction(6)) - Epsilon.ln(Fraction(3)) == two
    assert hash(Epsilon.ln(Fraction(4)) / 2) == hash(two)
    assert Epsilon.rational(Fraction(1)) != two
    assert Epsilon.ln(2 * A) - Epsilon.ln(A) == two
    assert Epsilon.ln(A) * 2 == Epsilon.ln(A**2)


def test_exponentials_that_are_rational_are_found() -> None:
    assert (Epsilon.ln(Fraction(4)) / 2).exact_exponential() == 2
    assert (Epsilon.ln(Fraction(4, 9)) * Fraction(3, 2)).exact_exponential() == Fraction(8, 27)
    assert (Epsilon.ln(Fraction(2)) / 2 + Epsilon.ln(Fraction(8)) / 2).exact_exponential() == 4
    assert (Epsilon.ln(Fraction(2)) / 2).exact_exponential() is None
    assert Epsilon.rational(Fraction(1)).exact_exponential() is None
    assert Epsilon().exact_exponential() == 1
    assert (Epsilon.ln(1 / A) * 2).exact_exponential() == 1 / A**2
    assert (Epsilon.ln(A) / 2).exact_exponential() is None
    assert (Epsilon.ln(A) / 2).algebraic() == (2, A)


def test_comparison_decides_equality() -> None:
    assert (Epsilon.ln(Fraction(4)) / 2).compare(Fraction(2)) == 0
    assert (Epsilon.ln(Fraction(2)) / 2).compare(Fraction(141421356237309504880168872420969807, 10**35)) == -1
    assert (Epsilon.ln(Fraction(2)) / 2).compare(Fraction(141421356237309504880168872420969808, 10**35)) == 1
    assert Epsilon.ln(Fraction(2)).compare(2 + Fraction(1, 10**400)) == 1
    assert Epsilon.ln(Fraction(2)).compare(Fraction(0)) == -1
    assert (10**12 * Epsilon.ln(Fraction(2))).compare(Fraction(10) ** 5000) == -1
    assert Epsilon.rational(Fraction(1, 10**18)).compare(Fraction(1)) == -1


@settings(max_examples=100, deadline=None)
@given(SMALL, st.lists(st.tuples(SMALL, POSITIVE), max_size=3), POSITIVE)
def test_comparison_agrees_with_decimal_arithmetic(
    constant: Fraction, logarithms: list[tuple[Fraction, Fraction]], ratio: Fraction
) -> None:
    epsilon = sum((Epsilon.ln(argument) * factor for factor, argument in logarithms), Epsilon.rational(constant))
    expected = constant + sum((factor * reference("ln", argument) for factor, argument in logarithms), Fraction(0))
    difference = reference("ln", ratio) - expected
    if abs(difference) > Fraction(1, 10**90):
        assert epsilon.compare(ratio) == (1 if difference > 0 else -1)
    assert abs(Fraction(epsilon.value()) - expected) <= Fraction(1, 10**9)
    low, high = epsilon.lower_bound(64), epsilon.upper_bound(64)
    assert low <= high <= low * (1 + Fraction(1, 2**60))
    assert epsilon.compare(low) <= 0 <= epsilon.compare(high)


def test_decimals() -> None:
    assert Epsilon.ln(Fraction(4)).decimal() == "1.386294"
    assert Epsilon.rational(Fraction(-1, 2)).decimal(2) == "-0.50"
    assert decimal_text(Fraction(1, 3), 4) == "0.3333"
    assert decimal_text(Fraction(2), 0) == "2"
    assert decimal_text(Fraction(10) ** 5000, 1).endswith("0.0")


def test_huge_exponentials_have_loose_bounds_only() -> None:
    huge = Epsilon.rational(Fraction(10**9))
    assert huge.compare(huge.lower_bound(64)) < 0
    with pytest.raises(LimitReached):
        huge.upper_bound(64)
    assert (-huge).lower_bound(64) == 0
    assert (-huge).compare((-huge).upper_bound(64)) > 0


def test_parameters_need_values() -> None:
    epsilon = Epsilon.ln(1 / A)
    assert epsilon.parameters == ("a",)
    with pytest.raises(ValueError, match="depends on a"):
        epsilon.compare(Fraction(2))
    assert epsilon.evaluate({"a": Fraction(1, 2)}) == Epsilon.ln(Fraction(2))
    with pytest.raises(ValueError, match="not a real number"):
        epsilon.evaluate({"a": Fraction(-1)})
