"""The report as JUnit XML, for test dashboards: a test case a claim, and one for the diagnostics of each file."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from pfl.base.diagnostics import Diagnostic
from pfl.ir.claims import Claim
from pfl.report.concise import diagnostic_line
from pfl.report.statement import statement
from pfl.report.styled import visible
from pfl.verify.verdict import ClaimResult, Findings, Unknown, verdict_word


def render_junit(findings: Findings) -> str:
    """One suite a file, as ASCII text ended by a newline; a claim fails if it did not come out as expected."""
    files = dict.fromkeys(
        [diagnostic.file_name or "pflc" for diagnostic in findings.diagnostics]
        + [claim.origin.file for claim in (*(result.claim for result in findings.results), *findings.unjudged)]
    )
    root = Element("testsuites", name="pflc")
    for file in files:
        diagnostics = [found for found in findings.diagnostics if (found.file_name or "pflc") == file]
        results = [result for result in findings.results if result.claim.origin.file == file]
        unjudged = [claim for claim in findings.unjudged if claim.origin.file == file]
        _suite(root, file, diagnostics, results, unjudged)
    indent(root, " ")
    text: bytes = tostring(root, encoding="us-ascii", xml_declaration=True)
    return text.decode("ascii") + "\n"


def _suite(
    root: Element,
    file: str,
    diagnostics: Sequence[Diagnostic],
    results: Sequence[ClaimResult],
    unjudged: Sequence[Claim],
) -> None:
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    warnings = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "warning"]
    undecided = [result for result in results if isinstance(result.verdict, Unknown)]
    failed = [result for result in results if not result.as_expected and result not in undecided]
    suite = SubElement(
        root,
        "testsuite",
        name=visible(file),
        tests=str(len(results) + len(unjudged) + bool(errors)),
        failures=str(len(failed)),
        errors=str(len(undecided) + bool(errors)),
    )
    if unjudged:
        suite.set("skipped", str(len(unjudged)))
    if errors:
        case = SubElement(suite, "testcase", classname=visible(file), name="accepted")
        SubElement(case, "error", message=visible(errors[0].message)).text = _lines(errors)
    for result in results:
        case = SubElement(suite, "testcase", classname=visible(file), name=visible(result.claim.name))
        if not result.as_expected:
            tag = "error" if isinstance(result.verdict, Unknown) else "failure"
            SubElement(case, tag, message=f"{verdict_word(result.verdict)}: {visible(statement(result))}")
    for claim in unjudged:
        case = SubElement(suite, "testcase", classname=visible(file), name=visible(claim.name))
        SubElement(case, "skipped", message="not judged")
    if warnings:
        SubElement(suite, "system-out").text = _lines(warnings)


def _lines(diagnostics: Sequence[Diagnostic]) -> str:
    return "\n".join(visible(diagnostic_line(diagnostic)) for diagnostic in diagnostics)
