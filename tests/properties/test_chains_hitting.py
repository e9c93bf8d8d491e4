"""Probabilities of reaching a target and expected costs until there: against plain elimination and path summation."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_chains import Rows, acyclic, chains, haddad_monmege, mean_costs, packed, probabilities

from pfl.analysis.chains import equations
from pfl.analysis.chains import equations as exact_field
from pfl.analysis.chains.absorbing import absorption, expected_visits, fundamental_matrix
from pfl.analysis.chains.chain_structure import classify, endless_state
from pfl.analysis.chains.hitting import Hitting, expected_costs, reach_probabilities, reach_within
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.emit.chain import with_costs_of_states
from pfl.model.markov_chain import MarkovChain

BUDGET = Budget()
GOALS = st.sets(st.integers(0, 8), max_size=3)
COSTS = st.sampled_from([Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(7, 3)])


def values(hitting: Hitting, size: int) -> list[Number | float]:
    found = (hitting.at(state) for state in range(size))
    return [math.inf if value == "inf" else value for value in found]


def draw_costs(data: st.DataObject, rows: Rows, costs: st.SearchStrategy[Fraction] = COSTS) -> list[list[Fraction]]:
    return [[data.draw(costs) for _ in row] for row in rows]


@given(chains(), GOALS)
@settings(max_examples=300, deadline=None)
def test_reaching_is_the_least_solution(rows: Rows, goal: set[int]) -> None:
    goal = {state for state in goal if state < len(rows)}
    assert values(reach_probabilities(packed(rows), goal, BUDGET).noting(Divisors()), len(rows)) == probabilities(
        rows, goal
    )


@given(chains(), GOALS, st.data())
@settings(max_examples=300, deadline=None)
def test_expected_costs_solve_their_equations(rows: Rows, goal: set[int], data: st.DataObject) -> None:
    goal = {state for state in goal if state < len(rows)}
    costs = draw_costs(data, rows)
    found = expected_costs(packed(rows, costs), goal, BUDGET).noting(Divisors())
    assert values(found, len(rows)) == mean_costs(rows, goal, costs)


def _solved_both_ways(chain: MarkovChain, target: set[int]) -> list[object]:
    solvers = (reach_probabilities, expected_costs)
    return [values(solve(chain, target, BUDGET).noting(Divisors()), chain.size) for solve in solvers]


@given(chains(largest=12, degree=6), st.integers(0, 11), st.data())
@settings(max_examples=100, deadline=None)
def test_every_way_of_solving_gives_the_same(rows: Rows, goal: int, data: st.DataObject) -> None:
    """With flint or without, densely or by elimination, whatever is merged."""
    costs = draw_costs(data, rows)
    chain, target = packed(rows, costs), {goal % len(rows)}
    plain = [
        values(solve(chain, target, BUDGET).noting(Divisors()), len(rows))
        for solve in (reach_probabilities, expected_costs)
    ]
    for dense_from, fill in ((2, 0), (2, 2), (1_000, 0), (1_000, 1_000)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exact_field, "_FEW_TRANSITIONS", 0)
            patch.setattr(equations, "_DENSE_FROM", dense_from)
            patch.setattr(equations, "_FILL", fill)
            found = [
                values(solve(chain, target, BUDGET).noting(Divisors()), len(rows))
                for solve in (reach_probabilities, expected_costs)
            ]
        assert found == plain


@given(chains(), st.data())
@settings(max_examples=150, deadline=None)
def test_path_summation_on_acyclic_chains(rows: Rows, data: st.DataObject) -> None:
    rows = acyclic(rows)
    costs = draw_costs(data, rows)
    ends = [state for state, row in enumerate(rows) if not row]
    goal = set(data.draw(st.sets(st.sampled_from(ends))))
    chance = dict.fromkeys(ends, Fraction(0))
    mean = Fraction(0)
    paths = [(0, Fraction(1), Fraction(0))]
    while paths:
        state, weight, spent = paths.pop()
        if not rows[state]:
            chance[state] += weight
            mean += weight * spent
        paths += [(t, weight * w, spent + c) for (t, w), c in zip(rows[state].items(), costs[state])]
    chain = packed(rows, costs)
    assert reach_probabilities(chain, goal, BUDGET).noting(Divisors()).at(0) == sum(
        (chance[end] for end in goal), Fraction(0)
    )
    assert expected_costs(chain, set(ends), BUDGET).noting(Divisors()).at(0) == mean
    assert absorption(chain, [0], BUDGET).noting(Divisors()).rows[0] == {
        end: mass for end, mass in chance.items() if mass
    }


@given(chains(largest=6), GOALS, st.integers(0, 4), st.data())
@settings(max_examples=200, deadline=None)
def test_bounded_reaching_counts_moves(rows: Rows, goal: set[int], moves: int, data: st.DataObject) -> None:
    """Against unrolling: a state for every number of moves made, and free transitions within each."""
    goal = {state for state in goal if state < len(rows)}
    costs = draw_costs(data, rows, st.sampled_from([Fraction(0), Fraction(1)]))
    found = reach_within(packed(rows, costs), goal, moves, BUDGET).noting(Divisors())
    size = len(rows)
    unrolled: Rows = [{} for _ in range(size * (moves + 1) + 1)]
    for made in range(moves + 1):
        for state, row in enumerate(rows):
            for (target, weight), cost in zip(row.items(), costs[state]):
                after = made + int(cost)
                place = size * (moves + 1) if after > moves else after * size + target
                entries = unrolled[made * size + state]
                entries[place] = entries.get(place, Fraction(0)) + weight
    targets = {made * size + state for made in range(moves + 1) for state in goal}
    assert values(found, size) == probabilities(unrolled, targets)[:size]


@given(chains(largest=6), GOALS, st.integers(0, 4), st.data())
@settings(max_examples=100, deadline=None)
def test_costs_can_be_paid_when_a_state_is_left(rows: Rows, goal: set[int], moves: int, data: st.DataObject) -> None:
    goal = {state for state in goal if state < len(rows)}
    chain = packed(rows, draw_costs(data, rows, st.sampled_from([Fraction(0), Fraction(1)])))
    paid = with_costs_of_states(chain)
    assert paid.costs is not None
    for state in range(paid.size):
        assert len({paid.cost_table[paid.costs[edge]] for edge in paid.row(state)}) <= 1
    before, after = (values(reach_within(c, goal, moves, BUDGET).noting(Divisors()), len(rows)) for c in (chain, paid))
    assert before == after


@given(chains())
@settings(max_examples=150, deadline=None)
def test_states_are_classified_by_what_they_reach(rows: Rows) -> None:
    reach = [{state} for state in range(len(rows))]
    for _ in rows:
        reach = [set().union(known, *(reach[t] for t in rows[state])) for state, known in enumerate(reach)]
    for state, kind in enumerate(classify(packed(rows))):
        is_recurrent = all(state in reach[other] for other in reach[state])
        assert kind == ("absorbing" if not rows[state] else "recurrent" if is_recurrent else "transient")


@given(chains(), GOALS)
@settings(max_examples=150, deadline=None)
def test_an_endless_state_reaches_no_end(rows: Rows, kept: set[int]) -> None:
    ends = {state for state, row in enumerate(rows) if not row and state in kept}
    found = endless_state(packed(rows), ends)
    hit = probabilities(rows, ends)
    assert (found is None) == all(hit)
    assert found is None or not hit[found]


@given(chains())
@settings(max_examples=150, deadline=None)
def test_the_fundamental_matrix_is_an_inverse(rows: Rows) -> None:
    chain = packed(rows)
    transient, visits = fundamental_matrix(chain, BUDGET).noting(Divisors())
    for row, state in zip(visits, transient):
        for column, target in enumerate(transient):
            through = sum((row[i] * rows[s].get(target, 0) for i, s in enumerate(transient)), Fraction(0))
            assert row[column] - through == int(state == target)
        known = expected_visits(chain, state, BUDGET).noting(Divisors())
        assert row == [known.get(other, Fraction(0)) for other in transient]


@given(chains(largest=7), st.integers(0, 6), st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20))
@settings(max_examples=80, deadline=None)
def test_parameters_commute_with_substitution(rows: Rows, goal: int, value: Fraction) -> None:
    """The first transition of every branching state has probability p; p := value afterwards is the same."""
    p = RationalFunction.parameter("p")
    symbolic: list[dict[int, Number]] = []
    fixed: Rows = []
    for row in rows:
        if len(row) < 2:
            symbolic.append(dict(row))
            fixed.append(row)
            continue
        first, *others = row
        rest = sum((row[other] for other in others), Fraction(0))
        symbolic.append({first: p, **{other: (1 - p) * (row[other] / rest) for other in others}})
        fixed.append({first: value, **{other: (1 - value) * row[other] / rest for other in others}})
    ones = [[Fraction(1)] * len(row) for row in rows]
    target = {goal % len(rows)}
    for solve in (reach_probabilities, expected_costs):
        general = values(solve(packed(symbolic, ones), target, BUDGET).noting(Divisors()), len(rows))
        special = values(solve(packed(fixed, ones), target, BUDGET).noting(Divisors()), len(rows))
        assert [x.evaluate({"p": value}) if isinstance(x, RationalFunction) else x for x in general] == special


def test_what_a_loop_divides_by_is_told() -> None:
    """A loop that is left with probability p: reached surely, but only where p is not 0."""
    p = RationalFunction.parameter("p")
    divisors = Divisors()
    found = reach_probabilities(packed([{0: 1 - p, 1: p}, {}]), {1}, BUDGET).noting(divisors)
    assert found.at(0) == 1
    assert list(divisors) == [p]
    steps = expected_costs(packed([{0: 1 - p, 1: p}, {}], [[Fraction(1)] * 2, []]), {1}, BUDGET).noting(Divisors())
    assert steps.at(0) == 1 / p


def test_a_long_band_is_eliminated() -> None:
    """Gambler's ruin with 2,000 states: one component, of degree 2."""
    size = 2_001
    rows: Rows = [{}] + [{s - 1: Fraction(1, 2), s + 1: Fraction(1, 2)} for s in range(1, size - 1)] + [{}]
    assert reach_probabilities(packed(rows), {size - 1}, BUDGET).noting(Divisors()).at(500) == Fraction(1, 4)
    ones = [[Fraction(1)] * len(row) for row in rows]
    assert expected_costs(packed(rows, ones), {0, size - 1}, BUDGET).noting(Divisors()).at(500) == 500 * 1_500


def test_rare_exits_are_exact() -> None:
    """The chain of Haddad and Monmege: an end is come to after about 2^100 steps, which iterating floats never see."""
    rows = haddad_monmege(100)
    chain = packed(rows, [[Fraction(1)] * len(row) for row in rows])
    assert reach_probabilities(chain, {100}, BUDGET).noting(Divisors()).at(0) == Fraction(7, 10)
    assert expected_costs(chain, {100, 200}, BUDGET).noting(Divisors()).at(0) == 3 * 2**99 - 2


def test_a_cost_may_be_negative() -> None:
    """A target that is missed makes the expectation infinite, whatever the costs."""
    half = Fraction(1, 2)
    rows: Rows = [{1: half, 2: half}, {0: Fraction(1)}, {}, {3: Fraction(1)}]
    costs = [[Fraction(-3), Fraction(1)], [Fraction(1)], [], [Fraction(-1)]]
    assert values(expected_costs(packed(rows, costs), {2}, BUDGET).noting(Divisors()), 4) == [-1, 0, 0, math.inf]
