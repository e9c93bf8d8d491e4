"""Runs `pflc check` and reads back what it reports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pfl.cli.main import run


def reported(arguments: Sequence[str], capsys: Any) -> dict[str, Any]:
    """The JSON report of `pflc check` with these arguments."""
    capsys.readouterr()
    code = run(["check", "--format", "json", *arguments])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["exit_code"] == code
    return report


def reported_codes(arguments: Sequence[str], capsys: Any) -> set[str]:
    """The codes of all diagnostics."""
    return {diagnostic["code"] for diagnostic in reported(arguments, capsys)["diagnostics"]}
