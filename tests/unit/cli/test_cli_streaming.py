"""Results come one by one, before all are known: on pipes and terminals, and when the run is cut short.

What is asserted is the order of events: a line that was read while the run still had the slow claim before it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pfl.cli.main import run

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/reference/schema.json").read_text(encoding="utf-8"))
LINE = {**SCHEMA, "$ref": "#/$defs/line"}
for key in ("type", "additionalProperties", "required", "properties"):
    del LINE[key]

COIN = """\
hmm Coin {
    states heads, tails;
    init  heads: 1/2, tails: 1/2;
    heads -> tails; tails -> heads;
    heads emits h: 1/2, t: 1/2;
    tails emits h: 1/2, t: 1/2;
}
"""
QUICK = "check quick: pufferfish Coin { secrets heads vs tails; epsilon 0; length any; }\n"
LATE = """\
hmm Long { state x: 0..1; init x ~ uniform(0..1); emit x; }
check late: pufferfish Long { secrets x@100000000 == 0 vs x == 1; epsilon 1; length 1; }
"""
LAST = "compute last: epsilon Coin { secrets heads vs tails; length 1; }\n"
MODEL = COIN + QUICK + LATE + LAST
SKEWED = "hmm Skewed { states a; init a; a -> a: 99/100; a emits x; }\n"
WRONG = "check faulty: pufferfish Coin { secrets heads vs tails; epsilon 1 - 2; length 1; }\n"
FAULTY = COIN + QUICK + WRONG + LAST

PROVED = "proved    quick  pufferfish Coin  epsilon 0 holds; largest ratio 1    (any number of observations)"
ON_UNIX = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.pfl").write_text(MODEL, encoding="utf-8")
    Path("faulty.pfl").write_text(FAULTY, encoding="utf-8")


@contextmanager
def pflc(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A run of `pflc check` that leads a process group of its own; all of it is killed in the end."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    command = [sys.executable, "-m", "pfl", "check", *arguments]
    with subprocess.Popen(command, text=True, start_new_session=True, **streams) as process:
        try:
            yield process
        finally:
            if is_there(process.pid):
                os.killpg(process.pid, signal.SIGKILL)


def is_there(group: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def next_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def ended(process: subprocess.Popen[str], number: int) -> tuple[str, str]:
    """The rest of what the run says after the signal."""
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert not is_there(process.pid)
    return out, err


@ON_UNIX
@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--memory", "4000"]])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_result_is_printed_before_the_next_system_is_built(options: list[str], number: int) -> None:
    with pflc("model.pfl", *options) as process:
        assert next_line(process) == PROVED
        assert process.poll() is None
        assert ended(process, number) == ("\ninterrupted; 3 claims: 2 not judged\n", "")


@ON_UNIX
def test_json_lines_are_complete_when_the_run_is_interrupted() -> None:
    with pflc("model.pfl", "--format", "jsonl", "--jobs", "2") as process:
        lines = [next_line(process), next_line(process)]
        out, err = ended(process, signal.SIGINT)
    objects = [json.loads(line) for line in [*lines, *out.splitlines()]]
    for each in objects:
        jsonschema.validate(each, LINE)
    (begin, claim, end) = objects
    assert [declared["name"] for declared in begin["run"]["claims"]] == ["quick", "late", "last"]
    assert (claim["claim"]["name"], claim["claim"]["verdict"]) == ("quick", "proved")
    assert end["end"]["interrupted"]
    assert [declared["name"] for declared in end["end"]["unjudged"]] == ["late", "last"]
    assert (end["end"]["claims"], end["end"]["as_expected"], end["end"]["exit_code"]) == (3, 1, 130)
    assert err == "interrupted\n"


def interrupted_document(format_: str) -> str:
    """The report of a run that is interrupted after its first claim: the proof of that one is there."""
    with pflc("model.pfl", "--format", format_, "--certificates", "proofs") as process:
        while not Path("proofs/quick.json").exists():
            assert process.poll() is None
            time.sleep(0.05)
        out, err = ended(process, signal.SIGINT)
    assert err == "interrupted\n"
    return out


@ON_UNIX
def test_json_says_that_it_was_interrupted() -> None:
    report = json.loads(interrupted_document("json"))
    jsonschema.validate(report, SCHEMA)
    assert [claim["name"] for claim in report["claims"]] == ["quick"]
    assert [claim["name"] for claim in report["unjudged"]] == ["late", "last"]
    assert (report["interrupted"], report["exit_code"]) == (True, 130)


@ON_UNIX
def test_sarif_says_that_it_was_interrupted() -> None:
    (run_,) = json.loads(interrupted_document("sarif"))["runs"]
    (invocation,) = run_["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 130)
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"] == "interrupted before these claims were judged: late, last"


@ON_UNIX
def test_junit_skips_what_was_not_judged() -> None:
    (suite,) = ElementTree.fromstring(interrupted_document("junit"))
    assert suite.attrib == {"name": "model.pfl", "tests": "3", "failures": "0", "errors": "0", "skipped": "2"}
    assert [case.get("name") for case in suite if case.find("skipped") is not None] == ["late", "last"]


@ON_UNIX
def test_concise_has_a_line_for_what_was_not_judged() -> None:
    with pflc("model.pfl", "--format", "concise") as process:
        assert next_line(process).startswith("model.pfl:8:1: proved quick: epsilon 0 holds; largest ratio 1 (")
        out, _ = ended(process, signal.SIGINT)
    assert out == "model.pfl:10:1: interrupted late: not judged\nmodel.pfl:11:1: interrupted last: not judged\n"


@ON_UNIX
@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--format", "jsonl"]])
def test_a_reader_that_goes_away_after_the_first_line_is_no_fault(options: list[str]) -> None:
    text = COIN + "".join(QUICK.replace("quick", f"quick{n}") for n in range(4))
    Path("several.pfl").write_text(text, encoding="utf-8")
    with pflc("several.pfl", *options) as process:
        assert next_line(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) in (0, 141)
        assert not is_there(process.pid)


class Screen:
    """What a run of pflc writes to a terminal of so many columns."""

    def __init__(self, columns: int) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.main, self.other = pty.openpty()
        fcntl.ioctl(self.other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.text = ""

    def read_until(self, *wanted: str) -> None:
        while not all(text in self.text for text in wanted):
            self.text += os.read(self.main, 65536).decode()

    def rest(self) -> str:
        """All that was written, after the run has ended."""
        os.close(self.other)
        try:
            while more := os.read(self.main, 65536):
                self.text += more.decode()
        except OSError:  # nobody has the other end any more
            pass
        os.close(self.main)
        return self.text

    def lines(self) -> list[str]:
        """The lines as they stand in the end: what was erased is not there."""
        return [line.rpartition("\r\x1b[K")[2].rstrip("\r") for line in self.text.split("\n")]


@ON_UNIX
@pytest.mark.parametrize(("columns", "jobs"), [(200, "1"), (40, "1"), (200, "2")])
def test_a_terminal_shows_which_claim_is_in_work_and_keeps_the_results(columns: int, jobs: str) -> None:
    screen = Screen(columns)
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
    environment.pop("COLUMNS", None)
    with pflc("model.pfl", "--jobs", jobs, stdout=screen.other, stderr=screen.other, env=environment) as process:
        screen.read_until("proved    ", "late: following")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    written = screen.rest()
    told = [part.partition("\r")[0] for part in written.split("\r\x1b[K") if part.startswith("late: ")]
    assert any("moves towards a secret" in part or columns == 40 for part in told)
    assert all(len(part) < columns for part in told)
    assert "\x1b[1" not in written
    lines = screen.lines()
    assert lines[-3:] == ["", "interrupted; 3 claims: 2 not judged", ""]
    assert (lines[0] == PROVED) == (columns == 200)


def output_of(arguments: list[str], capsys: Any, code: int) -> str:
    assert run(["check", *arguments]) == code
    return str(capsys.readouterr().out)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_fault_that_shows_late_stands_after_the_results_before_it(jobs: str, capsys: Any) -> None:
    lines = output_of(["faulty.pfl", "--jobs", jobs], capsys, 3).splitlines()
    assert lines[0].startswith("proved    quick ")
    assert lines[1] == ""
    assert lines[2].startswith("error[PFL0554]")
    assert lines[-1] == "3 claims: 2 not judged"
    assert not any(line.startswith("computed") for line in lines)


def test_json_and_junit_list_what_a_rejected_model_leaves(capsys: Any) -> None:
    report = json.loads(output_of(["faulty.pfl", "--format", "json"], capsys, 3))
    jsonschema.validate(report, SCHEMA)
    assert [claim["name"] for claim in report["claims"]] == ["quick"]
    assert [claim["name"] for claim in report["unjudged"]] == ["faulty", "last"]
    assert not report["interrupted"]
    (suite,) = ElementTree.fromstring(output_of(["faulty.pfl", "--format", "junit"], capsys, 3))
    assert suite.get("skipped") == "2"


def test_every_fault_is_told_though_nothing_more_is_judged(capsys: Any) -> None:
    Path("faulty.pfl").write_text(FAULTY + WRONG.replace("faulty", "too"), encoding="utf-8")
    lines = [json.loads(line) for line in output_of(["faulty.pfl", "--format", "jsonl"], capsys, 3).splitlines()]
    assert [next(iter(line)) for line in lines] == ["run", "claim", "diagnostic", "diagnostic", "end"]
    assert [line["diagnostic"]["code"] for line in lines[2:4]] == ["PFL0554", "PFL0554"]


@pytest.mark.parametrize(
    "fault",
    [
        "const N = ;",  # syntax
        "const N = M;",  # names
        'const N: int = "a";',  # types
        "check odd: pufferfish Coin { secrets heads vs tails; epsilon 0; lenth 1; }",  # clauses
        SKEWED,  # a small system that no claim is about
    ],
)
def test_what_the_text_alone_shows_is_told_before_anything_is_judged(fault: str, capsys: Any) -> None:
    Path("faulty.pfl").write_text(COIN + QUICK + fault, encoding="utf-8")
    lines = [json.loads(line) for line in output_of(["faulty.pfl", "--format", "jsonl"], capsys, 3).splitlines()]
    kinds = [next(iter(line)) for line in lines]
    assert "claim" not in kinds
    assert kinds[1] == "diagnostic"


def test_a_fault_in_one_file_leaves_the_claims_of_the_next(capsys: Any) -> None:
    Path("sound.pfl").write_text(COIN + QUICK, encoding="utf-8")
    out = output_of(["faulty.pfl", "sound.pfl", "--format", "concise"], capsys, 3)
    assert [line.split(":")[0] for line in out.splitlines() if " proved " in line] == ["faulty.pfl", "sound.pfl"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_json_lines_have_the_objects_of_the_json_report(jobs: str, capsys: Any) -> None:
    example = str(Path(__file__).parents[3] / "examples/flu.pfl")
    report = json.loads(output_of([example, "--format", "json"], capsys, 0))
    lines = [
        json.loads(line) for line in output_of([example, "--format", "jsonl", "--jobs", jobs], capsys, 0).splitlines()
    ]
    for line in lines:
        jsonschema.validate(line, LINE)
    assert [line["claim"] for line in lines if "claim" in line] == report["claims"]
    assert lines[-1]["end"]["exit_code"] == report["exit_code"]


def test_progress_names_the_claim_and_where_there_are_several_the_file(capsys: Any) -> None:
    from pfl.driver import check_stream

    Path("first.pfl").write_text(COIN + QUICK, encoding="utf-8")
    Path("second.pfl").write_text(COIN + LAST, encoding="utf-8")
    told: list[str] = []
    list(check_stream(["first.pfl"], progress=told.append))
    assert "quick: building what the claim is about" in told
    told.clear()
    list(check_stream(["first.pfl", "second.pfl"], progress=told.append))
    about = [text.rpartition(": ")[0] for text in told]
    assert "first.pfl: quick" in about
    assert "second.pfl: last" in about
    assert about.index("first.pfl: quick") < about.index("second.pfl: last")
    assert capsys.readouterr() == ("", "")
