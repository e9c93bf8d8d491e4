"""Every case, written as text and read again, is judged as it is from its source: the same report, the same proofs."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from test_cases import _COMMAND, cases, first_line

from pfl.cli.main import run

OF_THE_MODEL = ("--set", "--length", "--root", "--claim")
"""Options that change the model, which `emit ir` takes in the place of `check`."""
OF_BOTH = ("--timeout", "--max-states")


def split(options: Sequence[str]) -> tuple[list[str], list[str]]:
    """The options of `emit ir` and those of `check`."""
    emitting: list[str] = []
    checking: list[str] = []
    words = list(options)
    while words:
        option = words.pop(0)
        value = [words.pop(0)] if words and not words[0].startswith("--") and "=" not in option else []
        name = option.partition("=")[0]
        if name in OF_THE_MODEL or name in OF_BOTH:
            emitting += [option, *value]
        if name not in OF_THE_MODEL:
            checking += [option, *value]
    return emitting, checking


def judged(arguments: Sequence[str], proofs: Path, capsys: Any) -> tuple[Any, dict[str, Any]]:
    """The report on each claim, and the proofs."""
    capsys.readouterr()
    run(["check", *arguments, "--format", "json", "--certificates", str(proofs)])
    report = json.loads(capsys.readouterr().out)
    held = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(proofs.glob("*.json"))}
    for proof in held.values():
        del proof["settings"], proof["length"]  # what the text was written with
    return report, held


def said(claim: dict[str, Any]) -> dict[str, Any]:
    """What is said of a claim; which engine proves it for values that were found may differ, and with it what is told
    of the largest ratio, since values are put into the model where there is one, and into the numbers of a text."""
    if claim["verdict"] != "found" or not claim.get("evidence"):
        return claim
    evidence = {key: value for key, value in claim["evidence"].items() if key not in ("engine", "detail")}
    return {**claim, "evidence": evidence, "bound": None}


@pytest.mark.parametrize("model", cases())
def test_a_case_as_text(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(model.parent)
    command = _COMMAND.match(first_line(model))
    options = shlex.split(command["options"]) if command else []
    emitting, checking = split(options)
    report, proofs = judged([model.name, *options], tmp_path / "proofs", capsys)
    text = tmp_path / "model.ir"
    code = run(["emit", "ir", model.name, *emitting, "-o", str(text)])
    if code not in (0, 4):
        assert code == report["exit_code"], "what cannot be written cannot be judged"
        return
    again, proofs_again = judged([str(text), *checking], tmp_path / "again", capsys)
    assert list(map(said, again["claims"])) == list(map(said, report["claims"]))
    assert proofs_again.keys() == proofs.keys()
    finds = {claim["name"] for claim in report["claims"] if claim["verdict"] == "found"}
    for file, proof in proofs_again.items():
        if proof == proofs[file]:
            continue
        # A find is proved for values that no text holds: they are put into its numbers, not compiled anew.
        assert proof["claim"] in finds
        assert run(["verify", str(tmp_path / "again" / file), str(text)]) == 0
