"""Signs of polynomials that the checks of certificates show, against what evaluating them says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.budget import Budget
from pfl.base.rational_function import RationalFunction
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.verify.certificates.exact.one_parameter import Whole, has_no_root, is_never_positive, whole
from pfl.verify.certificates.exact.polynomials import Poly, read_quotient
from pfl.verify.certificates.exact.region import Region

P, Q = RationalFunction.parameter("p"), RationalFunction.parameter("q")
BUDGET = Budget()


def polynomial(roots: list[tuple[Fraction, int]], leading: int, *, irrational: bool) -> list[Fraction]:
    found = [Fraction(leading)]
    factors = [[-root, Fraction(1)] for root, power in roots for _ in range(power)]
    factors += [[Fraction(-2), Fraction(0), Fraction(1)]] * irrational
    for factor in factors:
        longer = [Fraction(0)] * (len(found) + len(factor) - 1)
        for (i, x), (j, y) in product(enumerate(found), enumerate(factor)):
            longer[i + j] += x * y
        found = longer
    return found


def value(coefficients: list[Fraction], point: Fraction) -> Fraction:
    return sum((each * point**power for power, each in enumerate(coefficients)), Fraction(0))


NUMBERS = st.fractions(min_value=-4, max_value=4, max_denominator=3)


@given(
    st.lists(st.tuples(NUMBERS, st.integers(1, 3)), max_size=3),
    st.sampled_from([-3, -1, 1, 2]),
    st.booleans(),
    NUMBERS,
    st.fractions(min_value=0, max_value=4, max_denominator=3),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_one_parameter_is_decided(
    roots: list[tuple[Fraction, int]],
    leading: int,
    irrational: bool,
    low: Fraction,
    width: Fraction,
    low_open: bool,
    high_open: bool,
) -> None:
    high = low + width
    coefficients = polynomial(roots, leading, irrational=irrational)
    shortest: Whole = whole(coefficients)
    inside = sorted({low, high, *(low + width * Fraction(k, 60) for k in range(61)), *(r for r, _ in roots)})
    inside = [point for point in inside if low <= point <= high]
    between = [(one + other) / 2 for one, other in zip(inside, inside[1:])]  # noqa: RUF007
    assert is_never_positive(shortest, low, high) == all(value(coefficients, x) <= 0 for x in (*inside, *between))
    if width:
        own = [x for x in inside if (x != low or not low_open) and (x != high or not high_open)]
        vanishes = any(value(coefficients, x) == 0 for x in own)
        vanishes = vanishes or (irrational and any(low < x < high for x in (2**0.5, -(2**0.5))))
        assert has_no_root(shortest, low, high, low_open=low_open, high_open=high_open) != vanishes


def unit(name: str, *, is_open: bool = False) -> Parameter:
    return Parameter(name=name, low=Fraction(0), high=Fraction(1), low_open=is_open, high_open=is_open)


def condition(number: RationalFunction | Fraction, relation: str) -> Condition:
    return Condition(polynomial=number, relation=relation, text="")  # type: ignore[arg-type]


def region(*conditions: Condition, is_open: bool = False, names: str = "pq") -> Region:
    space = ParameterSpace(parameters=tuple(unit(name, is_open=is_open) for name in names)).restricted(*conditions)
    return Region.of(space, BUDGET)


def poly(of: Region, number: RationalFunction | Fraction) -> Poly:
    return of.read(number).above


@pytest.mark.parametrize(
    ("number", "conditions", "never"),
    [
        (P * Q - 1, [], True),
        (P + Q - 2, [], True),
        (P + Q - 1, [], False),
        (P + Q - 1, [condition(P + Q - Fraction(1, 2), "<=")], True),
        (P - Q, [condition(P - Q, "==")], True),
        (P * P - Q, [condition(Q - 1, "==")], True),
        (P - Fraction(1, 2), [condition(P - Fraction(1, 2), "<=")], True),
        (Fraction(1, 2) - P, [condition(Fraction(1, 2) - P, "<")], True),
        (-(P - Fraction(1, 3)) * (P - Fraction(1, 3)), [], True),
        ((P - Fraction(1, 3)) * (P - Fraction(1, 2)), [], False),
    ],
)
def test_signs_with_assumptions(number: RationalFunction, conditions: list[Condition], never: bool) -> None:
    there = region(*conditions)
    assert there.is_never_positive(poly(there, number)) == never


@pytest.mark.parametrize(
    ("number", "conditions", "is_open", "without"),
    [
        (P * Q, [], True, True),
        (P * Q, [], False, False),
        (1 + P * Q, [], False, True),
        (P * (1 - Q), [condition(P, "!="), condition(Q - 1, "!=")], False, True),
        (P - Fraction(1, 2), [condition(P - Fraction(1, 2), "!=")], False, True),
        (P - Q, [], False, False),
        ((P - Q) * (P - Q), [condition(P - Q, "!=")], False, True),
        (2 * P * P - 1, [], False, False),
    ],
)
def test_polynomials_that_are_nowhere_0(
    number: RationalFunction, conditions: list[Condition], is_open: bool, without: bool
) -> None:
    there = region(*conditions, is_open=is_open)
    assert there.has_no_root(poly(there, number)) == without


def test_a_space_is_full_if_it_has_an_inner_point() -> None:
    assert region().is_full
    assert region(condition(P + Q - 1, "<=")).is_full
    assert region(condition(P - Fraction(1, 2), "!=")).is_full
    assert region(condition(P - Q, "==")).is_full
    assert not region(condition(P + Q, "<=")).is_full
    assert not region(condition(P * P - Q, "==")).is_full
    assert not region(condition(P, "<=")).is_full


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-3, 3)), max_size=5))
@settings(max_examples=150, deadline=None)
def test_no_sign_is_shown_that_a_point_contradicts(terms: list[tuple[int, int, int]]) -> None:
    there = region()
    shown = Poly({})
    for one, other, coefficient in terms:
        shown = shown + Poly({(one, other): Fraction(coefficient)} if coefficient else {})
    steps = [Fraction(k, 6) for k in range(7)]
    found = [sum((c * x**a * y**b for (a, b), c in shown.terms.items()), Fraction(0)) for x, y in product(steps, steps)]
    if there.is_never_positive(shown):
        assert max(found) <= 0
    if there.has_no_root(shown):
        assert min(found) > 0 or max(found) < 0


def test_division_and_substitution() -> None:
    names = ("p", "q")
    one, other = (read_quotient(number, names).above for number in (P * P - Q * Q, P - Q))
    quotient = one.over(other)
    assert quotient is not None
    assert quotient.equals(read_quotient(P + Q, names).above)
    assert other.over(one) is None
    assert one.with_value(0, read_quotient(Q, names).above).is_zero
