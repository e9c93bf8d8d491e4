"""What is reported of a claim: every fact once, in exact form. All formats are written from this alone.

A format may lay a fact out in its own way, but drops none; tests/unit/report/test_report_fields.py goes through all of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, assert_never

from pfl.analysis.polynomial.algebraic import ParameterValue
from pfl.analysis.polynomial.elimination import reduce_others
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import (
    Apart,
    Bound,
    Computed,
    Disproved,
    Evidence,
    NamedValue,
    NoneFound,
    Proved,
    Quantity,
    Unknown,
    VerdictWord,
)
from pfl.engines.witness import Witness
from pfl.model.claims import Claim, Origin, Question, Search, claim_over, multiplied
from pfl.model.compare import WHOLE_RUN, Compare, Comparison, Lengths
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.measure import MOVE, Measure, Requirement, Results
from pfl.model.parameters import Condition, Space
from pfl.report.statement import required_of, statement
from pfl.verify.verdict import ClaimResult, Contradicted, Found, Refuted


@struct
class Judgement:
    """A verdict and everything that it says.

    It says nothing of the claim, so that a record may hold others besides its own, such as those on values of the
    parameters that are judged apart.

    `epsilon` and `delta` are what is claimed: of a refuted claim at the witness. `value` and `values` are as in the
    verdict (of a find, `value` is the objective that was reached, and `values` what was found); if `gives_ratios`, the
    values are ratios e^epsilon, or multiples of the parameter `multiplied`. `required` is what a check says of a
    number, where it is one thing. `arguments` and `parameters` are those at which a number is not as required. `seen`
    is what the words of the witness are called, `excess` is Pr(left) - e^epsilon Pr(right) of its words where there
    is an additive delta. `evidence` was found by the engine `evidence_by`. `conditions` say of which secrets nothing
    is asked where their probability is 0. `apart` are the verdicts at the values of the parameters that were judged
    apart.
    """

    verdict: VerdictWord
    statement: str
    engine: str
    is_internal: bool = False
    epsilon: Epsilon | None = None
    delta: Number | None = None
    value: Quantity | None = None
    values: tuple[NamedValue, ...] = ()
    gives_ratios: bool = False
    multiplied: str | None = None
    required: Requirement | None = None
    arguments: tuple[tuple[str, str], ...] = ()
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    best_possible: Number | None = None
    bound: Bound | None = None
    witness: Witness | None = None
    seen: str = "seen"
    excess: Quantity | None = None
    evidence: Evidence | None = None
    evidence_by: str = ""
    is_checked: bool = False
    reason: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    conditions: tuple[str, ...] = ()
    apart: tuple[Separate, ...] = ()

    @property
    def is_vacuous(self) -> bool:
        """Whether there was nothing to judge."""
        return self.evidence is not None and self.evidence.kind == "vacuous"


@struct
class Separate:
    """A verdict where a parameter has a certain value, a number or a function of the others; `differs` says whether a
    number is not what the formula for all values would give there."""

    name: str
    value: Number
    differs: bool
    judgement: Judgement

    @property
    def where(self) -> str:
        """`p = 1/2`."""
        return f"{self.name} = {self.value}"


@struct
class Record:
    """A claim with what was concluded about it.

    `relation` is what the claim says after its system (`of B`, `by R`). `lengths` are those that the claim was judged
    at, of all values of its `for` variables, in the `unit` that they count; None where it has none. `direction` is that
    of a find with an objective.
    """

    name: str
    verb: Literal["check", "compute", "find"]
    kind: str
    subject: str
    relation: str
    origin: Origin
    expected: Literal["proved", "refuted", "found", "none"] | None
    as_expected: bool
    lengths: Lengths | None
    unit: str
    space: Space
    direction: Literal["minimise", "maximise"] | None
    judgement: Judgement
    notes: tuple[str, ...]
    remarks: tuple[str, ...]


def record_of(result: ClaimResult) -> Record:
    """The record of one result, which depends on nothing else."""
    claim = result.claim
    lengths, unit = lengths_of(claim)
    return Record(
        name=claim.name,
        verb=claim.verb,
        kind=claim.kind,
        subject=claim.subject,
        relation=claim.relation,
        origin=claim.origin,
        expected=claim.expected,
        as_expected=result.as_expected,
        lengths=lengths,
        unit=unit,
        space=claim.exponents or claim.parameters,
        direction=_direction(claim),
        judgement=judgement_of(result),
        notes=claim.notes,
        remarks=claim.remarks,
    )


def judgement_of(result: ClaimResult) -> Judgement:
    """What a verdict on a claim says."""
    claim, verdict, asked = result.claim, result.verdict, result.claim.asked
    said = Judgement(
        verdict=verdict.word,
        statement=statement(result),
        engine=verdict.engine,
        epsilon=_epsilon(claim),
        delta=_delta(asked),
        gives_ratios=isinstance(asked, Compare | EnclosedCompare) and asked.goal == "epsilon",
        multiplied=multiplied(asked),
        required=required_of(claim),
        seen=_seen(asked),
        conditions=_conditions(claim),
    )
    match verdict:
        case Proved(value=value, values=values):
            apart = tuple(_separate(result, each) for each in verdict.apart)
            return replace(_resting_on(verdict, said), value=value, values=values, bound=verdict.bound, apart=apart)
        case Refuted(epsilon=epsilon, delta=delta, witness=witness):
            excess = witness.excess(epsilon) if delta else None
            return replace(said, epsilon=epsilon, delta=delta, witness=witness, excess=excess, bound=verdict.bound)
        case Contradicted(value=value, values=values):
            said = replace(said, value=value, values=values, required=verdict.required, witness=verdict.witness)
            return replace(said, arguments=verdict.arguments, parameters=verdict.parameters)
        case Disproved():
            return replace(said, reason=verdict.problem, facts=verdict.facts)
        case Unknown():
            return replace(said, reason=verdict.reason, bound=verdict.bound, is_internal=verdict.is_internal)
        case Computed(value=value, values=values):
            said = replace(said, value=value, values=values, bound=verdict.bound, witness=verdict.witness)
            apart = tuple(_separate(result, each) for each in verdict.apart)
            return replace(said, excess=_excess(asked, verdict), apart=apart)
        case Found(proof=proof):
            values = tuple(NamedValue(name=name, value=value) for name, value in verdict.values)
            said = replace(_resting_on(proof, said), bound=proof.bound, values=values)
            return replace(said, value=verdict.objective, best_possible=verdict.best_possible)
        case NoneFound():
            return _resting_on(verdict, said)
        case _:
            assert_never(verdict)


def _resting_on(proof: Proved | NoneFound, said: Judgement) -> Judgement:
    """What is said, with why it is believed, who found that, and whether it was checked by other means."""
    evidence = proof.evidence
    said = replace(said, evidence=evidence, evidence_by=proof.engine, is_checked=proof.checked)
    return replace(said, facts=evidence.facts)


def _separate(result: ClaimResult, apart: Apart) -> Separate:
    """A part, the verdict on which is said of the other parameters alone."""
    space = result.claim.parameters
    difference = RationalFunction.parameter(apart.name) - apart.value
    equation = Condition(polynomial=difference, relation="==", text=f"{apart.name} == {apart.value}")
    others = reduce_others(space.restricted(equation), set(space.names) - {apart.name}).space
    judgement = judgement_of(ClaimResult(claim=claim_over(result.claim, others), verdict=apart.verdict))
    return Separate(name=apart.name, value=apart.value, differs=apart.differs, judgement=judgement)


def _seen(question: Question | None) -> str:
    match question:
        case Measure(quantity=Results()):
            return "result"
        case Compare(unit="observation"):
            return "observed"
        case Compare(unit="input"):
            return "run"
        case _:
            return "seen"


def _delta(asked: Question | None) -> Number | None:
    """The delta that is claimed."""
    match asked:
        case Compare() if not asked.is_about_systems:
            return asked.delta
        case EnclosedCompare(delta=delta):
            return delta
        case _:
            return None


def _epsilon(claim: Claim) -> Epsilon | None:
    """The epsilon that is claimed, where all comparisons share it."""
    if isinstance(claim.asked, Compare) and claim.asked.implements is not None:
        return None  # equality: the 0 is ours
    asked = [question.claim if isinstance(question, Search) else question for question in claim.questions]
    epsilons = {
        str(table.epsilon): table.epsilon
        for question in asked
        if isinstance(question, Compare | EnclosedCompare)
        for table in question.tables
        if table.pairs
    }
    return next(iter(epsilons.values())) if len(epsilons) == 1 else None


def _excess(question: Question | None, computed: Computed) -> Quantity | None:
    """The excess of the witness's words; at the smallest epsilon, where that is computed, it is the delta."""
    witness, bound = computed.witness, computed.bound
    if witness is None or not isinstance(question, Compare) or question.delta == 0:
        return None
    if question.goal == "delta":
        return None if witness.epsilon is None else witness.excess(witness.epsilon)
    ratio = None if bound is None else bound.ratio or bound.lower
    if isinstance(ratio, Fraction):
        return witness.excess_at(ratio)
    return None if witness.probability_right else witness.probability_left


def _comparisons(claim: Claim) -> list[Comparison]:
    """All that are compared, in all cases."""
    asked = [question.claim if isinstance(question, Search) else question for question in claim.questions]
    return [each for question in asked if isinstance(question, Compare) for each in question.comparisons]


def _direction(claim: Claim) -> Literal["minimise", "maximise"] | None:
    return claim.question.direction if claim.cases and isinstance(claim.question, Search) else None


def _conditions(claim: Claim) -> tuple[str, ...]:
    """The secrets of which nothing is asked where they have probability 0, each once, in the order of comparisons."""
    assumed = [condition.text for comparison in _comparisons(claim) for condition in comparison.nonzero]
    return tuple(dict.fromkeys(assumed))


# --- scope -------------------------------------------------------------------


def lengths_of(claim: Claim) -> tuple[Lengths | None, str]:
    """The lengths of all cases of a claim, ascending, and what they count; None for whole runs, and where the claim
    is about no words, which then have no unit."""
    lengths: set[int] = set()
    unit = ""
    for question in claim.questions:
        found, unit = question.scope
        if unit == WHOLE_RUN:
            return None, unit
        if found == "any":
            return "any", unit
        lengths.update(found or ())
    return tuple(sorted(lengths)) or None, unit


def scope(claim: Claim) -> str:
    """`1 observation`, `1 to 3 inputs`, `any number of outputs`, `whole runs`; empty where it is about no words."""
    return scope_text(*lengths_of(claim))


def scope_text(lengths: Lengths | None, unit: str) -> str:
    """The same, from what `lengths_of` gives."""
    if lengths is None:
        return "whole runs" if unit == WHOLE_RUN else ""
    if lengths == "any":
        return f"any number of {unit}s"
    counted = f"{_numbers(lengths)} {unit}" + ("" if lengths == (1,) else "s")
    return f"within {counted}" if unit == MOVE else counted


def _numbers(lengths: Sequence[int]) -> str:
    if len(lengths) > 1 and list(lengths) == list(range(lengths[0], lengths[-1] + 1)):
        return f"{lengths[0]} to {lengths[-1]}"
    return ", ".join(map(str, lengths))
