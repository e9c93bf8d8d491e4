"""What is not there when pflc starts, or not in time: closed streams, a solver's package, seconds."""

from __future__ import annotations

import sys

import pytest

from pfl import check_text
from pfl.base.diagnostics import InputRejected
from pfl.cli.main import run
from pfl.engines.smt.terms import Script
from pfl.engines.smt.z3 import solve
from pfl.options import Options

LATE = """
hmm H { state x: 0..1; init x ~ uniform(0..1); emit x; }
check late: pufferfish H { secrets x@100000 == 0 vs x == 1; epsilon 1; length 1; }
"""


def test_closed_standard_input_is_a_file_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["check", "-"]) == 3
    assert "standard input is closed" in capsys.readouterr().out


def test_closed_standard_output_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert run(["--version"]) == 2


def test_a_missing_z3_is_a_missing_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(InputRejected, match="z3"):
        solve(Script(logic="QF_LRA", commands=(), values=()), None)


def test_the_time_limit_holds_while_a_model_is_built() -> None:
    assert check_text(LATE, Options(timeout=1e-6)).exit_code == 4
