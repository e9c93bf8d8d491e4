"""Absorption probabilities against plain elimination and against path summation, on random chains."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_chains import Rows, acyclic, chains, packed, probabilities

from pfl.analysis.chains import equations
from pfl.analysis.chains import equations as exact_field
from pfl.analysis.chains.absorbing import absorption
from pfl.analysis.components import _tarjan, _with_scipy, components
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction

BUDGET = Budget()


def check_against_reference(rows: Rows) -> None:
    """With all states as sources mass mostly goes backward, from one source at a time forward."""
    result = absorption(packed(rows), range(len(rows)), BUDGET).noting(Divisors())
    goals = [state for state, row in enumerate(rows) if not row]
    for goal in goals:
        assert [row.get(goal, Fraction(0)) for row in result.rows] == probabilities(rows, {goal})
    for state in range(len(rows)):
        assert set(result.rows[state]) <= set(goals)
        assert result.never(state) == 1 - sum(result.rows[state].values(), Fraction(0))
        assert absorption(packed(rows), [state], BUDGET).noting(Divisors()).rows[0] == result.rows[state]


@given(chains())
@settings(max_examples=300, deadline=None)
def test_absorption_is_the_least_solution(rows: Rows) -> None:
    check_against_reference(rows)


@given(chains(largest=14))
@settings(max_examples=60, deadline=None)
def test_dense_solving_agrees(rows: Rows) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_field, "_FEW_TRANSITIONS", 0)
        patch.setattr(equations, "_DENSE_FROM", 2)
        patch.setattr(equations, "_FILL", 0)
        check_against_reference(rows)


@given(chains())
@settings(max_examples=100, deadline=None)
def test_path_summation_on_acyclic_chains(rows: Rows) -> None:
    rows = acyclic(rows)
    result = absorption(packed(rows), [0], BUDGET).noting(Divisors()).rows[0]
    sums: dict[int, Fraction] = {}
    pending = [(0, Fraction(1))]
    while pending:
        state, weight = pending.pop()
        if not rows[state]:
            sums[state] = sums.get(state, Fraction(0)) + weight
        pending += [(target, weight * chance) for target, chance in rows[state].items()]
    assert result == sums


@given(chains(largest=7), st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20))
@settings(max_examples=60, deadline=None)
def test_parameters_commute_with_substitution(rows: Rows, value: Fraction) -> None:
    """One transition pair of every branching state is replaced by p and the rest; p := value afterwards is the same."""
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
    general = absorption(packed(symbolic), range(len(rows)), BUDGET).noting(Divisors())
    special = absorption(packed(fixed), range(len(rows)), BUDGET).noting(Divisors())
    for row, expected in zip(general.rows, special.rows):
        values = {
            end: mass.evaluate({"p": value}) if isinstance(mass, RationalFunction) else mass
            for end, mass in row.items()
        }
        assert values == expected


@given(chains(largest=12))
@settings(max_examples=150, deadline=None)
def test_components_are_in_topological_order(rows: Rows) -> None:
    chain = packed(rows)
    reach = [{state} for state in range(len(rows))]
    for _ in rows:
        reach = [
            set().union(reached, *(reach[target] for target in rows[state])) for state, reached in enumerate(reach)
        ]
    for numbering in (components, _tarjan, _with_scipy):
        numbers = numbering(chain.offsets, chain.targets)
        for state, row in enumerate(rows):
            assert all(numbers[target] <= numbers[state] for target in row)
            for other in range(len(rows)):
                together = other in reach[state] and state in reach[other]
                assert (numbers[state] == numbers[other]) == together


def test_a_long_band_is_eliminated_quickly() -> None:
    """Gambler's ruin with 2,000 states: one component, of degree 2."""
    size = 2_001
    rows: Rows = [{}] + [{s - 1: Fraction(1, 2), s + 1: Fraction(1, 2)} for s in range(1, size - 1)] + [{}]
    result = absorption(packed(rows), [500], BUDGET).noting(Divisors())
    assert result.rows[0] == {0: Fraction(3, 4), size - 1: Fraction(1, 4)}
