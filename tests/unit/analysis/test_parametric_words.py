"""Words of systems with parameters: charts keep ratios, and what is left out is covered."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.parametric.obligation import Obligation, at_most_zero, charted_system, primitive_pair
from pfl.analysis.parametric.prefixes import Kept, TooWide, prefixes
from pfl.analysis.parametric.supremum import promising_word
from pfl.analysis.parametric.threshold import power, rational_power
from pfl.analysis.polynomial.box import Chart
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import Parameter

P = RationalFunction.parameter("p")
BOX = (Parameter(name="p", low=Fraction(1, 4), high=Fraction(3, 4), low_open=True, high_open=True),)
POINTS = [Fraction(1, 10), Fraction(1), Fraction(7, 3), Fraction(50)]


def vectors() -> st.SearchStrategy[tuple[Number, ...]]:
    entries = st.builds(lambda a, b, c: a + b * P + c * P**2, *[st.integers(-2, 3)] * 3)
    return st.tuples(entries, entries, entries)


def two_states() -> Obligation:
    """A chain whose numbers have denominators and factors that vanish outside the box."""
    flip = P / (1 + P)
    moves = [[1 - flip, flip], [flip * P, 1 - flip * P]]
    shows = [[P, 1 - P], [(1 - P) / 2, (1 + P) / 2]]
    system = LabelledSystem(
        states=("a", "b"),
        letters=("x", "y"),
        matrices=tuple(
            tuple(tuple((to, shows[at][letter] * moves[at][to]) for to in range(2)) for at in range(2))
            for letter in range(2)
        ),
    )
    return Obligation(system=system, left=(P, Fraction(0)), right=(P / 3, 2 * P / 3))


def never(_left: Vector, _right: Vector) -> bool:
    return False


def test_charts_keep_the_ratios_of_words() -> None:
    obligation = two_states()
    chart = Chart.of(BOX)
    charted = obligation.on(chart, charted_system(obligation.system, chart))
    for word in product(range(2), repeat=3):
        left, right = obligation.masses(word)
        over, under = charted.system.mass(charted.left, word), charted.system.mass(charted.right, word)
        for u in POINTS:
            p = (Fraction(1, 4) + Fraction(3, 4) * u) / (1 + u)
            assert value_at(left / right, {"p": p}) == value_at(over / under, {"p": u})
            assert value_at(over, {"p": u}) > 0


def test_only_equal_directions_are_left_out() -> None:
    obligation = two_states()
    chart = Chart.of(BOX)
    charted = obligation.on(chart, charted_system(obligation.system, chart))
    found = list(prefixes(charted, depth=4, is_dead=never, budget=Budget(), widest=100))
    ratios = {prefix.left_mass / prefix.right_mass for prefix in found}
    for length in range(1, 5):
        for word in product(range(2), repeat=length):
            over, under = charted.system.mass(charted.left, word), charted.system.mass(charted.right, word)
            assert over / under in ratios


def test_wide_levels_are_refused() -> None:
    obligation = two_states()
    chart = Chart.of(BOX)
    charted = obligation.on(chart, charted_system(obligation.system, chart))
    with pytest.raises(TooWide) as too_wide:
        list(prefixes(charted, depth=9, is_dead=never, budget=Budget(), widest=5))
    assert too_wide.value.depth == 3


@settings(max_examples=100, deadline=None)
@given(vectors(), vectors())
def test_a_covered_vector_lies_below_a_multiple(kept: tuple[Number, ...], vector: tuple[Number, ...]) -> None:
    collection = Kept()
    assert not collection.covers(kept)
    if not collection.covers(vector):
        return
    for u in POINTS:
        above = [value_at(entry, {"p": u}) for entry in vector]
        below = [value_at(entry, {"p": u}) for entry in kept]
        assert any(
            all(x <= factor * y for x, y in zip(above, below))
            for factor in (x / y for x, y in zip(above, below) if y > 0 and x >= 0)
        )


@settings(max_examples=100, deadline=None)
@given(vectors(), vectors())
def test_primitive_pairs_keep_their_direction(left: tuple[Number, ...], right: tuple[Number, ...]) -> None:
    first, second = primitive_pair(left, right)
    for u in POINTS:
        before = [value_at(entry, {"p": u}) for entry in (*left, *right)]
        after = [value_at(entry, {"p": u}) for entry in (*first, *second)]
        factors = {x / y for x, y in zip(before, after) if y}
        assert len(factors) <= 1
        assert all(factor > 0 for factor in factors)
        assert [bool(x) for x in before] == [bool(y) for y in after] or not factors


def test_signs_by_coefficients() -> None:
    assert at_most_zero(-P - 1)
    assert at_most_zero(Fraction(0))
    assert not at_most_zero(P - 1)
    assert not at_most_zero(Fraction(1))


def test_a_beam_finds_the_best_word_of_a_small_system() -> None:
    obligation = two_states()
    values = {"p": Fraction(1, 3)}

    def ratio(word: tuple[int, ...]) -> Fraction:
        left, right = (value_at(mass, values) for mass in obligation.masses(word))
        return left / right

    assert ratio(promising_word(obligation, values, 4)) == max(map(ratio, product(range(2), repeat=4)))


def test_bounds_stand_for_epsilon() -> None:
    exact = power(Epsilon.ln(Fraction(4)) / 2, 64)
    assert (exact.root, exact.bound, exact.exact) == (1, 2, True)
    root = power(Epsilon.ln(Fraction(2)) / 2, 64)
    assert (root.root, root.bound, root.exact) == (2, 2, True)
    rational = rational_power(Epsilon.ln(Fraction(2)) / 2, 64)
    assert rational.root == 1
    assert rational.bound**2 < 2 < (rational.bound * (1 + Fraction(1, 2**60))) ** 2
    above = power(Epsilon.rational(Fraction(1)) + Epsilon.ln(P), 64, upper=True)
    below = power(Epsilon.rational(Fraction(1)) + Epsilon.ln(P), 64)
    assert not above.exact
    assert value_at(below.bound, {"p": Fraction(1)}) < Fraction(2718281828459045236, 10**18)
    assert value_at(above.bound, {"p": Fraction(1)}) > Fraction(2718281828459045235, 10**18)
