"""The group of subcommands: exit codes of usage, help, suggestions, and what is imported for them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pfl import __version__
from pfl.base.codes import all_codes
from pfl.cli.main import COMMANDS, run


def output_of(arguments: list[str], capsys: Any, code: int = 0) -> str:
    assert run(arguments) == code
    captured = capsys.readouterr()
    return str(captured.out + captured.err)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)])
def test_help(arguments: list[str], capsys: Any) -> None:
    assert output_of(arguments, capsys).startswith("Usage: pflc")


def test_summaries_are_those_of_the_commands() -> None:
    for name, summary in COMMANDS.items():
        command = import_module(f"pfl.cli.{name}").command
        assert command.name == name
        assert summary.endswith(".")
        assert command.help


def test_version(capsys: Any) -> None:
    assert output_of(["--version"], capsys) == f"pflc {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "did you mean `check`?"),
        (["flu.pfl"], "did you mean `pflc check flu.pfl`?"),
        (["zzz"], "there is no command `zzz`"),
        (["check"], "Missing argument"),
        (["check", "--frmat", "json", "x.pfl"], "--format"),
        (["check", "--set", "p=x", "x.pfl"], "`p`: `x` is not an exact number, such as 1/3, 0.06 or 1e-5"),
        (["explain", "PFL9999"], "there is no code `PFL9999`"),
        (["explain", "row-does-not-sum-to-on"], "did you mean `row-does-not-sum-to-one`?"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, capsys: Any) -> None:
    text = output_of(arguments, capsys, code=2)
    assert message in text
    assert "Traceback" not in text


@pytest.mark.parametrize("code", ["PFL0401", "pfl0401", "401", "row-does-not-sum-to-one"])
def test_explain_prints_the_page_without_what_is_for_tests(code: str, capsys: Any) -> None:
    text = output_of(["explain", code], capsys)
    assert text.startswith("# PFL0401: ")
    assert "<!--" not in text


def test_explain_lists_all_codes(capsys: Any) -> None:
    lines = output_of(["explain"], capsys).splitlines()
    assert [line.split()[0] for line in lines] == [str(code) for code in all_codes()]


def test_new_writes_a_model_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert "try `pflc check survey-2.pfl`" in output_of(["new", "survey-2"], capsys)
    assert "hmm Survey2 {" in Path("survey-2.pfl").read_text()
    assert "exists already" in output_of(["new", "survey-2.pfl"], capsys, code=2)
    assert "Error" in output_of(["new", "missing/folder"], capsys, code=2)


def pflc(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pfl", *arguments], capture_output=True, text=True, timeout=60, check=False, **options
    )


def modules_of(*arguments: str) -> set[str]:
    """What is imported by a run of pflc."""
    program = (
        f"import sys; from pfl.cli.main import run; run({list(arguments)!r}); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    return set(done.stderr.split())


def test_help_imports_nothing_heavy() -> None:
    modules = modules_of("--help")
    assert not modules & {"lark", "z3", "scipy", "numpy", "flint", "highspy", "rich", "pfl.driver", "json"}


def test_a_reader_that_goes_away_is_no_fault() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "pfl", "explain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 141)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_an_error_without_traceback() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pfl", "explain"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "Error: standard output: No space left on device\n"


def test_a_narrow_encoding_spells_characters_out() -> None:
    done = pflc("check", "größe.pfl", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert "gr\\xf6\\xdfe.pfl" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_fault_that_nobody_caught_shows_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from pfl.cli import explain

    def fail() -> None:
        raise KeyError("codes")

    monkeypatch.setattr(explain, "all_codes", fail)
    text = output_of(["explain"], capsys, code=70)
    assert text.startswith("error[PFL0901]: the compiler has failed: KeyError")
    monkeypatch.setenv("PFLC_DEBUG", "1")
    with pytest.raises(KeyError):
        run(["explain"])


def test_memory_that_runs_out_somewhere_is_a_limit(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from pfl.cli import explain

    def fail() -> None:
        raise ImportError("libx.so: failed to map segment from shared object")

    monkeypatch.setattr(explain, "all_codes", fail)
    assert "the memory was used up" in output_of(["explain"], capsys, code=4)
