"""Steps that are taken at once, against every path through them, and against the draws of the step one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from random_chains import Rows, mean_costs, probabilities
from random_steps import STATES, Statement, bodies, step_of, text

from pfl.driver import check_text, compile_text
from pfl.engines.answer import Computed
from pfl.explore import explore
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure

GOAL = (1, 2)

CLAIMS = """
compute probability H { from any; reach a == 1 and b == 2; }
compute probability H { from any; reach a == 1 and b == 2; within 3; }
compute expected steps H { from any; until a == 1 and b == 2; }
compute expected cost H { from any; until a == 1 and b == 2; }
"""


def model(body: Sequence[Statement], claims: str = CLAIMS) -> str:
    step = f"let start = a; var old = a; {text(body, count())}"
    return f"hmm H {{ state a: 0..2; state b: 0..2; init {{ a = 0; b = 0; }} step {{ {step} }} }}\n{claims}"


def answers(source: str) -> list[list[Any]]:
    """The values of each claim, one a start; those of claims that give one number alone are in a list, too."""
    findings = check_text(source)
    assert findings.exit_code == 0, [diagnostic.message for diagnostic in findings.diagnostics]
    found: list[list[Any]] = []
    for result in findings.results:
        assert isinstance(result.verdict, Computed)
        values = [named.value for named in result.verdict.values]
        found.append(values or [result.verdict.value])
    return found


def chain(source: str) -> tuple[MarkovChain, list[int]]:
    """The chain that the first claim is about, and its starts, those of STATES."""
    (claim, *_) = compile_text(source).claims
    questions = [case.question for case in claim.cases]
    assert all(isinstance(question, Measure) for question in questions)
    return questions[0].chain, [question.start[0][0] for question in questions]


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_answers_are_those_of_all_paths(body: tuple[Statement, ...]) -> None:
    steps = {state: step_of(body, state) for state in STATES}
    goal = STATES.index(GOAL)
    rows: Rows = [{STATES.index(t): w for t, w in steps[s][0].items()} if s != GOAL else {} for s in STATES]
    costs = [[steps[state][1]] * len(row) for state, row in zip(STATES, rows)]
    reached, within, moves, spent = answers(model(body))
    _hold(reached, probabilities(rows, {goal}))
    _hold(moves, mean_costs(rows, {goal}, [[Fraction(1)] * len(row) for row in rows]))
    _hold(spent, mean_costs(rows, {goal}, costs))
    soon = [Fraction(state == GOAL) for state in STATES]
    for _ in range(3):
        soon = [
            Fraction(1) if s == goal else sum((w * soon[t] for t, w in rows[s].items()), Fraction(0)) for s in range(9)
        ]
    _hold(within, soon)


def _hold(found: Sequence[Any], expected: Sequence[Any]) -> None:
    """The report gives the largest and the smallest over all starts."""
    assert {float("inf") if value == "inf" else value for value in found} == {max(expected), min(expected)}


@given(bodies())
@settings(max_examples=100, deadline=None)
def test_transitions_are_those_of_all_paths(body: tuple[Statement, ...]) -> None:
    found, starts = chain(model(body))
    end = starts[STATES.index(GOAL)]
    assert found.size <= len(STATES)
    for state, start in zip(STATES, starts):
        if start == end:
            continue
        expected: dict[int, Fraction] = {}
        for after, weight in step_of(body, state)[0].items():
            target = starts[STATES.index(after)]
            expected[target] = expected.get(target, Fraction(0)) + weight
        transitions = list(found.transitions(start))
        assert dict(transitions) == expected
        assert len(transitions) == len(expected)


PARAMETRIC = "param p in (0, 1);\n"


@given(bodies())
@settings(max_examples=40, deadline=None)
def test_draws_one_by_one_agree_also_with_parameters(body: tuple[Statement, ...]) -> None:
    source = PARAMETRIC + model(body, CLAIMS.replace("from any; ", "")).replace("bernoulli(1/3)", "bernoulli(p)")
    at_once = answers(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explore, "_explored_in_steps", lambda *_: None)
        assert answers(source) == at_once
