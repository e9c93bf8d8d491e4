"""The least unwinding family of random automata, as if an author had written it down."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from interactive_systems import interactive_systems, largest_ratio

from pfl.analysis.unwinding.coupling_proof import CouplingProof
from pfl.analysis.unwinding.lifting import Bijections
from pfl.analysis.unwinding.moves import proved_by
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Disproved, Proved
from pfl.engines.pairs import relation
from pfl.lower.noninterference import table_of_runs
from pfl.model.compare import Balance, Compare, Family
from pfl.model.interactive import InteractiveSystem
from pfl.model.two_runs import Adjacency, TwoRuns, two_runs
from pfl.options import Options
from pfl.verify.certificates.evidence import faults_of_evidence

EXAMPLES = 60


def least_family(system: InteractiveSystem, adjacency: Adjacency) -> CouplingProof | None:
    """The family of the runs with the extra point on the right, as relations are written."""
    runs = two_runs(system, adjacency)
    return proved_by(runs, Bijections(), is_reversed=True, budget=Budget())


def as_relation(proof: CouplingProof, epsilon: Epsilon) -> Compare:
    """One relation for each bound: the states whose bound it is."""
    bounds = proof.family.bounds
    values = sorted(set(bounds.values()))
    family = Family(
        name="family",
        balances=tuple(Balance(label=f"j = {j}", epsilon=Epsilon.ln(value)) for j, value in enumerate(values)),
        related={pair: values.index(bound) for pair, bound in bounds.items()},
    )
    return covering(proof.runs, epsilon, family)


def covering(runs: TwoRuns, epsilon: Epsilon, family: Family) -> Compare:
    return Compare(goal="check", tables=(table_of_runs(runs, epsilon),), lengths="any", family=family)


@settings(max_examples=EXAMPLES)
@given(data=st.data(), fixes_state=st.booleans(), adjacency=st.sampled_from(["insert", "replace"]))
def test_least_families_are_unwinding_families(data: st.DataObject, fixes_state: bool, adjacency: Adjacency) -> None:
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    proof = least_family(system, adjacency)
    assume(proof is not None)
    assert proof is not None
    question = as_relation(proof, Epsilon.ln(proof.bound))
    answer = relation.answer(question, Options(), Budget())
    assert isinstance(answer, Proved)
    assert faults_of_evidence(question, answer.evidence.certificates, Budget()) == []


@settings(max_examples=EXAMPLES)
@given(data=st.data(), fixes_state=st.booleans())
def test_what_relations_prove_holds(data: st.DataObject, fixes_state: bool) -> None:
    """Any relations at all: where they are found to be a family that covers, brute force agrees."""
    system = data.draw(interactive_systems(fixes_state=fixes_state))
    places = range(system.bottom)
    pairs = [(x, y) for x in places for y in places if x != y]
    values = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True).map(sorted))
    related = {pair: data.draw(st.integers(0, len(values) - 1)) for pair in pairs if data.draw(st.booleans())}
    family = Family(
        name="family",
        balances=tuple(Balance(label="", epsilon=Epsilon.ln(Fraction(value))) for value in values),
        related=related,
    )
    question = covering(two_runs(system, "insert"), Epsilon.ln(Fraction(values[-1])), family)
    answer = relation.answer(question, Options(), Budget())
    if isinstance(answer, Disproved):
        return
    assert isinstance(answer, Proved)
    largest = largest_ratio(system, "insert", 3)
    assert largest is not None
    assert largest <= values[-1]
