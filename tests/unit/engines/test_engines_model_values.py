"""Values as Z3, cvc5 and yices print them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pfl.engines.smt.model_values import Unreadable, read_expressions, read_model, read_value
from pfl.engines.smt.solver_outcome import Near, Value


def value(text: str) -> Value:
    (inner,) = read_expressions(text)
    return read_value(inner)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("false", False),
        ("9", Fraction(9)),
        ("1.0", Fraction(1)),
        ("0.25", Fraction(1, 4)),
        ("(- 7.0)", Fraction(-7)),
        ("(- 7)", Fraction(-7)),
        ("-7", Fraction(-7)),
        ("(/ 1.0 3.0)", Fraction(1, 3)),
        ("(/ (- 14) 3)", Fraction(-14, 3)),
        ("(- (/ 14.0 3.0))", Fraction(-14, 3)),
        ("2/3", Fraction(2, 3)),
        ("(to_real 3)", None),
    ],
)
def test_truths_and_rationals(text: str, expected: Value | None) -> None:
    if expected is None:
        with pytest.raises(Unreadable):
            value(text)
    else:
        assert value(text) == expected


@pytest.mark.parametrize("text", ["0.3333?", "(/ 1.0 0.0)", "(/ 1 0)", "1/0", "abc", "()", "(f 1)", "1.5e3"])
def test_what_is_no_exact_number_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        value(text)


def test_a_number_of_many_digits() -> None:
    assert value("1" + "0" * 6000 + ".5") == 10**6000 + Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "square"),
    [
        ("(root-obj (+ (^ x 2) (- 2)) 2)", 2),
        ("(root-obj (+ (^ x 2) (- 2)) 1)", 2),
        ("(root-obj (+ (* 4 (^ x 2)) (- 7)) 2)", Fraction(7, 4)),
    ],
)
def test_algebraic_numbers_of_z3(text: str, square: Fraction) -> None:
    found = value(text)
    assert isinstance(found, Near)
    assert found.high - found.low <= Fraction(1, 2**40)
    low, high = sorted((found.low**2, found.high**2))
    assert low < square < high
    assert (found.low > 0) == text.endswith(" 2)")


def test_a_root_that_is_rational_after_all() -> None:
    assert value("(root-obj (+ (^ x 2) (* (- 1) x)) 2)") == 1


def test_a_root_that_does_not_exist_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        value("(root-obj (+ (^ x 2) 2) 1)")


def test_algebraic_numbers_of_cvc5() -> None:
    text = "(_ real_algebraic_number <1*x^3 + (-1*x) + (-2), (3/2, 7/4)>)"
    assert value(text) == Near(Fraction(3, 2), Fraction(7, 4))


def test_a_model_leaves_out_what_it_cannot_read() -> None:
    (pairs,) = read_expressions("((w0.a true) (|x y| (- 1.0))\n (z 0.3?))")
    assert read_model(pairs) == {"w0.a": True, "x y": Fraction(-1)}
    assert read_model(["error", '"no model"']) == {}


def test_brackets_that_are_not_closed_are_left_out() -> None:
    assert read_expressions("sat ((a true)) (b") == ["sat", [["a", "true"]]]
    assert read_expressions(") sat") == ["sat"]
