"""The text of a model in place of its source, on the command line."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from pfl.cli.main import run

COIN = """\
param p in [1/4, 3/4];
hmm Coin {
    states heads, tails;
    init  heads: p, tails: 1 - p;
    heads -> heads;
    tails -> tails;
    heads emits h: 3/4, t: 1/4;
    tails emits h: 1/4, t: 3/4;
}
compute seen: likelihood Coin { observations h, _; }
check leak: pufferfish Coin { secrets heads vs tails; epsilon ln(3); length 1; }
"""


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The text of the model, under a name that says nothing."""
    monkeypatch.chdir(tmp_path)
    Path("coin.pfl").write_text(COIN, encoding="utf-8")
    assert run(["emit", "ir", "coin.pfl", "-o", "of-the-coin"]) == 0
    return Path("of-the-coin")


def output_of(arguments: list[str], capsys: Any, code: int = 0) -> tuple[str, str]:
    capsys.readouterr()
    assert run(arguments) == code
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_a_text_is_judged_as_its_source(text: Path, capsys: Any) -> None:
    assert output_of(["check", str(text)], capsys) == output_of(["check", "coin.pfl"], capsys)
    assert output_of(["check", str(text), "--jobs", "2"], capsys) == output_of(["check", "coin.pfl"], capsys)


def test_standard_input_may_be_a_text(text: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = output_of(["check", "coin.pfl"], capsys)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.read_bytes())))
    assert output_of(["check", "-"], capsys) == wanted


@pytest.mark.parametrize("command", [["emit", "ir"], ["emit", "dot"], ["emit", "smtlib", "--claim", "leak"]], ids=str)
def test_every_product_comes_from_a_text(text: Path, capsys: Any, command: list[str]) -> None:
    assert output_of([*command, str(text)], capsys) == output_of([*command, "coin.pfl"], capsys)


def test_claims_are_chosen_by_name(text: Path, capsys: Any) -> None:
    out, _ = output_of(["check", str(text), "--claim", "leak"], capsys)
    assert out.startswith("proved")
    assert "seen" not in out
    assert "did you mean `seen`?" in output_of(["check", str(text), "--claim", "sen"], capsys, code=3)[0]


@pytest.mark.parametrize("option", ["--set p=1/2", "--length 3"])
def test_options_that_change_a_model_belong_to_its_source(text: Path, capsys: Any, option: str) -> None:
    out, _ = output_of(["check", str(text), *option.split()], capsys, code=3)
    assert "error[PFL0134]" in out
    assert "pflc emit ir" in out


@pytest.mark.parametrize("arguments", [[], ["--check"]], ids=str)
def test_a_text_is_not_formatted(
    text: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    before = text.read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(before)))
    for file in (str(text), "-"):
        out, err = output_of(["fmt", *arguments, file], capsys, code=3)
        assert "error[PFL0135]: this is the text of a model, and no source" in out + err
    assert text.read_bytes() == before


def test_two_claims_need_two_names(text: Path, capsys: Any) -> None:
    text.write_text(text.read_text(encoding="utf-8").replace("name leak", "name seen"), encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert "there are two claims of the name `seen`" in out


def test_a_proof_of_a_text_is_a_proof_of_its_source(text: Path, capsys: Any) -> None:
    assert run(["emit", "ir", "coin.pfl", "--set", "p=1/2", "--claim", "leak", "-o", str(text)]) == 0
    output_of(["check", str(text), "--certificates", "proofs"], capsys)
    output_of(["verify", "proofs/leak.json", str(text)], capsys)
    output_of(["verify", "proofs/leak.json", "coin.pfl", "--set", "p=1/2"], capsys)


def test_parameters_of_a_text_are_fixed_in_its_source(text: Path, capsys: Any) -> None:
    """What to do is not what is refused then."""
    anew = "`pflc emit ir coin.pfl --set p={}`, which writes the text anew"
    assert anew.format("..") in output_of(["check", str(text), "--certificates", "none"], capsys)[1]
    output_of(["check", "coin.pfl", "--set", "p=1/2", "--certificates", "proofs"], capsys)
    out, _ = output_of(["verify", "proofs/leak.json", str(text)], capsys, code=1)
    assert "is checked without `--set` and `--length`: write the text anew with the same" in out
    proof = Path("proofs/leak.json")
    proof.write_text(proof.read_text(encoding="ascii").replace('"p": "1/2"', ""), encoding="ascii")
    out, _ = output_of(["verify", "proofs/leak.json", str(text)], capsys, code=1)
    assert anew.format("..") in out
    out, _ = output_of(["verify", "proofs/leak.json", "coin.pfl"], capsys, code=1)
    assert "fix it: `--set p=..`\n" in out


def test_a_damaged_text_is_an_error_with_its_place(text: Path, capsys: Any) -> None:
    whole = text.read_text(encoding="utf-8")
    text.write_text(whole.replace("heads -> heads: 3/4", "heads -> head: 3/4"), encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert "error[PFL0131]: nothing above describes `head`" in out
    assert "of-the-coin:" in out


@pytest.mark.parametrize(
    ("change", "code", "part"),
    [
        (("from 11:1 to", "from 11:-1 to"), "PFL0133", "origin is no place"),
        (("from 11:1 to", "from 11:99 to"), "PFL0133", "origin is no place"),
        (("kind pufferfish", 'kind ""'), "PFL0133", "kind is empty"),
        (("        lengths [1]", "        lengths [1]\n        unit letters"), "PFL0130", "`observation`, `output`"),
        (("[p in [1/4, 3/4]]", "[p in [1/4, 3/2]]"), "PFL0470", "claim"),
    ],
)
def test_what_a_claim_says_of_itself(text: Path, capsys: Any, change: tuple[str, str], code: str, part: str) -> None:
    whole = text.read_text(encoding="utf-8")
    assert change[0] in whole
    text.write_text(whole.replace(*change), encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert f"error[{code}]" in out
    assert "--> of-the-coin:" in out
    assert part in out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_an_engine_finds_wrong_has_a_place(text: Path, capsys: Any, jobs: str) -> None:
    whole = text.read_text(encoding="utf-8")
    text.write_text(whole.replace("[p in [1/4, 3/4]]", "[p in [1/4, 3/2]]"), encoding="utf-8")
    out, _ = output_of(["check", str(text), "--claim", "leak", "--jobs", jobs], capsys, code=3)
    line = 1 + whole[: whole.index("claim\n  name leak")].count("\n")
    assert f"--> of-the-coin:{line}:1" in out


def test_a_text_that_was_cut_off(text: Path, capsys: Any) -> None:
    """Whatever stands behind the last claim was to be about another one."""
    whole = text.read_text(encoding="utf-8")
    text.write_text(whole[: whole.rindex("claim\n")], encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert "error[PFL0130]: no claim follows that could be about this" in out
    first = whole[: whole.index("claim\n")]
    text.write_text(first[: first.index("tails -> tails")], encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert "error[PFL0133]: what no claim is about: the weights of `heads`" in out
