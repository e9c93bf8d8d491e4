"""`--root`, on every command that reads models."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from pfl.cli.main import run

MODEL = """\
import "../shared/rates.pfl";
mechanism told(x: bool) -> bool { return bernoulli(if x then rate else 1 - rate); }
adjacency other(a: bool, b: bool) = a != b;
check leak: privacy told { adjacent other; epsilon ln(3); }
compute reached: probability told(true) { returns true; }
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("models", "shared"):
        (tmp_path / name).mkdir()
    (tmp_path / "models/told.pfl").write_text(MODEL)
    (tmp_path / "shared/rates.pfl").write_text("const rate = 3/4;")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "command", [["check"], ["emit", "ir"], ["emit", "smtlib"], ["emit", "dot"], ["emit", "drn"], ["simulate"]], ids=str
)
def test_a_command_that_reads_models(command: list[str], capsys: Any) -> None:
    assert run([*command, "models/told.pfl"]) == 3
    captured = capsys.readouterr()
    assert "PFL0024" in captured.out + captured.err
    assert "3/4" not in captured.out + captured.err
    assert run([*command, "models/told.pfl", "--root", "."]) == 0


def test_verify(capsys: Any) -> None:
    assert run(["check", "models/told.pfl", "--root", ".", "--certificates", "proofs"]) == 0
    assert run(["verify", "proofs/leak.json", "models/told.pfl"]) == 3
    assert "PFL0024" in capsys.readouterr().err
    assert run(["verify", "proofs/leak.json", "models/told.pfl", "--root", "."]) == 0


def test_standard_input_reads_from_the_current_folder(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, arguments, code in (
        ("shared/rates.pfl", [], 0),
        ("../shared/rates.pfl", [], 3),
        ("shared/rates.pfl", ["--root", "models"], 3),
    ):
        text = MODEL.replace("../shared/rates.pfl", path).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert run(["check", "-", *arguments]) == code
        assert ("PFL0024" in capsys.readouterr().out) == (code == 3)


@pytest.mark.parametrize("root", ["nowhere", "models/told.pfl", ""])
def test_a_root_that_is_no_folder_is_a_usage_error(root: str, capsys: Any) -> None:
    assert run(["check", "models/told.pfl", "--root", root]) == 2
    assert "--root" in capsys.readouterr().err
