"""Text in pieces that carry a style, measured in terminal cells; painting them is left to the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, TypeAlias
from unicodedata import category, east_asian_width

from pfl.base.struct import struct

Style: TypeAlias = Literal["plain", "strong", "faint", "error", "warning", "proved", "refuted", "undecided"]


@struct(kw_only=False)
class Piece:
    """A run of text of one style, without line breaks."""

    text: str
    style: Style = "plain"


StyledLine: TypeAlias = tuple[Piece, ...]

_WORD = re.compile(r"(?:`[^`]*`|[^ `]|`)+")


def plain(lines: Iterable[StyledLine]) -> str:
    """The lines without their styles, each ended by a newline."""
    return "".join("".join(piece.text for piece in line).rstrip() + "\n" for line in lines)


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: 2 for wide characters, 0 for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(character) for character in text)


def _cells_of(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def fitting(text: str, width: int) -> str:
    """The beginning of a text that takes no more than `width` columns."""
    if len(text) <= width and text.isascii():
        return text
    taken = 0
    for position, character in enumerate(text):
        taken += _cells_of(character)
        if taken > width:
            return text[:position]
    return text


def visible(text: str) -> str:
    """The text with tabs as blanks, and every other character that does not print spelled out, such as `\\u{202e}`.

    So no model can move the cursor of the reader's terminal or reverse what is shown.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible_character(character) for character in text)


def _visible_character(character: str) -> str:
    if character == "\t":
        return "    "
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def wrap(text: str, width: int | None, *, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of at most `width` cells, broken at blanks, after the prefixes `first` and then `rest`.

    A word that is longer than a line stays whole, and so does what stands between backticks. Without a width the
    text is one line.
    """
    if width is None or cells(first + text) <= width:
        return [first + text]
    lines: list[str] = []
    current, used = first, cells(first)
    is_empty = True
    for word in _WORD.findall(text):
        size = cells(word)
        if not is_empty and used + 1 + size > width:
            lines.append(current.rstrip())
            current, used, is_empty = rest, cells(rest), True
        if not is_empty:
            current, used = current + " ", used + 1
        current, used, is_empty = current + word, used + size, False
    lines.append(current)
    return lines
