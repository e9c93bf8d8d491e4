"""Advice that names an option is of use: with it the message that gave the advice does not come again.

Every wrong block of an error page is run, and the models below, which meet limits that no page shows. Each option that
a message proposes is given, and the same words must be gone.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_blocks import ROOT, code_blocks
from reported_codes import reported

OPTION = re.compile(r"--(max-states|timeout|set|length|engine exact|memory|jobs|solver)\b")

MODELS = {
    "inputs that are compared": (
        "mechanism m(votes: [7] of 0..3) -> 0..3 { return votes[0]; }\n"
        "adjacency one(a: [7] of 0..3, b: [7] of 0..3) = a[0] == 0 and b[0] == 1 and sum(a) + sum(b) == 1;\n"
        "check privacy m { adjacent one; epsilon 0; expect refuted; }"
    ),
    "inputs that are ranged over": (
        "// --max-states 10\nmechanism m(x: 0..30) -> bool { return x > 3; }\ncompute probability m { returns true; }"
    ),
    "far too many inputs": (
        "mechanism m(votes: [70] of 0..3) -> 0..3 { return votes[0]; }\ncompute probability m { returns 1; }"
    ),
    "starts": (
        "// --max-states 10\nhmm H { state x: 0..30; step x = max(0, x - 1); }\n"
        "compute expected steps H { until x == 0; from any; }"
    ),
    "states": (
        "// --max-states 10\nhmm H { state x: 0..30 = 30; step x = max(0, x - 1); }\n"
        "compute expected steps H { until x == 0; }"
    ),
    "inputs of a table without turns that are counted": (
        "// --max-states 60\nautomaton A { states i, j; start i; data d; query q; output r;\n"
        "  i -- d --> j; i -- q --> i; j -- r --> i; }\n"
        "check noninterference A { epsilon 1; length 40; expect refuted; }"
    ),
    "a range": "// --max-states 10\nconst N = size({x in 0..30 | x > 2});\n"
    "check probability m() { at least 1; }\nmechanism m() -> bool { return N > 2; }",
    "a type": "const N = size({x in [40] of bool | x[0]});\ncheck probability m() { at least 1; }\n"
    "mechanism m() -> bool { return N > 2; }",
    "an epsilon with a delta and parameters": (
        "param p in (0, 1/2);\nmechanism m(t: bool) -> bool { return bernoulli(if t then p else 1 - p); }\n"
        "adjacency any(a: bool, b: bool) = true;\ncompute epsilon m { adjacent any; delta 1/10; }"
    ),
    "a relation with parameters": (
        "param p in (0, 1);\nautomaton A { data d: 0..1; query q: {go}; state x: 0..1 = 0; on data d { }\n"
        "  on query q { respond bernoulli(p); } }\n"
        "relation R for A { balance 0; holds left.x == right.x; }\ncheck unwinding A by R { epsilon 0; }"
    ),
    "a decision on a parameter": (
        "param p in (0, 1);\nhmm H { state x: 0..1 = if p < 1/2 then 0 else 1; }\n"
        "compute probability H { reach x == 1; within 2; }"
    ),
    "unwinding that does not refute": (
        "// --engine unwinding\nautomaton A { data d: 0..1; query q: {go}; state x: 0..1 = 0; on data d { x = d; }\n"
        "  on query q { respond x; } }\ncheck noninterference A { epsilon 1; expect refuted; }"
    ),
}

ENDLESS = "`counting` has more than "
"""Of a system whose states never end, which the page on that message shows."""

GIVEN = {
    "max-states": ["--max-states", "20000"],
    "timeout": ["--timeout", "1"],
    "set": ["--set", "p=1/3"],
    "length": ["--length", "2"],
    "engine exact": ["--engine", "exact"],
    "memory": ["--memory", "8000"],
    "jobs": ["--jobs", "1"],
    "solver": ["--solver", "z3"],
}
"""An option as it is proposed, and what is given."""


def wrong_blocks() -> Iterator[Any]:
    for page in sorted((ROOT / "docs/errors").glob("PFL*.md")):
        for block in code_blocks(page.read_text(encoding="utf-8")):
            if block.heading == "Wrong" and block.directive.partition(" ")[0] in ("", "pflc"):
                options = shlex.split(block.directive.removeprefix("pflc"))[1:]
                yield pytest.param(block.text, options, id=page.stem)


def own_models() -> Iterator[Any]:
    for name, text in MODELS.items():
        first = text.splitlines()[0]
        yield pytest.param(text, shlex.split(first[2:]) if first.startswith("// --") else [], id=name)


def messages(options: list[str], capsys: Any) -> set[str]:
    """Everything that is said of a model, in its diagnostics and where a claim is not decided."""
    report = reported(["model.pfl", *options], capsys)
    told = {f"{d['message']}; {d['help'] or ''}" for d in report["diagnostics"]}
    return told | {claim["reason"] for claim in report["claims"] if claim.get("reason")}


@pytest.mark.parametrize(("text", "options"), [*wrong_blocks(), *own_models()])
def test_an_option_that_is_proposed_helps(
    text: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.pfl").write_text(text, encoding="utf-8")
    for message in messages(options, capsys):
        _, _, advice = message.partition("; ")
        for option in dict.fromkeys(OPTION.findall(advice)):
            again = messages([*options, *GIVEN[option]], capsys)
            assert _words(message) not in map(_words, again) or message.startswith(ENDLESS), option


def _words(message: str) -> str:
    """A message without its numbers: one that only tells of a larger limit is the same."""
    return re.sub(r"\d[\d,]*", "#", message)


@pytest.mark.parametrize("name", MODELS)
def test_each_of_the_models_meets_a_limit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    text = MODELS[name]
    first = text.splitlines()[0]
    Path("model.pfl").write_text(text, encoding="utf-8")
    told = messages(shlex.split(first[2:]) if first.startswith("// --") else [], capsys)
    is_beyond = name in ("far too many inputs", "a type")  # where no option helps, none is proposed
    assert told
    assert any(OPTION.search(message) for message in told) != is_beyond
