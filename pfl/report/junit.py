"""The report as JUnit XML, for test dashboards: a test case a claim, and one for the diagnostics of each file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pfl.base.codes import INTERNAL_ERROR
from pfl.base.diagnostics import Diagnostic
from pfl.model.claims import Claim
from pfl.report.details import diagnostic_line
from pfl.report.human import claim_lines
from pfl.report.json import claim_value
from pfl.report.record import Record, record_of
from pfl.report.styled import plain, visible
from pfl.verify.verdict import Findings


def render_junit(findings: Findings) -> str:
    """One suite a file, as ASCII text ended by a newline; a claim fails if it did not come out as expected."""
    files = dict.fromkeys(
        [diagnostic.file_name or "pflc" for diagnostic in findings.diagnostics]
        + [claim.origin.file for claim in (*(result.claim for result in findings.results), *findings.unjudged)]
    )
    root = Element("testsuites", name="pflc")
    for file in files:
        diagnostics = [found for found in findings.diagnostics if (found.file_name or "pflc") == file]
        records = [record_of(result) for result in findings.results if result.claim.origin.file == file]
        unjudged = [claim for claim in findings.unjudged if claim.origin.file == file]
        _suite(root, file, diagnostics, records, unjudged)
    indent(root, " ")
    text: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def _suite(
    root: Element,
    file: str,
    diagnostics: Sequence[Diagnostic],
    records: Sequence[Record],
    unjudged: Sequence[Claim],
) -> None:
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    warnings = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "warning"]
    undecided = sum(record.judgement.verdict == "unknown" for record in records)
    surprises = sum(not record.as_expected for record in records)
    suite = SubElement(
        root,
        "testsuite",
        name=visible(file),
        tests=str(len(records) + len(unjudged) + bool(errors)),
        failures=str(surprises - undecided),
        errors=str(undecided + bool(errors)),
    )
    if unjudged:
        suite.set("skipped", str(len(unjudged)))
    if errors:
        case = SubElement(suite, "testcase", classname=visible(file), name="accepted")
        SubElement(case, "error", message=visible(errors[0].message)).text = _lines(errors)
    for record in records:
        _case(suite, record)
    for claim in unjudged:
        case = SubElement(suite, "testcase", classname=visible(file), name=visible(claim.name))
        SubElement(case, "skipped", message="not judged")
    if warnings:
        SubElement(suite, "system-out").text = _lines(warnings)


def _case(suite: Element, record: Record) -> None:
    """A claim: each entry of its JSON value as a property, and the text for people as its output."""
    judgement = record.judgement
    case = SubElement(suite, "testcase", classname=visible(record.origin.file), name=visible(record.name))
    properties = SubElement(case, "properties")
    for name, value in _entries("", claim_value(record)):
        SubElement(properties, "property", name=visible(name), value=visible(value))
    if not record.as_expected:
        tag = "error" if judgement.verdict == "unknown" else "failure"
        told = SubElement(case, tag, message=f"{judgement.verdict}: {visible(judgement.statement)}")
        if judgement.is_internal:
            told.set("type", str(INTERNAL_ERROR))
    SubElement(case, "system-out").text = plain(claim_lines(record, None))


def _entries(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """`witness.left` and the like with their texts; lists as JSON, what is null or empty not at all."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _entries(f"{name}.{key}" if name else key, entry)
    elif isinstance(value, str):
        yield name, value
    elif value is not None and value != []:
        yield name, json.dumps(value)


def _lines(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(visible(diagnostic_line(diagnostic)) for diagnostic in diagnostics)
