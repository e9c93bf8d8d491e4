"""Command lines that nobody means: each is told in one sentence, and the exit code says whose fault it was."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pfl.cli.main import run

COIN = """\
hmm Coin {
    states heads, tails;
    init  heads: 1/2, tails: 1/2;
    heads -> heads;
    tails -> tails;
    heads emits h: 3/4, t: 1/4;
    tails emits h: 1/4, t: 3/4;
}
check leak: pufferfish Coin { secrets heads vs tails; epsilon ln(3); length 1; }
compute seen: likelihood Coin { observations h, _; }
"""


@pytest.fixture(autouse=True)
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("coin.pfl").write_text(COIN, encoding="utf-8")


def usage_error(capsys: Any, *arguments: str) -> str:
    assert run(arguments) == 2
    told: str = capsys.readouterr().err
    return told.splitlines()[-1]


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "-inf", "1e999"])
def test_seconds_are_a_number_above_0(seconds: str, capsys: Any) -> None:
    told = usage_error(capsys, "check", "coin.pfl", "--timeout", seconds)
    assert told.endswith("is no number of seconds above 0; leave the option out for no limit")


def test_a_time_beyond_all_clocks_is_no_limit(capsys: Any) -> None:
    assert run(["check", "coin.pfl", "--timeout", "1e300", "--engine", "smt"]) == 0
    assert "proved" in capsys.readouterr().out


@pytest.mark.parametrize("length", ["-1", "abc", "any", "1.5", "", "9" * 10, "\u0663"])
def test_a_length_is_a_whole_number(length: str, capsys: Any) -> None:
    told = usage_error(capsys, "check", "coin.pfl", "--length", length)
    assert f"`{length}` is no length: give a whole number of at most nine digits" in told


@pytest.mark.parametrize(
    ("option", "value"),
    [("--memory", "0"), ("--memory", "-1"), ("--max-states", "0"), ("--jobs", "0"), ("--jobs", "x")],
)
def test_numbers_of_things_begin_at_1(option: str, value: str, capsys: Any) -> None:
    assert f"Invalid value for '{option}'" in usage_error(capsys, "check", "coin.pfl", option, value)


def test_limits_beyond_all_machines_limit_nothing() -> None:
    limits = ["--memory", str(10**30), "--max-states", str(10**30), "--jobs", str(10**9)]
    done = subprocess.run(
        [sys.executable, "-m", "pfl", "check", "coin.pfl", *limits], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "proved" in done.stdout


def test_length_0_warns_wherever_it_is_written(capsys: Any) -> None:
    assert run(["check", "coin.pfl", "--length", "0"]) == 0
    assert "warning[PFL0552]" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", ""],
        ["check", "coin.pfl", ""],
        ["check", "coin.pfl", "--solver", ""],
        ["check", "coin.pfl", "--certificates", ""],
        ["fmt", ""],
        ["emit", "ir", ""],
        ["emit", "dot", "coin.pfl", "-o", ""],
        ["simulate", ""],
        ["verify", "", "coin.pfl"],
        ["verify", "coin.pfl", ""],
    ],
)
def test_an_empty_name_names_nothing(arguments: list[str], capsys: Any) -> None:
    assert usage_error(capsys, *arguments).endswith("is empty")


@pytest.mark.parametrize("arguments", [["check", "-", "-"], ["fmt", "-", "coin.pfl", "-"], ["verify", "-", "-"]])
def test_standard_input_is_one_file(arguments: list[str], capsys: Any) -> None:
    assert "standard input can be read only once" in usage_error(capsys, *arguments)


@pytest.mark.parametrize("piped", [0, 1])
def test_a_certificate_or_its_model_may_come_from_standard_input(
    piped: int, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    assert run(["check", "coin.pfl", "--certificates", "proofs"]) == 0
    files = ["proofs/leak.json", "coin.pfl"]
    text = Path(files[piped]).read_bytes()
    files[piped] = "-"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    capsys.readouterr()
    assert run(["verify", *files]) == 0
    assert capsys.readouterr().out.startswith("verified  leak")


@pytest.mark.parametrize("solver", [".", "coin.pfl"])
def test_a_solver_is_a_file_that_can_be_run(solver: str, capsys: Any) -> None:
    assert run(["check", "coin.pfl", "--engine", "smt", "--solver", solver]) == 3
    assert f"the solver `{solver}` cannot be run: it is not an executable file" in capsys.readouterr().out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_where_nothing_can_be_told_the_exit_code_is_no_verdict() -> None:
    for arguments in (["check", "coin.pfl"], ["check", "none.pfl"], ["check", "--none"], ["emit", "ir", "none.pfl"]):
        with open("/dev/full", "w") as stream:
            done = subprocess.run([sys.executable, "-m", "pfl", *arguments], stdout=stream, stderr=stream, check=False)
        assert done.returncode == 2


def test_processes_that_cannot_be_started_leave_claims_undecided(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", refuse)
    assert run(["check", "coin.pfl", "--jobs", "2"]) == 4
    told = capsys.readouterr().out
    assert told.count("no process could be started to judge the claim: resource temporarily unavailable") == 2
    assert "try fewer --jobs" in told
