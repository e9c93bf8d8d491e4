"""Whatever is written, the checker answers: with a program, or with reports that have a place and a message."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.source import SourceFile
from pfl.syntax.modules import load_program
from pfl.typecheck.program import check_program

_PAGES = sorted((Path(__file__).parents[2] / "docs/errors").glob("PFL*.md"))
_MODELS = [
    block for page in _PAGES for block in re.findall(r"```pfl\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
]
_TOKEN = re.compile(r"\w+|\.\.|->|-->|--|=>|\s+|[^\w\s]")
_WORDS = sorted({token for model in _MODELS for token in _TOKEN.findall(model) if not token.isspace()})


def _read(path: str) -> SourceFile:
    raise FileNotFoundError(2, "No such file or directory", path)


@st.composite
def damaged_models(draw: st.DrawFn) -> str:
    """A model of the error pages with a few of its words changed, taken out, repeated or put elsewhere."""
    tokens = _TOKEN.findall(draw(st.sampled_from(_MODELS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(tokens) - 1))
        other = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(["other word", "gone", "copied", "put in"])):
            case "other word":
                tokens[at] = draw(st.sampled_from(_WORDS))
            case "gone":
                tokens[at] = ""
            case "copied":
                tokens[at] = tokens[other]
            case _:
                tokens.insert(at, f" {draw(st.sampled_from(_WORDS))} ")
    return "".join(tokens)


@given(damaged_models())
@settings(max_examples=400, deadline=None)
def test_any_text_is_answered(text: str) -> None:
    program, found = check_program(load_program(SourceFile(name="model.pfl", text=text), _read))
    assert (program is None) == any(diagnostic.severity == "error" for diagnostic in found)
    for diagnostic in found:
        assert diagnostic.message
        assert diagnostic.message[0] in "`(" or not diagnostic.message[0].isupper()
        assert not diagnostic.message.endswith(".")
        assert diagnostic.primary is not None
        assert 0 <= diagnostic.primary.span.start <= diagnostic.primary.span.end <= len(text)


@given(damaged_models())
@settings(max_examples=100, deadline=None)
def test_checking_twice_says_the_same(text: str) -> None:
    file = SourceFile(name="model.pfl", text=text)
    _, first = check_program(load_program(file, _read))
    _, second = check_program(load_program(file, _read))
    assert first == second
