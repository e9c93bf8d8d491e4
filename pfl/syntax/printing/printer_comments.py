"""The comments of a file in the order of the source, each handed out once, to what is printed next to it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal

from pfl.syntax.parse.lr_parser import Token
from pfl.syntax.parse.scanner import Comment
from pfl.syntax.printing.layout_document import BREAK, AtLineEnd, Concat, Document, concat


class Comments:
    """The comments that are still to be printed, with what the source text tells of their places.

    Printing goes through the tree in the order of the source, so a comment belongs to the first thing printed that
    begins after it.
    """

    def __init__(self, text: str = "", comments: Sequence[Comment] = (), tokens: Sequence[Token] = ()) -> None:
        self._text = text
        self._comments = comments
        self._closers = {sign: [token.start for token in tokens if token.text == sign] for sign in ("}", ")")}
        self._line_starts = [0, *(found.end() for found in re.finditer(r"[\r\n]", text))]
        self._next = 0
        self._may_have_moved = not all(_is_between_statements(comment, tokens) for comment in comments)

    @property
    def may_move(self) -> bool:
        """Whether a comment moved, or may have: in the text that was printed it may find a better place then.
        A line comment that stands before, after or between statements stays there."""
        return self._may_have_moved

    @property
    def reached(self) -> int:
        """The offset where the last comment that was taken ends."""
        return self._comments[self._next - 1].end if self._next else 0

    def closing(self, sign: Literal["}", ")"], after: int) -> int:
        """The offset of the first closing bracket of a kind at or after another offset."""
        closers = self._closers[sign]
        first = bisect_left(closers, after)
        return closers[first] if first < len(closers) else after

    def take(self, before: int) -> list[Comment]:
        """The comments that begin before an offset."""
        first = self._next
        while self._next < len(self._comments) and self._comments[self._next].start < before:
            self._next += 1
        return list(self._comments[first : self._next])

    def take_beside(self, before: int) -> list[Comment]:
        """The comments before an offset, up to the first that has a line of its own."""
        first = self._next
        while self._next < len(self._comments):
            comment = self._comments[self._next]
            if comment.start >= before or self.has_own_line(comment):
                break
            self._next += 1
        return list(self._comments[first : self._next])

    def take_on_line(self, offset: int, before: int) -> Document:
        """The comments on the rest of the line at an offset, and before another one, for the end of the line.

        A short comment stays before what follows it on the line. Lines right below the last of them, in its column,
        go with it.
        """
        if not self.has_any(before):
            return ""
        first = self._next
        while self._next < len(self._comments):
            comment = self._comments[self._next]
            stays = is_inline(comment) and not self.has_break(comment.end, before)
            is_beside = not stays and not self.has_break(offset, comment.start)
            if comment.start >= before or not (is_beside or (self._next > first and self._goes_on(comment))):
                break
            offset = comment.end
            self._next += 1
        return at_line_end(self._comments[first : self._next])

    def _goes_on(self, comment: Comment) -> bool:
        """Whether a comment on a line of its own stands right below the comment before, in its column."""
        above = self._comments[self._next - 1]
        is_next_line = len(_lines(self._text[above.end : comment.start])) == 2
        return is_next_line and above.text.startswith("//") and self._column(comment) == self._column(above)

    def _column(self, comment: Comment) -> int:
        return comment.start - self._line_start(comment.start)

    def _line_start(self, offset: int) -> int:
        """Where the line of an offset begins; of `\\r\\n` each character ends one."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def take_inline(self, before: int) -> Document:
        """The comments before the middle of a line: short ones stay, others go to the end of the line."""
        if not self.has_any(before):
            return ""
        taken = self.take(before)
        self._may_have_moved |= not all(map(is_inline, taken))
        return Concat(
            f"{comment.text} " if is_inline(comment) else AtLineEnd(comment_text(comment)) for comment in taken
        )

    def take_above(self, before: int) -> Document:
        """The comments before something that begins a line: short ones may stand beside it, others above it."""
        if not self.has_any(before):
            return ""
        return Concat(
            f"{comment.text} "
            if is_inline(comment) and not self.has_own_line(comment)
            else concat(comment_text(comment), BREAK)
            for comment in self.take(before)
        )

    def has_any(self, before: int) -> bool:
        """Whether a comment that is still to be printed begins before an offset."""
        return self._next < len(self._comments) and self._comments[self._next].start < before

    def any_between(self, start: int, end: int) -> bool:
        """Whether a comment that is still to be printed begins between two offsets."""
        first = max(self._next, bisect_left(self._comments, start, key=lambda comment: comment.start))
        return first < len(self._comments) and self._comments[first].start < end

    def has_own_line(self, comment: Comment) -> bool:
        """Whether nothing stands before a comment on its line."""
        return not self._text[self._line_start(comment.start) : comment.start].strip()

    def has_break(self, start: int, end: int) -> bool:
        """Whether a line ends between two offsets of the source."""
        return self._text.find("\n", start, end) >= 0 or self._text.find("\r", start, end) >= 0

    def has_blank_line(self, start: int, end: int) -> bool:
        """Whether a line between two offsets of the source is blank."""
        return any(not line.strip() for line in _lines(self._text[start:end])[1:-1])


def _is_between_statements(comment: Comment, tokens: Sequence[Token]) -> bool:
    before = bisect_left(tokens, comment.start, key=lambda token: token.start)
    return comment.kind != "block" and (before == 0 or tokens[before - 1].text in (";", "{", "}"))


def is_inline(comment: Comment) -> bool:
    """Whether a comment can stand in the middle of a line."""
    return comment.kind == "block" and not any(sign in comment.text for sign in "\r\n")


def comment_text(comment: Comment) -> str:
    """A comment as it is printed: its text, with line ends of one kind and nothing after the last word of a line."""
    return "\n".join(line.rstrip() for line in _lines(comment.text))


def at_line_end(comments: Sequence[Comment]) -> Document:
    """Comments that stand after something on its line."""
    return Concat(AtLineEnd(comment_text(comment)) for comment in comments)


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)
