"""The JSON report keeps to its schema and says what the verdicts say."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import report_samples as samples

from pfl.analysis.polynomial.algebraic import ExactRoot
from pfl.analysis.polynomial.real_roots import Root
from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.base.rational_function import RationalFunction
from pfl.driver import check_file, check_text
from pfl.engines.answer import Bound, Computed
from pfl.model.claims import Case
from pfl.model.compare import Compare
from pfl.report.json import claim_value, json_report, render_json
from pfl.report.record import record_of
from pfl.verify.verdict import ClaimResult, Findings, Refuted

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/schema.json").read_text())

CASES = sorted(
    model for folder in ("fidelity", "noise") for model in (Path(__file__).parents[2] / "cases" / folder).glob("*.pfl")
)

SQRT2 = Root(coefficients=(-2, 0, 1), low=Fraction(1), high=Fraction(2))


def validated(findings: Findings) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(render_json(findings))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(report, SCHEMA)
    return report


def claim_of(result: ClaimResult) -> dict[str, Any]:
    claim: dict[str, Any] = validated(Findings(results=(result,)))["claims"][0]
    return claim


def test_every_kind_of_verdict_keeps_to_the_schema() -> None:
    report = validated(samples.findings())
    verdicts = {claim["verdict"] for claim in report["claims"]}
    assert verdicts == {"proved", "refuted", "unknown", "computed", "found", "none"}


@pytest.mark.parametrize("model", CASES, ids=lambda model: model.stem)
def test_what_is_really_reported_keeps_to_the_schema(model: Path) -> None:
    validated(check_file(str(model)))


def test_a_refuted_claim_as_in_the_contract() -> None:
    assert claim_of(samples.refuted_as_expected()) == {
        "name": "contagious",
        "verb": "check",
        "kind": "pufferfish",
        "subject": "Survey",
        "relation": None,
        "file": "flu.pfl",
        "line": 21,
        "column": 1,
        "end_line": 24,
        "end_column": 2,
        "expected": "refuted",
        "as_expected": True,
        "length": 1,
        "unit": "observation",
        "parameters": [],
        "assumptions": [],
        "direction": None,
        "verdict": "refuted",
        "statement": "as expected",
        "engine": "exact",
        "epsilon": {"exact": "ln(2)", "value": 0.693147},
        "delta": "0",
        "bound": {
            "ratio": "4",
            "lower_ratio": "4",
            "upper_ratio": "4",
            "log": 1.386294,
            "lower_log": 1.386294,
            "upper_log": 1.386294,
            "attained": True,
            "limit": None,
        },
        "value": None,
        "values": None,
        "best_possible": None,
        "required": None,
        "arguments": {},
        "at": {},
        "witness": {
            "heading": "start",
            "left": "0 sick",
            "right": "2 sick",
            "prior": None,
            "bindings": {},
            "parameters": {},
            "seen": "observed",
            "words": 1,
            "out_of": None,
            "inputs": [],
            "observations": ["zero"],
            "run": None,
            "probability_left": "2/3",
            "probability_right": "1/6",
            "ratio": "4",
            "probability_left_value": 0.666667,
            "probability_right_value": 0.166667,
            "ratio_value": 4.0,
            "epsilon": {"exact": "ln(2)", "value": 0.693147},
            "excess": None,
        },
        "evidence": None,
        "facts": [],
        "reason": None,
        "conditions": [],
        "apart": [],
        "notes": [],
        "remarks": [],
    }


def test_diagnostics_with_and_without_a_place() -> None:
    report = validated(
        Findings(
            diagnostics=(samples.row_sum(), Diagnostic(code=codes.UNKNOWN_CLAIM, message="there is no such claim"))
        )
    )
    placed, placeless = report["diagnostics"]
    assert (placed["line"], placed["column"], placed["end_line"], placed["end_column"]) == (3, 13, 3, 33)
    assert placed["slug"] == "row-does-not-sum-to-one"
    assert (placeless["file"], placeless["line"], placeless["help"]) == (None, None, None)
    assert report["exit_code"] == 3


def test_suprema_say_that_they_are_not_attained() -> None:
    bound = claim_of(samples.proved_under_parameters())["bound"]
    assert (bound["ratio"], bound["attained"], bound["limit"]) == ("2", False, "p -> 0")


def test_nobody_knows_whether_an_interval_is_attained() -> None:
    result = samples.computed_epsilon()
    verdict = Computed(engine="unwinding", bound=Bound(ratio=None, lower=Fraction(2), upper=Fraction(3)))
    assert claim_of(replace(result, verdict=verdict))["bound"]["attained"] is None


def test_a_delta_under_parameters_says_whether_it_is_attained() -> None:
    bound = Bound(ratio=None, lower=None, upper=None, attained=False, limit_at="p -> 0")
    verdict = Computed(engine="exact", value=Fraction(1, 2), bound=bound)
    assert claim_of(replace(samples.computed_epsilon(), verdict=verdict))["bound"]["attained"] is False


@pytest.mark.parametrize("ratio", ["inf", "unbounded"])
def test_ratios_that_are_no_numbers_have_no_logarithm(ratio: Any) -> None:
    result = samples.computed_epsilon()
    verdict = Computed(engine="exact", bound=Bound(ratio=ratio, lower=ratio, upper=ratio))
    bound = claim_of(replace(result, verdict=verdict))["bound"]
    assert (bound["ratio"], bound["log"]) == (ratio, None)


def test_values_keep_their_exact_text_and_lose_only_the_decimal() -> None:
    huge = Fraction(10**5000 + 1, 3)
    claim = claim_of(replace(samples.computed_values(), verdict=Computed(engine="exact", value=huge)))
    assert claim["value"] == {"exact": "1" + "0" * 4999 + "1/3", "value": None}
    symbolic = claim_of(samples.computed_expression())
    assert symbolic["value"] == {"exact": "(4 - 3*p)/(12 - 6*p)", "value": None}


def test_found_values_are_listed_by_name() -> None:
    claim = claim_of(samples.found())
    assert claim["values"] == [
        {"name": "p0", "exact": "1/2", "value": 0.5},
        {"name": "p1", "exact": "1/4", "value": 0.25},
    ]
    assert claim["evidence"] == {"kind": "certificate", "checked": True, "engine": "exact", "detail": None}


@pytest.mark.parametrize(
    ("lengths", "unit", "expected"),
    [((3,), "observation", 3), ((1, 2), "observation", [1, 2]), ("any", "input", "any"), ("any", "run", None)],
)
def test_lengths(lengths: Any, unit: str, expected: Any) -> None:
    result = samples.undecided()
    assert isinstance(result.claim.question, Compare)
    asked = replace(result.claim.question, lengths=lengths, unit=unit)
    assert claim_of(replace(result, claim=replace(result.claim, cases=(Case(question=asked),))))["length"] == expected


def test_witnesses_with_parameters_and_with_sets_of_words() -> None:
    result = samples.refuted_as_expected()
    assert isinstance(result.verdict, Refuted)
    witness = replace(
        result.verdict.witness,
        parameters=(("p", Fraction(1, 3)), ("q", ExactRoot(polynomial="q^2 - 2", value=1.414214, root=SQRT2))),
        words=(("zero",), ("one", "two")),
    )
    shown = claim_of(replace(result, verdict=replace(result.verdict, witness=witness)))["witness"]
    assert shown["parameters"] == {"p": "1/3", "q": {"exact": "root of q^2 - 2", "value": 1.414214}}
    assert shown["observations"] == [["zero"], ["one", "two"]]
    assert (shown["words"], shown["out_of"]) == (2, None)


def test_sets_of_words_are_listed_whole_up_to_a_limit() -> None:
    result = samples.refuted_as_expected()
    assert isinstance(result.verdict, Refuted)
    for count in (1000, 1001):
        witness = replace(result.verdict.witness, words=tuple((str(n),) for n in range(count)), out_of=10**6)
        shown = claim_of(replace(result, verdict=replace(result.verdict, witness=witness)))["witness"]
        assert (shown["words"], shown["out_of"], len(shown["observations"])) == (count, 10**6, 1000)


def test_probabilities_at_an_irrational_value_have_decimals() -> None:
    result = samples.refuted_as_expected()
    assert isinstance(result.verdict, Refuted)
    q = RationalFunction.parameter("q")
    witness = replace(
        result.verdict.witness,
        parameters=(("q", ExactRoot(polynomial="q^2 - 2", value=1.414214, root=SQRT2)),),
        probability_left=q / 2,
        probability_right=q / 8,
    )
    shown = claim_of(replace(result, verdict=replace(result.verdict, witness=witness)))["witness"]
    assert (shown["probability_left"], shown["probability_left_value"]) == ("q/2", 0.707107)


def test_a_claim_is_written_by_itself_as_in_the_report() -> None:
    findings = samples.findings()
    assert [claim_value(record_of(result)) for result in findings.results] == json_report(findings)["claims"]


COUNTER = """\
automaton Counter {
    data bit: 0..1;
    query ask: { count };
    state n: 0..1 = 0;
    on data bit { n = bit; }
    on query ask { respond { n: 3/4, 1 - n: 1/4 }; }
}
check noninterference Counter { epsilon ln(2); length 2; }
check noninterference Counter { epsilon ln(3); length 2; }
"""


def test_runs_are_written_as_people_see_them() -> None:
    witness = validated(check_text(COUNTER))["claims"][0]["witness"]
    assert witness["run"] == ["[extra 1]", "count -> 1"]
    assert (witness["inputs"], witness["observations"]) == (["extra 1", "count"], ["count -> 1"])


def test_every_claim_has_its_notes() -> None:
    first, second = validated(check_text(COUNTER))["claims"]
    assert (first["notes"], first["remarks"]) == (second["notes"], second["remarks"])
    assert first["notes"][0].startswith("adjacent insert: ")
    assert first["remarks"]


def test_the_text_is_ascii_whatever_the_model_is_called() -> None:
    result = samples.refuted_as_expected()
    text = render_json(Findings(results=(replace(result, claim=replace(result.claim, name="größe")),)))
    assert text.isascii()
    assert json.loads(text)["claims"][0]["name"] == "größe"


def test_the_exit_code_is_that_of_the_findings() -> None:
    assert json_report(Findings())["exit_code"] == 0
    assert json_report(samples.findings())["exit_code"] == 3


def test_a_number_that_is_another_one_at_a_value_says_where() -> None:
    findings = check_text(
        "param p in [0, 1];\n"
        "mechanism retry() -> bool { var done = false; while not done { done ~ bernoulli(p); } return done; }\n"
        "compute ends: probability retry() { terminates; }\n"
    )
    (claim,) = validated(findings)["claims"]
    (there,) = claim["apart"]
    assert (claim["value"]["exact"], there["value"]["exact"]) == ("1", "0")
    assert (there["where"], there["differs"]) == ({"name": "p", "value": "0"}, True)
