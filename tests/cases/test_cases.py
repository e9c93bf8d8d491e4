"""Runs every case: marked lines against what is reported, transcripts against expected files (see README.md here)."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from pfl.cli.main import run

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"

_COMMAND = re.compile(r"// pflc check(?P<options>.*)")
_IMPORTED = re.compile(r"// imported by (?P<name>\S+)")
_MARK = re.compile(r"//~(?P<codes>(?: PFL\d{4})+)\s*$")


def first_line(model: Path) -> str:
    return model.read_text(encoding="utf-8", errors="replace").partition("\n")[0]


def cases() -> list[Any]:
    models = [*sorted(HERE.rglob("*.pfl")), *sorted(EXAMPLES.rglob("*.pfl"))]
    return [
        pytest.param(model, id=str(model.relative_to(HERE.parents[1])))
        for model in models
        if not _IMPORTED.match(first_line(model))
    ]


def marks(model: Path) -> set[tuple[str, int, str]]:
    """(file, line, code) of every mark of a case and of the files it imports."""
    files = [
        path
        for path in model.parent.glob("*.pfl")
        if path == model or ((found := _IMPORTED.match(first_line(path))) and found["name"] == model.name)
    ]
    return {
        (path.name, number, code)
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if (mark := _MARK.search(line))
        for code in mark["codes"].split()
    }


def expected_file(model: Path) -> Path:
    if model.is_relative_to(EXAMPLES):
        model = HERE / "examples" / model.relative_to(EXAMPLES)
    return model.with_suffix(".expected")


@pytest.mark.parametrize("model", cases())
def test_case(model: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any, file_regression: Any) -> None:
    monkeypatch.chdir(model.parent)
    command = _COMMAND.match(first_line(model))
    options = shlex.split(command["options"]) if command else []
    wanted = marks(model)

    run(["check", model.name, *options, "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    found = {(d["file"], d["line"], d["code"]) for d in report["diagnostics"]}
    assert found == wanted

    transcript = expected_file(model)
    if transcript.exists() or not wanted:
        code = run(["check", model.name, *options])
        captured = capsys.readouterr()
        assert code != 70, captured.out
        text = f"{captured.out}{captured.err}exit code {code}\n"
        file_regression.check(text, fullpath=transcript, encoding="utf-8")
