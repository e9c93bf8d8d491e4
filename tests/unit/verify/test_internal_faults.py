"""A fault of the compiler in one claim costs that claim, not the file, and every report says which and where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pfl.base import codes
from pfl.cli.main import run
from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved, Unknown
from pfl.engines.ratio import exact
from pfl.lower import claims as lowering
from pfl.lower import unclaimed
from pfl.model.validation import validation
from pfl.options import Options
from pfl.verify.verdict import Findings, Refuted, Verdict

MODEL = """\
hmm H { state x: bool; init x ~ bernoulli(1/2); emit if x then { a: 1/3, b: 2/3 } else { a: 2/3, b: 1/3 }; }

check first: pufferfish H { secrets x vs not x; epsilon ln(2); length 1; }
check spoilt: pufferfish H {
    secrets x vs not x; epsilon ln(5); length 1; }
compute third: likelihood H { observations a; }
check last: pufferfish H { secrets x vs not x; epsilon 0; length 1; expect refuted; }
"""
SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/schema.json").read_text())


def fails_where(function: Callable[..., Any], is_spoilt: Callable[[Any], bool]) -> Callable[..., Any]:
    """The function, with a fault that shows up for some of its first arguments."""

    def broken(*arguments: Any) -> Any:
        if is_spoilt(arguments[0]):
            raise KeyError("no such state")
        return function(*arguments)

    return broken


def break_lowering(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "check", "pufferfish", "HmmDecl"
    broken = fails_where(lowering._LOWERINGS[key], lambda request: "ln(5)" in request.claim.span.text)
    monkeypatch.setattr(lowering, "_LOWERINGS", {**lowering._LOWERINGS, key: broken})


def break_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    def faults(claim: Any) -> list[str]:
        return ["its vectors have the wrong size"] if claim.name == "spoilt" else []

    monkeypatch.setattr(validation, "claim_faults", faults)


def break_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = fails_where(exact.answer, lambda question: str(question.comparisons[0].epsilon) == "ln(5)")
    monkeypatch.setattr(exact, "answer", broken)


BREAKS = pytest.mark.parametrize("spoil", [break_lowering, break_validation, break_engine])


def verdicts(findings: Findings) -> dict[str, Verdict]:
    return {result.claim.name: result.verdict for result in findings.results}


@BREAKS
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_other_claims_are_judged(
    spoil: Callable[[pytest.MonkeyPatch], None], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch)
    findings = check_text(MODEL, Options(jobs=jobs), name="m.pfl")
    judged = verdicts(findings)
    assert list(judged) == ["first", "spoilt", "third", "last"]
    assert isinstance(judged["first"], Proved)
    assert isinstance(judged["third"], Computed)
    assert isinstance(judged["last"], Refuted)
    spoilt = judged["spoilt"]
    assert isinstance(spoilt, Unknown)
    assert spoilt.is_internal
    assert "please report it together with claim `spoilt` at m.pfl:4" in spoilt.reason
    assert findings.exit_code == 70


@BREAKS
@pytest.mark.parametrize("form", ["human", "concise", "json", "sarif", "junit"])
def test_every_report_names_the_claim_its_line_and_what_to_do(
    spoil: Callable[[pytest.MonkeyPatch], None],
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spoil(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("m.pfl").write_text(MODEL, encoding="utf-8")
    assert run(["check", "--format", form, "m.pfl"]) == 70
    report = capsys.readouterr().out
    assert "`spoilt`" in report
    assert "m.pfl:4" in report
    assert "please report it" in report
    if form == "json":
        parsed = json.loads(report)
        jsonschema.validate(parsed, SCHEMA)
        assert [claim.get("internal", False) for claim in parsed["claims"]] == [False, True, False, False]
        assert parsed["claims"][1]["line"] == 4
    if form == "sarif":
        results = json.loads(report)["runs"][0]["results"]
        assert ("claim-met-internal-error", "error") in {(found["ruleId"], found["level"]) for found in results}
    if form == "junit":
        (spoilt,) = ElementTree.fromstring(report).findall(".//testcase[@name='spoilt']/error")
        assert spoilt.get("type") == "PFL0901"


@BREAKS
def test_debug_lets_the_fault_escape(
    spoil: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch)
    with pytest.raises((KeyError, validation.Malformed)):
        check_text(MODEL, Options(debug=True))


@pytest.mark.parametrize(
    ("error", "part"), [(MemoryError(), "the memory was used up"), (RecursionError(), "nested too deeply")]
)
def test_memory_and_depth_that_run_out_are_limits_of_one_claim(
    error: Exception, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = lowering.likelihood

    def limited(request: Any) -> Any:
        if request.claim.label.text == "third":
            raise error
        return whole(request)

    monkeypatch.setattr(lowering, "_LOWERINGS", {**lowering._LOWERINGS, ("compute", "likelihood", "HmmDecl"): limited})
    findings = check_text(MODEL, Options())
    third = verdicts(findings)["third"]
    assert isinstance(third, Unknown)
    assert part in third.reason
    assert not third.is_internal
    assert findings.exit_code == 4
    assert isinstance(verdicts(findings)["first"], Proved)


def test_a_claim_that_is_rejected_as_well_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    break_lowering(monkeypatch)
    findings = check_text(MODEL + "check wrong: pufferfish H { secrets x vs not x; epsilon 1 - 2; length 1; }\n")
    assert "wrong" not in verdicts(findings)
    assert {found.code for found in findings.diagnostics} == {codes.INTERNAL_ERROR, codes.NEGATIVE_EPSILON}
    assert findings.exit_code == 70


def test_a_fault_in_a_system_that_no_claim_is_about_costs_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_session: object, _declaration: object) -> None:
        raise IndexError("out of states")

    monkeypatch.setattr(unclaimed, "_build", fail)
    findings = check_text(MODEL + "hmm Unused { states s; init s; }\n")
    (found,) = findings.diagnostics
    assert found.code == codes.INTERNAL_ERROR
    assert "`Unused`" in found.message
    assert isinstance(verdicts(findings)["first"], Proved)
    assert findings.exit_code == 70
