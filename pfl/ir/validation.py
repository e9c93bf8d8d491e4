"""What every claim must satisfy before an engine sees it; a fault found here is the compiler's, not the model's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from pfl.base.number import Number
from pfl.ir.chain_faults import chain_faults, chain_question_faults
from pfl.ir.chain_questions import Expectation, Probability, ResultDistribution
from pfl.ir.claims import Cases, Claim, Comparison, Indistinguishability, Likelihood, Question, Side, Synthesis, Unposed
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.interactive_faults import interactive_faults
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.ir.labelled_system import LabelledSystem, Vector
from pfl.ir.markov_chain import MarkovChain

_System: TypeAlias = LabelledSystem | InteractiveSystem | MarkovChain


class Malformed(Exception):
    """A claim or a system breaks an invariant of the intermediate representation."""


class Validation:
    """Looks at claims one after the other; a system that a claim shares with the one before it is not looked at again.

    Only the systems of one claim are kept alive.
    """

    def __init__(self) -> None:
        self._sound: frozenset[_System] = frozenset()

    def require(self, claim: Claim) -> None:
        """Raise `Malformed` for the first broken invariant of a claim."""
        systems = frozenset(_systems(claim.question))
        for system in systems - self._sound:
            _require_none(f"claim `{claim.name}`", _faults_of(system))
        self._sound = systems
        _require_none(f"claim `{claim.name}`", claim_faults(claim))


def _require_none(where: str, faults: Iterator[str]) -> None:
    for fault in faults:
        raise Malformed(f"{where}: {fault}")


def _faults_of(system: _System) -> Iterator[str]:
    match system:
        case MarkovChain():
            return chain_faults(system)
        case InteractiveSystem():
            return interactive_faults(system)
        case LabelledSystem():
            return system_faults(system)


def _systems(question: Question) -> Iterator[_System]:
    """What the question is about; two runs put side by side are three times the system that they are runs of."""
    match question:
        case Likelihood(system=system):
            yield system
        case (
            Indistinguishability(comparisons=comparisons)
            | Synthesis(claim=Indistinguishability(comparisons=comparisons))
        ):
            for comparison in comparisons:
                yield comparison.system if comparison.runs is None else comparison.runs.system
        case Probability(chain=chain) | Expectation(chain=chain) | ResultDistribution(chain=chain):
            yield chain
        case RelationCheck() | Implementation():
            yield from question.systems
        case Cases(cases=cases):
            for case in cases:
                yield from _systems(case.question)
        case Unposed():
            return
        case _:
            assert_never(question)


def system_faults(system: LabelledSystem) -> Iterator[str]:
    """Broken invariants of a system: entries in ascending columns, none negative or 0, rows that sum to 1."""
    for letter, matrix in zip(system.letters, system.matrices):
        for state, row in zip(system.states, matrix):
            if not row:
                continue
            columns = [column for column, _ in row]
            if columns != sorted(set(columns)) or any(not 0 <= column < system.size for column in columns):
                yield f"the columns of `{state}` under `{letter}` are not ascending states"
            if any(isinstance(weight, Fraction) and weight <= 0 for _, weight in row):
                yield f"a weight of `{state}` under `{letter}` is not positive"
    if system.stochastic:
        for position, state in enumerate(system.states):
            total: Number = sum((weight for matrix in system.matrices for _, weight in matrix[position]), Fraction(0))
            if total != 1:
                yield f"the weights of `{state}` over all letters sum to {total}"
    elif system.inputs is not None:
        yield from _input_faults(system, system.inputs)


def _input_faults(system: LabelledSystem, inputs: Sequence[int]) -> Iterator[str]:
    """No state may have more than mass 1 for one input."""
    totals: dict[tuple[int, int], Number] = {}
    for number, matrix in zip(inputs, system.matrices):
        for position, row in enumerate(matrix):
            if row:
                known = totals.get((position, number), Fraction(0))
                totals[position, number] = sum((weight for _, weight in row), known)
    for (position, number), total in totals.items():
        if isinstance(total, Fraction) and total > 1:
            yield f"the weights of `{system.states[position]}` for input {number} sum to {total}"


def claim_faults(claim: Claim) -> Iterator[str]:
    """Broken invariants of a claim: start vectors of the right size and weight, letters that exist, lengths given."""
    yield from _question_faults(claim.question)


def _question_faults(question: Question) -> Iterator[str]:
    match question:
        case Likelihood():
            yield from _vector_faults("the start", question.start, question.system)
            if any(letter is not None and not 0 <= letter < len(question.system.letters) for letter in question.word):
                yield "the word has a letter that the system does not have"
        case Indistinguishability():
            yield from _indistinguishability_faults(question)
        case Synthesis():
            yield from _indistinguishability_faults(question.claim)
            if not set(question.names) <= set(question.claim.parameters.names):
                yield "a name to find is no parameter of the claim"
        case Probability() | Expectation() | ResultDistribution():
            yield from chain_question_faults(question)
        case RelationCheck() | Implementation() | Unposed():
            pass
        case Cases(cases=cases):
            if not cases:
                yield "the claim ranges over nothing"
            for case in cases:
                yield from _question_faults(case.question)
        case _:
            assert_never(question)


def _indistinguishability_faults(question: Indistinguishability) -> Iterator[str]:
    if not question.comparisons and not question.skipped:
        yield "there is nothing to compare"
    if question.lengths != "any" and (not question.lengths or min(question.lengths) < 0):
        yield "the lengths are empty or negative"
    if (question.delta is None) != (question.goal == "delta"):
        yield "delta must be given unless it is what is asked for"
    for comparison in question.comparisons:
        if (comparison.epsilon is None) != (question.goal == "epsilon"):
            yield "epsilon must be given unless it is what is asked for"
        yield from _side_faults(comparison, comparison.left)
        yield from _side_faults(comparison, comparison.right)


def _side_faults(comparison: Comparison, side: Side) -> Iterator[str]:
    yield from _vector_faults(f"the start of `{side.label}`", side.start, comparison.system)
    total = sum((entry for entry in side.start if entry), Fraction(0))
    if total != side.weight:
        yield f"the start of `{side.label}` has mass {total}, its weight is {side.weight}"
    if side.weight == 0:
        yield f"`{side.label}` has probability 0"


def _vector_faults(what: str, vector: Vector, system: LabelledSystem) -> Iterator[str]:
    if len(vector) != system.size:
        yield f"{what} has {len(vector)} entries for {system.size} states"
    if any(isinstance(entry, Fraction) and entry.numerator < 0 for entry in vector):
        yield f"{what} has a negative entry"
