"""Diagnostics of single tokens: signs of other languages, numbers, texts in quotes, comments, stray characters."""

from __future__ import annotations

import unicodedata

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.source import Span
from pfl.frontend.foreign_spellings import FOREIGN_SIGNS


def _at(span: Span, label: str = "") -> tuple[Label, ...]:
    return (Label(span, label),)


def foreign_spelling(span: Span, advice: str) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING, message=f"`{span.text}` is not written in PFL", labels=_at(span), help=advice
    )


def division_as_comment(span: Span) -> Diagnostic:
    rest = span.file.text[span.end :].splitlines()[0].strip()
    shown = rest if len(rest) <= 30 else f"{rest[:27]}..."
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message=f"`//` begins a comment, so `{shown}` is not read",
        labels=_at(span),
        help=FOREIGN_SIGNS["//"].advice,
    )


def primed_name(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.FOREIGN_SPELLING,
        message="names are not primed in PFL",
        labels=_at(span),
        help="write `step x = e;`: the left side is the new value, `x` on the right side the old one",
    )


def bare_decimal_point(span: Span, correct: str) -> Diagnostic:
    return Diagnostic(
        code=codes.MALFORMED_NUMBER,
        message=f"`{span.text}` lacks a digit on one side of the decimal point",
        labels=_at(span),
        help=f"write `{correct}`",
    )


def number_runs_into_word(span: Span, number: str) -> Diagnostic:
    word = span.text.removeprefix(number)
    product = f"write `{number}*{word}` for a product" if word.isidentifier() else f"write `{number}`"
    return Diagnostic(
        code=codes.MALFORMED_NUMBER,
        message=f"`{span.text}` is neither a number nor a name",
        labels=_at(span),
        help=f"{product}; numbers are decimal and exact, without suffixes",
    )


def single_quotes(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_STRING,
        message="a text stands between straight double quotes",
        labels=_at(span),
        help=f'write "{span.text[1:-1]}"',
    )


def unclosed_string(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_STRING,
        message="the text in quotes is not closed on its line",
        labels=_at(span),
        help='add `"` where the text ends',
    )


def unclosed_comment(span: Span) -> Diagnostic:
    return Diagnostic(
        code=codes.UNCLOSED_COMMENT,
        message="the comment is never closed",
        labels=_at(span, "opened here"),
        help="add `*/` where the comment ends",
    )


def stray_character(span: Span) -> Diagnostic:
    character = span.text
    known_as = unicodedata.name(character, "a control character")
    shown = (
        f"`{character}`" if character.isascii() and character.isprintable() else f"U+{ord(character):04X}, {known_as},"
    )
    return Diagnostic(
        code=codes.STRAY_CHARACTER,
        message=f"the character {shown} has no meaning in PFL",
        labels=_at(span),
        help="write an ordinary space" if character.isspace() else None,
    )
