"""Options of the command line, and the exact numbers of `--set`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfl.cli.options import JUDGING, MODEL, RUNNING, exact_number, read_options, with_options
from pfl.options import Options


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("0.06", Fraction(3, 50)),
        ("1e-5", Fraction(1, 100_000)),
        ("-2", Fraction(-2)),
        ("0.5/0.25", Fraction(2)),
        (" 3 / 4 ", Fraction(3, 4)),
        ("2.5E3", Fraction(2500)),
    ],
)
def test_numbers_are_exact(text: str, value: Fraction) -> None:
    assert exact_number(text) == value


@pytest.mark.parametrize("text", ["", "x", "1/0", "1//2", ".5", "5.", "inf", "nan", "1e99999", "0x10", "1_000", "٣"])
def test_other_texts_are_not(text: str) -> None:
    with pytest.raises(ValueError, match=r"exact number|divides by 0"):
        exact_number(text)


@given(st.fractions())
def test_every_rational_can_be_given(number: Fraction) -> None:
    assert exact_number(str(number)) == number


@click.command()
@with_options(*MODEL, *JUDGING, *RUNNING)
def probe(**given: Any) -> Options:
    return read_options(**given)


def parsed(*arguments: str) -> Options:
    options = probe.main(list(arguments), standalone_mode=False)
    assert isinstance(options, Options)
    return options


def test_without_options_there_are_the_defaults() -> None:
    assert parsed() == Options()


def test_options_reach_the_record_of_settings() -> None:
    given = "--claim a --claim b --set p=1/3 --set N=5 --length 4 --engine smt --solver cvc5 --timeout 1.5 --memory 512"
    assert parsed(*given.split(), "--max-states", "9", "--jobs", "2", "--certificates", "out", "--debug") == Options(
        claims=("a", "b"),
        settings={"p": Fraction(1, 3), "N": Fraction(5)},
        length=4,
        engine="smt",
        solver="cvc5",
        timeout=1.5,
        memory=512,
        max_states=9,
        jobs=2,
        certificates="out",
        debug=True,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "p"],
        ["--set", "=1"],
        ["--set", "p=pi"],
        ["--set", "p=1", "--set", "p=2"],
        ["--length", "-1"],
        ["--timeout", "0"],
        ["--jobs", "0"],
        ["--engine", "guess"],
    ],
)
def test_unusable_values_are_usage_errors(arguments: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parsed(*arguments)


def test_debug_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFLC_DEBUG", "1")
    assert parsed().debug
