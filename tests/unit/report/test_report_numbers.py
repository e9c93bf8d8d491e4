"""Numbers in reports: exact text, abbreviations, and decimals that are right in every digit."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text, fraction_value, integer_text, integer_value
from pfl.report.numbers import (
    decimal,
    epsilon_decimal,
    exponential_decimal,
    json_log,
    json_value,
    log_decimal,
    short_text,
    with_decimal,
)

LARGE = st.integers(min_value=-(10**6000), max_value=10**6000)


@given(LARGE)
def test_integers_of_any_length_survive_as_text(number: int) -> None:
    assert integer_value(integer_text(number)) == number


@given(LARGE, st.integers(min_value=1, max_value=10**5000))
def test_rationals_of_any_length_survive_as_text(above: int, below: int) -> None:
    number = Fraction(above, below)
    assert fraction_value(fraction_text(number)) == number


@pytest.mark.parametrize("text", ["", "1/0", "1.5", "1/2/3", "x", "--1", "1/", "1 ", "٣"])
def test_other_texts_are_no_rationals(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        fraction_value(text)


@given(st.fractions())
def test_decimals_are_rounded_in_the_last_digit_shown(number: Fraction) -> None:
    shown = Fraction(decimal(number))
    allowed = max(Fraction(1, 10**6), abs(number) / 10**5) if number else 0
    assert abs(shown - number) * 2 <= allowed


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_logarithms_agree_with_floats(above: int, below: int) -> None:
    ratio = Fraction(above, below)
    assert math.isclose(float(log_decimal(ratio)), math.log(above / below), rel_tol=1e-5, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(3, 8), "3/8 = 0.375"),
        (Fraction(-1, 3), "-1/3 = -0.333333"),
        (Fraction(1, 16), "1/16 = 0.0625"),
        (Fraction(1, 10**18), "1/1000000000000000000 = 1e-18"),
        (Fraction(10**400 + 1), "10000000...00000001 (401 digits) = 1e400"),
        (Fraction(1, 7**300), "1/33838570...84180001 (1 and 254 digits) = 2.95521e-254"),
    ],
)
def test_numbers_for_people(number: Fraction, text: str) -> None:
    assert with_decimal(number) == text


def test_a_carry_does_not_add_a_digit() -> None:
    assert decimal(Fraction(99999999, 10**14)) == "1e-6"
    assert decimal(Fraction(999999999999, 10**13)) == "0.1000000"


def test_numbers_far_beyond_floats_are_rounded_half_to_even() -> None:
    assert decimal(Fraction(2, 3) * 10**100_000) == "6.66667e99999"
    assert decimal(Fraction(-2, 3) / 10**100_000) == "-6.66667e-100001"
    assert decimal(Fraction(1_234_565) * 10**1000) == "1.23456e1006"
    assert decimal(Fraction(1_234_575) * 10**1000) == "1.23458e1006"
    assert exponential_decimal(Epsilon.rational(Fraction(10**6))) == "3.03322e434294"


def test_a_ratio_close_to_one_has_a_logarithm_that_is_not_zero() -> None:
    assert log_decimal(1 + Fraction(1, 10**20)) == "1e-20"
    assert log_decimal(Fraction(1)) == "0.000000"


def test_what_has_no_float_has_no_json_value() -> None:
    assert json_value(Fraction(10) ** 400) is None
    assert json_value("inf") is None
    assert json_log("unbounded") is None
    assert json_log(Fraction(0)) is None
    assert json_log(Fraction(10) ** 5000) == 11512.925465


def test_long_expressions_are_cut_for_people() -> None:
    assert short_text("inf") == "inf"
    assert len(short_text(Fraction(10**10000, 3))) < 60


def test_long_epsilons_are_cut_for_people() -> None:
    assert short_text(Epsilon.rational(Fraction(10**50))) == "10000000...00000000 (51 digits)"
    assert short_text(Epsilon.ln(Fraction(2))) == "ln(2)"
    assert short_text(Epsilon.ln(Fraction(10**1000))).endswith("... (1005 characters)")


def test_epsilons_have_decimals() -> None:
    assert epsilon_decimal(Epsilon.ln(Fraction(2)) * 2) == "1.386294"
