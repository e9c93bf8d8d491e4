"""From a claim to a verdict: plan, ask, then believe only what can be checked again."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from pfl.base.budget import Budget, ProgressReport, moment_after
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.exceptions import description, is_out_of_memory, out_of_memory
from pfl.base.rational_function import RationalFunction
from pfl.base.recursion import deep_recursion
from pfl.engines.answer import (
    Answer,
    Bound,
    Disproof,
    Evidence,
    Fails,
    Holds,
    NothingFound,
    Ratio,
    Undecided,
    Value,
)
from pfl.engines.answer import Found as FoundValues
from pfl.ir.claims import Cases, Claim, Indistinguishability, Question, Synthesis, Unposed
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.options import Options
from pfl.transform.substitute import ImpossibleValues, number_at, substitute
from pfl.verify.evidence import faults_of_evidence
from pfl.verify.plan import EngineName, ask, ask_each, plan
from pfl.verify.replay import ReplayFailed, refute, replay
from pfl.verify.verdict import Computed, Disproved, Found, NoneFound, Proved, Refuted, Unknown, Verdict, Witness

PATIENCE = 10.0
"""Seconds that confirming a proof may take beyond the time that finding it took."""


def judge(claim: Claim, options: Options, progress: ProgressReport) -> Verdict:
    """The verdict on one claim, within the limits of `options`; time, memory and depth that run out make it unknown.

    A fault of the compiler makes it unknown too, marked as internal; with `options.debug` it escapes. Raises
    InputRejected where an engine finds the claim itself at fault.
    """
    budget = Budget(deadline=moment_after(options.timeout), max_states=options.max_states, progress=progress)
    engine: EngineName = "none"
    try:
        engine = plan(claim.question, options).engine
        with deep_recursion():
            verdict = verdict_on(claim.question, options, budget)
    except InputRejected:
        raise
    except LimitReached as limit:
        return Unknown(engine=engine, reason=limit.reason)
    except RecursionError:
        return Unknown(engine=engine, reason="the model is nested too deeply for this engine")
    except Exception as error:
        if is_out_of_memory(error):
            return Unknown(engine=engine, reason=out_of_memory(options.memory))
        if options.debug:
            raise
        verdict = Unknown(engine=engine, reason=f"the compiler has failed: {description(error)}", is_internal=True)
    if isinstance(verdict, Unknown) and verdict.is_internal:
        return replace(verdict, reason=f"{verdict.reason}; {_how_to_report(claim)}")
    return verdict


def _how_to_report(claim: Claim) -> str:
    where = f"{claim.origin.file}:{claim.origin.line}"
    return (
        f"this is a fault of pflc, not of the model: please report it together with claim `{claim.name}` at {where}; "
        "--debug shows the traceback"
    )


def verdict_on(question: Question, options: Options, budget: Budget) -> Verdict:
    """Ask the planned engine and conclude; raises LimitReached where the budget is spent."""
    if isinstance(question, Unposed) and question.is_internal:
        return Unknown(engine="none", reason=question.reason, is_internal=True)
    if isinstance(question, Unposed):
        raise LimitReached(question.reason)
    if isinstance(question, Indistinguishability) and not question.comparisons:
        return _vacuous(question)
    if isinstance(question, Cases):
        from pfl.verify.cases import combined  # needed for claims over cases only

        verdict = combined(question, _verdicts_on(question, options, budget), budget)
        if options.engine == "float" and isinstance(verdict, Unknown):
            return verdict_on(question, replace(options, engine="exact"), budget)  # the error was too large to decide
        return verdict
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


def _vacuous(question: Indistinguishability) -> Proved | Computed:
    """The verdict where nothing is compared: no ratio is above 1, and no excess above 0."""
    if question.goal == "epsilon":
        return Computed(engine="exact", bound=Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)))
    if question.goal == "delta":
        return Computed(engine="exact", value=Fraction(0))
    evidence = Evidence(kind="vacuous", detail="; ".join(question.skipped))
    return Proved(engine="exact", evidence=evidence, checked=True)


def _verdicts_on(question: Cases, options: Options, budget: Budget) -> list[Verdict]:
    """The verdicts on the cases of a claim, one by one, or all at once where an engine can."""
    questions = [case.question for case in question.cases]
    engine = plan(question, options).engine
    if engine not in ("chain", "float"):
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
            return second if _is_larger(exact, found) else _fault(second.engine, "it misses a word that a solver found")
        case _:
            return first


def _is_larger(ratio: Ratio, other: Ratio) -> bool:
    if isinstance(ratio, Fraction) and isinstance(other, Fraction):
        return ratio > other
    return ratio == "inf"


def conclude(question: Question, answer: Answer, options: Options, budget: Budget) -> Verdict:
    """What an engine's answer is worth after certificates were checked, violations replayed and values put in."""
    if isinstance(answer, Holds | Fails | Undecided | Value) and answer.bound is not None:
        answer = replace(answer, bound=_as_seen(question, answer.bound))
    match answer:
        case Holds():
            return _proved(question, answer, budget)
        case Fails():
            assert isinstance(question, Indistinguishability)
            verdict = refute(question, answer.engine, answer.violation)
            return replace(verdict, bound=answer.bound)
        case Disproof():
            return Disproved(engine=answer.engine, problem=answer.problem, facts=answer.facts)
        case Undecided():
            return Unknown(engine=answer.engine, reason=answer.reason, bound=answer.bound)
        case Value():
            return _computed(question, answer)
        case FoundValues():
            assert isinstance(question, Synthesis)
            return _found(question, answer, options, budget)
        case NothingFound():
            return NoneFound(engine=answer.engine, evidence=answer.evidence, checked=False)
        case _:
            assert_never(answer)


def _as_seen(question: Question, bound: Bound) -> Bound:
    """What is known of the ratios of what an adversary sees, where letters say more than that."""
    if not isinstance(question, Indistinguishability) or not any(c.interleaved for c in question.comparisons):
        return bound
    upper = bound.upper if bound.ratio is None else bound.ratio
    seen = None if bound.best is None else replay(question, bound.best).ratio
    lower = None if isinstance(seen, RationalFunction) else seen
    return replace(bound, ratio=upper if lower == upper else None, lower=lower, upper=upper)


def _proved(question: Question, answer: Holds, budget: Budget) -> Proved | Unknown:
    assert isinstance(question, Indistinguishability | Implementation | RelationCheck)
    certificates = answer.evidence.certificates
    try:
        faults = faults_of_evidence(question, certificates, budget) if certificates else []
        checked = bool(certificates)
    except LimitReached:
        faults, checked = [], False
    if faults:
        return _fault(answer.engine, f"the engine's proof does not stand up to the independent check: {faults[0]}")
    return Proved(engine=answer.engine, evidence=answer.evidence, checked=checked, bound=answer.bound)


def _computed(question: Question, answer: Value) -> Computed | Unknown:
    witness = None
    if isinstance(question, Indistinguishability) and answer.bound is not None and answer.bound.best is not None:
        try:
            witness = replay(question, answer.bound.best)
        except ReplayFailed as failure:
            return _fault(answer.engine, f"the engine's best word does not replay: {failure}")
        if _overstates(answer.bound, witness):
            return _fault(answer.engine, f"the engine's best word has ratio {witness.ratio}, not the one it reports")
    return Computed(
        engine=answer.engine,
        value=answer.value,
        values=answer.values,
        bound=answer.bound,
        witness=witness,
        provided=answer.provided,
    )


def _overstates(bound: Bound, witness: Witness) -> bool:
    """Whether the best word falls short of the lower bound that it is given for.

    Under parameters the bound is a supremum, or a function, that no single word at given values need attain.
    """
    if not bound.attained or witness.parameters or bound.lower is None:
        return False
    return bound.lower != "unbounded" and bound.lower != witness.ratio


def _found(question: Synthesis, answer: FoundValues, options: Options, budget: Budget) -> Found | Unknown:
    """The values, once the claim was proved with them in place; both sides of every comparison then have weight."""
    try:
        claim = substitute(question.claim, answer.values)
        objective = None if question.objective is None else number_at(question.objective, answer.values)
    except ImpossibleValues as impossible:
        return _fault(answer.engine, f"the engine's values are impossible: {impossible}")
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
