"""Claims with parameters: SMT queries and the parametric engine, which share only the replay, agree."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from parametric_systems import questions, sample_points

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.engines import parametric, smt
from pfl.engines.answer import Fails, Holds
from pfl.ir.claims import Indistinguishability
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


def has_points(question: Indistinguishability) -> bool:
    return next(sample_points(question.parameters), None) is not None


@settings(max_examples=120, deadline=None, derandomize=True)
@given(questions(depth=2).filter(has_points), EPSILONS)
def test_the_parametric_engine_and_both_encodings_agree(question: Indistinguishability, epsilon: Epsilon) -> None:
    claim = replace(
        question, comparisons=tuple(replace(comparison, epsilon=epsilon) for comparison in question.comparisons)
    )
    expected = parametric.answer(claim, Options(), budget())
    assert isinstance(expected, Holds | Fails)
    for encoding in ENCODINGS:
        found = smt.answer(claim, Options(encoding=encoding), budget())
        assert type(found) is type(expected), (expected, found)
        if isinstance(found, Fails):
            assert isinstance(refute(claim, found.engine, found.violation), Refuted)
