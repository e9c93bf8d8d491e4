"""Commands on files: check, fmt and emit, with what can go wrong about files."""

from __future__ import annotations

import json
import os
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

compute seen: likelihood Coin { observations h, _; }
"""
CHECK = "\ncheck leak: pufferfish Coin { secrets heads vs tails; epsilon ln(3); length 1; }\n"


@pytest.fixture
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("coin.pfl").write_text(COIN, encoding="utf-8")
    return Path("coin.pfl")


@pytest.fixture
def leak(coin: Path) -> Path:
    coin.write_text(COIN + CHECK, encoding="utf-8")
    return coin


def output_of(arguments: list[str], capsys: Any, code: int = 0) -> tuple[str, str]:
    assert run(arguments) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_a_computed_claim(coin: Path, capsys: Any) -> None:
    out, err = output_of(["check", str(coin)], capsys)
    assert out == "computed  seen  likelihood Coin  1/2 = 0.5    (2 observations)\n"
    assert err == ""


def test_claims_of_several_files_are_one_report(coin: Path, capsys: Any) -> None:
    Path("other.pfl").write_text(COIN.replace("seen", "glimpsed"), encoding="utf-8")
    out, _ = output_of(["check", str(coin), "other.pfl", "--format", "json"], capsys)
    assert [(claim["file"], claim["name"]) for claim in json.loads(out)["claims"]] == [
        ("coin.pfl", "seen"),
        ("other.pfl", "glimpsed"),
    ]
    out, _ = output_of(["check", str(coin), "other.pfl", "--claim", "glimpsed", "--format", "concise"], capsys)
    assert (
        out
        == "other.pfl:10:1: computed glimpsed: 1/2 = 0.5 (2 observations) | compute likelihood Coin | engine: exact\n"
    )
    out, _ = output_of(["check", str(coin), "other.pfl", "--claim", "glimpse"], capsys, code=3)
    assert "did you mean `glimpsed`?" in out


@pytest.mark.parametrize("format_", ["human", "concise", "json", "sarif", "junit"])
def test_rejected_input_is_reported_in_every_format(format_: str, coin: Path, capsys: Any) -> None:
    coin.write_text(COIN.replace("1/2, tails", "1/3, tails"), encoding="utf-8")
    out, err = output_of(["check", str(coin), "--format", format_], capsys, code=3)
    assert "PFL0401" in out
    assert err == ""


def test_what_is_no_readable_file(coin: Path, capsys: Any) -> None:
    assert "there is no file `nowhere.pfl`" in output_of(["check", "nowhere.pfl"], capsys, code=3)[0]
    assert "is a folder" in output_of(["check", "."], capsys, code=3)[0]
    assert "there is no file" in output_of(["fmt", "nowhere.pfl"], capsys, code=3)[1]
    assert "there is no file" in output_of(["emit", "ir", "nowhere.pfl"], capsys, code=3)[1]
    out, _ = output_of(["check", str(coin), "nowhere.pfl"], capsys, code=3)
    assert "computed  seen" in out


def test_standard_input(coin: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with coin.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        out, _ = output_of(["check", "-", "--format", "concise"], capsys)
    assert out == "<stdin>:10:1: computed seen: 1/2 = 0.5 (2 observations) | compute likelihood Coin | engine: exact\n"


def test_an_unwritable_report_of_proofs_is_a_usage_error(coin: Path, capsys: Any) -> None:
    _, err = output_of(["check", str(coin), "--certificates", str(coin / "folder")], capsys, code=2)
    assert err.startswith("Error: ")


def test_fmt_writes_what_changes(coin: Path, capsys: Any) -> None:
    standard = coin.read_text(encoding="utf-8")
    assert output_of(["fmt", str(coin)], capsys) == ("", "")
    coin.write_text(standard.replace("    ", "\t") + "// end\n", encoding="utf-8")
    assert output_of(["fmt", "--check", str(coin)], capsys, code=1) == ("would change coin.pfl\n", "")
    assert output_of(["fmt", str(coin)], capsys) == ("formatted coin.pfl\n", "")
    assert coin.read_text(encoding="utf-8") == standard + "// end\n"
    assert output_of(["fmt", "--check", str(coin)], capsys) == ("", "")


def test_fmt_of_standard_input_goes_to_standard_output(
    coin: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with coin.open(encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert output_of(["fmt", "-"], capsys) == (COIN, "")


def test_fmt_leaves_a_faulty_file_alone(coin: Path, capsys: Any) -> None:
    coin.write_text("hmm Coin {", encoding="utf-8")
    _, err = output_of(["fmt", str(coin)], capsys, code=3)
    assert "error[PFL01" in err
    assert coin.read_text(encoding="utf-8") == "hmm Coin {"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_fmt_says_when_it_may_not_write(coin: Path, capsys: Any) -> None:
    coin.write_text(COIN + "  // end", encoding="utf-8")
    coin.chmod(0o444)
    assert "coin.pfl: Permission denied" in output_of(["fmt", str(coin)], capsys, code=2)[1]


def test_emit_ir(coin: Path, capsys: Any) -> None:
    out, _ = output_of(["emit", "ir", str(coin)], capsys)
    assert out.startswith("pfl model 1\n\nsystem 1\n  states [")
    assert "claim\n  name seen\n  verb compute\n  kind likelihood\n  subject Coin\n" in out
    output_of(["emit", "ir", str(coin), "-o", "coin.ir"], capsys)
    assert Path("coin.ir").read_text(encoding="utf-8") == out
    assert "did you mean `seen`?" in output_of(["emit", "ir", str(coin), "--claim", "sen"], capsys, code=3)[1]


def test_emit_smtlib_joins_queries_or_writes_one_a_file(leak: Path, capsys: Any) -> None:
    out, err = output_of(["emit", "smtlib", str(leak)], capsys)
    assert out.count("(check-sat)") == 2
    assert out.count("\n(reset)\n") == 1
    assert err.startswith("left out: the claim `seen` has no SMT query")
    output_of(["emit", "smtlib", str(leak), "-o", "all.smt2"], capsys)
    assert Path("all.smt2").read_text(encoding="utf-8") == out
    listed, _ = output_of(["emit", "smtlib", str(leak), "-o", "queries"], capsys)
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path("queries").iterdir())]
    assert len(texts) == len(listed.splitlines()) == 2
    assert "(reset)\n".join(texts) == out


def test_emit_smtlib_of_a_claim_without_query_is_refused(leak: Path, capsys: Any) -> None:
    _, err = output_of(["emit", "smtlib", str(leak), "--claim", "seen"], capsys, code=3)
    assert "error[PFL0603]" in err


def test_the_encoding_of_the_paper_is_an_option(leak: Path, capsys: Any) -> None:
    linear, _ = output_of(["emit", "smtlib", str(leak), "--claim", "leak"], capsys)
    literal, _ = output_of(["emit", "smtlib", str(leak), "--claim", "leak", "--encoding", "pufferfish-check"], capsys)
    assert "encoding    PufferfishCheck" in literal
    assert linear != literal


def test_the_solver_engine_judges(leak: Path, capsys: Any) -> None:
    out, _ = output_of(["check", str(leak), "--claim", "leak", "--engine", "smt", "--format", "json"], capsys)
    (claim,) = json.loads(out)["claims"]
    assert (claim["verdict"], claim["evidence"]["kind"]) == ("proved", "solver")
    assert (
        "was not found" in output_of(["check", str(leak), "--engine", "smt", "--solver", "nosuch"], capsys, code=3)[0]
    )


def test_little_memory_is_a_limit(leak: Path) -> None:
    import subprocess

    done = subprocess.run(
        [sys.executable, "-m", "pfl", "check", str(leak), "--memory", "40"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 4)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["survey", "my first-model", "2nd", "größe"])
def test_a_new_model_checks_as_it_says_and_is_in_the_standard_layout(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    output_of(["new", name], capsys)
    out, _ = output_of(["check", f"{name}.pfl", "--format", "concise"], capsys)
    assert len(out.splitlines()) == 3
    assert output_of(["fmt", "--check", f"{name}.pfl"], capsys) == ("", "")
