"""Printing and parsing undo each other, and formatting twice is formatting once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syntax_trees import declarations, expressions, modules

from pfl.base.source import SourceFile
from pfl.syntax.parse.parser import parse_expression, parse_module
from pfl.syntax.parse.scanner import scan
from pfl.syntax.printing.printer import format_source, print_expression, print_module
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_module import Module, TopLevel


def parsed(text: str) -> Module:
    module, found = parse_module(SourceFile(name="printed", text=text))
    assert not found, (found[0].message, text)
    return module


@given(expressions)
@settings(max_examples=150, deadline=None)
def test_an_expression_survives_printing(tree: Expr) -> None:
    text = print_expression(tree)
    parsed_tree, found = parse_expression(text)
    assert not found, (found[0].message, text)
    assert parsed_tree == tree, text


@given(declarations)
@settings(max_examples=150, deadline=None)
def test_a_declaration_survives_printing(tree: TopLevel) -> None:
    module = Module(file=tree.span.file, declarations=(tree,))
    assert parsed(print_module(module)).declarations == (tree,)


def decorated(text: str, seed: random.Random) -> str:
    """The same program with comments, line breaks and blank lines at random places between its tokens."""
    parts: list[str] = []
    end = 0
    before = ""
    for count, token in enumerate(scan(SourceFile(name="bare", text=text)).tokens):
        parts.append(text[end : token.start])
        if seed.random() < 0.15 and "." not in (before, token.text) and before != "@":
            extra = seed.choice(
                [
                    "// line\n",
                    "\n// own line\n",
                    "/* block */",
                    "\n/* own block */\n",
                    "\n\n",
                    "\n",
                    "/* two\n lines */",
                    "\n\n/// doc\n",
                ]
            )
            parts.append(" " + extra.replace("e", f"e{count}") + " ")
        parts.append(token.text)
        end = token.end
        before = token.text
    return "".join(parts) + seed.choice(["", "\n", " // last", "\n\n// last\n"])


def comment_texts(text: str) -> list[str]:
    comments = scan(SourceFile(name="text", text=text)).comments
    return sorted("\n".join(line.strip() for line in comment.text.splitlines()) for comment in comments)


@given(modules, st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_formatting_keeps_comments_and_is_idempotent(tree: Module, seed: int) -> None:
    text = decorated(print_module(tree), random.Random(seed))
    once = format_source(SourceFile(name="once", text=text))
    assert parsed(once).declarations == tree.declarations
    assert comment_texts(once) == comment_texts(text)
    assert format_source(SourceFile(name="twice", text=once)) == once


@pytest.mark.parametrize(
    "text",
    [
        "hmm // c1\nLight // c2\n{\n    state on: bool;\n}\n",
        f"const total = ({'a' * 30} + {'b' * 35} + // c1\n{'c' * 45}) // c2\nmod 2 == 0;\n",
    ],
)
def test_comments_between_the_words_of_a_statement_settle(text: str) -> None:
    """They may find another place in what was printed. (14,000 texts with comments anywhere.)"""
    once = format_source(SourceFile(name="once", text=text))
    assert format_source(SourceFile(name="twice", text=once)) == once


@given(modules)
@settings(max_examples=30, deadline=None)
def test_lines_end_without_spaces(tree: Module) -> None:
    text = print_module(tree)
    assert all(line == line.rstrip() for line in text.split("\n"))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
