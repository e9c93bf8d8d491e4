"""Text with places where it may be broken, and the choice of breaks that fits a width.

After Wadler, "A prettier printer" (2003), in the form of Lindig, "Strictly pretty" (2000): a group is printed on one
line if it fits, and broken otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pfl.base.struct import struct

STEP = 4
"""How many columns a level of indentation has."""


@struct(kw_only=False)
class Line:
    """A place for a line break; `flat` stands there where the line is not broken, None where it must be."""

    flat: str | None

    @property
    def width(self) -> int | None:
        return None if self.flat is None else len(self.flat)


@struct(kw_only=False)
class IfBroken:
    """A text that is printed only where the group around it is broken."""

    text: str

    @property
    def width(self) -> int | None:
        return 0


@struct(kw_only=False)
class AtLineEnd:
    """A comment that is moved to the end of the line; it breaks the groups around it."""

    text: str

    @property
    def width(self) -> int | None:
        return None


class Concat:
    """Documents one after the other; empty ones are left out."""

    __slots__ = ("parts", "width")

    def __init__(self, parts: Iterable[Document]) -> None:
        self.parts = tuple([part for part in parts if part])
        self.width = _sum_of_widths(self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)


class Indent:
    """A document whose line breaks are indented by one more level."""

    __slots__ = ("content", "width")

    def __init__(self, content: Document) -> None:
        self.content = content
        self.width = width_of(content)


class Group:
    """A document whose own line breaks are all taken or none; all if `broken`, or something in it must break."""

    __slots__ = ("content", "width")

    def __init__(self, content: Document, *, broken: bool = False) -> None:
        self.content = content
        self.width = None if broken else width_of(content)


class Fill:
    """Parts between which lines are broken only where the next part does not fit: `first`, then (break, part) pairs."""

    __slots__ = ("first", "others", "width")

    def __init__(self, first: Document, others: Sequence[tuple[Line, Document]]) -> None:
        self.first = first
        self.others = tuple(others)
        self.width = _sum_of_widths((first, *(each for other in others for each in other)))


@struct(kw_only=False)
class FillStep:
    """One step of a `Fill` that is being printed: the break, and the part after it."""

    line: Line
    part: Document

    @property
    def width(self) -> int | None:
        return _sum_of_widths((self.line, self.part))


Document: TypeAlias = str | Line | IfBroken | AtLineEnd | Concat | Indent | Group | Fill | FillStep

SPACE = Line(" ")
"""A space, or a line break."""

EDGE = Line("")
"""Nothing, or a line break."""

BREAK = Line(None)
"""A line break."""


def width_of(document: Document) -> int | None:
    """The columns of a document on one line; None where it cannot be printed on one."""
    if isinstance(document, str):
        return None if "\n" in document else len(document)
    return document.width


def _sum_of_widths(documents: Iterable[Document]) -> int | None:
    total = 0
    for document in documents:
        width: int | None
        if type(document) is not str:
            width = document.width  # type: ignore[union-attr]
        elif "\n" in document:
            return None
        else:
            width = len(document)
        if width is None:
            return None
        total += width
    return total


def concat(*parts: Document) -> Document:
    """The parts one after the other, without those that are empty."""
    kept = Concat(parts)
    return kept.parts[0] if len(kept.parts) == 1 else kept


def join(separator: Document, parts: Iterable[Document]) -> Concat:
    """The parts with the separator between them."""
    joined: list[Document] = []
    for part in parts:
        joined += [separator, part] if joined else [part]
    return Concat(joined)


_Pending: TypeAlias = list[tuple[int, bool, Document]]
"""What is still to be printed, the next at the end: columns of indentation, whether lines break, the document."""


def render(document: Document, width: int) -> str:
    """The text of a document, with lines of at most `width` columns where that is possible."""
    written: list[str] = []
    column = 0
    at_end: list[str] = []
    pending: _Pending = [(0, True, document)]
    while pending:
        indent, broken, part = pending.pop()
        match part:
            case Concat(parts=parts):
                pending += [(indent, broken, inner) for inner in reversed(parts)]
            case str():
                written.append(part)
                column = column + len(part) if "\n" not in part else len(part) - part.rindex("\n") - 1
            case Line(flat=flat) if not broken and flat is not None:
                written.append(flat)
                column += len(flat)
            case Line():
                _end_line(written, column, at_end)
                written.append("\n" + " " * indent)
                column = indent
            case IfBroken(text=text):
                written.append(text if broken else "")
                column += len(text) if broken else 0
            case AtLineEnd(text=text):
                at_end.append(text)
            case Indent(content=content):
                pending.append((indent + STEP, broken, content))
            case Group(content=content):
                on_line = part.width is not None and _fits(part.width, (), width - column, pending)
                if on_line and not at_end:
                    # All that is in a group that fits does, a `Fill` included: no comment ends the line before it.
                    written.append(_on_one_line(content))
                    column += part.width or 0
                else:
                    pending.append((indent, not on_line, content))
            case Fill(first=first, others=others):
                pending.extend((indent, broken, FillStep(line, inner)) for line, inner in reversed(others))
                pending.append((indent, broken, Group(first)))
            case FillStep(line=line, part=inner):
                on_line = not at_end and _fits(0, (line, inner), width - column, pending)
                pending.append((indent, broken, Group(inner)))
                pending.append((indent, not on_line, line))
    _end_line(written, column, at_end)
    lines = "".join(written).split("\n")
    return "\n".join(line.rstrip() for line in lines)


def _on_one_line(document: Document) -> str:
    """The text of a document that has a width."""
    written: list[str] = []
    pending = [document]
    while pending:
        match pending.pop():
            case str() as text:
                written.append(text)
            case Concat(parts=parts):
                pending += reversed(parts)
            case Line(flat=flat):
                written.append(flat or "")
            case Indent(content=content) | Group(content=content):
                pending.append(content)
            case Fill(first=first, others=others):
                pending += [each for line, part in reversed(others) for each in (part, line)]
                pending.append(first)
            case FillStep(line=line, part=part):
                pending += (part, line)
            case IfBroken() | AtLineEnd():
                pass
    return "".join(written)


def _fits(begun: int, parts: Sequence[Document], room: int, pending: _Pending) -> bool:
    """Whether `begun` columns and then parts on one line, with what follows up to the next possible break, take at most
    `room` columns."""
    room -= begun
    following = len(pending)
    ahead: list[tuple[bool, Document]] = [(False, part) for part in reversed(parts)]
    while room >= 0:
        if not ahead:
            if following == 0:
                return True
            following -= 1
            ahead.append(pending[following][1:])
        broken, part = ahead.pop()
        if not broken and (width := width_of(part)) is not None:
            room -= width
            continue
        match part:
            case str():
                room -= len(part)
            case Line(flat=flat):
                if broken or flat is None:
                    return True
                room -= len(flat)
            case IfBroken() | AtLineEnd():
                pass
            case Concat(parts=inner_parts):
                ahead += [(broken, inner) for inner in reversed(inner_parts)]
            case Indent(content=content):
                ahead.append((broken, content))
            case Group(content=content):
                # A group that follows is still to be decided: its first break is a possible one.
                ahead.append((broken or part.width is None, content))
            case Fill(first=first, others=others):
                ahead.extend((broken, FillStep(line, inner)) for line, inner in reversed(others))
                ahead.append((False, first))
            case FillStep(line=line, part=inner):
                if broken:
                    return True
                ahead.extend(((False, inner), (False, line)))
    return False


def _end_line(written: list[str], column: int, comments: list[str]) -> None:
    """Add comments to a line that is over at a column; after one that ends its line, the next stands below it."""
    if comments and written:
        code = written[-1].rstrip(" ")
        column -= len(written[-1]) - len(code)
        written[-1] = code
    for position, comment in enumerate(comments):
        is_below = position > 0 and comments[position - 1].startswith("//")
        written.append(("\n" + " " * (column + 2) if is_below else "  ") + comment)
    comments.clear()
