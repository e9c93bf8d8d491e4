"""What is reported of a claim: every fact once, in exact form. All formats are written from this alone.

A format may lay a fact out in its own way, but drops none; tests/unit/report/test_report_fields.py goes through all of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.polynomial.elimination import reduce_others
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Bound, Evidence, NamedValue, Quantity
from pfl.model.claims import Claim, Origin, Question, Search
from pfl.model.compare import Compare, Comparison, Lengths
from pfl.model.measure import Measure, Requirement, Results
from pfl.model.mentioned import claim_over
from pfl.model.parameters import Condition, ParameterSpace
from pfl.report.quantity_text import required_of
from pfl.report.scope import lengths_of
from pfl.report.statement import statement
from pfl.verify.verdict import (
    Apart,
    ClaimResult,
    Computed,
    Contradicted,
    Disproved,
    Found,
    NoneFound,
    ParameterValue,
    Proved,
    Refuted,
    Unknown,
    Verdict,
    Witness,
    verdict_word,
)

VerdictWord: TypeAlias = Literal["proved", "refuted", "unknown", "computed", "found", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A verdict and everything that it says.

    It says nothing of the claim, so that a record may hold others besides its own, such as those on values of the
    parameters that are judged apart.

    `epsilon` and `delta` are what is claimed: of a refuted claim at the witness. `value` and `values` are as in the
    verdict (of a find, `value` is the objective that was reached, and `values` what was found); if `gives_ratios`, the
    values are ratios e^epsilon. `required` is what a check says of a number, where it is one thing. `arguments` and
    `parameters` are those at which a number is not as required. `seen` is what the words of the witness are called,
    `excess` is Pr(left) - e^epsilon Pr(right) of its words where there is an additive delta. `evidence` was found by
    the engine `evidence_by`. `conditions` say of which secrets nothing is asked
    where their probability is 0. `apart` are the verdicts at the values of the parameters that were judged apart.
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
    space: ParameterSpace
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
        space=claim.parameters,
        direction=_direction(claim),
        judgement=judgement_of(result),
        notes=claim.notes,
        remarks=claim.remarks,
    )


def judgement_of(result: ClaimResult) -> Judgement:
    """What a verdict on a claim says."""
    claim, verdict = result.claim, result.verdict
    asked = claim.asked
    witness, excess = None, None
    if isinstance(verdict, Refuted | Contradicted | Computed) and verdict.witness is not None:
        witness, excess = verdict.witness, _excess(asked, verdict, verdict.witness)
    evidence, engine, is_checked = _evidence(verdict)
    return Judgement(
        verdict=verdict_word(verdict),
        statement=statement(result),
        engine=verdict.engine,
        is_internal=isinstance(verdict, Unknown) and verdict.is_internal,
        epsilon=_epsilon(claim, verdict),
        delta=_delta(asked, verdict),
        value=_value(verdict),
        values=_values(verdict),
        gives_ratios=isinstance(asked, Compare) and asked.goal == "epsilon",
        required=verdict.required if isinstance(verdict, Contradicted) else required_of(claim),
        arguments=verdict.arguments if isinstance(verdict, Contradicted) else (),
        parameters=verdict.parameters if isinstance(verdict, Contradicted) else (),
        best_possible=verdict.best_possible if isinstance(verdict, Found) else None,
        bound=_bound(verdict),
        witness=witness,
        seen=_seen(asked),
        excess=excess,
        evidence=evidence,
        evidence_by=engine,
        is_checked=is_checked,
        reason=_reason(verdict),
        facts=verdict.facts if isinstance(verdict, Disproved) else () if evidence is None else evidence.facts,
        conditions=_conditions(claim),
        apart=tuple(_separate(result, each) for each in _apart(verdict)),
    )


def _apart(verdict: Verdict) -> tuple[Apart, ...]:
    return verdict.apart if isinstance(verdict, Proved | Computed) else ()


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


def _epsilon(claim: Claim, verdict: Verdict) -> Epsilon | None:
    """The epsilon that is claimed: the refuted one, or the one that all comparisons share."""
    if isinstance(verdict, Refuted):
        return verdict.epsilon
    epsilons = {str(comparison.epsilon): comparison.epsilon for comparison in _comparisons(claim)}
    return next(iter(epsilons.values())) if len(epsilons) == 1 else None


def _delta(question: Question | None, verdict: Verdict) -> Number | None:
    if isinstance(verdict, Refuted):
        return verdict.delta
    return question.delta if isinstance(question, Compare) else None


def _value(verdict: Verdict) -> Quantity | None:
    match verdict:
        case Computed(value=value) | Proved(value=value) | Contradicted(value=value) | Found(objective=value):
            return value
        case _:
            return None


def _values(verdict: Verdict) -> tuple[NamedValue, ...]:
    match verdict:
        case Computed(values=values) | Proved(values=values) | Contradicted(values=values):
            return values
        case Found(values=found):
            return tuple(NamedValue(name=name, value=value) for name, value in found)
        case _:
            return ()


def _bound(verdict: Verdict) -> Bound | None:
    match verdict:
        case Found(proof=proof):
            return proof.bound
        case NoneFound():
            return None
        case _:
            return verdict.bound


def _excess(question: Question | None, verdict: Refuted | Contradicted | Computed, witness: Witness) -> Quantity | None:
    """The excess of the witness's words; at the smallest epsilon, where that is computed, it is the delta."""
    if isinstance(verdict, Refuted):
        return witness.excess(verdict.epsilon) if verdict.delta else None
    if not isinstance(question, Compare) or question.delta == 0:
        return None
    if question.goal == "delta":
        return None if witness.epsilon is None else witness.excess(witness.epsilon)
    ratio = None if verdict.bound is None else verdict.bound.ratio or verdict.bound.lower
    if isinstance(ratio, Fraction):
        return witness.excess_at(ratio)
    return None if witness.probability_right else witness.probability_left


def _comparisons(claim: Claim) -> list[Comparison]:
    """All that are compared, in all cases."""
    asked = [question.claim if isinstance(question, Search) else question for question in claim.questions]
    return [each for question in asked if isinstance(question, Compare) for each in question.comparisons]


def _direction(claim: Claim) -> Literal["minimise", "maximise"] | None:
    return claim.question.direction if claim.cases and isinstance(claim.question, Search) else None


def _evidence(verdict: Verdict) -> tuple[Evidence | None, str, bool]:
    """Why it is believed, who found that, and whether it was checked by other means."""
    match verdict:
        case Proved(evidence=evidence, engine=engine, checked=checked):
            return evidence, engine, checked
        case NoneFound(evidence=evidence, engine=engine, checked=checked):
            return evidence, engine, checked
        case Found(proof=proof):
            return proof.evidence, proof.engine, proof.checked
        case _:
            return None, "", False


def _reason(verdict: Verdict) -> str:
    match verdict:
        case Unknown(reason=reason):
            return reason
        case Disproved(problem=problem):
            return problem
        case _:
            return ""


def _conditions(claim: Claim) -> tuple[str, ...]:
    """The secrets of which nothing is asked where they have probability 0, each once, in the order of comparisons."""
    assumed = [condition.text for comparison in _comparisons(claim) for condition in comparison.nonzero]
    return tuple(dict.fromkeys(assumed))
