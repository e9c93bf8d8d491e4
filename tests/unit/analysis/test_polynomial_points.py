"""Points that satisfy conditions on several parameters, and what makes conditions simpler."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.polynomial.box import Chart, halves, holds_at, is_outside
from pfl.analysis.polynomial.elimination import components, reduce
from pfl.analysis.polynomial.points import find_point, mended, simplified
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.model.parameters import Condition, Parameter, ParameterSpace

P, Q, R = (RationalFunction.parameter(name) for name in "pqr")
BUDGET = Budget()


def unit(*names: str, is_open: bool = True) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(name=name, low=Fraction(0), high=Fraction(1), low_open=is_open, high_open=is_open) for name in names
    )


def condition(polynomial: Number, relation: str = "<") -> Condition:
    return Condition(polynomial=polynomial, relation=relation, text="")  # type: ignore[arg-type]


def space(names: str, *conditions: Condition, is_open: bool = True) -> ParameterSpace:
    return ParameterSpace(parameters=unit(*names, is_open=is_open)).restricted(*conditions)


def test_linear_equations_are_solved() -> None:
    reduced = reduce(space("pqr", condition(P + Q + R - 1, "=="), condition(P - Q)))
    assert reduced.space.names == ("q", "r")
    assert reduced.definitions["p"] == 1 - Q - R
    assert reduced.number(P + Q) == 1 - R
    point = find_point(space("pqr", condition(P + Q + R - 1, "=="), condition(P - Q)), BUDGET)
    assert isinstance(point, dict)
    assert sum(point.values()) == 1  # type: ignore[arg-type]


def test_unrelated_parameters_are_apart() -> None:
    parts = components(space("pqr", condition(P - Q)))
    assert sorted(part.names for part in parts) == [("p", "q"), ("r",)]
    assert find_point(space("pqr", condition(R**2 - 2, "==")), BUDGET) is None


def test_empty_spaces_are_recognised() -> None:
    assert find_point(space("pq", condition(P + Q, "<=")), BUDGET) is None
    assert find_point(space("pq", condition(P * Q - 1, "==")), BUDGET) is None
    assert find_point(space("pq", condition(P - Q), condition(Q - P, "<=")), BUDGET) is None
    assert find_point(space("pq", condition(P * Q * (2 - P), "<=")), BUDGET) is None
    assert find_point(ParameterSpace(assumptions=((),)), BUDGET) is None


def test_tight_conditions_need_a_solver() -> None:
    tight = space("pq", condition((P - Q) ** 2))
    assert find_point(tight, BUDGET) in (None, "unknown")
    assert find_point(tight, BUDGET, lambda _space, _budget: None) is None


def test_a_closed_end_counts() -> None:
    assert find_point(space("pq", condition(P + Q, "<="), is_open=False), BUDGET) == {"p": 0, "q": 0}


def test_signs_on_boxes() -> None:
    chart = Chart.of(unit("p", "q"))
    assert chart.signs(P * Q) == {1}
    assert chart.signs(P - 1) == {-1}
    assert chart.signs(P - Q) == {-1, 0, 1}
    closed = Chart.of(unit("p", "q", is_open=False))
    assert closed.signs(P + Q) == {0, 1}
    assert closed.signs(P + Q + 1) == {1}
    assert closed.signs(Fraction(0)) == {0}
    left, right = halves(unit("p"))
    assert left[0].contains(Fraction(1, 2))
    assert not right[0].contains(Fraction(1, 2))
    assert is_outside(space("p", condition(P - Fraction(1, 2))), right)


def test_time_is_watched() -> None:
    with pytest.raises(LimitReached, match="the parameters were cut"):
        find_point(space("pq", condition(P - Q)), Budget(deadline=0.0))


def test_values_of_solvers_are_mended() -> None:
    strict = space("pq", condition(P**2 + Q**2 - Fraction(1, 10), "<"), condition(Fraction(1, 20) - P * Q, "<="))
    point = mended(strict, {"p": Fraction(223, 1000), "q": Fraction(22400000001, 10**11)}, BUDGET)
    assert point is None or holds_at(strict, point)  # type: ignore[arg-type]
    algebraic = space("pq", condition(P**2 - Fraction(1, 2), "=="), condition(P - Q))
    found = mended(algebraic, {"p": Fraction(70710678, 10**8), "q": Fraction(8, 10)}, BUDGET)
    assert found is not None
    assert found["q"] == Fraction(4, 5)
    assert not isinstance(found["p"], Fraction)


def polynomials() -> st.SearchStrategy[Number]:
    linear = st.builds(
        lambda a, b, c: a * P + b * Q + Fraction(c, 2), st.integers(-2, 2), st.integers(-2, 2), st.integers(-3, 3)
    )
    return st.builds(lambda factors: _product(factors), st.lists(linear, min_size=1, max_size=3))


def _product(factors: list[Number]) -> Number:
    total: Number = Fraction(1)
    for factor in factors:
        total = total * factor
    return total


def spaces() -> st.SearchStrategy[ParameterSpace]:
    conditions = st.builds(condition, polynomials(), st.sampled_from(["<", "<=", "!="]))
    clauses = st.lists(conditions, min_size=1, max_size=2).map(tuple)
    return st.builds(
        lambda is_open, assumptions: ParameterSpace(
            parameters=unit("p", "q", is_open=is_open), assumptions=assumptions
        ),
        st.booleans(),
        st.lists(clauses, min_size=1, max_size=3).map(tuple),
    )


def samples(domain: ParameterSpace) -> list[dict[str, Fraction]]:
    grid = [Fraction(n, 12) for n in range(13)]
    points = ({"p": p, "q": q} for p, q in product(grid, grid))
    return [point for point in points if holds_at(domain, point)]


@settings(max_examples=80, deadline=None)
@given(spaces())
def test_a_point_lies_in_the_space_and_none_means_none(domain: ParameterSpace) -> None:
    found = find_point(domain, BUDGET)
    if found is None:
        assert not samples(domain)
    elif found != "unknown" and all(isinstance(value, Fraction) for value in found.values()):
        assert holds_at(domain, found)  # type: ignore[arg-type]


@settings(max_examples=80, deadline=None)
@given(spaces())
def test_simpler_conditions_mean_the_same(domain: ParameterSpace) -> None:
    shorter = simplified(domain)
    if shorter is None:
        assert not samples(domain)
    else:
        assert samples(shorter) == samples(domain)


@settings(max_examples=80, deadline=None)
@given(polynomials(), st.booleans())
def test_signs_on_a_box_hold_at_its_points(number: Number, is_open: bool) -> None:
    domain = ParameterSpace(parameters=unit("p", "q", is_open=is_open))
    signs = Chart.of(domain.parameters).signs(number)
    for point in samples(domain):
        value = value_at(number, point)
        assert (value > 0) - (value < 0) in signs
