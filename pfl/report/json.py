"""The report as one JSON object, as docs/reference/json.md and schema.json describe it."""

from __future__ import annotations

import json
from typing import Any, assert_never

from pfl.base.diagnostics import Diagnostic
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Bound, Evidence, ExactRoot, NamedValue
from pfl.ir.chain_questions import Expectation, Probability, ResultDistribution
from pfl.ir.claims import Cases, Claim, Indistinguishability, Likelihood, Question, SingleQuestion, Unposed, underlying
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.report.numbers import exact_text, json_epsilon, json_log, json_quantity, json_value
from pfl.report.statement import WHOLE_RUN
from pfl.verify.verdict import (
    ClaimResult,
    Computed,
    Contradicted,
    Disproved,
    Findings,
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
from pfl.version import __version__

SCHEMA = 1
"""Raised when a key changes its meaning or goes; keys may be added without."""


def render_json(findings: Findings) -> str:
    """The object as ASCII text, so that no encoding of standard output can spoil it, ended by a newline."""
    return json.dumps(json_report(findings), indent=1) + "\n"


def json_report(findings: Findings) -> dict[str, Any]:
    """The report as plain objects."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in findings.diagnostics],
        "claims": [_claim(result) for result in findings.results],
        "unjudged": [declared(claim) for claim in findings.unjudged],
        "interrupted": bool(findings.interruption),
        "exit_code": findings.exit_code,
    }


def declared(claim: Claim) -> dict[str, Any]:
    """What is known of a claim that was not judged, or not yet."""
    return {"name": claim.name, "kind": claim.kind, "file": claim.origin.file, "line": claim.origin.line}


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    span = diagnostic.primary.span if diagnostic.primary is not None else None
    end_line, end_column = span.end_position if span is not None else (None, None)
    return {
        "code": str(diagnostic.code),
        "slug": diagnostic.code.slug,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": diagnostic.file_name,
        "line": span.line if span is not None else None,
        "column": span.column if span is not None else None,
        "end_line": end_line,
        "end_column": end_column,
        "help": diagnostic.help,
    }


def _claim(result: ClaimResult) -> dict[str, Any]:
    claim, verdict = result.claim, result.verdict
    question = underlying(claim.question)
    epsilon = _epsilon(claim.question, verdict)
    delta = question.delta if isinstance(question, Indistinguishability) else None
    return {
        "name": claim.name,
        "kind": claim.kind,
        "file": claim.origin.file,
        "line": claim.origin.line,
        "verdict": verdict_word(verdict),
        "expected": claim.expected,
        "as_expected": result.as_expected,
        "engine": verdict.engine,
        "epsilon": None if epsilon is None else json_epsilon(epsilon),
        "delta": None if delta is None else exact_text(delta),
        "length": _length(question),
        "bound": _bound(_bound_of(verdict)),
        "value": _value(verdict),
        "values": _values(verdict),
        "witness": _witness(_witness_of(verdict)),
        "evidence": _evidence(verdict),
        "reason": _reason(verdict),
        "notes": [*claim.notes, *claim.remarks],
    }


def _reason(verdict: Verdict) -> str | None:
    match verdict:
        case Unknown(reason=reason):
            return reason
        case Disproved(problem=problem, facts=facts):
            return "; ".join((problem, *(f"{key}: {text}" for key, text in facts)))
        case _:
            return None


def _epsilon(question: Question, verdict: Verdict) -> Epsilon | None:
    """The epsilon that is claimed: the refuted one, or the one that all comparisons share."""
    if isinstance(verdict, Refuted):
        return verdict.epsilon
    if isinstance(question, RelationCheck):
        return question.epsilon
    asked = [case.question for case in question.cases] if isinstance(question, Cases) else [underlying(question)]
    comparisons = [c for single in asked if isinstance(single, Indistinguishability) for c in single.comparisons]
    epsilons = {str(comparison.epsilon): comparison.epsilon for comparison in comparisons}
    return next(iter(epsilons.values())) if len(epsilons) == 1 else None


def _length(question: SingleQuestion) -> int | str | list[int] | None:
    match question:
        case Likelihood(word=word):
            return len(word)
        case Indistinguishability(unit=unit) if unit == WHOLE_RUN:
            return None
        case Indistinguishability(claimed_lengths="any"):
            return "any"
        case Indistinguishability(claimed_lengths=lengths):
            return lengths[0] if len(lengths) == 1 else [int(length) for length in lengths]
        case Probability(within=within):
            return within
        case RelationCheck():
            return "any"
        case Expectation() | ResultDistribution() | Implementation() | Unposed():
            return None
        case _:
            assert_never(question)


def _bound_of(verdict: Verdict) -> Bound | None:
    match verdict:
        case Found(proof=proof):
            return proof.bound
        case NoneFound():
            return None
        case _:
            return verdict.bound


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    return {
        "ratio": None if bound.ratio is None else exact_text(bound.ratio),
        "log": None if bound.ratio is None else json_log(bound.ratio),
        "lower_ratio": None if bound.lower is None else exact_text(bound.lower),
        "upper_ratio": None if bound.upper is None else exact_text(bound.upper),
        "attained": None if bound.ratio is None and (bound.lower or bound.upper) else bound.attained,
        "limit": bound.limit_at or None,
    }


def _value(verdict: Verdict) -> dict[str, Any] | None:
    match verdict:
        case Computed(value=number) | Proved(value=number) | Found(objective=number) if number is not None:
            return json_quantity(number)
        case Contradicted(value=number, witness=None):
            return json_quantity(number)
        case _:
            return None


def _values(verdict: Verdict) -> list[dict[str, Any]] | None:
    match verdict:
        case Computed(values=values) | Proved(values=values) | Contradicted(values=values) if values:
            return [_named(named) for named in values]
        case Found(values=found):
            return [{"name": name, "exact": exact_text(value), "value": json_value(value)} for name, value in found]
        case _:
            return None


def _named(named: NamedValue) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": named.name, **json_quantity(named.value)}
    return {**entry, "arguments": dict(named.arguments)} if named.arguments else entry


def _witness_of(verdict: Verdict) -> Witness | None:
    return verdict.witness if isinstance(verdict, Refuted | Contradicted | Computed) else None


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    inputs = [list(word) for word in witness.inputs]
    run = [list(word) for word in witness.words] if witness.observations else None
    seen = [list(word) for word in witness.observations or witness.words]
    return {
        "left": witness.left,
        "right": witness.right,
        "prior": witness.prior or None,
        "bindings": dict(witness.bindings),
        "parameters": {name: _parameter(value) for name, value in witness.parameters},
        "inputs": inputs[0] if len(inputs) == 1 else inputs,
        "observations": seen[0] if len(seen) == 1 else seen,
        "run": run[0] if run is not None and len(run) == 1 else run,
        "probability_left": exact_text(witness.probability_left),
        "probability_right": exact_text(witness.probability_right),
        "ratio": exact_text(witness.ratio),
    }


def _parameter(value: ParameterValue) -> str | dict[str, Any]:
    if isinstance(value, ExactRoot):
        return {"exact": f"root of {value.polynomial}", "value": value.value}
    return exact_text(value)


def _evidence(verdict: Verdict) -> dict[str, Any] | None:
    match verdict:
        case Proved(evidence=evidence, checked=checked) | NoneFound(evidence=evidence, checked=checked):
            return _evidence_object(evidence, checked)
        case Found(proof=proof):
            return _evidence_object(proof.evidence, proof.checked)
        case _:
            return None


def _evidence_object(evidence: Evidence, checked: bool) -> dict[str, Any]:
    return {"kind": evidence.kind, "checked": checked}
