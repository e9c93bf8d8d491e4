"""Both encodings, with Z3 in process, say what brute force over all words says."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from smt_systems import epsilons, is_exceeded, largest_ratio, questions, with_epsilon

from pfl.base.budget import Budget
from pfl.engines.answer import Answer, Computed, Fails, Proved
from pfl.engines.smt import smt
from pfl.model.compare import Compare
from pfl.options import Encoding, Options
from pfl.verify.replay import refute
from pfl.verify.verdict import Refuted

ENCODINGS: tuple[Encoding, ...] = ("linear", "pufferfish-check")


def answer(question: Compare, encoding: Encoding) -> Answer:
    return smt.answer(question, Options(encoding=encoding), Budget())


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_checks_agree_with_brute_force_and_witnesses_replay(data: st.DataObject) -> None:
    question = data.draw(questions())
    largest = largest_ratio(question)
    claimed = with_epsilon(question, data.draw(epsilons(largest)))
    epsilon = claimed.comparisons[0].epsilon
    assert epsilon is not None
    for encoding in ENCODINGS:
        found = answer(claimed, encoding)
        if is_exceeded(epsilon, largest):
            assert isinstance(found, Fails)
            assert isinstance(refute(claimed, found.engine, found.violation), Refuted)
        else:
            assert isinstance(found, Proved)


@settings(max_examples=100, deadline=None)
@given(questions(longest=3), st.sampled_from(ENCODINGS))
def test_the_largest_ratio_is_that_of_brute_force(question: Compare, encoding: Encoding) -> None:
    found = answer(replace(question, goal="epsilon"), encoding)
    assert isinstance(found, Computed)
    assert found.bound is not None
    assert found.bound.ratio == largest_ratio(question)
