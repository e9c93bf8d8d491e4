"""Terms: constants are folded, and the logic is the smallest that fits."""

from __future__ import annotations

from fractions import Fraction

from pfl.engines.smt.terms import (
    ZERO,
    And,
    Assert,
    Constant,
    Or,
    Product,
    Relation,
    Select,
    Sum,
    Symbol,
    add,
    conjunction,
    disjunction,
    logic_of,
    multiply,
)

X, Y, B = Symbol("x", "Real"), Symbol("y", "Real"), Symbol("b", "Bool")
TWO, THREE = Constant(Fraction(2)), Constant(Fraction(3))


def test_sums_add_constants_up_and_leave_zero_out() -> None:
    assert add([]) == ZERO
    assert add([TWO, X, THREE]) == Sum((X, Constant(Fraction(5))))
    assert add([X, ZERO]) == X


def test_products_multiply_constants_and_vanish_with_zero() -> None:
    assert multiply() == Constant(Fraction(1))
    assert multiply(X, TWO, THREE) == Product((Constant(Fraction(6)), X))
    assert multiply(Constant(Fraction(1)), X) == X
    assert multiply(X, ZERO, Y) == ZERO


def test_single_terms_stand_for_themselves() -> None:
    assert conjunction([B]) == B == disjunction([B])
    assert conjunction([]) == And(())
    assert disjunction([]) == Or(())


def test_the_logic_is_linear_unless_variables_are_multiplied() -> None:
    chosen = Select(((Relation("=", X, ZERO), multiply(TWO, Y)),), ZERO)
    assert logic_of([Assert(Relation(">", add([X, chosen]), ZERO))]) == "QF_LRA"
    assert logic_of([Assert(Relation(">", multiply(X, Y), ZERO))]) == "QF_NRA"
    assert logic_of([Assert(Relation(">", multiply(X, chosen), ZERO))]) == "QF_NRA"
