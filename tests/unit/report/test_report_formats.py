"""The reports for machines other than JSON: concise, SARIF, JUnit."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import report_samples as samples

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.report.details import render_concise
from pfl.report.junit import render_junit
from pfl.report.sarif import render_sarif
from pfl.verify.verdict import Findings


def test_concise_has_one_line_for_each_fact() -> None:
    lines = render_concise(samples.findings()).splitlines()
    assert lines[0] == ("flu.pfl:3:13: error[PFL0401]: outgoing probabilities of state `sick` add up to 11/10, not 1")
    assert lines[2] == (
        "flu.pfl:21:1: refuted contagious: as expected (1 observation) | check pufferfish Survey | "
        "start: 0 sick against 2 sick | observed: zero | probability: 2/3 against 1/6 | "
        "ratio: 4  >  2 = e^(ln(2)); smallest epsilon that holds: ln(4) = 1.386294 | replayed exactly | engine: exact"
    )
    assert len(lines) == 1 + len(samples.all_results())


def test_concise_stays_on_one_line_whatever_the_names() -> None:
    result = samples.undecided()
    nasty = replace(result, claim=replace(result.claim, name="a\nb"))
    assert render_concise(Findings(results=(nasty,))).count("\n") == 1


def test_sarif_lists_diagnostics_and_surprises() -> None:
    log = json.loads(render_sarif(samples.findings()))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = [result["ruleId"] for result in run["results"]]
    assert log["version"] == "2.1.0"
    assert found == ["PFL0401", "claim-not-as-expected", "claim-undecided", "claim-not-as-expected"]
    assert set(found) == set(rules)
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 3, "startColumn": 13, "endLine": 3, "endColumn": 33}
    assert run["results"][2]["level"] == "warning"
    assert run["invocations"][0]["exitCode"] == 3


def test_sarif_writes_paths_as_uris() -> None:
    diagnostics = [
        Diagnostic(code=codes.MODULE_NOT_FOUND, message="cannot be read", file=name)
        for name in ("/models/a b.pfl", "dir/größe.pfl")
    ]
    results = json.loads(render_sarif(Findings(diagnostics=tuple(diagnostics))))["runs"][0]["results"]
    uris = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    assert uris == ["file:///models/a%20b.pfl", "dir/gr%C3%B6%C3%9Fe.pfl"]


def test_sarif_keeps_secondary_labels() -> None:
    found = samples.row_sum()
    twice = replace(found, labels=(*found.labels, Label(found.labels[0].span, "again")))
    result = json.loads(render_sarif(Findings(diagnostics=(twice,))))["runs"][0]["results"][0]
    assert result["relatedLocations"][0]["message"] == {"text": "again"}


def test_junit_counts_what_failed() -> None:
    root = ElementTree.fromstring(render_junit(samples.findings()))
    (suite,) = root
    assert suite.attrib == {"name": "flu.pfl", "tests": "10", "failures": "2", "errors": "2"}
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["contagious", "hopeless"]
    assert [case.get("name") for case in suite if case.find("error") is not None] == ["accepted", "drifting"]


def test_junit_is_well_formed_whatever_the_names() -> None:
    result = samples.refuted_by_surprise()
    nasty = replace(result, claim=replace(result.claim, name='a<b>"&\x00\x1b'))
    root = ElementTree.fromstring(render_junit(Findings(results=(nasty,))))
    assert root[0][0].get("name") == 'a<b>"&\\u{0}\\u{1b}'
