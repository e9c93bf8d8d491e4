"""Nothing is refuted unless it replays exactly, and nothing that replays exactly is lost."""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pfl
from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Unknown, Violation
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.verify.replay import ReplayFailed, refute, replay
from pfl.verify.verdict import Refuted

ONE = Fraction(1)
NO_PARAMETERS = ParameterSpace()


def coin(weights: list[Any], inputs: tuple[int, ...] | None = None) -> LabelledSystem:
    """State s sends letter `a` with probability weights[s], else `b`, and stays."""
    return LabelledSystem(
        states=tuple(f"s{s}" for s in range(len(weights))),
        letters=("a", "b"),
        matrices=(
            tuple(((s, weight),) if weight != 0 else () for s, weight in enumerate(weights)),
            tuple(((s, 1 - weight),) if weight != 1 else () for s, weight in enumerate(weights)),
        ),
        stochastic=inputs is None,
        inputs=inputs,
    )


def asked(
    system: LabelledSystem,
    epsilon: Epsilon | None,
    *,
    length: Any = (1,),
    delta: Any = Fraction(0),
    one_way: bool = False,
    parameters: ParameterSpace = NO_PARAMETERS,
    nonzero: tuple[Condition, ...] = (),
) -> Compare:
    first, second = ((ONE, Fraction(0)), (Fraction(0), ONE))
    table = Table.of_pair(
        system,
        [Side(label="left", vector=first, nonzero=nonzero), Side(label="right", vector=second)],
        epsilon=epsilon,
        one_way=one_way,
    )
    goal: Any = "epsilon" if epsilon is None else "delta" if delta is None else "check"
    return Compare(goal=goal, tables=(table,), lengths=length, delta=delta, parameters=parameters)


def violation(*words: tuple[int, ...], reversed: bool = False, **parameters: Any) -> Violation:
    return Violation(comparison=0, reversed=reversed, words=words, parameters=parameters)


HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
LN2 = Epsilon.ln(Fraction(2))


def reason(question: Compare, found: Violation) -> str:
    verdict = refute(question, "exact", found)
    assert isinstance(verdict, Unknown)
    assert verdict.is_internal
    return verdict.reason


def test_a_violation_becomes_a_witness_in_the_words_of_the_model() -> None:
    verdict = refute(asked(coin([Fraction(3, 4), QUARTER]), LN2), "exact", violation((1,), reversed=True))
    assert isinstance(verdict, Refuted)
    witness = verdict.witness
    assert (witness.left, witness.right, witness.words) == ("right", "left", (("b",),))
    assert (witness.probability_left, witness.probability_right, witness.ratio) == (Fraction(3, 4), QUARTER, 3)


def test_equality_is_no_violation() -> None:
    assert "does not replay" in reason(asked(coin([HALF, QUARTER]), LN2), violation((0,)))
    assert isinstance(
        refute(asked(coin([HALF, QUARTER]), Epsilon.ln(Fraction(199, 100))), "exact", violation((0,))), Refuted
    )


def test_an_impossible_right_side_refutes_every_epsilon() -> None:
    verdict = refute(asked(coin([HALF, Fraction(0)]), Epsilon.rational(Fraction(100))), "exact", violation((0,)))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.ratio == "inf"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (violation((0,), reversed=True), "the direction that is not claimed"),
        (violation((0, 0)), "a word has 2 letters, the claim allows 1"),
        (violation((7,)), "a letter that the system does not have"),
        (violation(), "no word"),
        (violation((0,), (1,)), "several words though delta is 0"),
        (replace(violation((0,)), comparison=3), "no comparison of the claim"),
    ],
)
def test_malformed_violations_are_faults_of_the_engine(found: Violation, why: str) -> None:
    assert why in reason(asked(coin([Fraction(3, 4), QUARTER]), LN2, one_way=True), found)


def test_a_shorter_word_is_enough_since_some_continuation_exceeds_too() -> None:
    assert isinstance(refute(asked(coin([Fraction(3, 4), QUARTER]), LN2, length=(5,)), "x", violation((0,))), Refuted)


def test_a_set_of_words_exceeds_delta() -> None:
    question = asked(coin([Fraction(3, 4), HALF]), Epsilon(), length=(2,), delta=Fraction(1, 10))
    both = violation((0, 0), (0, 1))
    verdict = refute(question, "exact", both)
    assert isinstance(verdict, Refuted)
    assert verdict.witness.probability_left - verdict.witness.probability_right == QUARTER
    assert "one of its words begins with another" in reason(question, violation((0,), (0, 1)))


def test_words_of_one_set_must_be_those_of_one_adversary() -> None:
    chosen = coin([Fraction(3, 4), HALF], inputs=(0, 1))
    question = asked(chosen, Epsilon(), length=(2,), delta=Fraction(1, 10))
    assert "two inputs after one history" in reason(question, violation((0, 0), (0, 1)))


P = RationalFunction.parameter("p")
HALF_ROOT = Root(coefficients=(-1, 0, 2), low=Fraction(0), high=ONE)
"""The square root of 1/2."""
OPEN_UNIT = Parameter(name="p", low=Fraction(0), high=ONE, low_open=True, high_open=True)
BELOW_HALF = Condition(polynomial=P - HALF, relation="<=", text="p <= 1/2")


def parametric(**changes: Any) -> Compare:
    space = ParameterSpace(parameters=(OPEN_UNIT,), assumptions=((BELOW_HALF,),))
    return asked(coin([P, QUARTER]), changes.pop("epsilon", Epsilon()), parameters=space, **changes)


def test_parameter_values_are_put_in_exactly() -> None:
    verdict = refute(parametric(), "parametric", violation((0,), p=THIRD))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.probability_left == THIRD
    assert verdict.witness.parameters == (("p", THIRD),)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"p": Fraction(2)}, "2 lies outside p in (0, 1)"),
        ({"p": ONE}, "1 lies outside"),
        ({"p": Fraction(3, 4)}, "`p <= 1/2` does not hold"),
        ({"p": ExactRoot(polynomial="2*p^2 - 1", value=0.7, root=HALF_ROOT)}, "`p <= 1/2` does not hold"),
        ({}, "gives no value to p"),
        ({"q": HALF}, "no value to a parameter"),
    ],
)
def test_parameter_values_must_lie_in_their_space(values: dict[str, Any], why: str) -> None:
    assert why in reason(parametric(), violation((0,), **values))


def test_values_that_the_claim_leaves_out_are_no_witness() -> None:
    positive = Condition(polynomial=P - THIRD, relation="!=", text="p is not 1/3")
    assert "`p is not 1/3` does not hold" in reason(parametric(nonzero=(positive,)), violation((0,), p=THIRD))


def test_weights_are_divided_out() -> None:
    question = parametric()
    left = Side(label="left", vector=(P, Fraction(0)), weight=P)
    weighted = replace(question, tables=(replace(question.tables[0], sides=(left, question.tables[0].sides[1])),))
    verdict = refute(weighted, "parametric", violation((0,), p=THIRD))
    assert isinstance(verdict, Refuted)
    assert verdict.witness.probability_left == THIRD


def test_an_epsilon_may_depend_on_parameters() -> None:
    question = parametric(epsilon=Epsilon.ln(1 / P))
    assert "which epsilon ln(3)" in reason(question, violation((0,), p=THIRD))


def at_half_root(epsilon: Epsilon, delta: Fraction = Fraction(0)) -> Refuted | Unknown:
    """`a` has probability p against 1/4, where p^2 == 1/2 is assumed."""
    condition = Condition(polynomial=P * P - HALF, relation="==", text="p^2 == 1/2")
    space = ParameterSpace(parameters=(OPEN_UNIT,), assumptions=((condition,),))
    root = ExactRoot(polynomial="2*p^2 - 1", value=0.707107, root=HALF_ROOT)
    return refute(asked(coin([P, QUARTER]), epsilon, delta=delta, parameters=space), "x", violation((0,), p=root))


@pytest.mark.parametrize(
    ("epsilon", "delta", "fails"),
    [
        (LN2, Fraction(0), True),
        (Epsilon.ln(Fraction(8)) / 2, Fraction(0), False),  # exactly the ratio, the square root of 8
        (Epsilon.ln(Fraction(799, 100)) / 2, Fraction(0), True),
        (Epsilon.ln(Fraction(8)) / 2, Fraction(1, 100), False),
        (Epsilon.rational(ONE), Fraction(0), True),
        (Epsilon.rational(Fraction(104, 100)), Fraction(0), False),
        (Epsilon.rational(ONE), Fraction(1, 10), False),
        (Epsilon.rational(HALF) + Epsilon.ln(P) * -1, Fraction(0), True),
        (Epsilon.ln(1 / P) * 3, Fraction(0), False),  # exactly the ratio again
    ],
)
def test_irrational_parameter_values_replay_exactly(epsilon: Epsilon, delta: Fraction, fails: bool) -> None:
    verdict = at_half_root(epsilon, delta)
    assert isinstance(verdict, Refuted) == fails
    if isinstance(verdict, Refuted):
        assert verdict.witness.probability_left == P


def test_an_irrational_value_must_satisfy_the_assumptions_and_lie_in_the_interval() -> None:
    root = ExactRoot(polynomial="2*p^2 - 1", value=0.707107, root=HALF_ROOT)
    narrow = replace(OPEN_UNIT, high=Fraction(7, 10))
    question = asked(coin([P, QUARTER]), Epsilon(), parameters=ParameterSpace(parameters=(narrow,)))
    assert "lies outside p in (0, 7/10)" in reason(question, violation((0,), p=root))
    wide = replace(question, parameters=ParameterSpace(parameters=(OPEN_UNIT,)))
    assert isinstance(refute(wide, "x", violation((0,), p=root)), Refuted)
    assert "all irrational" in reason(wide, violation((0,), p=root, q=root))


def test_a_best_word_is_replayed_without_a_claim() -> None:
    witness = replay(asked(coin([HALF, QUARTER]), None), violation((0,)))
    assert witness.ratio == 2
    with pytest.raises(ReplayFailed):
        replay(asked(coin([HALF, QUARTER]), None), violation((2,)))


@st.composite
def questions(draw: st.DrawFn) -> Compare:
    weights = [draw(st.fractions(min_value=0, max_value=1, max_denominator=6)) for _ in range(2)]
    bound = draw(st.fractions(min_value=1, max_value=6, max_denominator=4))
    return asked(coin(weights), Epsilon.ln(bound), length=(2,))


@given(questions())
@settings(max_examples=150, deadline=None)
def test_what_brute_force_refutes_replays_and_nothing_else_does(question: Compare) -> None:
    (comparison,) = question.comparisons
    system, epsilon = comparison.system, comparison.epsilon
    assert epsilon is not None
    bound = epsilon.exact_exponential()
    assert isinstance(bound, Fraction)
    for word, reverse in product(product(range(2), repeat=2), (False, True)):
        left, right = (system.mass(side.vector, word) for side in (comparison.left, comparison.right))
        assert isinstance(left, Fraction)
        assert isinstance(right, Fraction)
        if reverse:
            left, right = right, left
        verdict = refute(question, "exact", violation(word, reversed=reverse))
        assert isinstance(verdict, Refuted) == (left > bound * right)


@pytest.mark.parametrize("epsilon", [Epsilon.ln(Fraction(3)), Epsilon.ln(Fraction(7, 2)), Epsilon.rational(ONE * 2)])
def test_a_refuted_cannot_be_built_on_a_witness_that_does_not_exceed(epsilon: Epsilon) -> None:
    refuted = refute(asked(coin([Fraction(3, 4), QUARTER]), LN2), "exact", violation((0,)))
    assert isinstance(refuted, Refuted)
    with pytest.raises(ValueError, match="does not exceed"):
        replace(refuted, epsilon=epsilon)


def test_only_the_replay_builds_a_refuted() -> None:
    root = Path(pfl.__file__).parent
    builders = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refuted"
    }
    assert builders == {"verify/replay.py"}
