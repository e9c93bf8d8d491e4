"""Proofs as files: what the exact engine proves is accepted, and nothing that was changed is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pfl.base.budget import silent
from pfl.base.diagnostics import InputRejected
from pfl.base.epsilon import Epsilon
from pfl.cli.main import run
from pfl.driver import compile_text
from pfl.engines.answer import Proved
from pfl.model.claims import Case, Claim
from pfl.model.compare import Compare
from pfl.options import Options
from pfl.verify.certificates.proof import (
    Certified,
    NotAProof,
    Proof,
    faults_of_proof,
    open_proof,
    proof_of,
    proof_text,
    read_proof,
)
from pfl.verify.judge import judge
from pfl.verify.verdict import ClaimResult, Found

MODEL = """\
param w in (0, 1);
hmm Commute {
    states well, sick;
    init  well: 1/2, sick: 1/2;
    well -> well: 17/20, sick: 3/20;
    sick -> sick: 17/20, well: 3/20;
    well emits quiet: 3/4, cough: 1/4;
    sick emits quiet: 1/4, cough: 3/4;
}
check for_ever: pufferfish Commute { secrets well vs sick; epsilon ln(12); length any; }
check short: pufferfish Commute { secrets well vs sick; epsilon ln(7); length 2; }
find belief: w such that pufferfish Commute {
    between { well: w, sick: 1 - w } and { well: 1/2, sick: 1/2 };
    epsilon ln(6/5);
    length  1;
}
compute seen: likelihood Commute { observations cough; }
"""


@pytest.fixture(scope="module")
def claims() -> tuple[Claim, ...]:
    compiled = compile_text(MODEL)
    assert not compiled.diagnostics
    return compiled.claims


@pytest.fixture(scope="module")
def proofs(claims: tuple[Claim, ...]) -> dict[str, Proof]:
    found = {}
    for claim in claims:
        verdict = judge(claim, Options(), silent)
        proof = proof_of(ClaimResult(claim=claim, verdict=verdict))
        if isinstance(verdict, Proved | Found):
            assert proof is not None
            found[claim.name] = proof
        else:
            assert proof is None
    return found


@pytest.mark.parametrize("name", ["for_ever", "short", "belief"])
def test_a_proof_is_accepted_after_writing_and_reading(
    name: str, claims: tuple[Claim, ...], proofs: dict[str, Proof]
) -> None:
    again = read_proof(proof_text(proofs[name]))
    assert again == proofs[name]
    assert faults_of_proof(again, claims) == []


def test_a_proof_of_one_claim_does_not_prove_another(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    assert faults_of_proof(replace(proofs["short"], claim="for_ever"), claims) != []
    assert faults_of_proof(replace(proofs["short"], claim="none"), claims) == ["the model has no claim named `none`"]
    assert "of this kind" in faults_of_proof(replace(proofs["short"], claim="seen"), claims)[0]


def test_a_proof_does_not_outlive_a_change_of_the_claim(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    claim = next(claim for claim in claims if claim.name == "for_ever")
    assert isinstance(claim.question, Compare)
    tighter = tuple(replace(c, epsilon=Epsilon.ln(Fraction(11))) for c in claim.question.tables)
    changed = replace(claim, cases=(Case(question=replace(claim.question, tables=tighter)),))
    assert faults_of_proof(proofs["for_ever"], [changed]) != []


def test_missing_and_exchanged_certificates_are_noticed(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    proof = proofs["for_ever"]
    none, first = Certified(certificates=()), Certified(certificates=proof.certified.certificates[:1])
    assert faults_of_proof(replace(proof, certified=none), claims) == ["it holds no certificate"]
    assert "for 2 obligations" in faults_of_proof(replace(proof, certified=first), claims)[0]


def test_values_of_a_find_must_be_those_that_were_proved(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    proof = proofs["belief"]
    assert faults_of_proof(replace(proof, values=(("w", Fraction(99, 100)),)), claims) != []
    assert "impossible" in faults_of_proof(replace(proof, values=(("w", Fraction(2)),)), claims)[0]
    assert "values of w" in faults_of_proof(replace(proof, values=()), claims)[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"schema": ' + "9" * 5_000 + "}", "too many digits"),
        ("[]", "no `"),
        ('{"schema": 2}', "no `"),
        ('{"schema": 1, "claim": "c"}', "missing"),
        ('{"schema": 1, "claim": "c", "values": {}, "certificates": []}', "`settings` is missing"),
        ('{"schema": true, "claim": "c", "values": {}, "certificates": []}', "no `"),
        ('{"schema": 1, "claim": "c", "values": {"w": "0.5"}, "certificates": []}', "`w` in `values` must be an exact"),
        ('{"schema": 1, "claim": "c", "values": {"w": 1}, "certificates": []}', "`w` in `values` must be an exact"),
        ('{"schema": 1, "claim": "c", "values": {}, "length": "2", "certificates": []}', "whole number"),
    ],
)
def test_other_texts_are_no_proofs(text: str, why: str) -> None:
    with pytest.raises(NotAProof, match=why):
        read_proof(text)


def test_files_that_cannot_be_used_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    for path, why in (
        (tmp_path / "none", "cannot be read"),
        (tmp_path, "cannot be read"),
        (tmp_path / "latin", "text"),
    ):
        with pytest.raises(InputRejected, match=why):
            open_proof(str(path))


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("model.pfl").write_text(MODEL, encoding="utf-8")
    return Path("model.pfl")


def output_of(arguments: list[str], capsys: Any, code: int) -> str:
    assert run(arguments) == code
    captured = capsys.readouterr()
    return str(captured.out + captured.err)


def test_the_command_line_writes_and_verifies(model: Path, capsys: Any) -> None:
    output_of(["check", str(model), "--certificates", "proofs"], capsys, 0)
    assert sorted(path.name for path in Path("proofs").iterdir()) == ["belief.json", "for_ever.json", "short.json"]
    for path in Path("proofs").iterdir():
        assert output_of(["verify", str(path), str(model)], capsys, 0).startswith(f"verified  {path.stem}")
    model.write_text(MODEL.replace("ln(12)", "ln(11)"), encoding="utf-8")
    stale = output_of(["verify", "proofs/for_ever.json", str(model)], capsys, 1)
    assert "not a proof of `for_ever`" in stale
    assert "the model may have changed since" in stale
    assert "error[PFL0541]" in output_of(["verify", str(model), str(model)], capsys, 3)
    assert "there is no file" in output_of(["verify", "proofs/short.json", "none.pfl"], capsys, 3)


def test_an_edited_proof_is_no_proof(model: Path, capsys: Any) -> None:
    output_of(["check", str(model), "--claim", "for_ever", "--certificates", "proofs"], capsys, 0)
    path = Path("proofs/for_ever.json")
    record = json.loads(path.read_text(encoding="ascii"))
    record["certificates"][0]["bound"] = "13"
    path.write_text(json.dumps(record), encoding="ascii")
    assert "not a proof" in output_of(["verify", str(path), str(model)], capsys, 1)


RELEASE = """\
const RATIO = 3;
param p in (0, 1/2);
hmm Coins {
    states fair, loaded;
    init  fair: 1;
    fair emits heads: 1/2, tails: 1/2;
    loaded emits heads: RATIO/4, tails: 1 - RATIO/4;
    fair -> fair: 1;
    loaded -> loaded: 1;
}
hmm Tilted(w: real) {
    states low, high;
    init  low: 1;
    low emits heads: w, tails: 1 - w;
    high emits heads: 1 - w, tails: w;
    low -> low: 1;
    high -> high: 1;
}
check short: pufferfish Coins { between { fair: 1 } and { loaded: 1 }; epsilon ln(4); length 1; }
check each: pufferfish Tilted(p) { between { low: 1 } and { low: 1 }; epsilon 0; length 1; }
check slack: pufferfish Coins { between { fair: 1 } and { loaded: 1 }; epsilon 0; delta 1/2; length 1; }
check free_slack: pufferfish Tilted(p) { between { low: 1 } and { high: 1 }; epsilon 0; delta 1; length 1; }
check never: probability Coins { reach loaded; equals 0; }
check wrong: pufferfish Coins { between { fair: 1 } and { loaded: 1 }; epsilon 0; length 1; expect refuted; }
"""


def test_a_verified_proof_says_what_it_bounds(model: Path, capsys: Any) -> None:
    model.write_text(RELEASE, encoding="utf-8")
    output_of(["check", str(model), "--claim", "short", "--certificates", "proofs"], capsys, 0)
    said = output_of(["verify", "proofs/short.json", str(model)], capsys, 0)
    assert said.startswith(
        "verified  short    2 certificates (exhaustive), by exact arithmetic alone; no ratio is above 2"
    )
    assert said.endswith("(1 observation)\n")


def test_proved_claims_without_a_certificate_are_named_with_the_reason(model: Path, capsys: Any) -> None:
    model.write_text(RELEASE, encoding="utf-8")
    assert run(["check", str(model), "--certificates", "proofs"]) == 0
    said = capsys.readouterr().err
    assert sorted(path.name for path in Path("proofs").iterdir()) == [
        "each.json",
        "never.json",
        "short.json",
        "slack.json",
    ]
    assert [line.split("`")[1] for line in said.splitlines()] == ["free_slack"]
    assert "a delta with free parameters" in said


def test_a_proof_of_other_settings_says_so(model: Path, capsys: Any) -> None:
    model.write_text(RELEASE, encoding="utf-8")
    output_of(["check", str(model), "--claim", "short", "--set", "RATIO=2", "--certificates", "proofs"], capsys, 0)
    assert (
        "help: the proof was written with `--set RATIO=2`, and is checked without `--set` and `--length`"
        in output_of(["verify", "proofs/short.json", str(model)], capsys, 1)
    )
    assert "note" not in output_of(["verify", "proofs/short.json", str(model), "--set", "RATIO=2"], capsys, 0)
    longer = output_of(["verify", "proofs/short.json", str(model), "--set", "RATIO=2", "--length", "0"], capsys, 0)
    assert "note: the proof was written with `--set RATIO=2`, and is checked with `--set RATIO=2 --length 0`" in longer


COUNTER = """\
import std.noise { truncated_geometric };
const MOST = 4;
automaton Counter {
    data bit: 0..1;
    query ask: { count };
    state n: 0..MOST = 0;
    state left: 0..2 = 2;
    on data bit { n = min(MOST, n + bit); }
    on query ask {
        if left == 0 { respond -1; } else { left = left - 1; respond truncated_geometric(1/2, n, 0, MOST); }
    }
}
check counted: noninterference Counter { epsilon 4*ln(2); }
"""


def test_many_faults_of_a_proof_are_counted(model: Path, capsys: Any) -> None:
    model.write_text(COUNTER, encoding="utf-8")
    output_of(["check", str(model), "--certificates", "proofs"], capsys, 0)
    lines = output_of(["verify", "proofs/counted.json", str(model), "--set", "MOST=6"], capsys, 1).splitlines()
    assert len(lines) == 5
    assert re.fullmatch(r"  and \d+ more", lines[3])


def test_only_certificates_that_have_a_bound_are_asked_for_it() -> None:
    relation = {"kind": "relation", "bound": "not looked at"}
    closure = {"kind": "closure", "bound": "5/2"}

    def proof(*certificates: dict[str, Any]) -> Proof:
        return Proof(claim="c", values=(), certified=Certified(certificates=certificates))

    assert proof(relation).bound is None
    assert proof(closure, {**closure, "bound": "3"}).bound == 3
    assert proof(closure, relation, closure).kinds == ("closure", "relation")
