"""The bounds that the standard library states beside its mechanisms are claims, and come out as stated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pfl.cli.main import run

STDLIB = Path(__file__).parents[2] / "stdlib"


@pytest.mark.parametrize("module", sorted(STDLIB.glob("*.pfl")), ids=lambda module: module.stem)
def test_every_claim_of_a_module_comes_out_as_stated(module: Path, capsys: Any) -> None:
    code = run(["check", "--format", "json", str(module)])
    report = json.loads(capsys.readouterr().out)
    assert report["diagnostics"] == []
    assert [claim["name"] for claim in report["claims"] if not claim["as_expected"]] == []
    assert report["claims"], f"{module.name} claims nothing"
    assert code == 0
