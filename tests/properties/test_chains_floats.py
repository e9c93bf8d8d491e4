"""Intervals that floats give hold the exact numbers, and are narrow where the chain allows it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from random_chains import Rows, acyclic, chains, haddad_monmege, packed

from pfl.analysis.chains.float_hitting import float_expected_costs, float_reach_probabilities
from pfl.analysis.chains.hitting import expected_costs, reach_probabilities
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.enclosure import Enclosure
from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved
from pfl.engines.chain.float_chain import answers
from pfl.model.measure import Measure, Reach
from pfl.options import Options
from pfl.verify.verdict import Refuted

BUDGET = Budget()
COSTS = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1, 3), Fraction(10**6, 7)])
FLOAT = Options(engine="float")


@given(chains(largest=12, degree=5), st.sets(st.integers(0, 11), max_size=3), st.data())
@settings(max_examples=200, deadline=None)
def test_intervals_hold_the_exact_numbers(rows: Rows, goal: set[int], data: st.DataObject) -> None:
    rows = acyclic(rows) if data.draw(st.booleans()) else rows
    goal = {state for state in goal if state < len(rows)}
    chain = packed(rows, [[data.draw(COSTS) for _ in row] for row in rows])
    for solve, exact in (
        (float_reach_probabilities, reach_probabilities),
        (float_expected_costs, expected_costs),
    ):
        enclosed, known = solve(chain, goal, BUDGET), exact(chain, goal, BUDGET).noting(Divisors())
        assert enclosed is not None
        for state in range(len(rows)):
            found, value = enclosed.mean(((state, Fraction(1)),)), known.at(state)
            if isinstance(found, Enclosure):
                assert isinstance(value, Fraction)
                assert found.low <= value <= found.high
                assert found.high - found.low <= 1e-8 * max(1, abs(value))
            else:
                assert found == value


def test_a_poor_bound_is_not_printed() -> None:
    """After 2^100 steps floats know nothing of where a run ends, and say so; the answer is exact then."""
    chain = packed(haddad_monmege(100))
    question = Measure(system=chain, start=((0, Fraction(1)),), quantity=Reach(goal=frozenset({100})))
    (answer,) = answers([question], Options(), BUDGET)
    assert answer.engine == "chain"
    assert answer.value == Fraction(7, 10)


WALK = """
hmm Walk { state x: 0..6; init x = 2; step x ~ if x in {0, 6} then point(x) else { x - 1: 1/2, x + 1: 1/2 }; }
"""


def test_checks_are_decided_by_intervals_or_exactly() -> None:
    """An interval decides what lies outside it; what may be equal is decided exactly."""
    findings = check_text(
        WALK
        + """
        compute probability Walk { reach x == 6; }
        check above: probability Walk { reach x == 6; at least 3/10; }
        check equal: probability Walk { reach x == 6; equals 1/3; }
        check less: probability Walk { reach x == 6; at most 1/3; }
        check sure: probability Walk { reach x in {0, 6}; equals 1; }
        check wrong: probability Walk { reach x == 6; equals 1/4; expect refuted; }
        """,
        FLOAT,
    )
    assert findings.exit_code == 0
    computed, above, equal, less, sure, wrong = (result.verdict for result in findings.results)
    assert isinstance(computed, Computed)
    assert isinstance(computed.value, Enclosure)
    assert computed.value.low < Fraction(1, 3) < computed.value.high
    engines = [verdict.engine for verdict in (above, equal, less, sure, wrong)]
    assert engines == ["float", "chain", "chain", "float", "float"]
    assert isinstance(sure, Proved)
    assert sure.value == 1
    assert not isinstance(wrong, Refuted)


def test_distributions_and_parameters() -> None:
    findings = check_text(
        """
        param p in (0, 1);
        mechanism coin(w: real) -> bool { var done = false; while not done { done ~ bernoulli(w); } return done; }
        mechanism lost() -> 0..2 { let x ~ uniform(0..2); while x == 2 { } return x; }
        compute distribution lost();
        compute probability coin(p);
        """,
        FLOAT,
    )
    distribution, parametric = (result.verdict for result in findings.results)
    assert isinstance(distribution, Computed)
    assert [named.name for named in distribution.values] == ["0", "1", "never"]
    for named in distribution.values:
        assert isinstance(named.value, Enclosure)
        assert named.value.low <= Fraction(1, 3) <= named.value.high
    assert isinstance(parametric, Computed)
    assert parametric.value == 1
