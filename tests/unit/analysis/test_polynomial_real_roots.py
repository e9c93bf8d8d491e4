"""Real roots, cells and suprema in one parameter."""

from __future__ import annotations

import itertools
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.polynomial.cells import cells, find_value, sign_of
from pfl.analysis.polynomial.real_roots import Root, roots_between, sign_at, simplest_between, univariate
from pfl.analysis.polynomial.supremum import supremum
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.model.parameters import Condition, Parameter, ParameterSpace

P = RationalFunction.parameter("p")


def interval(low: int, high: int, low_open: bool = True, high_open: bool = True) -> Parameter:
    return Parameter(name="p", low=Fraction(low), high=Fraction(high), low_open=low_open, high_open=high_open)


def space(parameter: Parameter, *conditions: tuple[Number, str]) -> ParameterSpace:
    found = (Condition(polynomial=number, relation=relation, text="") for number, relation in conditions)  # type: ignore[arg-type]
    return ParameterSpace(parameters=(parameter,)).restricted(*found)


def polynomials() -> st.SearchStrategy[Number]:
    def build(coefficients: list[int], roots: list[Fraction]) -> Number:
        total: Number = Fraction(0)
        for coefficient in coefficients:
            total = total * P + coefficient
        for root in roots:
            total = total * (P - root)
        return total

    small = st.fractions(min_value=-2, max_value=2, max_denominator=4)
    return st.builds(build, st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.lists(small, max_size=3))


def test_roots_are_all_found_once_and_in_order() -> None:
    function = (P**2 - 2) ** 2 * (3 * P - 4) * (P**3 - 3 * P + 1) * (P**3 - 3 * P + Fraction(100001, 100000))
    found = roots_between([univariate(function)], Fraction(-3), Fraction(3))
    values = [float(root) for root in found]
    assert len(values) == 9
    assert values == sorted(values)
    assert found[5] == Fraction(4, 3)
    assert [sign_at(univariate(P**2 - 2), root) for root in found] == [1, 1, 0, -1, -1, -1, 0, 1, 1]
    assert found[2].equation("p") == "-2 + p^2"  # type: ignore[union-attr]


def test_ends_are_no_roots_of_the_open_interval() -> None:
    assert roots_between([univariate(P * (P - 1))], Fraction(0), Fraction(1)) == []


def test_simplest_rationals() -> None:
    def simplest(low: Fraction, high: Fraction) -> Fraction:
        for denominator in itertools.count(1):
            above = low.numerator * denominator // low.denominator + 1
            if Fraction(above, denominator) < high:
                return Fraction(above, denominator)
        raise AssertionError

    for low, high in itertools.combinations([Fraction(a, b) for b in range(1, 9) for a in range(3 * b)], 2):
        if low < high:
            assert simplest_between(low, high) == simplest(low, high)
    assert simplest_between(Fraction(-1, 2), Fraction(-1, 3)) == Fraction(-2, 5)
    assert simplest_between(Fraction(-1), Fraction(1)) == 0


@settings(max_examples=100, deadline=None)
@given(st.lists(polynomials(), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_signs_are_constant_on_cells(numbers: list[Number], low_open: bool, high_open: bool) -> None:
    parameter = interval(-1, 2, low_open, high_open)
    found = cells(numbers, parameter)
    for value in (Fraction(n, 24) for n in range(-24, 49)):
        inside = [cell for cell in found if contains(cell, value)]
        assert len(inside) == (1 if parameter.contains(value) else 0)
        for number in numbers:
            if inside:
                exact = value_at(number, {"p": value})
                assert sign_of(number, inside[0].sample) == (exact > 0) - (exact < 0)


def contains(cell: object, value: Fraction) -> bool:
    assert hasattr(cell, "low")
    if cell.is_point:  # type: ignore[attr-defined]
        return cell.low == value
    return below(cell.low, value) and not below(cell.high, value) and cell.high != value  # type: ignore[attr-defined]


def below(point: Fraction | Root, value: Fraction) -> bool:
    if isinstance(point, Fraction):
        return point < value
    while point.low < value < point.high:
        point = point.refined()
    return point.high <= value


def test_values_are_rational_unless_they_cannot_be() -> None:
    unit = interval(0, 1)
    assert find_value(space(unit, (2 * P**2 - 1, "<"))) == Fraction(1, 2)
    root = find_value(space(unit, (2 * P**2 - 1, "==")))
    assert isinstance(root, Root)
    assert find_value(space(unit, ((2 * P - 1) ** 2, "<="))) == Fraction(1, 2)
    assert find_value(space(unit, (P, "<="))) is None
    assert find_value(space(interval(0, 1, False), (P, "<="))) == 0
    assert find_value(space(unit, (P**2 + 1, "<="))) is None


def test_no_condition_holds_at_a_pole() -> None:
    assert find_value(space(interval(0, 1, False, False), (1 / P, "=="))) is None
    assert find_value(space(interval(0, 0, False, False), (1 / P, "<="))) is None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(polynomials(), st.sampled_from(["<", "<=", "==", "!="])), min_size=1, max_size=3))
def test_a_value_is_found_if_there_is_one(conditions: list[tuple[Number, str]]) -> None:
    domain = space(interval(-1, 2), *conditions)
    found = find_value(domain)
    if found is None:
        samples = (Fraction(n, 24) for n in range(-23, 48))
        assert not any(all(c.holds(value_at(c.polynomial, {"p": v})) for (c,) in domain.assumptions) for v in samples)
    for (condition,) in domain.assumptions if found is not None else ():
        assert condition.holds(Fraction(sign_of(condition.polynomial, found) or 0))


def test_suprema() -> None:
    unit = space(interval(0, 1))
    limit = supremum((P**2 - 4 * P + 4) / 6, (4 - 3 * P) / (12 - 6 * P), unit)
    assert limit is not None
    assert (limit.low, limit.high, limit.point, limit.attained) == (2, 2, 0, False)
    constant = supremum((P + 1) / 2, (P + 1) / 4, unit)
    assert constant is not None
    assert (constant.low, constant.attained) == (2, True)
    inner = supremum(P * (1 - P) * (1 + P), Fraction(1), unit)
    assert inner is not None
    assert isinstance(inner.point, Root)
    assert inner.attained
    assert inner.low < inner.high <= inner.low + Fraction(1, 2**100)  # type: ignore[operator]
    pole = supremum(Fraction(1), P, unit)
    assert pole is not None
    assert (pole.low, pole.attained) == ("inf", False)
    closed = supremum(Fraction(1), P, space(interval(0, 1, False)))
    assert closed is not None
    assert (closed.low, closed.attained) == ("inf", True)
    assert supremum(P, P - P, space(interval(0, 0, False, False))) is None


@settings(max_examples=100, deadline=None)
@given(polynomials(), polynomials())
def test_a_supremum_is_the_least_upper_bound(above: Number, below: Number) -> None:
    over, under = above * above, below * below + Fraction(1, 10)
    found = supremum(over, under, space(interval(0, 1, False, False)))
    assert found is not None
    assert found.high != "inf"
    values = [value_at(over, {"p": Fraction(n, 64)}) / value_at(under, {"p": Fraction(n, 64)}) for n in range(65)]
    assert max(values) <= found.high
    at = found.point if isinstance(found.point, Fraction) else found.point.within(Fraction(1, 2**80)).low
    assert abs(value_at(over, {"p": at}) / value_at(under, {"p": at}) - found.low) < Fraction(1, 10**6)  # type: ignore[operator]
