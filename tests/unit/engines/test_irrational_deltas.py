"""Deltas at an irrational e^eps: between two numbers that agree in all but the last of 18 digits."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.driver import check_text
from pfl.engines.answer import Computed
from pfl.report.human import render_findings
from pfl.report.styled import plain

ADJACENT = "adjacency other(a: bool, b: bool) = a != b;"


def model(left: str, right: str, epsilon: str) -> str:
    return (
        f"mechanism m(x: bool) -> bool {{ return bernoulli(if x then {left} else {right}); }} {ADJACENT}"
        f"compute delta m {{ adjacent other; epsilon {epsilon}; }}"
    )


def computed(text: str) -> Computed:
    (result,) = check_text(text).results
    assert isinstance(result.verdict, Computed)
    return result.verdict


def needed(left: Fraction, right: Fraction, c: Fraction) -> Fraction:
    """The largest over both outcomes and both directions; two outcomes are never too likely together."""
    sides = [(left, right), (right, left), (1 - left, 1 - right), (1 - right, 1 - left)]
    return max(Fraction(0), *(a - c * b for a, b in sides))


def assert_encloses(verdict: Computed, left: Fraction, right: Fraction, epsilon: Epsilon) -> None:
    least, most = needed(left, right, epsilon.upper_bound(900)), needed(left, right, epsilon.lower_bound(900))
    if isinstance(verdict.value, Fraction):
        assert verdict.value == least == most == 0
        return
    assert isinstance(verdict.value, Enclosure)
    assert 0 < verdict.value.low <= least <= most <= verdict.value.high
    assert verdict.value.high - verdict.value.low <= verdict.value.high * Fraction(3, 10**17)


@pytest.mark.parametrize("exponent", [1, 18, 30, 400])
def test_tiny_deltas_are_enclosed_as_well_as_large_ones(exponent: int) -> None:
    left, right = Fraction(1, 10**exponent), Fraction(1, 10 ** (exponent + 3))
    assert_encloses(computed(model(str(left), str(right), "2")), left, right, Epsilon.rational(Fraction(2)))


@given(st.integers(1, 60), st.integers(-3, 3))
@settings(max_examples=20, deadline=None)
def test_deltas_next_to_nothing(digits: int, offset: int) -> None:
    """Where the ratio lies next to e^eps, nearly all digits of the excess are lost."""
    epsilon = Epsilon.rational(Fraction(1))
    right = Fraction(1, 10)
    left = right * (epsilon.lower_bound(400) * 10**digits // 1 + offset) / 10**digits
    assert_encloses(computed(model(str(left), str(right), "1")), left, right, epsilon)


def test_what_people_read_is_relative() -> None:
    text = plain(render_findings(check_text(model("1/10^30", "1/10^33", "2")), None))
    assert "between 9.926109439010693497e-31 and 9.926109439010693498e-31" in text


def test_errors_below_the_range_of_floats_are_written_out() -> None:
    text = f"""
    mechanism m(k: int, x: bool) -> bool {{ return bernoulli(if x then 1/10^k else 1/10^(k + 3)); }} {ADJACENT}
    compute delta m(k) {{ for k in {{400, 500}}; adjacent other; epsilon 2; }}
    """
    assert "error at most 7.0e-414" in plain(render_findings(check_text(text), None))
