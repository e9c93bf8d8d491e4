"""`pflc verify` says of every file whether it is a proof, and if not, why: never a fault, never a false proof.

Many more changes than these were tried once; see `changed_certificates` for what they are made of.
"""

from __future__ import annotations

import copy
import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from changed_certificates import MODEL, NAMES, TRUE, changed, claims, originals, seal

from pfl.base.budget import Budget
from pfl.base.exceptions import deep_recursion
from pfl.cli.main import run
from pfl.options import Options
from pfl.report.proof import proof_report
from pfl.verify.certificates.proof import NotAProof, faults_of_proof, read_proof

SECONDS = 5.0
"""A check of any change of these small proofs takes less."""


def judged(record: dict[str, Any]) -> list[str] | None:
    """What `pflc verify` says where the record is no proof, None where it is one; a true one, checked in time."""
    known = claims()  # judged before the clock starts
    started = time.monotonic()
    with deep_recursion():
        try:
            proof = read_proof(json.dumps(record))
        except NotAProof as failure:
            return [str(failure)]
        faults = faults_of_proof(proof, known, Budget(deadline=started + SECONDS))
    said = proof_report(proof, faults, known, Options())
    assert all(isinstance(line, str) for line in said)
    if faults:
        assert said[0].startswith("not a proof of ")
        return said
    assert proof.claim in TRUE
    original = originals()[proof.claim].ratio
    assert original is None or proof.bound is None or proof.bound >= original
    return None


def test_there_is_a_proof_of_every_kind() -> None:
    assert set(originals()) == TRUE
    texts = [json.dumps(original.record) for original in originals().values()]
    kinds = ("exhaustive", "closure", "unwinding", "relation", "parametric", "excess", "excess-above", "none")
    for part in (*kinds, "hitting", "visits", "moves", "word", "exponential", "exponential-excess"):
        assert any(f'"kind": "{part}"' in text for text in texts)
    for part in ("futures", "tested", "entries", "word"):
        assert any(f'"{part}"' in text for text in texts), part


@pytest.mark.parametrize("name", sorted(TRUE))
def test_a_proof_proves_its_claim_and_no_false_one(name: str) -> None:
    for other in NAMES:
        record = {**originals()[name].record, "claim": other}
        said = judged(record)
        assert (said is None) <= (other in TRUE)
        if other == name:
            assert said is None


@pytest.mark.parametrize("seed", range(120))
def test_a_changed_proof_is_explained(seed: int) -> None:
    judged(changed(Random(seed)))


@pytest.mark.parametrize("wrong", [0, 3, 15, 100_000, 10**30, True, None, "1/2", [], [[0, "0"]], [[0, "99"]]])
@pytest.mark.parametrize("key", ["futures", "of", "tested"])
@pytest.mark.parametrize("name", ["futures", "levels", "words"])
def test_combinations_that_are_not_what_they_seem(name: str, key: str, wrong: Any) -> None:
    for number in (0, 1):
        record = copy.deepcopy(originals()[name].record)
        record["certificates"][number]["start"][key] = wrong
        seal(record)
        judged(record)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("model.pfl").write_text(MODEL, encoding="utf-8")


def verify(record: dict[str, Any], capsys: Any, *options: str) -> tuple[int, str]:
    with deep_recursion():
        Path("proof.json").write_text(json.dumps(record), encoding="ascii")
    code = run(["verify", "proof.json", "model.pfl", *options])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("seed", range(1_000, 1_012))
def test_the_command_line_answers_with_a_code_and_a_cause(seed: int, capsys: Any) -> None:
    code, said = verify(changed(Random(seed)), capsys)
    assert code in (0, 1, 3)
    assert "Traceback" not in said
    assert "nested too deeply" not in said or "its lists are" in said
    assert {0: "verified", 1: "not a proof of", 3: "PFL0541"}[code] in said


@pytest.mark.usefixtures("folder")
def test_futures_of_a_hundred_thousand_letters_are_the_fault_of_the_certificate(capsys: Any) -> None:
    record = copy.deepcopy(originals()["futures"].record)
    record["certificates"][0]["start"]["futures"] = 100_000
    seal(record)
    code, said = verify(record, capsys)
    assert code == 1
    assert "the words of 100,000 letters are too many to check" in said
    assert "the certificate is not as `pflc` writes them" in said


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["exhaustive", "futures", "family", "relation", "refinement", "values"])
def test_a_claim_with_free_parameters_says_which_to_fix(name: str, capsys: Any) -> None:
    code, said = verify({**originals()[name].record, "claim": "free"}, capsys)
    assert code == 1
    assert "about all values of v" in said
    assert "--set v=.." in said
    assert "may have changed" not in said


@pytest.mark.usefixtures("folder")
def test_a_proof_with_a_parameter_fixed_wants_it_fixed_again(capsys: Any) -> None:
    assert run(["check", "model.pfl", "--claim", "free", "--set", "v=1/4", "--certificates", "proofs"]) == 0
    capsys.readouterr()
    record = json.loads(Path("proofs/free.json").read_text(encoding="ascii"))
    assert verify(record, capsys, "--set", "v=1/4")[0] == 0
    code, said = verify(record, capsys)
    assert code == 1
    assert "the proof was written with `--set v=1/4`" in said
    assert verify(record, capsys, "--set", "v=1/8")[0] in (0, 1)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("claim", ["number", "seen", "chance"])
def test_claims_that_no_certificate_shows(claim: str, capsys: Any) -> None:
    for name in ("exhaustive", "family", "relation"):
        code, said = verify({**originals()[name].record, "claim": claim}, capsys)
        assert code == 1
        assert "no certificates for a claim of this kind" in said
        assert "may have changed" not in said
