"""A proof that cannot be checked in time is unchecked, and `pflc verify` says that the time was over."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.cli.main import run
from pfl.driver import compile_text
from pfl.engines.answer import Proved
from pfl.engines.registry import ask
from pfl.model.compare import Compare
from pfl.options import Options
from pfl.verify.certificates.certificate_format import FORMAT, digest_of
from pfl.verify.certificates.evidence import faults_of_evidence
from pfl.verify.conclude import conclude, plan

MODEL = """
automaton counting {
    data d: {pt};
    query y: {go};
    state x: 0..1 = 0;
    on data d { x ~ {0: 1/3, 1: 2/3}; }
    on query y {
        let o ~ if x == 0 then {0: 3/8, 1: 3/8, 2: 1/8, 3: 1/8} else {0: 1/2, 2: 1/4, 3: 1/4};
        x = o mod 2;
        respond o div 2;
    }
}
check it: noninterference counting() { epsilon ln(4); }
"""


def question() -> Compare:
    (claim,) = compile_text(MODEL).claims
    assert isinstance(claim.question, Compare)
    return claim.question


def test_a_proof_that_is_not_checked_in_time_is_unchecked() -> None:
    answer = ask(plan(question(), Options()).engine, question(), Options(), Budget())
    assert isinstance(answer, Proved)
    checked = conclude(question(), answer, Options(), Budget())
    assert isinstance(checked, Proved)
    assert checked.checked
    late = conclude(question(), answer, Options(), Budget(deadline=time.monotonic() - 1))
    assert isinstance(late, Proved)
    assert not late.checked


def test_how_far_a_check_came_is_said() -> None:
    answer = ask(plan(question(), Options()).engine, question(), Options(), Budget())
    assert isinstance(answer, Proved)
    with pytest.raises(LimitReached) as caught:
        faults_of_evidence(question(), answer.evidence.certificates, Budget(deadline=time.monotonic() - 1))
    assert caught.value.reason == (
        "the time limit was reached after the proof of 0 of 2 obligations was checked; try a larger --timeout"
    )


def test_verify_ends_when_the_time_is_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    endless = {"format": FORMAT, "kind": "exhaustive", "bound": "4", "length": "any", "vectors": 10**6}
    endless["digest"] = digest_of(endless)
    proof = {"schema": 1, "claim": "it", "settings": {}, "length": None, "values": {}, "certificates": [endless] * 2}
    model, file = tmp_path / "model.pfl", tmp_path / "it.json"
    model.write_text(MODEL)
    file.write_text(json.dumps(proof))
    assert run(["verify", str(file), str(model), "--timeout", "1"]) == 4
    said = capsys.readouterr()
    assert "the time limit was reached after a part of the proof was checked" in said.out + said.err
