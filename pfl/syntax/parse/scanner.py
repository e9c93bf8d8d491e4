"""Cuts a source text into tokens and comments.

Spellings of other languages (`&&`, `x'`, `.5`) get a diagnostic and are then read as what they mean, so that one
slip is one error.

Which `///` comment belongs to what.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Literal, NamedTuple

from pfl.base.diagnostics import Diagnostic
from pfl.base.source import SourceFile, Span
from pfl.base.struct import struct
from pfl.syntax.errors import token_errors
from pfl.syntax.errors.token_errors import FOREIGN_SIGNS, FOREIGN_WORDS
from pfl.syntax.parse.lr_parser import Token
from pfl.syntax.parse.parse_table import load_table


class Comment(NamedTuple):
    """A comment with its marks; the kind `doc` is `/// text`."""

    kind: Literal["line", "block", "doc"]
    text: str
    start: int
    end: int


@struct
class Scan:
    """The tokens of a file, its comments, and what is wrong with single tokens, each in the order of the source.

    `gaps` are the offsets where something was wrong and could not be read as what it must mean.
    """

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    found: tuple[Diagnostic, ...]
    gaps: tuple[int, ...]


def scan(file: SourceFile, divisions: frozenset[int] = frozenset()) -> Scan:
    """Every token and comment of a file. At the offsets `divisions` a `//` is taken for the division of other
    languages, which is a fault, and does not begin a comment."""
    text = file.text
    terminals = load_table().literals
    words = {word: terminals[word] for word in reserved_words()}
    tokens: list[Token] = []
    comments: list[Comment] = []
    found: list[Diagnostic] = []
    gaps: list[int] = []
    # Where a row of characters without meaning ends; only the first of them is told.
    strays_end: int | None = None
    add = tokens.append
    made = partial(tuple.__new__, Token)  # what `Token(..)` comes to, in half the time
    for piece in _pieces_of(text, divisions) if divisions else _pieces().finditer(text):
        kind = piece.lastgroup
        assert kind is not None
        start, end = piece.span(kind)
        spelling = text[start:end]
        if kind == "WORD":
            if spelling not in FOREIGN_WORDS or not tokens or tokens[-1].text != "}":
                add(made((words.get(spelling, "NAME"), spelling, start, end)))
                continue
            kind = "FOREIGN"
        if kind == "COMMENT" and start in divisions:
            kind, spelling, end = "FOREIGN", "//", start + 2
        if kind == "SIGN":
            add(made((terminals[spelling], spelling, start, end)))
        elif kind in ("INT", "DECIMAL", "STRING"):
            add(made((kind, spelling, start, end)))
        elif kind == "COMMENT":
            comments.append(Comment(_comment_kind(spelling), spelling, start, end))
        elif kind == "STRAY" and strays_end == start:
            strays_end = end
        elif kind != "END":
            strays_end = end if kind == "STRAY" else None
            found.append(_diagnosis(kind, Span(file, start, end)))
            meaning = _meaning(kind, spelling)
            tokens.extend(Token(terminals.get(part, _terminal_of(part)), part, start, end) for part in meaning)
            if not meaning:
                gaps.append(start)
    return Scan(tokens=tuple(tokens), comments=tuple(comments), found=tuple(found), gaps=tuple(gaps))


def _pieces_of(text: str, divisions: frozenset[int]) -> Iterator[re.Match[str]]:
    """The pieces of a text; behind a `//` that is no comment it goes on."""
    position: int | None = 0
    while position is not None:
        begun, position = position, None
        for piece in _pieces().finditer(text, begun):
            yield piece
            start = piece.start(piece.lastgroup or 0)
            if start in divisions:
                position = start + 2
                break


@cache
def reserved_words() -> frozenset[str]:
    """The words that are never names."""
    table = load_table()
    is_name = re.compile(table.patterns["NAME"]).fullmatch
    return frozenset(literal for literal in table.literals if literal.isidentifier() and not is_name(literal))


def likely_divisions(scanned: Scan) -> tuple[int, ...]:
    """Where a `//` between what looks like two operands may be meant as a division; the first few places."""
    starts = [token.start for token in scanned.tokens]
    found = []
    for comment in scanned.comments:
        if comment.kind == "line" and _OPERAND_AFTER.match(comment.text):
            place = bisect_left(starts, comment.start)
            before = scanned.tokens[place - 1] if place else None
            if before and (before.terminal in ("NAME", "INT", "DECIMAL") or before.text in (")", "]")):
                found.append(comment.start)
    return tuple(found[:_MOST_DIVISIONS])


_OPERAND_AFTER = re.compile(r"//[ \t]*(?:\w+|\()(?:.*[;,)\]{}]|[ \t]*)$")
"""A comment that goes on as an expression would, to the end of a line of code."""

_MOST_DIVISIONS = 10


def _comment_kind(spelling: str) -> Literal["line", "block", "doc"]:
    if spelling.startswith("/*"):
        return "block"
    return "doc" if spelling.startswith("///") and not spelling.startswith("////") else "line"


def _terminal_of(part: str) -> str:
    """The terminal of a number or string that stands for a misspelt one."""
    if part.startswith('"'):
        return "STRING"
    return "INT" if part.isdigit() else "DECIMAL"


def _diagnosis(kind: str, span: Span) -> Diagnostic:
    match kind:
        case "FOREIGN" if span.text == "//":
            return token_errors.division_as_comment(span)
        case "FOREIGN":
            known = FOREIGN_WORDS.get(span.text) or FOREIGN_SIGNS[span.text]
            return token_errors.foreign_spelling(span, known.advice)
        case "PRIME":
            return token_errors.primed_name(span)
        case "HASH":
            return token_errors.foreign_spelling(Span(span.file, span.start, span.start + 1), FOREIGN_SIGNS["#"].advice)
        case "BARE_FRACTION" | "TRAILING_DOT":
            return token_errors.bare_decimal_point(span, _meaning(kind, span.text)[0])
        case "SUFFIXED":
            return token_errors.number_runs_into_word(span, _leading_number(span.text))
        case "QUOTED":
            return token_errors.single_quotes(span)
        case "OPEN_STRING":
            return token_errors.unclosed_string(span)
        case "OPEN_COMMENT":
            return token_errors.unclosed_comment(Span(span.file, span.start, span.start + 2))
        case _:
            return token_errors.stray_character(span)


def _meaning(kind: str, spelling: str) -> tuple[str, ...]:
    """The tokens that a misspelt one is read as; none where there is nothing to read."""
    match kind:
        case "FOREIGN":
            return (FOREIGN_WORDS.get(spelling) or FOREIGN_SIGNS[spelling]).meaning
        case "BARE_FRACTION":
            return ("0" + spelling,)
        case "TRAILING_DOT":
            return (spelling + "0",)
        case "SUFFIXED":
            return (_leading_number(spelling),)
        case "QUOTED":
            return (f'"{spelling[1:-1]}"',)
        case _:
            return ()


def _leading_number(spelling: str) -> str:
    """The part of `3f`, `1_000`, `2.5x` that is a number."""
    digits = re.match(r"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", spelling)
    return digits.group().replace("_", "") if digits else spelling


@cache
def _pieces() -> re.Pattern[str]:
    """One alternative for everything that can stand in a text, with the space before it; earlier ones win."""
    table = load_table()
    signs = [literal for literal in table.literals if not literal.isidentifier()]

    def any_of(spellings: list[str]) -> str:
        return "|".join(re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True))

    longer_foreign = [sign for sign in FOREIGN_SIGNS if any(sign.startswith(known) for known in signs)]
    number = rf"(?>{table.patterns['DECIMAL']}|{table.patterns['INT']})"
    alternatives = {
        "COMMENT": table.patterns["COMMENT"],
        "OPEN_COMMENT": r"/\*[\s\S]*",
        "WORD": r"[^\W\d]\w*",
        "SUFFIXED": rf"{number}\w+",
        "TRAILING_DOT": r"(?<![.@])[0-9]+\.(?![.0-9])",
        "DECIMAL": table.patterns["DECIMAL"],
        "INT": table.patterns["INT"],
        "BARE_FRACTION": r"(?<![\w)\]}.])\.[0-9]+(?:[eE][+-]?[0-9]+)?(?!\w)",
        "STRING": table.patterns["STRING"],
        "OPEN_STRING": r'"[^"\r\n]*',
        "PRIME": r"(?<=\w)'+",
        "QUOTED": r"'[^'\r\n]*'|[“”][^“”\r\n]*[“”]",
        "HASH": r"#[^\r\n]*",
        "SIGN": rf"(?!(?:{any_of(longer_foreign)}))(?:{any_of(signs)})",
        "FOREIGN": any_of(list(FOREIGN_SIGNS)),
        "STRAY": r"[\s\S]",
        "END": r"\Z",
    }
    named = "|".join(f"(?P<{name}>{pattern})" for name, pattern in alternatives.items())
    return re.compile(rf"(?:{table.patterns['SPACE']})?+(?:{named})")


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
