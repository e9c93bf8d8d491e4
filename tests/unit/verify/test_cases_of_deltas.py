"""Computes over cases: deltas that are known between two ends, and cases in which nothing is compared."""

from __future__ import annotations

from fractions import Fraction

from pfl.base.enclosure import Enclosure, exp
from pfl.driver import check_text
from pfl.engines.answer import Computed, NamedValue

ANSWERS = """
automaton a(w: real) {
    data d: {pt};
    query y: {go};
    state x: 0..1 = 0;
    on data d { x = 1; }
    on query y { respond if x == 0 then bernoulli(w) else bernoulli(1 - w); }
}
"""
"""With one data point that changes the answer, delta is w - e^eps (1 - w), where that is positive."""

POINTS = """
automaton points(n: int) {
    data d: 1..n;
    query y: {go};
    state x: bool = false;
    on data d { x = d > 1; }
    on query y { respond if x then bernoulli(1/2) else bernoulli(1/4); }
}
"""
"""With a single data point there are no two to exchange."""


def computed(text: str) -> Computed:
    (result,) = check_text(text).results
    assert isinstance(result.verdict, Computed), result.verdict
    return result.verdict


def delta(w: Fraction, c: Fraction) -> Fraction:
    return max(Fraction(0), w - c * (1 - w))


def ends(named: NamedValue) -> tuple[Fraction, Fraction]:
    assert isinstance(named.value, Enclosure)
    return named.value.low, named.value.high


def test_the_extremes_of_deltas_at_an_irrational_bound_are_intervals() -> None:
    verdict = computed(f"{ANSWERS} compute delta a(w) {{ for w in {{2/3, 3/4}}; length 2; epsilon 1/10; }}")
    c = exp(Fraction(1, 10), 128)
    largest, smallest = verdict.values
    for named, w in ((largest, Fraction(3, 4)), (smallest, Fraction(2, 3))):
        assert named.arguments == (("w", str(w)),)
        low, high = ends(named)
        assert low <= delta(w, c.high) <= delta(w, c.low) <= high < low + Fraction(2, 10**18)
    assert [largest.name, smallest.name] == ["largest", "smallest"]
    assert verdict.value == largest.value


def test_an_exact_delta_stands_beside_one_between_two_ends() -> None:
    verdict = computed(f"{ANSWERS} compute delta a(w) {{ for w in {{1/2, 3/4}}; length 1..2; epsilon 1/10; }}")
    largest, smallest = verdict.values
    assert isinstance(largest.value, Enclosure)
    assert largest.arguments == (("w", "3/4"),)
    assert smallest.value == 0
    assert smallest.arguments == (("w", "1/2"),)


def test_a_case_without_two_runs_to_compare_is_not_the_smallest() -> None:
    verdict = computed(f"{POINTS} compute delta points(n) {{ for n in 1..3; adjacent replace; length 2; epsilon 0; }}")
    assert [named.value for named in verdict.values] == [Fraction(1, 4), Fraction(1, 4)]
    assert [named.arguments for named in verdict.values] == [(("n", "2"),), (("n", "2"),)]


def test_where_no_case_compares_anything_the_result_is_zero() -> None:
    verdict = computed(f"{POINTS} compute delta points(n) {{ for n in {{1}}; adjacent replace; length 2; epsilon 0; }}")
    assert verdict.value == 0
    verdict = computed(f"{POINTS} compute epsilon points(1) {{ adjacent replace; length 2; }}")
    assert verdict.bound is not None
    assert verdict.bound.ratio == 1
