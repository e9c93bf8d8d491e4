"""What questions that measure something say of themselves, and what is wrong with those that cannot be asked."""

from __future__ import annotations

from array import array
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Case, Claim, Origin, mentioned_in_cases, mentioned_parameters, with_relevant_parameters
from pfl.model.labelled_system import LabelledSystem
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Cost, Measure, Observed, Reach, Requirement, Results
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.model.validation.validation import Malformed, Validation

P, Q, R = (RationalFunction.parameter(name) for name in "pqr")
ONE, HALF = Fraction(1), Fraction(1, 2)
CHAIN = MarkovChain(
    offsets=array("q", [0, 2, 2, 2]),
    targets=array("q", [1, 2]),
    weights=array("q", [0, 1]),
    weight_table=(P, 1 - P),
    costs=array("q", [0, 0]),
    cost_table=(ONE,),
)
SYSTEM = LabelledSystem(states=("s",), letters=("a", "b"), matrices=((((0, HALF),),), (((0, HALF),),)))
REACH = Measure(system=CHAIN, start=((0, ONE),), quantity=Reach(goal=frozenset({1})))
OBSERVED = Measure(system=SYSTEM, start=((0, ONE),), quantity=Observed(word=(0, None), posterior=False))
RESULTS = Results(outcomes=(("x", 1), ("y", None)), specified=(Q, Fraction(0), 1 - Q))


def claim(*cases: Case) -> Claim:
    origin = Origin(file="m.pfl", line=1, column=1, end_line=1, end_column=2)
    return Claim(name="c", verb="compute", kind="probability", subject="S", origin=origin, expected=None, cases=cases)


def test_questions_that_can_be_asked() -> None:
    for question in (
        REACH,
        OBSERVED,
        replace(REACH, quantity=Reach(goal=frozenset({2}), within=3)),
        replace(REACH, quantity=Cost(goal=frozenset({1, 2}), unit="step")),
        replace(REACH, quantity=RESULTS),
        replace(REACH, start=((0, Q), (1, 1 - Q))),
    ):
        Validation().require(claim(Case(question=question)))


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (replace(REACH, start=((3, ONE),)), "the start has a state that does not exist"),
        (replace(REACH, start=((0, HALF),)), "the start has mass 1/2"),
        (replace(REACH, start=((0, Fraction(2)), (1, -ONE))), "the start has a negative entry"),
        (replace(REACH, quantity=Reach(goal=frozenset({0}))), "an end is not an absorbing state"),
        (replace(REACH, quantity=Cost(goal=frozenset({7}), unit="cost")), "an end is not an absorbing state"),
        (replace(REACH, quantity=Reach(goal=frozenset({1}), within=-1)), "the number of moves is negative"),
        (
            replace(REACH, system=replace(CHAIN, cost_table=(HALF,)), quantity=Reach(goal=frozenset({1}), within=1)),
            "moves cost neither 0 nor 1",
        ),
        (
            replace(REACH, quantity=replace(RESULTS, specified=(ONE,))),
            "not every outcome has a specified probability",
        ),
        (replace(OBSERVED, quantity=Observed(word=(2,), posterior=False)), "a letter that the system does not have"),
        (replace(REACH, quantity=OBSERVED.quantity), "the quantity is not one of such a system"),
        (replace(OBSERVED, quantity=REACH.quantity), "the quantity is not one of such a system"),
    ],
)
def test_questions_that_cannot(question: Measure, fault: str) -> None:
    with pytest.raises(Malformed, match=fault):
        Validation().require(claim(Case(question=question)))


def test_a_claim_without_cases_and_without_a_limit_is_at_fault() -> None:
    with pytest.raises(Malformed, match="ranges over nothing"):
        Validation().require(claim())


@pytest.mark.parametrize(
    ("quantity", "scope"),
    [
        (REACH.quantity, (None, "")),
        (Reach(goal=frozenset({1}), within=3), ((3,), "move")),
        (Cost(goal=frozenset({1}), unit="step"), (None, "")),
        (RESULTS, (None, "")),
        (OBSERVED.quantity, ((2,), "observation")),
    ],
)
def test_what_lengths_it_is_about(quantity: Any, scope: Any) -> None:
    assert replace(REACH, quantity=quantity).scope == scope


def test_what_parameters_it_mentions() -> None:
    assert mentioned_parameters(OBSERVED) == set()
    assert mentioned_parameters(REACH, OBSERVED) == {"p"}
    assert mentioned_parameters(replace(REACH, quantity=RESULTS)) == {"p", "q"}
    required = Case(question=OBSERVED, required=Requirement(relation="at most", number=R))
    assert mentioned_in_cases([required, Case(question=replace(REACH, start=((0, Q), (1, 1 - Q))))]) == {"p", "q", "r"}


def test_a_claim_is_about_the_parameters_that_some_case_mentions() -> None:
    space = ParameterSpace(
        parameters=tuple(
            Parameter(name=name, low=Fraction(0), high=ONE, low_open=True, high_open=True) for name in "pqr"
        )
    )
    asked = claim(*with_relevant_parameters([Case(question=OBSERVED), Case(question=REACH)], space, ()))
    assert asked.parameters.names == ("p",)
    assert [question.parameters.names for question in asked.questions] == [("p",), ("p",)]


def test_results_that_are_specified_apart_share_their_target() -> None:
    assert RESULTS.target == replace(RESULTS, specified=None).target
    assert Reach(goal=frozenset({1})).target != Reach(goal=frozenset({1}), within=1).target
