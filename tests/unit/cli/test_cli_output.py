"""Colour, width and progress, on a terminal and elsewhere."""

from __future__ import annotations

import io
import os
from typing import Any

import pytest

from pfl.cli import output
from pfl.cli.output import ProgressLine, paint
from pfl.report.styled import Piece

LINES = [(Piece("error", "error"), Piece("[bold] 100%")), (), (Piece("a" * 200, "strong"),)]
PLAIN = "error[bold] 100%\n\n" + "a" * 200 + "\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def painted(color: str, stream: io.StringIO) -> str:
    paint(LINES, color, stream)
    return stream.getvalue()


def test_a_pipe_gets_plain_text() -> None:
    assert painted("auto", io.StringIO()) == PLAIN


def test_a_terminal_gets_colours_and_the_same_text() -> None:
    import re

    text = painted("auto", Terminal())
    assert "\x1b[1;31merror" in text
    assert re.sub(r"\x1b\[[0-9;]*m", "", text) == PLAIN


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_the_environment_can_refuse_colours(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert painted("auto", Terminal()) == PLAIN
    assert "\x1b[1;31m" in painted("always", io.StringIO())


def test_the_option_can_refuse_colours() -> None:
    assert painted("never", Terminal()) == PLAIN


def shown(stream: Any, monkeypatch: pytest.MonkeyPatch, *texts: str) -> str:
    monkeypatch.setattr(output, "PROGRESS_DELAY", -1.0)
    monkeypatch.setattr(output, "PROGRESS_INTERVAL", -1.0)
    monkeypatch.setattr(output.shutil, "get_terminal_size", lambda: os.terminal_size((20, 24)))
    progress = ProgressLine(stream)
    for text in texts:
        progress.report(text)
    progress.close()
    return str(stream.getvalue())


def test_progress_is_one_line_that_fits_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(Terminal(), monkeypatch, "length 1", "length 2, with a long explanation")
    assert text == "\r\x1b[Klength 1\r\x1b[Klength 2, with a lo\r\x1b[K"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_no_progress_when_piped_or_dumb(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert shown(stream, monkeypatch, "length 1") == ""
