"""From a question to a verdict: plan, ask, then believe only what can be checked again.

A verdict holds for the values of the parameters that the question is about, but for those at which one of its
`exceptional` conditions fails; `pfl.verify.parameters.everywhere` sees to these.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from pfl.analysis.polynomial.algebraic import Undecidable
from pfl.analysis.polynomial.points import find_point
from pfl.base.budget import Budget
from pfl.base.closed_form import is_closed, sign
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import (
    Answer,
    Attains,
    Bound,
    Computed,
    Disproved,
    Evidence,
    Fails,
    Finds,
    NoneFound,
    Proved,
    Unknown,
    Violation,
    is_larger,
)
from pfl.engines.parametric.side_conditions import Nlsat
from pfl.engines.registry import ENGINES, Engine, ask, ask_each
from pfl.engines.witness import Witness
from pfl.model.claims import Case, Limit, Question, Search
from pfl.model.compare import Compare
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.options import Options
from pfl.passes.substitute import ImpossibleValues, number_at, substitute
from pfl.verify.certificates.certificate_format import Unproved
from pfl.verify.certificates.evidence import faults_of_evidence
from pfl.verify.replay import ReplayFailed, refute, replay
from pfl.verify.verdict import Found, Refuted, Verdict

PATIENCE = 10.0
"""Seconds that confirming a proof may take beyond the time that finding it took."""


@struct
class Plan:
    """The engine to ask, the reason for the choice, and an engine of another kind that is to confirm a proof."""

    engine: Engine
    reason: str
    confirm: Engine | None = None


def plan(question: Question, options: Options) -> Plan:
    """The engine that `options.engine` names, where that can answer the question, or the first that can."""
    asked = next((e for e in ENGINES if e.by_request and e.name == options.engine and e.can(question)), None)
    if asked is not None and not asked.confirmed:
        return Plan(engine=asked, reason=asked.reason)
    own = next(engine for engine in ENGINES if not engine.by_request and engine.can(question))
    if asked is not None:
        return Plan(engine=asked, reason=asked.reason, confirm=own)
    return Plan(engine=own, reason=own.reason)


def without_questions(limit: Limit) -> Unknown:
    """The verdict on a claim that could not be lowered; raises LimitReached where that was for a limit."""
    if limit.is_internal:
        return Unknown(engine="none", reason=limit.reason, is_internal=True)
    raise LimitReached(limit.reason)


def verdict_on(question: Question, options: Options, budget: Budget) -> Verdict:
    """Ask the planned engine and conclude. Raises LimitReached where the budget is spent, and InputRejected where the
    engine finds the claim itself at fault."""
    if isinstance(question, Compare) and not question.comparisons:
        return _vacuous(question)
    chosen = plan(question, options)
    started = time.monotonic()
    verdict = conclude(question, ask(chosen.engine, question, options, budget), options, budget)
    if chosen.confirm is None or not isinstance(verdict, Proved | Computed):
        return verdict
    allowed = time.monotonic() + PATIENCE + (time.monotonic() - started)
    limited = replace(budget, deadline=min(allowed, budget.deadline or allowed))
    try:
        second = conclude(question, ask(chosen.confirm, question, options, limited), options, limited)
    except LimitReached:
        return verdict
    return _agreed(verdict, second)


def _vacuous(question: Compare) -> Proved | Computed:
    """The verdict where nothing is compared: no ratio is above 1, and no excess above 0."""
    if question.goal == "epsilon":
        return Computed(engine="exact", bound=Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)))
    if question.goal == "delta":
        return Computed(engine="exact", value=Fraction(0))
    evidence = Evidence(kind="vacuous", detail="; ".join(question.skipped))
    return Proved(engine="exact", evidence=evidence, checked=True)


def of_cases(cases: Sequence[Case], verdicts: Sequence[Verdict], options: Options, budget: Budget) -> Verdict:
    """What the verdicts on the cases of a claim come to. Raises LimitReached."""
    if len(cases) == 1 and _says_it_all(cases[0]):
        return _without_solution(verdicts[0])
    from pfl.verify.cases import combined  # needed for what ranges, and for checks of numbers only

    verdict = combined(cases, verdicts, budget)
    if isinstance(verdict, Unknown) and verdict.engine == "float":  # the error was too large to decide
        exactly = replace(options, engine="exact")
        return of_cases(cases, verdicts_on_cases(cases, exactly, budget), exactly, budget)
    return _without_solution(verdict)


def _without_solution(verdict: Verdict) -> Verdict:
    """The verdict without what its number was read off, which no proof needs any more."""
    return replace(verdict, solution=None) if isinstance(verdict, Computed) and verdict.solution else verdict


def _says_it_all(case: Case) -> bool:
    """Whether the verdict on a case is that on the claim, if there is no other."""
    return case.required is None and not case.arguments and case.results is None


def verdicts_on_cases(cases: Sequence[Case], options: Options, budget: Budget) -> list[Verdict]:
    """The verdicts on the cases of a claim, one by one, or all at once where an engine can. Raises LimitReached, and
    InputRejected where an engine finds the claim itself at fault."""
    questions = [case.question for case in cases]
    engine = plan(questions[0], options).engine
    if not engine.together:
        return [verdict_on(single, options, budget) for single in questions]
    answers = ask_each(engine, questions, options, budget)
    return [conclude(single, answer, options, budget) for single, answer in zip(questions, answers)]


def _agreed(first: Proved | Computed, second: Verdict) -> Verdict:
    """What to believe of a solver and of the exact engine that was asked after it: a word that replays wins."""
    match first, second:
        case Proved(), Proved():
            return replace(first, checked=True, bound=first.bound or second.bound)
        case Proved(), Refuted():
            return second
        case Computed(bound=Bound(ratio=found)), Computed(bound=Bound(ratio=exact)) if found and exact:
            if found == exact:
                return first
            return second if is_larger(exact, found) else _fault(second.engine, "it misses a word that a solver found")
        case _:
            return first


def conclude(question: Question, answer: Answer, options: Options, budget: Budget) -> Verdict:
    """What an engine's answer is worth after certificates were checked, violations replayed and values put in.

    Raises LimitReached where proving what a find has found spends the budget.
    """
    match answer:
        case Proved():
            return _proved(question, answer, budget)
        case Fails():
            assert isinstance(question, Compare)
            return replace(refute(question, answer.engine, answer.violation), bound=_as_seen(question, answer.bound))
        case Disproved():
            return answer
        case Unknown():
            return replace(answer, bound=_as_seen(question, answer.bound))
        case Computed():
            return _computed(question, replace(answer, bound=_as_seen(question, answer.bound)))
        case Attains():
            assert isinstance(question, Compare)
            return _attained(question, answer.computed, answer.violation)
        case Finds():
            assert isinstance(question, Search)
            return _found(question, answer, options, budget)
        case NoneFound():
            assert isinstance(question, Search)
            return _none_found(question, answer, budget)
        case _:
            assert_never(answer)


def _none_found(question: Search, answer: NoneFound, budget: Budget) -> NoneFound | Unknown:
    """That no values satisfy the claim, checked if it has a certificate."""
    evidence = answer.evidence
    if not evidence.certificates:
        return replace(answer, checked=False)
    from pfl.verify.certificates.none_found import verify_none  # needed by few claims

    try:
        faults = verify_none(evidence.certificates[0], question, budget)
    except LimitReached:
        return replace(answer, checked=False)
    if not faults:
        return replace(answer, checked=True)
    if all(isinstance(fault, Unproved) for fault in faults):
        return replace(answer, checked=False, evidence=replace(evidence, certificates=(), uncertified=str(faults[0])))
    return _fault(answer.engine, f"the engine's proof does not stand up to the independent check: {faults[0]}")


def _as_seen(question: Question, bound: Bound | None) -> Bound | None:
    """What is known of the ratios of what an adversary sees, where letters say more than that."""
    if bound is None or not isinstance(question, Compare) or not any(c.table.interleaved for c in question.comparisons):
        return bound
    upper = bound.upper if bound.ratio is None else bound.ratio
    seen = None if bound.best is None else replay(question, bound.best).ratio
    lower = None if isinstance(seen, RationalFunction) else seen
    return replace(bound, ratio=upper if lower == upper else None, lower=lower, upper=upper)


def _proved(question: Question, proof: Proved, budget: Budget) -> Proved | Unknown:
    """The proof, checked if it has certificates; a fault of the engine if they prove nothing."""
    if isinstance(question, EnclosedCompare):
        return _proved_by_enclosures(question, proof, budget)
    assert isinstance(question, Compare)
    certificates = proof.evidence.certificates
    evidence = proof.evidence
    try:
        faults = faults_of_evidence(question, certificates, budget) if certificates else []
        checked = bool(certificates)
    except LimitReached:
        faults, checked = [], False
    if faults and all(isinstance(fault, Unproved) for fault in faults):
        evidence, checked = replace(evidence, certificates=(), uncertified=str(faults[0])), False
    elif faults:
        return _fault(proof.engine, f"the engine's proof does not stand up to the independent check: {faults[0]}")
    return replace(proof, evidence=evidence, checked=checked, bound=_as_seen(question, proof.bound))


def _proved_by_enclosures(question: EnclosedCompare, proof: Proved, budget: Budget) -> Proved | Unknown:
    """The proof, checked if sums of steps confirm it, which are less narrow than the enclosures it rests on."""
    from pfl.verify.certificates.enclosed.confirmation import confirmation  # needed with Gaussian noise only

    try:
        found = confirmation(question, budget)
    except LimitReached:
        found = "open"
    if found == "contradicted":
        return _fault(proof.engine, "the enclosures that the engine found are contradicted by sums of steps")
    is_confirmed = found == "confirmed"
    said = (
        ("checked", "again by sums of steps, in integer arithmetic")
        if is_confirmed
        else ("not checked", "sums of steps, in integer arithmetic, are too wide to confirm it")
    )
    evidence = replace(proof.evidence, facts=(*proof.evidence.facts, said))
    return replace(proof, checked=is_confirmed, evidence=evidence)


def _computed(question: Question, computed: Computed) -> Computed | Unknown:
    """A number, or a bound of ratios with the best word, replayed, as its witness."""
    bound = computed.bound
    if not isinstance(question, Compare) or bound is None or bound.best is None:
        return computed
    try:
        witness = replay(question, bound.best)
    except ReplayFailed as failure:
        return _fault(computed.engine, f"the engine's best word does not replay: {failure}")
    if _overstates(question, bound, witness):
        return _fault(computed.engine, f"the engine's best word has ratio {witness.ratio}, not the one it reports")
    return replace(computed, witness=witness)


def _attained(question: Compare, computed: Computed, violation: Violation) -> Computed | Unknown:
    """A delta with the words whose excess it is, replayed, as its witness."""
    try:
        witness = replay(question, violation)
        if _misstates(computed, witness):
            return _fault(computed.engine, "the excess of the engine's words is not the delta that it reports")
    except (ReplayFailed, Undecidable) as failure:
        return _fault(computed.engine, f"the engine's best word does not replay: {failure}")
    return replace(computed, witness=witness)


def _overstates(question: Compare, bound: Bound, witness: Witness) -> bool:
    """Whether the best word, or set of words, falls short of the lower bound that it is given for.

    Under parameters the bound is a supremum, or a function, that no single word at given values need attain.
    """
    if not bound.attained or witness.parameters or bound.lower is None:
        return False
    ratio = witness.ratio
    if question.delta:
        left, right = witness.probability_left - question.delta, witness.probability_right
        ratio = left / right if right else "inf" if left != 0 else Fraction(1)
    if isinstance(ratio, RationalFunction) and is_closed(ratio):
        return isinstance(bound.lower, str) or sign(ratio - bound.lower) < 0
    return bound.lower != "unbounded" and bound.lower != ratio


def _misstates(computed: Computed, witness: Witness) -> bool:
    """Whether the words have a larger excess than the delta that they are given for, or, being all, a smaller one.

    Under parameters that is a supremum, which words at given values need not attain.
    """
    assert witness.epsilon is not None, "a delta is asked for at an epsilon"
    value = computed.value
    low, high = (value.low, value.high) if isinstance(value, Enclosure) else (value, value)
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    if witness.exceeds(witness.epsilon, high):
        return True
    is_part = witness.parameters or witness.out_of is not None
    return not is_part and not witness.reaches(witness.epsilon, low)


def _found(question: Search, answer: Finds, options: Options, budget: Budget) -> Found | Unknown:
    """The values, once the claim was proved with them in place; both sides of every comparison then have weight."""
    try:
        claim = substitute(question.claim, answer.values)
        objective = None if question.objective is None else number_at(question.objective, answer.values)
    except ImpossibleValues as impossible:
        return _fault(answer.engine, f"the engine's values are impossible: {impossible}")
    proof: Verdict
    if question.allowed is not None and find_point(claim.parameters, budget, Nlsat()) is None:
        detail = "all values that go with these are judged apart"  # as whoever has left them out does next
        proof = Proved(engine=answer.engine, evidence=Evidence(kind="vacuous", detail=detail))
    else:
        proof = verdict_on(claim, replace(options, engine="auto"), budget)
    match proof:
        case Proved():
            return Found(
                engine=answer.engine,
                values=tuple((name, answer.values[name]) for name in question.names),
                proof=proof,
                objective=objective,
                best_possible=answer.best_possible,
            )
        case Unknown():
            return Unknown(engine=proof.engine, reason=f"values were found, but {proof.reason}")
        case _:
            return _fault(answer.engine, "the engine's values do not satisfy the claim")


def _fault(engine: str, reason: str) -> Unknown:
    """What an engine said turned out wrong: nothing is concluded, and the fault is ours."""
    return Unknown(engine=engine, reason=reason, is_internal=True)
