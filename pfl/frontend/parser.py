"""From source text to the syntax tree: each declaration is parsed by itself, so that faults do not spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.source import SourceFile, Span
from pfl.frontend import build_claims, build_declarations, build_expressions, build_statements, syntax_errors
from pfl.frontend.ast import Expr
from pfl.frontend.ast_declarations import Module, TopLevel
from pfl.frontend.doc_comments import doc_between, end_of_module_doc
from pfl.frontend.lr_parser import NESTING_LIMIT, Builder, LrParser, Token, TooDeep
from pfl.frontend.parse_table import load_table
from pfl.frontend.scanner import scan

_BUILDERS: Mapping[str, Builder] = {
    **build_expressions.BUILDERS,
    **build_statements.BUILDERS,
    **build_declarations.BUILDERS,
    **build_claims.BUILDERS,
}

_STARTERS = frozenset(
    ("import", "const", "param", "assume", "enum", "type", "record", "fn", "dist", "hmm", "prior", "mechanism")
    + ("adjacency", "automaton", "relation", "check", "compute", "find")
)


def parse_module(file: SourceFile) -> tuple[Module, tuple[Diagnostic, ...]]:
    """The declarations of a file that could be parsed, and everything that is wrong with its syntax. Never raises."""
    scanned = scan(file)
    found = Diagnostics(scanned.found)
    tokens = scanned.tokens
    declarations: list[TopLevel] = []
    above = end_of_module_doc(scanned.comments, file.text, tokens[0].start if tokens else len(file.text))
    module_doc = doc_between(scanned.comments, 0, above)
    position = 0
    while position < len(tokens):
        first = position
        try:
            value, position = _parse(file, "declaration", tokens, position)
            doc = doc_between(scanned.comments, above, tokens[first].start)
            declarations.append(value if doc is None else replace(value, doc=doc))
        except _Stopped as stopped:
            found.add(stopped.diagnostic)
            position = max(stopped.position, first + 1)
            while position < len(tokens) and tokens[position].text not in _STARTERS:
                position += 1
        above = tokens[position - 1].end
    if not tokens and not scanned.found:
        found.add(syntax_errors.empty_file(Span(file, 0, 0)))
    return Module(file=file, declarations=tuple(declarations), doc=module_doc), found.sorted()


def parse_expression(text: str, name: str = "expression") -> tuple[Expr | None, tuple[Diagnostic, ...]]:
    """The expression that a text is, and what is wrong with it; `name` stands for a file name in messages."""
    file = SourceFile(name=name, text=text)
    scanned = scan(file)
    if scanned.found:
        return None, scanned.found
    try:
        value, _ = _parse(file, "expression", scanned.tokens, 0)
        return value, ()
    except _Stopped as stopped:
        return None, (stopped.diagnostic,)


class _Stopped(Exception):
    def __init__(self, diagnostic: Diagnostic, position: int) -> None:
        self.diagnostic = diagnostic
        self.position = position


def _parse(file: SourceFile, start: str, tokens: tuple[Token, ...], position: int) -> tuple[Any, int]:
    parser = LrParser(file, start, _BUILDERS)
    try:
        while position < len(tokens):
            token = tokens[position]
            for part in _in_context(parser, token):
                if not parser.feed(part):
                    raise _Stopped(
                        syntax_errors.unexpected(Span(file, token.start, token.end), f"`{token.text}`"), position
                    )
            position += 1
            if start == "declaration" and token.text in (";", "}") and parser.can_end():
                return parser.finish(), position
        if parser.can_end():
            return parser.finish(), position
        raise _Stopped(syntax_errors.unexpected(Span(file, len(file.text), len(file.text)), "end of file"), position)
    except TooDeep as deep:
        raise _Stopped(
            syntax_errors.nested_too_deeply(Span(file, deep.start, deep.end), NESTING_LIMIT), position
        ) from deep
    except syntax_errors.SyntaxFault as fault:
        raise _Stopped(fault.diagnostic, position) from fault


def _in_context(parser: LrParser, token: Token) -> tuple[Token, ...]:
    """The token as what it means here: words that are names elsewhere, and `--` where it can only be two signs."""
    literals = load_table().literals
    if token.terminal == "NAME":
        word = literals.get(token.text)
        return (token._replace(terminal=word),) if word and parser.can_shift(word) else (token,)
    if token.text == "--" and not parser.can_shift(token.terminal):
        middle = token.start + 1
        minus = literals["-"]
        return (Token(minus, "-", token.start, middle), Token(minus, "-", middle, token.end))
    return (token,)
