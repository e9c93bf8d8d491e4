"""Source files and spans: where a piece of program text stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field
from functools import cached_property

from pfl.base.struct import struct

_LINE_ENDING = re.compile(r"\r\n|\n|\r")


@struct(cached=True)
class SourceFile:
    """One text that was read, with the name the user knows it by.

    `text` has its byte order mark removed; line endings are kept as read. `location` is the place of an imported file
    as seen from the folder of the model, links followed: what the file itself imports is relative to it.
    """

    name: str
    text: str = field(repr=False)
    location: str | None = field(default=None, repr=False, compare=False)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which lines begin; `\\n`, `\\r\\n` and a lone `\\r` end a line."""
        return (0, *(ending.end() for ending in _LINE_ENDING.finditer(self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, column) of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line counted from 1, without its line ending."""
        starts = self.line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")


@struct(kw_only=False)
class Span:
    """A half-open range of offsets in a file."""

    file: SourceFile = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.file.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.file.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.file.position(self.start)[1]

    @property
    def end_position(self) -> tuple[int, int]:
        """(line, column) just after the last character."""
        return self.file.position(self.end)

    def to(self, other: Span) -> Span:
        """The range from the start of this span to the end of a later one of the same file."""
        return Span(self.file, self.start, max(self.end, other.end))

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}:{self.column}"
