"""Where reports meet streams: widths, colours, and progress."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from pfl.base.budget import ProgressReport
from pfl.base.diagnostics import Diagnostic
from pfl.report.diagnostics import render_diagnostics
from pfl.report.styled import Style, StyledLine, plain
from pfl.verify.verdict import Findings

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


def write_findings(findings: Findings, output_format: str, color: str) -> None:
    """Print the report to standard output."""
    if output_format == "human":
        from pfl.report.human import render_findings

        paint(render_findings(findings, _width(sys.stdout)), color, sys.stdout)
    else:
        sys.stdout.write(_renderer(output_format)(findings))


def _renderer(output_format: str) -> Callable[[Findings], str]:
    """The renderer of a format, imported when it is needed."""
    match output_format:
        case "concise":
            from pfl.report.concise import render_concise

            return render_concise
        case "json":
            from pfl.report.json import render_json

            return render_json
        case "sarif":
            from pfl.report.sarif import render_sarif

            return render_sarif
        case "junit":
            from pfl.report.junit import render_junit

            return render_junit
        case _:
            raise ValueError(f"there is no report format {output_format}")


def write_diagnostics(diagnostics: Sequence[Diagnostic], color: str) -> None:
    """Print diagnostics to standard error, for commands whose product is on standard output."""
    paint(render_diagnostics(diagnostics, _width(sys.stderr)), color, sys.stderr)


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
    )
    for line in lines:
        console.print(Text.assemble(*((piece.text, COLOURS.get(piece.style, "")) for piece in line)))


def _use_color(color: str, stream: IO[str]) -> bool:
    """`--color` first, then NO_COLOR, then whether a person looks at a terminal that knows colours."""
    if color != "auto":
        return color == "always"
    return not os.environ.get("NO_COLOR") and stream.isatty() and os.environ.get("TERM") != "dumb"


def _width(stream: IO[str]) -> int | None:
    """Columns of the terminal behind a stream; None where it is not one."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


class ProgressLine:
    """One line on a terminal that says how far the work has come; nothing is shown for short work, nor when piped."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._is_shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + PROGRESS_DELAY
        self._written = False

    @property
    def report(self) -> ProgressReport:
        return self._report

    def _report(self, text: str) -> None:
        if not self._is_shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PROGRESS_INTERVAL
        self._written = True
        room = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{text[:room]}")
        self._stream.flush()

    def close(self) -> None:
        """Erase the line."""
        if self._written:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def progress_line() -> ProgressLine:
    """The progress line on standard error."""
    return ProgressLine(sys.stderr)
