"""Claims with parameters: every answer agrees with brute force at many parameter values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from parametric_systems import questions, ratios_at, sample_points

from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Bound, Computed, Fails, Proved, Unknown
from pfl.engines.parametric import parametric
from pfl.engines.ratio import exact
from pfl.model.compare import Compare
from pfl.options import Options
from pfl.passes.substitute import ImpossibleValues, substitute
from pfl.verify.replay import refute, replay
from pfl.verify.verdict import Refuted

EPSILONS = st.one_of(
    st.builds(lambda c: Epsilon.ln(Fraction(c, 4)), st.integers(4, 20)),
    st.builds(lambda c: Epsilon.ln(Fraction(c, 2)) / 2, st.integers(2, 20)),
    st.builds(lambda q: Epsilon.rational(Fraction(q, 8)), st.integers(0, 16)),
)


def with_epsilon(question: Compare, epsilon: Epsilon | None) -> Compare:
    goal = "epsilon" if epsilon is None else "check"
    tables = tuple(replace(table, epsilon=epsilon) for table in question.tables)
    return replace(question, tables=tables, goal=goal)


def answer(question: Compare):
    return parametric.answer(question, Options(), Budget())


def exceeds(epsilon: Epsilon, left: Fraction, right: Fraction) -> bool:
    return epsilon.compare(left / right) > 0 if right else left > 0


def has_points(question: Compare) -> bool:
    return next(sample_points(question.parameters), None) is not None


@settings(max_examples=150, deadline=None)
@given(questions().filter(has_points), EPSILONS)
def test_a_check_agrees_with_samples(question: Compare, epsilon: Epsilon) -> None:
    claim = with_epsilon(question, epsilon)
    match answer(claim):
        case Proved():
            for point in sample_points(question.parameters):
                assert not any(exceeds(epsilon, *pair) for pair in ratios_at(question, point)), point
        case Fails() as fails:
            if all(isinstance(value, Fraction) for value in fails.violation.parameters.values()):
                assert isinstance(refute(claim, "parametric", fails.violation), Refuted)
        case other:
            raise AssertionError(other)


@settings(max_examples=150, deadline=None)
@given(questions().filter(has_points))
def test_the_least_epsilon_is_a_supremum(question: Compare) -> None:
    claim = with_epsilon(question, None)
    match answer(claim):
        case Computed(bound=Bound() as bound):
            assert_is_supremum(claim, bound)
        case Proved(evidence=evidence):
            assert evidence.kind == "vacuous"
        case other:
            raise AssertionError(other)


def assert_is_supremum(question: Compare, bound: Bound) -> None:
    assert bound.upper is not None
    attained = False
    for point in sample_points(question.parameters):
        for left, right in ratios_at(question, point):
            if left and not right:
                assert bound.upper == "inf"
                attained = True
            elif left and bound.upper != "inf":
                assert left / right <= bound.upper
                attained = attained or left / right == bound.ratio
    if attained:
        assert bound.attained
    if bound.best is not None:
        witness = replay(question, bound.best)
        if bound.lower == "inf":
            assert witness.ratio == "inf" or witness.ratio > 1000
        elif bound.attained and bound.ratio is not None:
            assert witness.ratio == bound.ratio
        else:
            assert Fraction(98, 100) * bound.lower <= witness.ratio <= bound.upper


@settings(max_examples=60, deadline=None)
@given(questions(depth=2).filter(has_points), st.integers(2, 8))
def test_delta_is_a_supremum(question: Compare, quarters: int) -> None:
    epsilon = Epsilon.ln(Fraction(quarters, 4)) if quarters > 4 else Epsilon.rational(Fraction(quarters, 4))
    claim = replace(with_epsilon(question, epsilon), goal="delta", delta=None)
    result = answer(claim)
    if isinstance(result, Proved):
        assert result.evidence.kind == "vacuous"
        return
    assert isinstance(result, Computed)
    high = result.value.high if isinstance(result.value, Enclosure) else result.value
    assert isinstance(high, Fraction)
    largest = Fraction(0)
    low, up = epsilon.lower_bound(80), epsilon.upper_bound(80)
    for point in sample_points(question.parameters):
        pairs = list(ratios_at(question, point))
        for side in (pairs[::2], pairs[1::2]):
            assert sum((max(Fraction(0), left - up * right) for left, right in side), Fraction(0)) <= high
            largest = max(largest, sum((max(Fraction(0), left - low * right) for left, right in side), Fraction(0)))
    assert high - largest <= Fraction(1, 4)
    for claimed in (high + Fraction(1, 1000), high - Fraction(1, 1000)):
        if claimed <= 0:
            continue
        checked = answer(replace(claim, goal="check", delta=claimed))
        if claimed > high:
            assert isinstance(checked, Proved)
        else:
            assert isinstance(checked, Fails)
            assert isinstance(
                refute(replace(claim, goal="check", delta=claimed), "parametric", checked.violation), Refuted
            )


@settings(max_examples=40, deadline=None)
@given(questions(names=("p", "q"), depth=2).filter(has_points), EPSILONS)
def test_a_check_of_two_parameters_agrees_with_samples(question: Compare, epsilon: Epsilon) -> None:
    claim = with_epsilon(question, epsilon)
    match answer(claim):
        case Proved():
            for point in sample_points(question.parameters, steps=4):
                assert not any(exceeds(epsilon, *pair) for pair in ratios_at(question, point)), point
        case Fails() as fails:
            if all(isinstance(value, Fraction) for value in fails.violation.parameters.values()):
                assert isinstance(refute(claim, "parametric", fails.violation), Refuted)
        case Unknown():
            pass
        case other:
            raise AssertionError(other)


@settings(max_examples=40, deadline=None)
@given(questions(names=("p", "q"), depth=2).filter(has_points))
def test_the_least_epsilon_of_two_parameters_is_enclosed(question: Compare) -> None:
    claim = with_epsilon(question, None)
    match answer(claim):
        case Computed(bound=Bound() as bound):
            assert_is_supremum_of_two(claim, bound)
        case Proved() | Unknown():
            pass
        case other:
            raise AssertionError(other)


def assert_is_supremum_of_two(question: Compare, bound: Bound) -> None:
    assert bound.upper is not None
    for point in sample_points(question.parameters, steps=4):
        for left, right in ratios_at(question, point):
            if left and bound.upper != "inf":
                assert right
                assert left / right <= bound.upper
    if bound.best is not None and bound.lower != "inf":
        witness = replay(question, bound.best)
        assert witness.ratio == "inf" or witness.ratio >= Fraction(98, 100) * bound.lower


@settings(max_examples=30, deadline=None)
@given(questions(depth=1).filter(has_points), st.integers(4, 24))
def test_a_proof_for_every_length_holds_for_short_ones(question: Compare, quarters: int) -> None:
    epsilon = Epsilon.ln(Fraction(quarters, 4))
    claim = replace(with_epsilon(question, epsilon), lengths="any")
    try:
        result = answer(claim)
    except parametric.LimitReached:
        return
    match result:
        case Proved():
            for length in (1, 2, 3):
                shorter = replace(question, lengths=(length,))
                for point in sample_points(question.parameters, steps=5):
                    assert not any(exceeds(epsilon, *pair) for pair in ratios_at(shorter, point))
        case Fails() as fails:
            if all(isinstance(value, Fraction) for value in fails.violation.parameters.values()):
                assert isinstance(refute(claim, "parametric", fails.violation), Refuted)


@settings(max_examples=30, deadline=None)
@given(questions(depth=6).filter(has_points))
def test_the_exact_engine_agrees_at_values(question: Compare) -> None:
    claim = with_epsilon(question, None)
    result = answer(claim)
    if not isinstance(result, Computed):
        return
    bound = result.bound
    assert bound is not None
    for point in list(sample_points(question.parameters, steps=4)):
        largest = exact_ratio(claim, point)
        if largest is None:
            continue
        assert bound.upper == "inf" or (largest != "inf" and largest <= bound.upper)
        if largest == bound.ratio:
            assert bound.attained
    if bound.best is not None and bound.attained and bound.ratio is not None:
        values = {name: value for name, value in bound.best.parameters.items() if isinstance(value, Fraction)}
        assert exact_ratio(claim, values) == bound.ratio


def exact_ratio(claim: Compare, point: dict[str, Fraction]) -> object:
    """The largest ratio at given values by the exact engine; None where a side has probability 0 there."""
    try:
        constant = substitute(claim, point)
    except ImpossibleValues:
        return None
    result = exact.answer(constant, Options(), Budget())
    assert isinstance(result, Computed)
    assert result.bound is not None
    return result.bound.ratio
