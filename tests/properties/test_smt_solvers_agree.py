"""Real solver programs, given the emitted text, say what Z3 says in process; they are skipped where not installed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parametric_systems import questions as questions_with_parameters
from smt_systems import epsilons, largest_ratio, questions, with_epsilon

from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines.ratio.bounded_obligation import BoundedObligation, obligations, threshold
from pfl.engines.smt import encode_linear, encode_pufferfish_check, external_solver, z3
from pfl.engines.smt.external_solver import Program, find_program
from pfl.engines.smt.query import Query
from pfl.engines.smt.solver_outcome import OUT_OF_TIME, Satisfiable, Unsatisfiable
from pfl.model.compare import Compare

ENCODERS = (encode_linear.encode, encode_pufferfish_check.encode)
PATIENCE = 20.0


@pytest.fixture(scope="module", params=["z3", "cvc5", "yices"])
def program(request: pytest.FixtureRequest) -> Program:
    return find_program(request.param)


def last_obligation(question: Compare) -> BoundedObligation:
    return list(obligations(question))[-1]


def queries(obligation: BoundedObligation) -> list[Query]:
    epsilon = obligation.epsilon
    assert epsilon is not None
    bound = threshold(epsilon, 24, symbolic=bool(obligation.space.parameters))
    return [encode(obligation, bound, Budget()) for encode in ENCODERS]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_constant_numbers(program: Program, data: st.DataObject) -> None:
    question = data.draw(questions())
    claimed = with_epsilon(question, data.draw(epsilons(largest_ratio(question))))
    obligation = last_obligation(claimed)
    for query in queries(obligation):
        here = z3.solve(query.script, PATIENCE)
        there = external_solver.solve(program, query.script, PATIENCE)
        assert isinstance(here, Satisfiable | Unsatisfiable)
        assert type(there) is type(here), there
        for outcome in (here, there):
            if isinstance(outcome, Satisfiable):
                word = query.word(outcome.model)
                assert word is not None
                left, right = (obligation.system.mass(start, word) for start in (obligation.left, obligation.right))
                bound = threshold(claimed.comparisons[0].epsilon, 24, symbolic=False)
                assert left > bound.c * right


@settings(max_examples=12, deadline=None, derandomize=True)
@given(question=questions_with_parameters(depth=1), epsilon=st.sampled_from((Epsilon(), Epsilon.ln(Fraction(2)))))
def test_parameters(program: Program, question: Compare, epsilon: Epsilon) -> None:
    """Nonlinear arithmetic may take a solver too long, but none may say the opposite."""
    obligation = last_obligation(with_epsilon(question, epsilon))
    for query in queries(obligation):
        here = z3.solve(query.script, PATIENCE)
        there = external_solver.solve(program, query.script, 1.0)
        assert isinstance(here, Satisfiable | Unsatisfiable)
        assert there == OUT_OF_TIME or type(there) is type(here), there
        if isinstance(there, Satisfiable):
            assert query.word(there.model) is not None
            assert set(query.parameter_values(there.model)) == set(query.parameters)
