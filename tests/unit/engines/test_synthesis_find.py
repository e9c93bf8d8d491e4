"""`find`: values that satisfy a claim, none with a reason, and objectives."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parametric_models import (
    FIRST,
    JOHN,
    NOT_JOHN,
    PRIOR,
    SECOND,
    ZERO,
    P,
    Q,
    claim,
    condition,
    flipping,
    interval,
    ln,
    survey,
)

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.engines.answer import Answer, Fails, Finds, NoneFound, Proved, Unknown
from pfl.engines.parametric import parametric
from pfl.engines.synthesis import synthesis
from pfl.model.claims import Search
from pfl.model.compare import Compare, Side
from pfl.options import Options
from pfl.passes.substitute import substitute

P0, P1, P2 = (RationalFunction.parameter(f"p{index}") for index in range(3))
SHARES = tuple(interval(f"p{index}", is_open=False) for index in range(3))
MIXED = Side(label="prior", vector=(P0, P1, P2), weight=P0 + P1 + P2)
SOME_SICK = Side(label="someone sick", vector=(ZERO, P1, P2), weight=P1 + P2)


def find(names: str, question: Compare, objective: Number | None = None, direction: str | None = None) -> Answer:
    wanted = Search(names=tuple(names.split()), claim=question, objective=objective, direction=direction)  # type: ignore[arg-type]
    return synthesis.answer(wanted, Options(), Budget())


def found(names: str, question: Compare, objective: Number | None = None, direction: str | None = None) -> Finds:
    """The answer, with values that prove the claim when they are put in."""
    answer = find(names, question, objective, direction)
    assert isinstance(answer, Finds), answer
    assert isinstance(parametric.answer(substitute(question, answer.values), Options(), Budget()), Proved)
    return answer


def test_a_belief_is_found() -> None:
    question = claim(survey(), MIXED, SOME_SICK, ln(2), 1, SHARES, [condition(P0 + P1 + P2 - 1, "==")])
    values = found("p0 p1 p2", question).values
    assert sum(values.values()) == 1
    assert values["p1"] + values["p2"] > 0
    known = {"p0": Fraction(1, 2), "p1": Fraction(1, 4), "p2": Fraction(1, 4)}
    assert isinstance(parametric.answer(substitute(question, known), Options(), Budget()), Proved)


def test_simple_values_come_first() -> None:
    assert found("p", claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)))).values == {"p": Fraction(1, 2)}


def test_nothing_is_found_with_a_reason() -> None:
    answer = find("p", claim(survey(), JOHN, NOT_JOHN, ln(Fraction(3, 2))))
    assert isinstance(answer, NoneFound)
    assert answer.evidence.kind == "exhaustive"
    assert answer.evidence.detail == "no values of p satisfy the conditions of 1 counterexample"


def test_secrets_keep_a_positive_probability() -> None:
    """At p = 0 and p = 1 the claim would hold of nothing."""
    closed = claim(survey(), JOHN, NOT_JOHN, ln(Fraction(3, 2)), parameters=(interval(is_open=False),))
    assert isinstance(find("p", closed), NoneFound)


def test_probabilities_stay_probabilities() -> None:
    """Without the condition 1 - 3 p >= 0, p = 9/10 would make both sides alike in some other system."""
    wide = (interval("p", 0, 2),)
    values = found("p", claim(flipping(3 * P), FIRST, SECOND, ln(3), 2, wide)).values
    assert 0 < values["p"] <= Fraction(1, 3)


def test_other_parameters_stay_universal() -> None:
    system = flipping(P, Q)
    others = (interval("p"), interval("q", Fraction(1, 4), Fraction(3, 4)))
    values = found("p", claim(system, FIRST, SECOND, ln(3), 2, others)).values
    assert list(values) == ["p"]
    impossible = claim(system, FIRST, SECOND, ln(2), 1, others)
    assert isinstance(find("p", impossible), NoneFound)


def test_assumptions_on_the_names_are_kept() -> None:
    question = claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2)), assumptions=[condition(Fraction(4, 5) - P, "<=")])
    assert found("p", question).values["p"] >= Fraction(4, 5)


def test_an_epsilon_may_be_irrational_or_transcendental() -> None:
    question = claim(flipping(P), FIRST, SECOND, ln(20) / 2, 3)
    exact = found("p", question, P, "minimise")
    assert exact.objective is not None
    assert exact.best_possible is not None
    assert exact.best_possible <= exact.objective <= exact.best_possible + Fraction(1, 1000)
    for length in (1, 2):
        found("p", claim(flipping(P), FIRST, SECOND, ln(Fraction(31, 10)), length))
    assert isinstance(find("p", claim(flipping(P), FIRST, SECOND, ln(8) / 2, 1)), NoneFound)


def test_optima_are_exact_where_they_are_attained() -> None:
    smallest = found("p", claim(survey(), PRIOR, JOHN, ln(Fraction(3, 2))), P, "minimise")
    assert smallest.values == {"p": Fraction(1, 2)}
    assert smallest.objective == smallest.best_possible == Fraction(1, 2)
    question = claim(survey(), MIXED, SOME_SICK, ln(2), 1, SHARES, [condition(P0 + P1 + P2 - 1, "==")])
    largest = found("p0 p1 p2", question, P2, "maximise")
    assert largest.values == {"p0": 0, "p1": 0, "p2": 1}
    assert largest.objective == largest.best_possible == 1


def test_optima_that_are_not_attained_are_enclosed() -> None:
    question = claim(survey(), MIXED, SOME_SICK, ln(2), 1, SHARES, [condition(P0 + P1 + P2 - 1, "==")])
    least = found("p0 p1 p2", question, P1 + P2, "minimise")
    assert least.objective is not None
    assert least.best_possible is not None
    assert 0 <= least.best_possible < least.objective <= Fraction(1, 1000)


def test_an_objective_must_depend_on_the_names() -> None:
    question = claim(
        flipping(P, Q), FIRST, SECOND, ln(9), 1, (interval("p"), interval("q", Fraction(1, 4), Fraction(3, 4)))
    )
    answer = find("p", question, Q, "minimise")
    assert isinstance(answer, Unknown)
    assert "depends on q" in answer.reason


@pytest.mark.parametrize("direction", ["minimise", "maximise"])
def test_objectives_without_feasible_values(direction: str) -> None:
    assert isinstance(find("p", claim(survey(), JOHN, NOT_JOHN, ln(Fraction(3, 2))), P, direction), NoneFound)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(4, 40),
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4)),
)
def test_nothing_found_means_that_no_sample_holds(length: int, quarters: int, weights: tuple[int, int, int]) -> None:
    start = Side(label="start", vector=(P * Fraction(weights[0], 4), 1 - P * Fraction(weights[0], 4)))
    system = flipping(Fraction(weights[1], 5), Fraction(weights[2], 5))
    question = claim(system, start, FIRST, ln(Fraction(quarters, 4)), length)
    answer = find("p", question)
    if isinstance(answer, Finds):
        assert value_at(P, answer.values) > 0
        assert isinstance(parametric.answer(substitute(question, answer.values), Options(), Budget()), Proved)
    else:
        assert isinstance(answer, NoneFound)
        for value in (Fraction(n, 16) for n in range(1, 16)):
            at_value = parametric.answer(substitute(question, {"p": value}), Options(), Budget())
            assert isinstance(at_value, Fails)
