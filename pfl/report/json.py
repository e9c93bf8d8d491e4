"""The report as one JSON object, as docs/reference/json.md and schema.json describe it.

The report as JSON lines, an object a line as it is known; docs/reference/json.md and schema.json describe them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pfl.analysis.polynomial.algebraic import ExactRoot, ParameterValue, approximation
from pfl.base.diagnostics import Diagnostic
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import Exponential
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Bound, NamedValue
from pfl.engines.witness import Witness
from pfl.model.claims import Claim
from pfl.model.compare import Lengths
from pfl.model.parameters import ExponentialSpace, Parameter, Space
from pfl.report.numbers import exact_text, json_epsilon, json_log, json_quantity, json_value, told
from pfl.report.record import Judgement, Record, Separate, record_of
from pfl.verify.verdict import Findings, Tally
from pfl.version import __version__

SCHEMA = 2
"""Raised when a key changes its meaning or goes; keys may be added without."""
MOST_LISTED = 1_000
"""Words of one witness that are listed."""


def render_json(findings: Findings) -> str:
    """The object as ASCII text, so that no encoding of standard output can spoil it, ended by a newline."""
    return json.dumps(json_report(findings), indent=1) + "\n"


def json_report(findings: Findings) -> dict[str, Any]:
    """The report as plain objects."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "diagnostics": [diagnostic_value(diagnostic) for diagnostic in findings.diagnostics],
        "claims": [claim_value(record_of(result)) for result in findings.results],
        "unjudged": [declared(claim) for claim in findings.unjudged],
        "interrupted": bool(findings.interruption),
        "exit_code": findings.exit_code,
    }


def declared(claim: Claim) -> dict[str, Any]:
    """What is known of a claim that was not judged, or not yet."""
    return {"name": claim.name, "kind": claim.kind, "file": claim.origin.file, "line": claim.origin.line}


def diagnostic_value(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic as plain objects."""
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


def claim_value(record: Record) -> dict[str, Any]:
    """One claim as plain objects; it depends on no other claim."""
    origin = record.origin
    return {
        "name": record.name,
        "verb": record.verb,
        "kind": record.kind,
        "subject": record.subject,
        "relation": record.relation or None,
        "file": origin.file,
        "line": origin.line,
        "column": origin.column,
        "end_line": origin.end_line,
        "end_column": origin.end_column,
        "expected": record.expected,
        "as_expected": record.as_expected,
        "length": _length(record.lengths),
        "unit": record.unit or None,
        **_space(record.space),
        "direction": record.direction,
        **judgement_value(record.judgement),
        "notes": list(record.notes),
        "remarks": list(record.remarks),
    }


def judgement_value(judgement: Judgement) -> dict[str, Any]:
    """A verdict as plain objects, with nothing of the claim that it is about."""
    epsilon, delta, required = judgement.epsilon, judgement.delta, judgement.required
    return {
        "verdict": judgement.verdict,
        "statement": judgement.statement,
        "engine": judgement.engine,
        "epsilon": None if epsilon is None else json_epsilon(epsilon),
        "delta": None if delta is None else exact_text(delta),
        "bound": _bound(judgement.bound),
        "value": None if judgement.value is None else json_quantity(judgement.value, judgement.multiplied),
        "values": [_named(named, judgement.gives_ratios, judgement.multiplied) for named in judgement.values] or None,
        "best_possible": None if judgement.best_possible is None else json_quantity(judgement.best_possible),
        "required": None if required is None else {"relation": required.relation, **json_quantity(required.number)},
        "arguments": dict(judgement.arguments),
        "at": _parameters(judgement.parameters),
        "witness": _witness(judgement),
        "evidence": _evidence(judgement),
        "facts": [{"key": key, "text": text} for key, text in judgement.facts],
        "reason": judgement.reason or None,
        "conditions": list(judgement.conditions),
        "apart": [_separate(each) for each in judgement.apart],
        **({"internal": True} if judgement.is_internal else {}),
    }


def _separate(separate: Separate) -> dict[str, Any]:
    place = {"name": separate.name, "value": exact_text(separate.value)}
    return {"where": place, "differs": separate.differs, **judgement_value(separate.judgement)}


def _length(lengths: Lengths | None) -> int | str | list[int] | None:
    if lengths is None or lengths == "any":
        return lengths
    return lengths[0] if len(lengths) == 1 else [int(length) for length in lengths]


def _space(space: Space) -> dict[str, Any]:
    """The ranges of the parameters and what is assumed of them; the end of an interval without one is `inf`."""
    if isinstance(space, ExponentialSpace):
        ends = {"low": exact_text(space.low), "high": exact_text("inf" if space.high is None else space.high)}
        opens = {"low_open": space.low_open, "high_open": space.high_open}
        return {"parameters": [{"name": space.base, **ends, **opens}] if str(space) else [], "assumptions": []}
    return {
        "parameters": [_interval(parameter) for parameter in space.parameters],
        "assumptions": [" or ".join(condition.text for condition in clause) for clause in space.assumptions],
    }


def _interval(parameter: Parameter) -> dict[str, Any]:
    """The range of a parameter; of e^(-x/n) in (0, 1), that of x."""
    held = Exponential.of(parameter.name)
    if held is not None:
        ends = {"low": "0", "high": "inf", "low_open": parameter.high_open, "high_open": True}
        return {"name": held.base, **ends}
    return {
        "name": parameter.name,
        "low": exact_text(parameter.low),
        "high": exact_text(parameter.high),
        "low_open": parameter.low_open,
        "high_open": parameter.high_open,
    }


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    ratios = {"ratio": bound.ratio, "lower_ratio": bound.lower, "upper_ratio": bound.upper}
    logarithms = {"log": bound.ratio, "lower_log": bound.lower, "upper_log": bound.upper}
    return {
        **{key: None if ratio is None else exact_text(ratio) for key, ratio in ratios.items()},
        **({} if bound.closed is None else {"ratio": exact_text(bound.closed)}),
        **{key: None if ratio is None else json_log(ratio) for key, ratio in logarithms.items()},
        "attained": None if bound.ratio is None and (bound.lower or bound.upper) else bound.attained,
        "limit": bound.limit_at or None,
    }


def _named(named: NamedValue, is_ratio: bool, multiplied: str | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": named.name, **json_quantity(named.value, multiplied)}
    if is_ratio:
        entry["log"] = None if isinstance(named.value, Enclosure) else json_log(named.value)
    return {**entry, "arguments": dict(named.arguments)} if named.arguments else entry


def _witness(judgement: Judgement) -> dict[str, Any] | None:
    witness = judgement.witness
    if witness is None:
        return None
    words = slice(MOST_LISTED)
    inputs = [list(word) for word in witness.inputs[words]]
    run = [list(word) for word in witness.words[words]] if witness.observations else None
    seen = [list(word) for word in (witness.observations or witness.words)[words]]
    return {
        "heading": witness.heading,
        "left": witness.left,
        "right": witness.right,
        "prior": witness.prior or None,
        "bindings": dict(witness.bindings),
        "parameters": _parameters(witness.parameters),
        "seen": judgement.seen,
        "words": len(witness.words),
        "out_of": witness.out_of,
        "inputs": inputs[0] if len(inputs) == 1 else inputs,
        "observations": seen[0] if len(seen) == 1 else seen,
        "run": run[0] if run is not None and len(run) == 1 else run,
        **_probabilities(witness),
        "epsilon": None if witness.epsilon is None else json_epsilon(witness.epsilon),
        "excess": None if judgement.excess is None else json_quantity(judgement.excess),
    }


def _probabilities(witness: Witness) -> dict[str, Any]:
    """Exact, and as decimals, which expressions have where their parameter has an irrational value."""
    numbers = {
        "probability_left": witness.probability_left,
        "probability_right": witness.probability_right,
        "ratio": witness.ratio,
    }
    exact = {key: exact_text(number) for key, number in numbers.items()}
    decimals: dict[str, float | None] = {}
    for key, number in numbers.items():
        near = number
        if witness.root is not None and isinstance(number, RationalFunction):
            near = approximation(number, witness.root)
        decimals[f"{key}_value"] = json_value(near)
    return {**exact, **decimals}


def _parameters(parameters: Sequence[tuple[str, ParameterValue]]) -> dict[str, Any]:
    return dict((name, _parameter(value)) for name, value in (told(*each) for each in parameters))


def _parameter(value: ParameterValue | Epsilon) -> str | dict[str, Any]:
    if isinstance(value, Epsilon):
        return json_epsilon(value)
    if isinstance(value, ExactRoot):
        return {"exact": f"root of {value.polynomial}", "value": value.value}
    return exact_text(value)


def _evidence(judgement: Judgement) -> dict[str, Any] | None:
    evidence = judgement.evidence
    if evidence is None:
        return None
    return {
        "kind": evidence.kind,
        "checked": judgement.is_checked,
        "engine": judgement.evidence_by,
        "detail": evidence.detail or None,
    }


def run_line(claims: Sequence[Claim]) -> str:
    """The first line: what writes, and which claims are to be judged."""
    return _line("run", {"schema": SCHEMA, "version": __version__, "claims": [declared(claim) for claim in claims]})


def part_lines(part: Findings) -> str:
    """A line a diagnostic and a result, with the very objects that the JSON report has for them."""
    report = json_report(part)
    return "".join(
        [_line("diagnostic", found) for found in report["diagnostics"]]
        + [_line("claim", judged) for judged in report["claims"]]
    )


def end_line(tally: Tally) -> str:
    """The last line: numbers of claims, those that are left, and how the run ends."""
    return _line(
        "end",
        {
            "claims": tally.count,
            "as_expected": tally.results - tally.surprises - tally.undecided,
            "not_as_expected": tally.surprises,
            "undecided": tally.undecided,
            "unjudged": [declared(claim) for claim in tally.unjudged],
            "interrupted": bool(tally.interruption),
            "exit_code": tally.exit_code,
        },
    )


def _line(kind: str, value: dict[str, Any]) -> str:
    return json.dumps({kind: value}) + "\n"
