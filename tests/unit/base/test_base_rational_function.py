"""Rational functions: normal form, text, laws of arithmetic against sampling."""

from __future__ import annotations

import pickle
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction, common_factor, value_at

P, Q = RationalFunction.parameter("p"), RationalFunction.parameter("q")
POINTS = [{"p": Fraction(a, 7), "q": Fraction(b, 5)} for a, b in ((1, 2), (-3, 11), (20, -6), (1000, 1))]


def test_text_is_as_in_the_source() -> None:
    assert str((4 - 3 * P) / (12 - 6 * P)) == "(4 - 3*p)/(12 - 6*p)"
    assert str(1 - P) == "1 - p"
    assert str(P / 2) == "p/2"
    assert str((1 + P) / 2) == "(1 + p)/2"
    assert str(-P) == "-p"
    assert str(1 / P**2) == "1/p^2"
    assert str(1 / (2 * P)) == "1/(2*p)"
    assert str(P * Q / 2 - Q**2) == "(p*q - 2*q^2)/2"
    assert str((P**2 - 4 * P + 4) / 6) == "(4 - 4*p + p^2)/6"


def test_unicode_names_are_kept() -> None:
    assert str(RationalFunction.parameter("ε") * 2 - RationalFunction.parameter("α")) == "-α + 2*ε"


def test_constants_come_back_as_fractions() -> None:
    for constant in (P - P, P / P, (2 * P + 2) / (P + 1), (P + Q) - P - Q + 3, P**0, 0 * P):
        assert isinstance(constant, Fraction)


def test_equal_functions_are_equal_objects() -> None:
    one = (P**2 - Q**2) / (P - Q)
    assert one == P + Q
    assert hash(one) == hash(P + Q)
    assert (P + Q - P) == Q
    assert (1 - P) / (P - 1) == -1
    assert P != Q
    assert Fraction(1) != P


def test_sums_work_from_a_fraction() -> None:
    assert sum([P, Q, Fraction(1, 2)], Fraction(0)) == P + Q + Fraction(1, 2)
    assert Fraction(1) - P == 1 - P
    assert Fraction(1) / P == P**-1


def test_order_is_refused() -> None:
    with pytest.raises(TypeError, match="depends on p and has no order"):
        assert P < 1  # type: ignore[operator]
    with pytest.raises(TypeError, match="has no order"):
        max([P, Fraction(1)])  # type: ignore[type-var]


def test_partial_substitution() -> None:
    assert (P * Q + 1).evaluate({"p": Fraction(2)}) == 2 * Q + 1
    assert (P * Q).evaluate({"p": 1 / Q}) == 1
    with pytest.raises(ZeroDivisionError, match="1 - p is 0"):
        (1 / (1 - P)).evaluate({"p": Fraction(1)})
    with pytest.raises(ValueError, match="needs the value of q"):
        value_at(P * Q, {"p": Fraction(2)})


def test_division_by_zero_is_refused() -> None:
    for zero in (Fraction(0), P - P):
        with pytest.raises(ZeroDivisionError):
            P / zero


def test_exchange_form() -> None:
    function = (P * Q - 2) / (3 - 3 * P)
    assert isinstance(function, RationalFunction)
    assert function.numerator.terms == (((), Fraction(-2)), ((("p", 1), ("q", 1)), Fraction(1)))
    assert function.numerator.to_number() / function.denominator.to_number() == function
    assert Polynomial((((("p", 1),), Fraction(1, 2)),)).to_number() == P / 2
    assert function.parameters == ("p", "q")


def test_derivative() -> None:
    assert (P**3 * Q).derivative("p") == 3 * P**2 * Q
    assert (1 / P).derivative("p") == -1 / P**2
    assert P.derivative("q") == 0


def test_common_factor() -> None:
    assert common_factor([2 * P * (1 - P), Fraction(0), 4 * P**2]) in (2 * P, -2 * P)
    assert common_factor([6 * P, Fraction(4)]) == 2
    assert common_factor([]) == 0


def test_copies_by_pickle() -> None:
    function = (1 - P) / (2 + Q)
    assert pickle.loads(pickle.dumps(function)) == function


def numbers() -> st.SearchStrategy[Number]:
    leaves: st.SearchStrategy[Number] = st.sampled_from([P, Q]) | st.fractions(
        max_denominator=6, min_value=-3, max_value=3
    )
    return st.recursive(leaves, lambda inner: st.builds(combine, st.sampled_from("+-*/"), inner, inner), max_leaves=8)


def combine(operator: str, left: Number, right: Number) -> Number:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    return left / right if right else left


def sampled(number: Number) -> list[Fraction | None]:
    values: list[Fraction | None] = []
    for point in POINTS:
        try:
            values.append(value_at(number, point))
        except ZeroDivisionError:
            values.append(None)
    return values


@settings(max_examples=100, deadline=None)
@given(numbers(), numbers(), numbers())
def test_arithmetic_agrees_with_samples(a: Number, b: Number, c: Number) -> None:
    assert a + b == b + a
    assert a * (b + c) == a * b + a * c
    assert (a + b) - b == a
    if b:
        assert (a / b) * b == a
    for x, y, total, product in zip(sampled(a), sampled(b), sampled(a + b), sampled(a * b)):
        if x is not None and y is not None:
            assert total == x + y
            assert product == x * y


def test_immense_powers_are_reduced_by_steps_or_refused() -> None:
    far = 10**30
    assert (P ** (2 * far) - 1) / (P**far + 1) == P**far - 1
    assert P ** (2 * far + 1) / (P**far + P ** (2 * far)) == P ** (far + 1) / (1 + P**far)
    with pytest.raises(LimitReached, match="fewer digits"):
        (P ** (far + 1) - 1) / (P**far + 1)


@settings(max_examples=100, deadline=None)
@given(numbers())
def test_text_means_the_number(number: Number) -> None:
    python = re.sub(r"(?<!\*\*)\b\d+", r"Fraction(\g<0>)", str(number).replace("^", "**"))
    assert eval(python, {"p": P, "q": Q, "Fraction": Fraction}) == number
