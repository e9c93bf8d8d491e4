"""A claim whose system meets a limit while it is built is undecided, and the others are judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pfl.base.diagnostics import InputRejected
from pfl.cli.main import run
from pfl.driver import check_text, compile_text
from pfl.emit.smtlib import emit_queries
from pfl.engines.answer import Computed, Unknown
from pfl.model.text.dump import dump_claims
from pfl.options import Options

MODEL = """
mechanism walk(b: 0..1) -> 0..1 {
    var x = 0;
    while x < 1000 { x ~ { x + 1: 1/2, x + 2: 1/2 }; }
    return { 0: 1/2, 1: 1/2 };
}
mechanism coin(b: 0..1) -> 0..1 { return { 0: 1/2, 1: 1/2 }; }
adjacency any_two(a: 0..1, b: 0..1) = true;
param w in (0, 1);

compute before: distribution coin(1);
compute far: distribution walk(1);
check hidden: privacy walk { adjacent any_two; epsilon 0; expect refuted; }
find w such that privacy walk { adjacent any_two; epsilon 0; }
check after: privacy coin { adjacent any_two; epsilon 0; }
"""
FEW = Options(max_states=100)
REASON = (
    "`walk` has more than 100 states (98 of them explored); `x` grows: it takes 99 different values among them;"
    " give it a smaller range, or try a larger --max-states"
)


def test_only_the_claims_that_meet_the_limit_are_undecided() -> None:
    found = check_text(MODEL, FEW)
    names = [result.claim.name for result in found.results]
    assert names == ["before", "far", "hidden", "find w", "after"]
    before, far, hidden, sought, after = (result.verdict for result in found.results)
    assert isinstance(before, Computed)
    assert [far, hidden, sought] == [Unknown(engine="none", reason=REASON)] * 3
    assert not isinstance(after, Unknown)
    assert found.exit_code == 4
    assert {str(diagnostic.code) for diagnostic in found.diagnostics} == {"PFL0720"}


def test_what_the_text_says_of_the_claim_is_kept() -> None:
    claims = {claim.name: claim for claim in compile_text(MODEL, FEW).claims}
    hidden, sought = claims["hidden"], claims["find w"]
    assert (hidden.verb, hidden.kind, hidden.subject, hidden.expected) == ("check", "privacy", "walk", "refuted")
    assert (sought.verb, sought.expected) == ("find", "found")
    assert hidden.limit is not None
    assert hidden.cases == ()
    assert "not built: `walk` has more than 100 states" in dump_claims([hidden])
    with pytest.raises(InputRejected, match="more than 100 states"):
        emit_queries(hidden)


def test_a_limit_that_holds_for_one_evaluation_leaves_time_to_the_next_claim() -> None:
    text = """
    fn long(b: 0..1): int = sum(i * j for i in 0..10^5 for j in 0..10^5 + b);
    mechanism slow(b: 0..1) -> 0..1 { let x = long(b); return x mod 2; }
    mechanism coin(b: 0..1) -> 0..1 { return { 0: 1/2, 1: 1/2 }; }
    compute slow: distribution slow(1);
    compute quick: distribution coin(1);
    """
    found = check_text(text, Options(timeout=0.2))
    slow, quick = (result.verdict for result in found.results)
    assert isinstance(slow, Unknown)
    assert slow.reason.startswith("the time limit was reached after")
    assert slow.reason.endswith("try a larger --timeout")
    assert isinstance(quick, Computed)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.pfl"
    path.write_text(MODEL, encoding="utf-8")
    return path


def test_every_report_has_the_claim(model: Path, capsys: Any) -> None:
    assert run(["check", model.name, "--max-states", "100", "--format", "json"]) == 4
    claims = {claim["name"]: claim for claim in json.loads(capsys.readouterr().out)["claims"]}
    assert (claims["far"]["verdict"], claims["far"]["reason"]) == ("unknown", REASON)
    assert claims["after"]["verdict"] == "proved"
    for form in ("human", "concise", "sarif", "junit"):
        assert run(["check", model.name, "--max-states", "100", "--format", form]) == 4
        assert "try a larger --max-states" in capsys.readouterr().out


def test_a_proof_of_such_a_claim_is_not_called_wrong(model: Path, capsys: Any) -> None:
    text = MODEL.replace("epsilon 0; expect refuted;", "epsilon 0;")
    model.write_text(text, encoding="utf-8")
    assert run(["check", model.name, "--claim", "hidden", "--certificates", "proofs"]) == 0
    assert run(["verify", "proofs/hidden.json", model.name]) == 0
    capsys.readouterr()
    assert run(["verify", "proofs/hidden.json", model.name, "--max-states", "100"]) == 4
    assert "more than 100 states" in capsys.readouterr().err
