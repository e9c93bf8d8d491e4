"""Fixing parameters to values, and what values are impossible."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.passes.substitute import ImpossibleValues, epsilon_at, substitute

P, Q = RationalFunction.parameter("p"), RationalFunction.parameter("q")
ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


def unit(name: str) -> Parameter:
    return Parameter(name=name, low=ZERO, high=ONE, low_open=False, high_open=False)


def question() -> Compare:
    """One state that sends `a` with probability p q; the left side has weight p, the right one 1."""
    product = P * Q
    assert not isinstance(product, Fraction)
    system = LabelledSystem(states=("s",), letters=("a", "b"), matrices=((((0, product),),), (((0, 1 - product),),)))
    table = Table.of_pair(
        system,
        [
            Side(
                label="left",
                vector=(P,),
                weight=P,
                nonzero=(Condition(polynomial=P, relation="!=", text="p is not 0"),),
            ),
            Side(label="right", vector=(ONE,)),
        ],
        epsilon=Epsilon.ln(1 / Q),
    )
    below = Condition(polynomial=P + Q - Fraction(3, 2), relation="<=", text="p + q <= 3/2")
    equal = Condition(polynomial=P - Q, relation="==", text="p == q")
    space = ParameterSpace(parameters=(unit("p"), unit("q")), assumptions=((below, equal),))
    return Compare(goal="check", tables=(table, table), lengths=(1,), parameters=space)


def test_all_values_give_a_question_without_parameters() -> None:
    result = substitute(question(), {"p": HALF, "q": HALF})
    first, second = result.comparisons
    assert first.system is second.system
    assert first.system.matrices == ((((0, Fraction(1, 4)),),), (((0, Fraction(3, 4)),),))
    assert (first.left.vector, first.left.weight) == ((ONE,), ONE)
    assert first.epsilon == Epsilon.ln(Fraction(2))
    assert first.nonzero == ()
    assert result.parameters == ParameterSpace()


def test_some_values_leave_the_rest_symbolic() -> None:
    result = substitute(question(), {"p": HALF})
    assert result.parameters.names == ("q",)
    assert [condition.text for condition in result.parameters.assumptions[0]] == ["p + q <= 3/2", "p == q"]
    assert result.comparisons[0].system.mass((ONE,), (0,)) == Q / 2


def test_entries_that_become_0_leave_the_matrix() -> None:
    result = substitute(question(), {"q": ZERO + HALF, "p": ONE})
    assert result.comparisons[0].system.matrices[0] == (((0, HALF),),)
    assert substitute(question(), {"p": ONE, "q": ONE}).comparisons[0].system.matrices[1] == ((),)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"p": Fraction(2), "q": ONE}, "2 lies outside p in"),
        ({"p": ZERO, "q": ONE}, "`left` has probability 0|`p is not 0` does not hold"),
        ({"p": ONE, "q": Fraction(3, 4)}, "does not hold"),
        ({"p": ONE, "q": ZERO}, "is 0"),
    ],
)
def test_impossible_values_are_named(values: Any, why: str) -> None:
    with pytest.raises(ImpossibleValues, match=why):
        substitute(question(), values)


def test_logarithms_of_what_is_not_positive_are_impossible() -> None:
    with pytest.raises(ImpossibleValues, match="not a real number"):
        epsilon_at(Epsilon.ln(P), {"p": Fraction(-1)})


@given(st.fractions(min_value="1/9", max_value="1"), st.fractions(min_value="1/9", max_value="1/2"))
def test_masses_at_values_are_the_values_of_masses(p: Fraction, q: Fraction) -> None:
    asked, values = question(), {"p": p, "q": q}
    result = substitute(asked, values)
    for word in ((0,), (1, 0), (0, 0, 1)):
        symbolic = asked.comparisons[0].system.mass((ONE,), word)
        assert not isinstance(symbolic, Fraction)
        assert result.comparisons[0].system.mass((ONE,), word) == symbolic.evaluate(values)
