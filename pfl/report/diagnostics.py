"""Diagnostics as text for people: headline, source lines with marks, help and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import SourceFile
from pfl.report.snippet import margin, snippet
from pfl.report.styled import Piece, StyledLine, visible, wrap

PIPED_WIDTH = 160
"""Longest piece of a source line that is shown where nobody knows the reader's width, in cells."""


def render_diagnostics(
    diagnostics: Iterable[Diagnostic], width: int | None, explained: set[Code] | None = None
) -> list[StyledLine]:
    """All diagnostics, a blank line after each; the first of each code says how to read more about it.

    Codes in `explained` have been told of before, and others enter it.
    """
    lines: list[StyledLine] = []
    explained = set() if explained is None else explained
    for diagnostic in diagnostics:
        lines += render_diagnostic(diagnostic, width, explain=diagnostic.code not in explained)
        lines.append(())
        explained.add(diagnostic.code)
    return lines


def render_diagnostic(diagnostic: Diagnostic, width: int | None, *, explain: bool = True) -> list[StyledLine]:
    """One diagnostic in the style of rustc, `width` cells wide (None: unlimited, only source lines are clipped)."""
    severity = diagnostic.severity
    head = f"{severity}[{diagnostic.code}]"
    first, *rest = wrap(visible(diagnostic.message), width, first=f"{head}: ", rest="  ")
    lines: list[StyledLine] = [(Piece(head, severity), Piece(first[len(head) :], "strong"))]
    lines += [(Piece(text, "strong"),) for text in rest]
    gutter = max((len(str(label.span.end_position[0])) for label in diagnostic.labels), default=1)
    gutter = max(gutter, 2)
    lines += _places(diagnostic, gutter, width)
    indent = " " * (gutter + 1)
    explanation = f"`pflc explain {diagnostic.code}`" if explain else ""
    help_text = visible(diagnostic.help or "")
    joint = "" if not help_text or not explanation else " " if help_text.endswith("?") else "; "
    cure = help_text + joint + explanation
    facts = [("help", cure)] if cure else []
    facts += [("note", visible(note)) for note in diagnostic.notes]
    for word, text in facts:
        start, *more = wrap(text, width, first=f"{indent}= {word}: ", rest=indent + " " * (len(word) + 4))
        lines.append(
            (Piece(f"{indent}= ", "faint"), Piece(word, "strong"), Piece(start[len(indent) + 2 + len(word) :]))
        )
        lines += [(Piece(line),) for line in more]
    return lines


def _places(diagnostic: Diagnostic, gutter: int, width: int | None) -> list[StyledLine]:
    primary = diagnostic.primary
    if primary is None:
        if diagnostic.file is None or diagnostic.file in diagnostic.message:
            return []
        return [(Piece(" " * gutter + "--> ", "faint"), Piece(visible(diagnostic.file)))]
    room = max(30, (width or PIPED_WIDTH) - gutter - 4)
    lines: list[StyledLine] = []
    for position, (file, labels) in enumerate(_by_file(diagnostic.labels)):
        arrow = ":::" if position else "-->"
        place = file.position(labels[0].span.start)
        name = f"{visible(file.name)}:{place[0]}:{place[1]}"
        lines.append((Piece(f"{' ' * gutter}{arrow} ", "faint"), Piece(name)))
        lines.append((margin(gutter),))
        lines += snippet(file, labels, primary, gutter, room)
    return lines


def _by_file(labels: Sequence[Label]) -> list[tuple[SourceFile, list[Label]]]:
    """Labels by their file, the file of the primary label first."""
    files: dict[int, tuple[SourceFile, list[Label]]] = {}
    for label in labels:
        files.setdefault(id(label.span.file), (label.span.file, []))[1].append(label)
    return list(files.values())
