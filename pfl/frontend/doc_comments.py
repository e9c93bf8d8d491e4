"""Which `///` comment belongs to what."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from pfl.frontend.scanner import Comment


def doc_between(comments: Sequence[Comment], start: int, end: int) -> str | None:
    """The text of the doc comments between two offsets, joined by newlines; None if there are none."""
    first = bisect_left(comments, start, key=lambda comment: comment.start)
    last = bisect_left(comments, end, key=lambda comment: comment.start)
    lines = [_line(comment) for comment in comments[first:last] if comment.kind == "doc"]
    return "\n".join(lines) if lines else None


def end_of_module_doc(comments: Sequence[Comment], text: str, first_token: int) -> int:
    """The offset where the comment on the whole file ends: doc comments at the top, set off by a blank line."""
    for comment, following in zip(comments, [*comments[1:], None]):
        if comment.start >= first_token:
            break
        gap = text[comment.end : min(following.start if following else first_token, first_token)]
        if comment.kind == "doc" and len(re.findall(r"\r\n|\r|\n", gap)) > 1:
            return comment.end
    return 0


def _line(comment: Comment) -> str:
    return comment.text.removeprefix("///").removeprefix(" ").rstrip()
