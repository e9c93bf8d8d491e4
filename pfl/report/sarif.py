"""The report as SARIF 2.1.0, for code scanning: diagnostics, and claims that did not come out as expected.

Results have the JSON values of their claims as properties, and the run those of all other claims.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic
from pfl.base.source import Span
from pfl.report.json import claim_value
from pfl.report.record import Record, record_of
from pfl.verify.verdict import Findings
from pfl.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NOT_AS_EXPECTED = "claim-not-as-expected"
UNDECIDED = "claim-undecided"
FAULT = "claim-met-internal-error"


def render_sarif(findings: Findings) -> str:
    """One run of SARIF, as ASCII text ended by a newline."""
    records = [record_of(result) for result in findings.results]
    surprises = [record for record in records if not record.as_expected]
    codes = sorted({diagnostic.code for diagnostic in findings.diagnostics}, key=lambda code: code.number)
    driver = {
        "name": "pflc",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code) for code in codes] + _claim_rules(surprises),
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(findings)],
        "results": [_diagnostic(diagnostic) for diagnostic in findings.diagnostics]
        + [_claim(record) for record in surprises],
        "properties": {"otherClaims": [claim_value(record) for record in records if record.as_expected]},
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _invocation(findings: Findings) -> dict[str, Any]:
    ended = {"executionSuccessful": findings.exit_code in (0, 1), "exitCode": findings.exit_code}
    if not findings.interruption:
        return ended
    unjudged = ", ".join(claim.name for claim in findings.unjudged)
    text = f"interrupted before these claims were judged: {unjudged}" if unjudged else "interrupted"
    return {**ended, "toolExecutionNotifications": [{"level": "error", "message": {"text": text}}]}


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": str(code),
        "name": code.slug,
        "shortDescription": {"text": code.summary},
        "defaultConfiguration": {"level": code.severity},
    }


def _claim_rules(surprises: list[Record]) -> list[dict[str, Any]]:
    texts = {
        NOT_AS_EXPECTED: "a claim was decided, but not as its author expects",
        UNDECIDED: "a claim could not be decided",
        FAULT: "a claim could not be decided because of a fault of pflc itself",
    }
    used = {_claim_rule(record) for record in surprises}
    return [{"id": rule, "shortDescription": {"text": text}} for rule, text in texts.items() if rule in used]


def _claim_rule(record: Record) -> str:
    if record.judgement.verdict == "unknown":
        return FAULT if record.judgement.is_internal else UNDECIDED
    return NOT_AS_EXPECTED


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    text = diagnostic.message if diagnostic.help is None else f"{diagnostic.message}. help: {diagnostic.help}"
    result: dict[str, Any] = {
        "ruleId": str(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": text},
    }
    if diagnostic.labels:
        primary, *others = diagnostic.labels
        result["locations"] = [_location(primary.span.file.name, _region(primary.span))]
        if others:
            result["relatedLocations"] = [
                {**_location(label.span.file.name, _region(label.span)), "message": {"text": label.text}}
                for label in others
            ]
    elif diagnostic.file is not None:
        result["locations"] = [_location(diagnostic.file, None)]
    return result


def _claim(record: Record) -> dict[str, Any]:
    origin, judgement = record.origin, record.judgement
    region = {
        "startLine": origin.line,
        "startColumn": origin.column,
        "endLine": origin.end_line,
        "endColumn": origin.end_column,
    }
    return {
        "ruleId": _claim_rule(record),
        "level": "warning" if _claim_rule(record) == UNDECIDED else "error",
        "message": {"text": f"{judgement.verdict} {record.name}: {judgement.statement}"},
        "locations": [_location(origin.file, region)],
        "properties": {"claim": claim_value(record)},
    }


def _region(span: Span) -> dict[str, int]:
    end_line, end_column = span.end_position
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _location(file: str, region: dict[str, int] | None) -> dict[str, Any]:
    path = PurePath(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if region is not None:
        physical["region"] = region
    return {"physicalLocation": physical}
