"""The text of a model in place of its source, on the command line."""

from __future__ import annotations

import io
import json
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
    output_of(["check", "coin.pfl", "--set", "p=1/2", "--certificates", "proofs"], capsys)
    out, _ = output_of(["verify", "proofs/leak.json", str(text)], capsys, code=1)
    assert "is checked without `--set` and `--length`: write the text anew with the same" in out


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


NOISY = """
param eps in (0, inf);
mechanism above(q: 0..1) -> bool {
    let noisy ~ laplace(q, 4/eps);
    let threshold ~ laplace(0, 2/eps);
    return noisy > threshold;
}
adjacency other(a: 0..1, b: 0..1) = a != b;
check told: privacy above { adjacent other; epsilon eps/2; delta exp(-8); }
compute least: epsilon above { adjacent other; }
compute seen: probability above(1) { returns true; }
"""


def test_a_text_with_exponents_is_judged_as_its_source(tmp_path: Path, capsys: Any) -> None:
    source, text = tmp_path / "noisy.pfl", tmp_path / "noisy.ir"
    source.write_text(NOISY, encoding="utf-8")
    output_of(["emit", "ir", str(source), "-o", str(text)], capsys, code=0)
    assert "exponents eps in (0, inf) over 4" in text.read_text(encoding="utf-8")
    told, _ = output_of(["check", str(source), "--format", "json"], capsys, code=0)
    again, _ = output_of(["check", str(text), "--format", "json"], capsys, code=0)
    assert json.loads(again)["claims"] == json.loads(told)["claims"]


@pytest.mark.parametrize(
    ("change", "code", "part"),
    [
        (("eps in (0, inf)", "eps in [-1, inf)"), "PFL0133", "`eps` may be negative: eps in [-1, inf)"),
        (("eps in (0, inf)", "eps in (0, inf]"), "PFL0133", "closed where it has no end"),
        (("eps in (0, inf)", "eps in (2, 1)"), "PFL0133", "has no values"),
        (("eps in (0, inf)", "eps in (1, 1]"), "PFL0133", "has no values"),
        (("eps in (0, inf)", "p in (0, inf)"), "PFL0133", "mentions `exp(-eps/4)`, which is no parameter"),
        (("eps in (0, inf)", "1 in (0, inf)"), "PFL0133", "exponents of 1 are in [1, 1]"),
        (("over 4", "over 8"), "PFL0133", "mentions `exp(-eps/4)`, and its exponents are said to be over 8"),
        (("over 4", "over 0"), "PFL0133", "not over a whole number"),
        (("over 4", ""), "PFL0130", "`over` is expected here"),
        (("exponents eps in (0, inf) over 4", ""), "PFL0133", "`exp(-1)`, `exp(-eps/4)`, which is no parameter"),
        (("epsilon 2*eps/4", "epsilon 2*eps/4 + ln(1 + exp(-1))"), "PFL0133", "mentions `exp(-1)`"),
        (("epsilon 2*eps/4", "epsilon 2*nu/4"), "PFL0133", "mentions `exp(-nu/4)`"),
        (("epsilon 2*eps/4", "epsilon eps/2"), "PFL0133", "`exp(-eps/2)`, and its exponents are said to be over 4"),
        (("delta exp(-8)", "delta exp(-p)"), "PFL0133", "mentions `exp(-p)`"),
    ],
)
def test_exponents_are_those_of_the_claim(
    tmp_path: Path, capsys: Any, change: tuple[str, str], code: str, part: str
) -> None:
    source, text = tmp_path / "noisy.pfl", tmp_path / "noisy.ir"
    source.write_text(NOISY.partition("compute")[0], encoding="utf-8")
    output_of(["emit", "ir", str(source), "-o", str(text)], capsys, code=0)
    whole = text.read_text(encoding="utf-8")
    assert change[0] in whole
    text.write_text(whole.replace(*change), encoding="utf-8")
    out, _ = output_of(["check", str(text)], capsys, code=3)
    assert f"error[{code}]" in out
    assert part in out
