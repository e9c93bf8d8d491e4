"""Diagnostics of single tokens: signs of other languages, numbers, texts in quotes, comments, stray characters.

Spellings of other languages: what they mean in PFL, and what to write.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.base.source import Span
from pfl.base.struct import struct


@struct(kw_only=False)
class Foreign:
    """A sign that PFL does not have: the PFL signs to read it as, and the advice what to write."""

    meaning: tuple[str, ...]
    advice: str


def _as(sign: str) -> Foreign:
    return Foreign((sign,), f"write `{sign}`")


FOREIGN_SIGNS: Mapping[str, Foreign] = {
    "&&": _as("and"),
    "&": _as("and"),
    "/\\": _as("and"),
    "∧": _as("and"),
    "||": _as("or"),
    "\\/": _as("or"),
    "∨": _as("or"),
    "!": _as("not"),
    "¬": _as("not"),
    "==>": _as("=>"),
    "⇒": _as("=>"),
    "→": Foreign(("->",), "write `->`, or `=>` for an implication"),
    "<=>": Foreign(("==",), "write `==`: two conditions are equivalent where they are equal"),
    "<==>": Foreign(("==",), "write `==`: two conditions are equivalent where they are equal"),
    "<->": Foreign(("==",), "write `==`: two conditions are equivalent where they are equal"),
    "===": _as("=="),
    "!==": _as("!="),
    "<>": _as("!="),
    "≠": _as("!="),
    "=<": _as("<="),
    "≤": _as("<="),
    "≥": _as(">="),
    ":=": Foreign(("=",), "write `=` to assign, `~` to draw"),
    "+=": Foreign(("=",), "write the sum out: `x = x + 1`"),
    "-=": Foreign(("=",), "write the difference out: `x = x - 1`"),
    "*=": Foreign(("=",), "write the product out: `x = x * 2`"),
    "/=": Foreign(("=",), "write the quotient out: `x = x / 2`, or `!=` for `not equal`"),
    "++": Foreign((), "write `x = x + 1` to count up"),
    "**": _as("^"),
    "//": Foreign(("div",), "write `div` for the quotient rounded down, `/` for the exact one"),
    "^^": Foreign(("!=",), "write `!=`: of two conditions just one holds where they differ"),
    "<<": Foreign((), "write `x * 2^n`"),
    ">>": Foreign((), "write `x div 2^n`"),
    "%": Foreign(("mod",), "write `mod` for the remainder, and `1/2` for 50 percent"),
    "−": _as("-"),
    "–": _as("-"),
    "×": _as("*"),
    "·": _as("*"),
    "÷": _as("/"),
    "...": _as(".."),
    "..=": Foreign(("..",), "write `..`: both ends of a range belong to it"),
    "..<": Foreign(("..",), "write `lo..hi-1`: both ends of a range belong to it"),
    "…": _as(".."),
    "∈": _as("in"),
    "∉": Foreign(("not", "in"), "write `not in`"),
    "∀": _as("forall"),
    "∃": _as("exists"),
    "∪": Foreign((), "write `union(a, b)`"),
    "::": _as(":"),
    "?": Foreign((), "write `if c then a else b` to choose between two values"),
    "#": Foreign((), "a comment starts with `//`"),
}
"""Signs that a reader may type out of habit."""

_STOPS: Mapping[str, str] = {
    "break": "a loop ends by the condition of `while`, and `return` ends the run",
    "continue": "put the rest of the loop's body in an `if`",
    "skip": "leave it out: a block may be empty",
    "pass": "leave it out: a block may be empty",
}


def how_to_stop(word: str) -> str | None:
    """What to write instead of a statement that is one word elsewhere; None for other words."""
    return _STOPS.get(word)


FOREIGN_WORDS: Mapping[str, Foreign] = {
    "elif": Foreign(("else", "if"), "write `else if`"),
    "elsif": Foreign(("else", "if"), "write `else if`"),
    "elseif": Foreign(("else", "if"), "write `else if`"),
}
"""Words that mean something of the kind after a closing brace; elsewhere they are names."""


def foreign_spelling(span: Span, advice: str) -> Diagnostic:
    return Diagnostic.at(codes.FOREIGN_SPELLING, span, f"`{span.text}` is not written in PFL", help=advice)


def division_as_comment(span: Span) -> Diagnostic:
    rest = span.file.text[span.end :].splitlines()[0].strip()
    shown = rest if len(rest) <= 30 else f"{rest[:27]}..."
    return Diagnostic.at(
        codes.FOREIGN_SPELLING,
        span,
        f"`//` begins a comment, so `{shown}` is not read",
        help=FOREIGN_SIGNS["//"].advice,
    )


def primed_name(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.FOREIGN_SPELLING,
        span,
        "names are not primed in PFL",
        help="write `step x = e;`: the left side is the new value, `x` on the right side the old one",
    )


def bare_decimal_point(span: Span, correct: str) -> Diagnostic:
    return Diagnostic.at(
        codes.MALFORMED_NUMBER,
        span,
        f"`{span.text}` lacks a digit on one side of the decimal point",
        help=f"write `{correct}`",
    )


def number_runs_into_word(span: Span, number: str) -> Diagnostic:
    word = span.text.removeprefix(number)
    product = f"write `{number}*{word}` for a product" if word.isidentifier() else f"write `{number}`"
    return Diagnostic.at(
        codes.MALFORMED_NUMBER,
        span,
        f"`{span.text}` is neither a number nor a name",
        help=f"{product}; numbers are decimal and exact, without suffixes",
    )


def single_quotes(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNCLOSED_STRING, span, "a text stands between straight double quotes", help=f'write "{span.text[1:-1]}"'
    )


def unclosed_string(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNCLOSED_STRING, span, "the text in quotes is not closed on its line", help='add `"` where the text ends'
    )


def unclosed_comment(span: Span) -> Diagnostic:
    return Diagnostic.at(
        codes.UNCLOSED_COMMENT,
        span,
        "the comment is never closed",
        label="opened here",
        help="add `*/` where the comment ends",
    )


def stray_character(span: Span) -> Diagnostic:
    character = span.text
    known_as = unicodedata.name(character, "a control character")
    shown = (
        f"`{character}`" if character.isascii() and character.isprintable() else f"U+{ord(character):04X}, {known_as},"
    )
    return Diagnostic.at(
        codes.STRAY_CHARACTER,
        span,
        f"the character {shown} has no meaning in PFL",
        help="write an ordinary space" if character.isspace() else None,
    )
