"""Claims with parameters: SMT queries and the parametric engine, which share only the replay, agree."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from parametric_systems import questions, ratios_at, sample_points

from pfl.analysis.parametric.threshold import is_exceeded_at
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Fails, Proved
from pfl.engines.parametric import parametric
from pfl.engines.smt import smt
from pfl.model.compare import Compare, Table
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.options import Encoding, Options
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted

ENCODINGS: tuple[Encoding, ...] = ("linear", "pufferfish-check")
P = RationalFunction.parameter("p")
EPSILONS = st.sampled_from(
    (
        Epsilon(),
        Epsilon.ln(Fraction(2)),
        Epsilon.ln(Fraction(3)) / 2,
        Epsilon.rational(Fraction(1)),
        Epsilon.ln(1 + P),
        Epsilon.ln(2 + P) / 2,
        Epsilon.ln(1 + P) + Epsilon.rational(Fraction(1, 2)),
    )
)


def budget() -> Budget:
    return Budget(deadline=time.monotonic() + 60)


def has_points(question: Compare) -> bool:
    return next(sample_points(question.parameters), None) is not None


@settings(max_examples=120, deadline=None, derandomize=True)
@given(questions(depth=2).filter(has_points), EPSILONS)
def test_the_parametric_engine_and_both_encodings_agree(question: Compare, epsilon: Epsilon) -> None:
    claim = replace(question, tables=tuple(replace(comparison, epsilon=epsilon) for comparison in question.tables))
    expected = parametric.answer(claim, Options(), budget())
    assert isinstance(expected, Proved | Fails)
    for encoding in ENCODINGS:
        found = smt.answer(claim, Options(encoding=encoding), budget())
        assert type(found) is type(expected), (expected, found)
        if isinstance(found, Fails):
            assert isinstance(refute(claim, found.engine, found.violation), Refuted)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(questions(names=("p", "q"), depth=1).filter(has_points), st.sampled_from(ENCODINGS))
def test_two_parameters(question: Compare, encoding: Encoding) -> None:
    claim = replace(question, tables=(replace(question.tables[0], epsilon=Epsilon.ln(Fraction(2))),))
    found = smt.answer(claim, Options(encoding=encoding), budget())
    if isinstance(found, Fails):
        assert isinstance(refute(claim, found.engine, found.violation), Refuted)
    else:
        assert isinstance(found, Proved), found
        for point in sample_points(claim.parameters, steps=6):
            assert not any(left > 2 * right for left, right in ratios_at(claim, point))


MAPS = st.sampled_from((P / (1 + P), (P - 2) / (P - 3), 1 / (4 * P - 1), (1 - P) / (1 + P**2)))
"""Functions from [1/2, 1] to [0, 1], with denominators that are positive, negative, and of both signs on [0, 1]."""


@settings(max_examples=80, deadline=None, derandomize=True)
@given(questions(depth=2), MAPS, EPSILONS)
def test_denominators_are_cleared(question: Compare, image: RationalFunction, epsilon: Epsilon) -> None:
    claim = through(replace(question, parameters=ParameterSpace()), image, epsilon)
    answers = [smt.answer(claim, Options(encoding=encoding), budget()) for encoding in ENCODINGS]
    assert type(answers[0]) is type(answers[1])
    for found in answers:
        if isinstance(found, Fails):
            assert isinstance(refute(claim, found.engine, found.violation), Refuted)
        else:
            assert isinstance(found, Proved)
            for point in sample_points(claim.parameters):
                pairs = ratios_at(claim, point)
                assert not any(is_exceeded_at(epsilon, left, right, point) for left, right in pairs)


def through(question: Compare, image: RationalFunction, epsilon: Epsilon) -> Compare:
    """The question with p replaced by a function of p, for p in [0, 1], at least 1/2."""

    def mapped(number: Number) -> Number:
        return number.evaluate({"p": image}) if isinstance(number, RationalFunction) else number

    (comparison,) = question.comparisons
    system = comparison.system
    matrices = tuple(
        tuple(tuple((column, value) for column, weight in row if (value := mapped(weight))) for row in matrix)
        for matrix in system.matrices
    )
    sides = [
        replace(side, vector=tuple(map(mapped, side.vector)), weight=mapped(side.weight)) for side in comparison.sides
    ]
    box = Parameter(name="p", low=Fraction(0), high=Fraction(1), low_open=False, high_open=False)
    half = Condition(polynomial=Fraction(1, 2) - P, relation="<=", text="p >= 1/2")
    changed = Table.of_pair(
        replace(system, matrices=matrices), sides, epsilon=epsilon, one_way=comparison.table.one_way
    )
    return replace(
        question,
        tables=(changed,),
        parameters=ParameterSpace(parameters=(box,), assumptions=((half,),)),
    )
