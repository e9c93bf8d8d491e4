"""Signs of exponential polynomials, against values that arb computes term by term, and against each other."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest
from exponential_polynomials import NOTHING, ONE, X, Y, above_threshold, cases, noisy_max, power, sign
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.exponential.certificate import faults
from pfl.analysis.exponential.decide import NegativeAt, NonNegative, Open, decide
from pfl.analysis.exponential.negative_stretches import stretches
from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval
from pfl.analysis.exponential.smallest_multiple import Multiple, smallest_multiple


def judged(seed: int) -> str:
    """What is decided of a case, after it was compared with values at points."""
    g, interval, points = cases(seed)
    decision = decide(g, interval)
    match decision:
        case NegativeAt(point=point):
            assert point in interval
            assert sign(g, point) < 0
        case NonNegative(certificate=certificate):
            assert faults(g, interval, json.loads(json.dumps(certificate))) == []
            assert all(sign(g, x) >= 0 for x in points)
            return f"NonNegative {certificate['rule']}"
    return type(decision).__name__


def located(seed: int) -> None:
    """Stretches are where values say, and there are some where there should be."""
    g, interval, points = cases(seed)
    found, decision = stretches(g, interval), decide(g, interval)
    if found is None or isinstance(decision, Open):
        return
    assert bool(found) == isinstance(decision, NegativeAt)
    ends = [end for stretch in found for end in (stretch.low, stretch.high) if end is not None]
    assert all(first.high <= second.low or first == second for first, second in pairwise(ends))
    for x in points:
        inside = any(s.low.high < x and (s.high is None or x < s.high.low) for s in found)
        outside = all(x < s.low.low or (s.high is not None and s.high.high < x) for s in found)
        assert not inside or sign(g, x) < 0
        assert not outside or sign(g, x) >= 0 or x in (interval.low, interval.high)


@pytest.mark.parametrize("batch", range(8))
def test_no_sign_is_wrong(batch: int) -> None:
    """On 8,000 cases, run once, and on 15,000 of an earlier kind, none was wrong and none stayed open."""
    found = Counter(judged(seed) for seed in range(batch * 50, batch * 50 + 50))
    assert found["Open"] == 0
    assert len(found) >= 4


@pytest.mark.parametrize("batch", range(4))
def test_stretches_are_where_values_are_negative(batch: int) -> None:
    for seed in range(batch * 40, batch * 40 + 40):
        located(seed)


def polynomials() -> st.SearchStrategy[ExponentialPolynomial]:
    terms = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(-3, 4)), st.integers(-20, 20), max_size=5)
    return st.builds(ExponentialPolynomial, terms)


@settings(max_examples=150)
@given(polynomials(), polynomials(), st.fractions(0, 6, max_denominator=20))
def test_decisions_and_the_ring(first: ExponentialPolynomial, second: ExponentialPolynomial, x: Fraction) -> None:
    assert isinstance(decide(first * first + second * second), NonNegative)
    if x and sign(first * first * second, x) < 0:
        assert isinstance(decide(first * first * second), NegativeAt)
    assert sign(first * second, x) == sign(first, x) * sign(second, x)
    both = decide(second), decide(-second)
    assert not all(isinstance(each, NonNegative) for each in both) or not second


@settings(max_examples=40)
@given(st.integers(1, 10**6), st.integers(0, 6), st.integers(1, 3))
def test_roots_at_the_ends_of_bounded_intervals(start: int, digits: int, times: int) -> None:
    """(x - low)^times (high - x) (e^x - x) is positive between; with another sign it is negative there."""
    low, width = Fraction(start, 10**5), Fraction(1, 10**digits)
    interval = Interval(low=low, high=low + width)
    g = power(X - ONE * low, times) * (ONE * (low + width) - X) * (Y - X)
    decision = decide(g, interval)
    assert isinstance(decision, NonNegative)
    assert faults(g, interval, decision.certificate) == []
    other = decide(-g, interval)
    assert isinstance(other, NegativeAt)
    assert other.point in interval
    wider = Interval(low=low, high=low + 2 * width)
    assert isinstance(decide(g, wider), NegativeAt)
    assert faults(g, wider, decision.certificate) != []


def exactly(multiple: int) -> Multiple:
    return Multiple(Fraction(multiple), Fraction(multiple))


def test_above_threshold_and_noisy_max() -> None:
    def pairs(words: dict[tuple[int, ...], list[ExponentialPolynomial]]) -> list[tuple[ExponentialPolynomial, ...]]:
        return [
            pair
            for first, second in product(words, words)
            if max(abs(left - right) for left, right in zip(first, second)) == 1
            for pair in zip(words[first], words[second])
        ]

    answers = list(product((-1, 0, 1), repeat=2))
    assert all(sum(above_threshold(each), NOTHING) == ONE for each in answers)
    assert all(sum(noisy_max(each), NOTHING) == ONE for each in answers)
    assert smallest_multiple(pairs({each: above_threshold(each) for each in answers})) == exactly(2)
    assert smallest_multiple(pairs({each: above_threshold(each, 1, 3) for each in answers})) == exactly(6)
    assert smallest_multiple(pairs({each: noisy_max(each) for each in answers})) == exactly(4)


def test_most_comparisons_of_published_mechanisms_are_decided_by_coefficients() -> None:
    """All neighbours of three answers, e^eps Q - P."""
    words = {each: above_threshold(each) for each in product((-1, 0, 1), repeat=3)}
    found: Counter[str] = Counter()
    for first, second in product(words, words):
        if max(abs(left - right) for left, right in zip(first, second)) == 1:
            for above, below in set(zip(words[first], words[second])):
                decision = decide(below.times_exponential(4) - above)
                assert isinstance(decision, NonNegative)
                assert faults(below.times_exponential(4) - above, POSITIVE, decision.certificate) == []
                found[decision.certificate["rule"]] += 1
    assert set(found) == {"coefficients", "taylor"}
