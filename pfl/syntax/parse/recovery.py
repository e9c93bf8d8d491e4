"""Where declarations begin in a row of tokens, whatever brackets are open there.

What a syntax error is found to be, with a way to read on.
"""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base.diagnostics import Diagnostic
from pfl.base.source import SourceFile
from pfl.base.struct import struct
from pfl.syntax.parse.lr_parser import Token
from pfl.syntax.parse.situation import is_first_on_line, kind

_AFTER_NAME: dict[str, frozenset[str]] = {
    "const": frozenset({"=", ":"}),
    "param": frozenset({"in"}),
    "enum": frozenset({"{"}),
    "type": frozenset({"="}),
    "record": frozenset({"{"}),
    "fn": frozenset({"("}),
    "dist": frozenset({"("}),
    "hmm": frozenset({"(", "{"}),
    "mechanism": frozenset({"(", "emits", "->", "{"}),
    "adjacency": frozenset({"("}),
    "automaton": frozenset({"(", "{"}),
    "relation": frozenset({"(", "for"}),
    "check": frozenset({":", "NAME"}),
    "compute": frozenset({":", "NAME"}),
    "find": frozenset({":", ",", "NAME"}),
}
"""What can follow the name after a word that begins a declaration."""

STARTERS = frozenset({"import", "assume", "prior", *_AFTER_NAME})
"""The words that begin declarations."""

_ALSO_INSIDE = frozenset({"const", "mechanism", "prior", "record", "relation"})
"""Those of them that have another meaning inside a declaration."""


def next_declaration(file: SourceFile, tokens: Sequence[Token], first: int, index: int) -> int:
    """The position of the next declaration at or after `index`, where the one at `first` has failed."""
    for position in range(index, len(tokens)):
        if begins_declaration(file, tokens, first, position):
            return position
    return len(tokens)


def begins_declaration(file: SourceFile, tokens: Sequence[Token], first: int, position: int) -> bool:
    """Whether a declaration seems to begin here, after the one at `first`: by its shape, or at the margin."""
    word = tokens[position].text
    if word not in STARTERS:
        return False
    if _has_shape(tokens, position):
        # After an open bracket `const n: T` is a parameter; `const n = 3` never is.
        is_parameter = position > 0 and tokens[position - 1].text in ("(", ",")
        return not is_parameter or (word == "const" and tokens[position + 2].text == "=")
    at_margin = _column(file, tokens[position]) <= _column(file, tokens[first])
    return at_margin and word not in _ALSO_INSIDE and is_first_on_line(file, tokens, position)


def _has_shape(tokens: Sequence[Token], position: int) -> bool:
    """Whether what follows a word is what follows it where it begins a declaration."""
    word = tokens[position].text
    following = tokens[position + 1 : position + 3]
    if word == "prior":
        return [kind(token) for token in following[:1]] == ["NAME"] and _is_prior_head(tokens[position + 2 :])
    if len(following) < 2 or kind(following[0]) != "NAME":
        return False
    return not _AFTER_NAME.get(word, frozenset()).isdisjoint((following[1].text, kind(following[1])))


def _is_prior_head(tokens: Sequence[Token]) -> bool:
    """Whether `for` comes next, perhaps after parameters in brackets: a clause `prior name(..);` has none."""
    depth = 0
    for token in tokens:
        if depth == 0 and token.text != "(":
            return token.text == "for"
        if token.text in (";", "{", "}"):
            return False
        depth += {"(": 1, ")": -1}.get(token.text, 0)
    return False


def _column(file: SourceFile, token: Token) -> int:
    return file.position(token.start)[1]


@struct
class Diagnosis:
    """What is wrong, and how to read on: signs to put in before the token, and what to read it as.

    `read_as` is a word or sign, NAME for a name, empty to skip the token, None to leave it as it is. `earlier`
    is a token before with the spelling to read it as. Without a repair the rest of the declaration is skipped.
    """

    diagnostic: Diagnostic
    insert: tuple[str, ...] = ()
    read_as: str | None = None
    earlier: tuple[Token, str] | None = None

    @property
    def has_repair(self) -> bool:
        return bool(self.insert) or self.read_as is not None or self.earlier is not None
