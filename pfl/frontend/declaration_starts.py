"""Where declarations begin in a row of tokens, whatever brackets are open there."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base.source import SourceFile
from pfl.frontend.lr_parser import Token
from pfl.frontend.syntax_situation import is_first_on_line, kind

STARTERS = frozenset(
    {"import", "const", "param", "assume", "enum", "type", "record", "fn", "dist", "hmm", "prior", "mechanism"}
    | {"adjacency", "automaton", "relation", "check", "compute", "find"}
)
"""The words that begin declarations."""

_FOLLOWED_BY = {
    "import": frozenset({"NAME", "STRING"}),
    "assume": frozenset({"NAME", "INT", "DECIMAL", "(", "not", "-", "forall", "exists"}),
}
"""What can come after a starter; after all others a name."""

_ALSO_INSIDE = {"const": frozenset({"=", ":"}), "record": frozenset({"{"}), "relation": frozenset({"(", "for"})}
"""Words that may also stand inside a declaration, with what comes two tokens later where they begin one."""

_NAME = frozenset({"NAME"})


def next_declaration(file: SourceFile, tokens: Sequence[Token], first: int, index: int) -> int:
    """The position of the next declaration at or after `index`, where the one at `first` has failed."""
    for position in range(index, len(tokens)):
        if begins_declaration(file, tokens, first, position):
            return position
    return len(tokens)


def begins_declaration(file: SourceFile, tokens: Sequence[Token], first: int, position: int) -> bool:
    """Whether a declaration seems to begin here, after the one at `first`."""
    token = tokens[position]
    if token.text not in STARTERS:
        return False
    following = tokens[position + 1 : position + 3]
    if following and kind(following[0]) in _FOLLOWED_BY.get(token.text, _NAME):
        match token.text:
            case "const" | "record" | "relation":
                has_shape = len(following) > 1 and following[1].text in _ALSO_INSIDE[token.text]
                return has_shape and (position == 0 or tokens[position - 1].text not in ("(", ","))
            case "prior":
                return _is_prior_head(tokens, position + 2)
            case _:
                return True
    is_name = token.terminal == "NAME"
    at_margin = _column(file, token) <= _column(file, tokens[first]) and is_first_on_line(file, tokens, position)
    return at_margin and not is_name and token.text not in ("const", "mechanism", "prior")


def _is_prior_head(tokens: Sequence[Token], position: int) -> bool:
    """Whether `for` comes next, after parameters in brackets: a clause `prior name(..);` has none."""
    depth = 0
    for token in tokens[position:]:
        if depth == 0 and token.text not in ("(", "for"):
            return False
        if token.text == "for" and depth == 0:
            return True
        if token.text in (";", "{", "}"):
            return False
        depth += {"(": 1, ")": -1}.get(token.text, 0)
    return False


def _column(file: SourceFile, token: Token) -> int:
    return file.position(token.start)[1]
