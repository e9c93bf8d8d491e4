"""Certificates about random chains: what the engine writes is a proof, and a solution with another number is none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from random_chains import Rows, chains, mean_costs, packed, probabilities

from pfl.analysis.ratio.certificate import with_digest
from pfl.base.budget import Budget
from pfl.engines.chain import chain as engine
from pfl.model.claims import Case
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Cost, Measure, Reach, Requirement, Results
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_cases

BUDGET = Budget()
HALF = Fraction(1, 2)


def ended_at(rows: Rows, goal: set[int]) -> Rows:
    """The chain in which runs end where the goal is reached."""
    return [{} if state in goal else row for state, row in enumerate(rows)]


def case(chain: MarkovChain, state: int, quantity: Any, number: Fraction, relation: Any = "equals") -> Case:
    question = Measure(system=chain, start=((state, Fraction(1)),), quantity=quantity)
    return Case(question=question, required=Requirement(relation=relation, number=number))


def certificates_of(cases: list[Case]) -> list[dict[str, Any]]:
    questions = [each.question for each in cases]
    answers = engine.answers(questions, Options(), BUDGET)  # type: ignore[arg-type]
    groups: dict[int, list[Any]] = {}
    for answer in answers:
        groups.setdefault(id(answer.solution), []).append(answer)
    found = [group[0].solution.certificate(group) for group in groups.values()]
    assert all(isinstance(each, dict) for each in found)
    return found


def is_proof(cases: list[Case], certificates: list[dict[str, Any]]) -> bool:
    return not faults_of_cases(cases, certificates, BUDGET)


def altered(certificate: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """The certificate with one of its numbers changed, and a digest that fits."""
    key = "solutions" if certificate["kind"] == "hitting" else "runs"
    lists = [list(each) for each in certificate[key]]
    places = [(i, j) for i, each in enumerate(lists) for j, value in enumerate(each) if value is not None]
    if not places:
        return certificate
    i, j = data.draw(st.sampled_from(places))
    by = data.draw(st.sampled_from([Fraction(1, 7), Fraction(-1, 3), Fraction(1)]))
    value = lists[i][j]
    lists[i][j] = [value[0], str(Fraction(value[1]) + by)] if isinstance(value, list) else str(Fraction(value) + by)
    content = {name: part for name, part in certificate.items() if name not in ("format", "kind", "digest")}
    return with_digest(certificate["kind"], {**content, key: lists})


@given(chains(), st.sets(st.integers(0, 8), min_size=1, max_size=2), st.data())
@settings(max_examples=200, deadline=None)
def test_probabilities_of_all_states_are_proved_and_no_others(rows: Rows, goal: set[int], data: st.DataObject) -> None:
    goal = {state % len(rows) for state in goal}
    rows = ended_at(rows, goal)
    chain, wanted = packed(rows), probabilities(rows, goal)
    quantity = Reach(goal=frozenset(goal))
    cases = [case(chain, state, quantity, wanted[state]) for state in range(len(rows))]
    found = certificates_of(cases)
    assert is_proof(cases, found)
    wrong = data.draw(st.integers(0, len(rows) - 1))
    cases[wrong] = case(chain, wrong, quantity, wanted[wrong] + HALF)
    assert not is_proof(cases, found)
    assert not is_proof(cases, [altered(found[0], data)])


@given(chains(), st.sets(st.integers(0, 8), min_size=1, max_size=2), st.data())
@settings(max_examples=200, deadline=None)
def test_expected_costs_of_all_states_are_proved_infinite_ones_as_well(
    rows: Rows, goal: set[int], data: st.DataObject
) -> None:
    goal = {state % len(rows) for state in goal}
    rows = ended_at(rows, goal)
    costs = [[Fraction(data.draw(st.integers(-2, 3)), 2) for _ in row] for row in rows]
    chain, wanted = packed(rows, costs), mean_costs(rows, goal, costs)
    quantity = Cost(goal=frozenset(goal), unit="cost")

    def required(state: int, more: Fraction, relation: Literal["equals", "at least"]) -> Case:
        value = wanted[state]
        if isinstance(value, Fraction):
            return case(chain, state, quantity, value + more, relation)
        return case(chain, state, quantity, Fraction(10**6), "equals" if more else "at least")

    cases = [required(state, Fraction(0), "equals") for state in range(len(rows))]
    found = certificates_of(cases)
    assert is_proof(cases, found)
    wrong = data.draw(st.integers(0, len(rows) - 1))
    cases[wrong] = required(wrong, HALF, "equals")
    assert not is_proof(cases, found)
    assert not is_proof(cases, [altered(found[0], data)])


@given(chains(), st.data())
@settings(max_examples=200, deadline=None)
def test_distributions_are_proved_forward_or_backward(rows: Rows, data: st.DataObject) -> None:
    ends = [state for state, row in enumerate(rows) if not row]
    chain = packed(rows)
    reached = [probabilities(rows, {end}) for end in ends]
    outcomes = tuple((f"end {end}", end) for end in ends)
    count = data.draw(st.integers(1, len(rows)))

    def specified(state: int, more: Fraction) -> Case:
        weights = [column[state] for column in reached]
        quantity = Results(outcomes=outcomes, specified=(*weights, 1 - sum(weights, Fraction(0)) + more))
        return Case(question=Measure(system=chain, start=((state, Fraction(1)),), quantity=quantity))

    cases = [specified(state, Fraction(0)) for state in range(count)]
    found = certificates_of(cases)
    assert is_proof(cases, found)
    wrong = data.draw(st.integers(0, count - 1))
    assert not is_proof([*cases[:wrong], specified(wrong, HALF), *cases[wrong + 1 :]], found)
    changed = altered(found[0], data)
    if changed != found[0] and is_proof(cases, [changed]):
        assert changed["kind"] == "visits" or any(not row for row in rows), "a value that nothing asks for"


@given(chains(), st.sets(st.integers(0, 8), min_size=1, max_size=2), st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_what_comes_within_so_many_moves_is_sent_forward(rows: Rows, goal: set[int], moves: int) -> None:
    goal = {state % len(rows) for state in goal}
    rows = ended_at(rows, goal)
    chain = packed(rows, [[Fraction(1) for _ in row] for row in rows])
    reach = Reach(goal=frozenset(goal), within=moves)
    wanted = [Fraction(state in goal) for state in range(len(rows))]
    for _ in range(moves):
        wanted = [
            Fraction(1) if state in goal else sum((weight * wanted[t] for t, weight in row.items()), Fraction(0))
            for state, row in enumerate(rows)
        ]
    cases = [case(chain, state, reach, wanted[state]) for state in range(len(rows))]
    found = certificates_of(cases)
    assert is_proof(cases, found)
    first = cases[0].required
    assert first is not None
    cases[0] = replace(cases[0], required=replace(first, number=first.number + HALF))
    assert not is_proof(cases, found)
