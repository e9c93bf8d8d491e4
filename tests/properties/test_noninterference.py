"""Two runs of random automata: the exact engine against the definition of differential noninterference."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from interactive_systems import interactive_systems, largest_ratio

from pfl.analysis.ratio.obligation import Settled
from pfl.analysis.unwinding.lifting import Bijections, Couplings, Lifting
from pfl.analysis.unwinding.moves import proved_by, single_moves
from pfl.analysis.unwinding.run_pairs import RunPairs
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Computed, Fails, Proved
from pfl.engines.ratio import exact
from pfl.model.compare import Compare, Lengths, Side, Table
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Matrix
from pfl.model.two_runs import Adjacency, two_runs
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence

EXAMPLES = 25


def question(
    system: InteractiveSystem,
    adjacency: Adjacency,
    lengths: Lengths,
    goal: Literal["check", "epsilon", "delta"],
    epsilon: Epsilon | None = None,
) -> Compare:
    runs = two_runs(system, adjacency, both_ways=goal == "delta")
    left, right = runs.starts
    return Compare(
        goal=goal,
        tables=(
            Table.of_pair(
                runs,
                [Side(label="with", vector=left), Side(label="without", vector=right)],
                epsilon=epsilon,
                one_way=runs.goes_both_ways,
            ),
        ),
        lengths=lengths,
        delta=None if goal == "delta" else Fraction(0),
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
    assert isinstance(answer, Computed)
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
        assert isinstance(answer, Proved if factor == 1 else Fails)
        if isinstance(answer, Proved):
            assert answer.evidence.certificates
            assert faults_of_evidence(asked, answer.evidence.certificates, Budget()) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(system=interactive_systems(fixes_state=True))
def test_every_length_is_the_limit(system: InteractiveSystem) -> None:
    """The ratio for any number of inputs is that of some number of inputs, or no number of them bounds it."""
    answer = exact.answer(question(system, "insert", "any", "epsilon"), Options(), Budget())
    assert isinstance(answer, Computed)
    assert answer.bound is not None
    ratio = answer.bound.ratio
    lengths = (4, 12, 40)
    known = []
    for length in lengths:
        bounded = exact.answer(question(system, "insert", (length,), "epsilon"), Options(), Budget())
        assert isinstance(bounded, Computed)
        assert bounded.bound is not None
        known.append(bounded.bound.ratio)
    if isinstance(ratio, Fraction):
        assert known[-1] == ratio
        asked = question(system, "insert", "any", "check", Epsilon.ln(ratio))
        held = exact.answer(asked, Options(), Budget())
        assert isinstance(held, Proved)
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


Masses = tuple[Fraction, ...]


def game(
    system: InteractiveSystem, adjacency: Adjacency, factor: Fraction, inputs: int, differing: int = 1
) -> Fraction:
    """The smallest delta by a game: whoever gives the inputs sees the responses, and says when the points come in which
    the runs differ, and which run gets which."""
    points = [*range(len(system.data)), *([None] if adjacency == "insert" else [])]
    extras = [(one, other) for one in points for other in points if one != other and (None in (one, other)) == (
        adjacency == "insert")]  # fmt: skip

    def step(mass: Masses, matrix: Matrix) -> Masses:
        after = [Fraction(0)] * system.size
        for weight, row in zip(mass, matrix):
            for column, entry in row:
                assert isinstance(entry, Fraction)
                after[column] += weight * entry
        return tuple(after)

    def given(mass: Masses, data: int | None) -> Masses:
        return mass if data is None else step(mass, system.data_moves[data])

    def excess(left: Masses, right: Masses) -> Fraction:
        return max(Fraction(0), sum(left, Fraction(0)) - factor * sum(right, Fraction(0)))

    def value(left: Masses, right: Masses, rest: int, points_left: int) -> Fraction:
        best = excess(left, right)
        if not rest:
            return best
        for data in range(len(system.data)):
            best = max(best, value(given(left, data), given(right, data), rest - 1, points_left))
        for one, other in extras if points_left else []:
            best = max(best, value(given(left, one), given(right, other), rest - 1, points_left - 1))
        for answers in system.answers:
            best = max(best, excess(left[: system.bottom], right[: system.bottom]))
            shown = (value(step(left, m), step(right, m), rest - 1, points_left) for _, m in answers)
            best = max(best, sum(shown, Fraction(0)))
        return best

    start = tuple(Fraction(entry) for entry in system.start)  # type: ignore[arg-type]
    return value(start, start, inputs, differing)


@pytest.mark.parametrize("fixes_state", [False, True])
@settings(max_examples=EXAMPLES, deadline=None)
@given(
    data=st.data(),
    length=st.integers(0, 3),
    adjacency=st.sampled_from(["insert", "replace"]),
    factor=st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]),
)
def test_smallest_delta_is_that_of_the_game(
    fixes_state: bool, data: st.DataObject, length: int, adjacency: Adjacency, factor: Fraction
) -> None:
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    if adjacency == "replace" and len(system.data) == 1:
        return
    answer = exact.answer(question(system, adjacency, (length,), "delta", Epsilon.ln(factor)), Options(), Budget())
    assert isinstance(answer, Computed)
    assert answer.value == game(system, adjacency, factor, length)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    system=interactive_systems(fixes_state=False),
    length=st.integers(1, 3),
    adjacency=st.sampled_from(["insert", "replace"]),
    factor=st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]),
)
def test_two_points_cost_what_is_said_of_several(
    system: InteractiveSystem, length: int, adjacency: Adjacency, factor: Fraction
) -> None:
    """delta at e^eps = c for one point allows delta (1 + c) at c^2 for two, however the inputs are chosen."""
    one = game(system, adjacency, factor, length)
    assert game(system, adjacency, factor**2, length, differing=2) <= one * (1 + factor)
