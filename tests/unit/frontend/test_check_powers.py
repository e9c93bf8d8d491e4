"""Powers of ints: what is typed int has ints for values, and every value is that of exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from evaluation import Model
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.diagnostics import Diagnostic
from pfl.evaluation.faults import EvaluationFault
from pfl.syntax.tree.ast_declarations import FnDecl
from pfl.typecheck.types import IntType

Value: TypeAlias = Callable[[int, int], Fraction]
Term: TypeAlias = tuple[str, Value]
"""An expression in a natural number `k` and an int `j`, and what it should be; a failure where it has no value."""


def power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > 8 or abs(base) > 10**6:
        raise ValueError("not an exponent that is tried")
    return base ** int(exponent)


def whole(operation: Callable[[int, int], int]) -> Callable[[Fraction, Fraction], Fraction]:
    def apply(a: Fraction, b: Fraction) -> Fraction:
        if a.denominator != 1 or b.denominator != 1:
            raise ValueError("ints are wanted")
        return Fraction(operation(int(a), int(b)))

    return apply


OPERATORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "({} + {})": lambda a, b: a + b,
    "({} - {})": lambda a, b: a - b,
    "({} * {})": lambda a, b: a * b,
    "({} / {})": lambda a, b: a / b,
    "({} div {})": whole(lambda a, b: a // b),
    "({} mod {})": whole(lambda a, b: a % b),
    "({} ^ {})": power,
    "max({}, {})": max,
    "min({}, {})": min,
    "(if k > 1 then {} else {})": lambda a, _b: a,
}


def joined(form: str, left: Term, right: Term) -> Term:
    def value(k: int, j: int) -> Fraction:
        if form.startswith("(if"):
            return (left if k > 1 else right)[1](k, j)
        return OPERATORS[form](left[1](k, j), right[1](k, j))

    return form.format(left[0], right[0]), value


LEAVES: tuple[Term, ...] = (
    ("k", lambda k, _j: Fraction(k)),
    ("j", lambda _k, j: Fraction(j)),
    ("2", lambda _k, _j: Fraction(2)),
    ("3", lambda _k, _j: Fraction(3)),
    ("(-1)", lambda _k, _j: Fraction(-1)),
    ("size({k, j})", lambda k, j: Fraction(len({k, j}))),
    ("abs(j)", lambda _k, j: Fraction(abs(j))),
)
TERMS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.builds(joined, st.sampled_from(list(OPERATORS)), inner, inner),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(TERMS, st.integers(0, 3), st.integers(-3, 3))
def test_powers_have_the_types_and_the_values_that_they_should(term: Term, k: int, j: int) -> None:
    text, value = term
    try:
        model = Model(f"fn it(k: 0..3, j: int) = {text};")
    except AssertionError:
        return  # a real stands where an int must
    declaration = model.program.globals["model.pfl"]["it"]
    assert isinstance(declaration, FnDecl)
    is_int = isinstance(model.program.type_of(declaration.body), IntType)
    found = value_or_fault(model, k, j)
    if isinstance(found, Diagnostic):
        assert is_excused(found, text, value, k, j)
        return
    try:
        wanted = value(k, j)
    except ValueError:
        return  # larger than what is tried
    assert found == wanted
    assert not is_int or isinstance(found, int)


def value_or_fault(model: Model, k: int, j: int) -> object:
    try:
        return model.function("it")(k, j)
    except EvaluationFault as fault:
        return fault.diagnostic


def is_excused(fault: Diagnostic, text: str, value: Value, k: int, j: int) -> bool:
    """Whether there is no value, or a part had to be an int, as an operand of `div` or an exponent, and is none."""
    if fault.code.number == 340:
        return "div" in text or "mod" in text or text.count("^") > 1
    try:
        return not math.isfinite(value(k, j))
    except (ZeroDivisionError, ValueError):
        return True
