"""Spellings of other languages: what they mean in PFL, and what to write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
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
