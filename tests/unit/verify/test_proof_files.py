"""Proofs as files: what the exact engine proves is accepted, and nothing that was changed is."""

from __future__ import annotations

import json
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
from pfl.ir.claims import Claim, Indistinguishability
from pfl.options import Options
from pfl.verify.judge import judge
from pfl.verify.proof import NotAProof, Proof, faults_of_proof, open_proof, proof_of, proof_text, read_proof
from pfl.verify.verdict import ClaimResult, Found, Proved

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
    assert isinstance(claim.question, Indistinguishability)
    tighter = tuple(replace(c, epsilon=Epsilon.ln(Fraction(11))) for c in claim.question.comparisons)
    changed = replace(claim, question=replace(claim.question, comparisons=tighter))
    assert faults_of_proof(proofs["for_ever"], [changed]) != []


def test_missing_and_exchanged_certificates_are_noticed(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    proof = proofs["for_ever"]
    assert faults_of_proof(replace(proof, certificates=()), claims) == ["it holds no certificate"]
    assert "for 2 obligations" in faults_of_proof(replace(proof, certificates=proof.certificates[:1]), claims)[0]


def test_values_of_a_find_must_be_those_that_were_proved(claims: tuple[Claim, ...], proofs: dict[str, Proof]) -> None:
    proof = proofs["belief"]
    assert faults_of_proof(replace(proof, values=(("w", Fraction(99, 100)),)), claims) != []
    assert "impossible" in faults_of_proof(replace(proof, values=(("w", Fraction(2)),)), claims)[0]
    assert "values of w" in faults_of_proof(replace(proof, values=()), claims)[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no `"),
        ('{"schema": 2}', "no `"),
        ('{"schema": 1, "claim": "c"}', "missing"),
        ('{"schema": 1, "claim": "c", "values": {"w": "0.5"}, "certificates": []}', "not an exact number"),
        ('{"schema": 1, "claim": "c", "values": {"w": 1}, "certificates": []}', "not an exact number"),
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
    assert "not a proof of `for_ever`" in output_of(["verify", "proofs/for_ever.json", str(model)], capsys, 1)
    assert "error[PFL0541]" in output_of(["verify", str(model), str(model)], capsys, 3)
    assert "there is no file" in output_of(["verify", "proofs/short.json", "none.pfl"], capsys, 3)


def test_an_edited_proof_is_no_proof(model: Path, capsys: Any) -> None:
    output_of(["check", str(model), "--claim", "for_ever", "--certificates", "proofs"], capsys, 0)
    path = Path("proofs/for_ever.json")
    record = json.loads(path.read_text(encoding="ascii"))
    record["certificates"][0]["bound"] = "13"
    path.write_text(json.dumps(record), encoding="ascii")
    assert "not a proof" in output_of(["verify", str(path), str(model)], capsys, 1)
