"""Two runs of random automata: the exact engine against the definition of differential noninterference."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interactive_systems import interactive_systems, largest_ratio

from pfl.analysis.ratio.outcome import Settled
from pfl.analysis.unwinding.coupled import proved_by
from pfl.analysis.unwinding.lifting import Bijections, Couplings, Lifting
from pfl.analysis.unwinding.moves import single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines import exact
from pfl.engines.answer import Fails, Holds, Value
from pfl.ir.claims import Comparison, Indistinguishability, Lengths, Side
from pfl.ir.interactive import Adjacency, InteractiveSystem
from pfl.options import Options
from pfl.transform.two_runs import side_by_side, starts, two_runs
from pfl.verify.evidence import faults_of_evidence

EXAMPLES = 25


def question(
    system: InteractiveSystem,
    adjacency: Adjacency,
    lengths: Lengths,
    goal: Literal["check", "epsilon"],
    epsilon: Epsilon | None = None,
) -> Indistinguishability:
    runs = two_runs(system, adjacency)
    left, right = starts(runs)
    return Indistinguishability(
        goal=goal,
        comparisons=(
            Comparison(
                system=side_by_side(runs),
                left=Side(label="with", start=left),
                right=Side(label="without", start=right),
                epsilon=epsilon,
                runs=runs,
            ),
        ),
        lengths=lengths,
        unit="input",
    )


@pytest.mark.parametrize("fixes_state", [False, True])
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data(), length=st.integers(0, 4), adjacency=st.sampled_from(["insert", "replace"]))
def test_smallest_epsilon_is_brute_force(
    fixes_state: bool, data: st.DataObject, length: int, adjacency: Adjacency
) -> None:
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    if adjacency == "replace" and len(system.data) == 1:
        return
    expected = largest_ratio(system, adjacency, length)
    answer = exact.answer(question(system, adjacency, (length,), "epsilon"), Options(), Budget())
    assert isinstance(answer, Value)
    assert answer.bound is not None
    assert answer.bound.ratio == ("inf" if expected is None else expected)


@pytest.mark.parametrize("fixes_state", [False, True])
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data(), length=st.integers(1, 4))
def test_checks_agree_with_brute_force_and_certificates_check(
    fixes_state: bool, data: st.DataObject, length: int
) -> None:
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    largest = largest_ratio(system, "insert", length)
    for factor in (Fraction(1), Fraction(9, 10)):
        if largest is None or largest * factor < 1:
            continue
        asked = question(system, "insert", (length,), "check", Epsilon.ln(largest * factor))
        answer = exact.answer(asked, Options(), Budget())
        assert isinstance(answer, Holds if factor == 1 else Fails)
        if isinstance(answer, Holds):
            assert answer.evidence.certificates
            assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(system=interactive_systems(fixes_state=True))
def test_every_length_is_the_limit(system: InteractiveSystem) -> None:
    """The ratio for any number of inputs is that of some number of inputs, or no number of them bounds it."""
    answer = exact.answer(question(system, "insert", "any", "epsilon"), Options(), Budget())
    assert isinstance(answer, Value)
    assert answer.bound is not None
    ratio = answer.bound.ratio
    lengths = (4, 12, 40)
    known = []
    for length in lengths:
        bounded = exact.answer(question(system, "insert", (length,), "epsilon"), Options(), Budget())
        assert isinstance(bounded, Value)
        assert bounded.bound is not None
        known.append(bounded.bound.ratio)
    if isinstance(ratio, Fraction):
        assert known[-1] == ratio
        asked = question(system, "insert", "any", "check", Epsilon.ln(ratio))
        held = exact.answer(asked, Options(), Budget())
        assert isinstance(held, Holds)
        assert faults_of_evidence(asked, held.evidence.certificates, Budget()) == []
    elif ratio == "inf":
        assert known[-1] == "inf"
    else:
        assert isinstance(known[0], Fraction)
        assert isinstance(known[-1], Fraction)
        assert known[0] <= known[1] < known[2]


@pytest.mark.parametrize("fixes_state", [False, True])
@pytest.mark.parametrize("lifting", [Bijections(), Couplings()], ids=lambda lifting: lifting.name)
@settings(max_examples=EXAMPLES, deadline=None)
@given(data=st.data(), adjacency=st.sampled_from(["insert", "replace"]))
def test_unwinding_is_never_below_and_checks(
    fixes_state: bool, lifting: Lifting, data: st.DataObject, adjacency: Adjacency
) -> None:
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    runs = two_runs(system, adjacency)
    proofs = [proved_by(runs, lifting, is_reversed=r, budget=Budget()) for r in (False, True)]
    if any(proof is None for proof in proofs):
        return
    bound = max(proof.bound for proof in proofs if proof is not None)
    largest = largest_ratio(system, adjacency, 3)
    assert largest is not None
    assert largest <= bound
    certificates = tuple(proof.certificate() for proof in proofs if proof is not None)
    asked = question(system, adjacency, "any", "check", Epsilon.ln(bound))
    assert faults_of_evidence(asked, certificates, Budget()) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(system=interactive_systems(fixes_state=True))
def test_bijections_on_pairs_agree_with_iteration(system: InteractiveSystem) -> None:
    """Two ways to the least family with bijections, which must come to the same bound."""
    runs, moves = two_runs(system, "insert"), single_moves(system)
    assert moves is not None
    pairs = RunPairs(runs, moves, is_reversed=False, budget=Budget(), by_bijections=True)
    solved = pairs.largest_of_every_length(Fraction(1))
    iterated = proved_by(runs, Bijections(), is_reversed=False, budget=Budget())
    if isinstance(solved, Settled) and solved.bound < 1000:
        assert iterated is not None
        assert iterated.bound >= solved.bound
        assert iterated.bound - solved.bound < Fraction(1, 100)
    if iterated is not None and iterated.bound < 1000:
        assert isinstance(solved, Settled)
