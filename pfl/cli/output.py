"""Where reports meet streams: widths, colours, and progress."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import IO

from pfl.base.budget import ProgressReport
from pfl.base.diagnostics import Diagnostic
from pfl.report.diagnostics import render_diagnostics
from pfl.report.styled import Style, StyledLine, fitting, plain, visible

COLOURS: dict[Style, str] = {
    "strong": "bold",
    "faint": "blue",
    "error": "bold red",
    "warning": "bold yellow",
    "proved": "bold green",
    "refuted": "bold red",
    "undecided": "bold yellow",
}
PROGRESS_DELAY = 0.5
PROGRESS_INTERVAL = 0.1
USUAL_COLUMNS = 80
"""Of a terminal that does not know its width."""


def write_diagnostics(diagnostics: Sequence[Diagnostic], color: str) -> None:
    """Print diagnostics to standard error, for commands whose product is on standard output."""
    paint(render_diagnostics(diagnostics, width_of(sys.stderr)), color, sys.stderr)


def write_product(text: str, output: str | None) -> None:
    """Print what a command makes, or write it to a file."""
    if output is None:
        sys.stdout.write(text)
    else:
        Path(output).write_text(text, encoding="utf-8")


def write_products(files: Sequence[tuple[str, str]], output: str | None, *, suffix: str, between: str) -> None:
    """Write texts to a directory, each under its name; or, joined, to standard output or a file of that suffix."""
    if output is None or output.endswith(suffix):
        write_product(between.join(text for _, text in files), output)
        return
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    sys.stdout.write("".join(f"wrote {folder / name}\n" for name, _ in files))


_ANY_WIDTH = 1 << 16
"""Lines are not wrapped; but where COLUMNS is 0, rich would write nothing at all."""


def paint(lines: Sequence[StyledLine], color: str, stream: IO[str]) -> None:
    """Write styled lines, in colour where that is wanted; rich is imported only for that."""
    if not lines:
        return
    if not _use_color(color, stream):
        stream.write(plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    # Everything is decided already: rich must not look at NO_COLOR, TERM or the width again.
    console = Console(
        file=stream,
        force_terminal=True,
        color_system="standard",
        no_color=False,
        soft_wrap=True,
        highlight=False,
        width=_ANY_WIDTH,
    )
    for line in lines:
        console.print(Text.assemble(*((piece.text, COLOURS.get(piece.style, "")) for piece in line)))


def _use_color(color: str, stream: IO[str]) -> bool:
    """`--color` first, then NO_COLOR, then whether a person looks at a terminal that knows colours."""
    if color != "auto":
        return color == "always"
    return not os.environ.get("NO_COLOR") and stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: IO[str]) -> int | None:
    """Columns of the terminal behind a stream; None where it is not one."""
    return _columns(stream) if stream.isatty() else None


def _columns(stream: IO[str]) -> int:
    """What COLUMNS says, else the terminal of that very stream: the other one may be a pipe."""
    if not os.environ.get("COLUMNS"):
        try:
            return os.get_terminal_size(stream.fileno()).columns or USUAL_COLUMNS
        except (OSError, ValueError):
            pass
    return shutil.get_terminal_size().columns


class ProgressLine:
    """One line on a terminal that says how far the work has come; nothing is shown for short work, nor when piped.

    It may be told from another thread than the one that hides it.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._is_shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + PROGRESS_DELAY
        self._written = False
        self._lock = Lock()

    @property
    def report(self) -> ProgressReport:
        return self._report

    def _report(self, text: str) -> None:
        if not self._is_shown or time.monotonic() < self._next:
            return
        with self._lock:
            self._next = time.monotonic() + PROGRESS_INTERVAL
            self._written = True
            room = max(0, _columns(self._stream) - 1)
            self._stream.write(f"\r\x1b[K{fitting(visible(text), room)}")
            self._stream.flush()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """The line is erased, and none is written while something else is."""
        with self._lock:
            self._erase()
            yield

    def close(self) -> None:
        """Erase the line."""
        with self._lock:
            self._erase()

    def _erase(self) -> None:
        if self._written:
            self._written = False
            self._stream.write("\r\x1b[K")
            self._stream.flush()


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """The progress line on standard error, erased in the end."""
    progress = ProgressLine(sys.stderr)
    try:
        yield progress
    finally:
        progress.close()
