"""Whatever is typed: parsing ends, says what is wrong if anything is, and agrees with Lark on what is right."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import lark
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.base.source import SourceFile
from pfl.resources import grammar_text
from pfl.syntax.parse import parser
from pfl.syntax.parse.parse_table import load_table
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.parse.scanner import scan

GOOD = sorted((Path(__file__).parents[1] / "unit/frontend/syntax_good").glob("*.pfl"))
TEXTS = [path.read_text(encoding="utf-8") for path in GOOD]

BEYOND_THE_GRAMMAR = {116, 117, 118, 119, 120, 121}
"""Codes of what the grammar allows and the language does not."""

ODD = ("x", "3", "0.5", '"s"', "&&", "!", "x'", "/*", "//", "'", "é", "\x00", "#", "$", "..=", "5.", "3f")


@cache
def stock_parser() -> lark.Lark:
    return lark.Lark(grammar_text(), parser="lalr", lexer="contextual", start="module", keep_all_tokens=True)


def is_cut_in_words(tree: Any, text: str) -> bool:
    """Whether Lark has cut a word in two: it takes `int` for `in t` where no name can stand."""
    tokens = sorted(tree.scan_values(lambda value: value is not None), key=lambda token: token.start_pos)
    return any(
        before.end_pos == after.start_pos and re.match(r"\w\w", text[before.end_pos - 1 : after.start_pos + 1])
        for before, after in pairwise(tokens)
    )


def declarations_of(text: str) -> list[str]:
    """The texts of the declarations of a good program."""
    return [declaration.span.text for declaration in parse_module(SourceFile(name="good", text=text))[0].declarations]


DECLARATIONS = [text for good in TEXTS for text in declarations_of(good)]


def changed(text: str, seed: random.Random, spellings: tuple[str, ...]) -> str:
    """The text with some of its tokens left out, exchanged or joined by others."""
    for _ in range(seed.choice([1, 1, 1, 2, 4])):
        tokens = scan(SourceFile(name="changed", text=text)).tokens
        if not tokens:
            return text
        token = seed.choice(tokens)
        after = token.end if seed.random() < 0.7 else token.start
        text = f"{text[: token.start]} {seed.choice(('', *spellings))} {text[after:]}"
    return text


def with_plain_names(text: str) -> str:
    """The text with another name wherever a word of the language was read as a name, which Lark's lexer does not do."""
    scanned = scan(SourceFile(name="changed", text=text))
    position, names = 0, []
    while position < len(scanned.tokens):
        part = parser._Part(SourceFile(name="changed", text=text), "declaration", scanned, position)
        part.parse()
        position = part.position
        names += [token for token in part._taken if token.terminal == "NAME" and token.text in load_table().literals]
    for token in reversed(names):
        text = f"{text[: token.start]}x{text[token.end :]}"
    return text


@given(st.sampled_from(DECLARATIONS), st.integers(0, 2**32))
@settings(max_examples=250, deadline=None)
def test_what_is_accepted_is_what_lark_accepts(declaration: str, seed: int) -> None:
    spellings = (*load_table().literals, "x", "3", "0.5")
    text = changed(declaration, random.Random(seed), spellings)
    _, found = parse_module(SourceFile(name="changed", text=text))
    codes = {diagnostic.code.number for diagnostic in found if diagnostic.severity == "error"}
    try:
        tree = stock_parser().parse(text)
    except lark.UnexpectedInput:
        if not codes:
            stock_parser().parse(with_plain_names(text))
    else:
        assert codes <= BEYOND_THE_GRAMMAR or is_cut_in_words(tree, text)


@given(st.sampled_from(TEXTS), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_parsing_always_ends_in_words_of_the_reader(text: str, seed: int) -> None:
    source = SourceFile(name="changed", text=changed(text, random.Random(seed), (*load_table().literals, *ODD)))
    module, found = parse_module(source)
    for diagnostic in found:
        assert not re.search(
            r"__|LPAR|RPAR|LBRACE|RBRACE|NAME|DECIMAL|SEMICOLON|COMMA", re.sub(r"`[^`]*`", "", diagnostic.message)
        )
        assert all(0 <= label.span.start <= label.span.end <= len(source.text) for label in diagnostic.labels)
    for before, after in pairwise(module.declarations):
        assert before.span.end <= after.span.start


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(text: str) -> None:
    module, found = parse_module(SourceFile(name="any", text=text))
    assert found or module.declarations


@given(st.sampled_from(DECLARATIONS), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_a_fault_does_not_spread(declaration: str, seed: int) -> None:
    """A good declaration after a faulty one is kept, unless a comment or a text swallows it."""
    faulty = changed(declaration, random.Random(seed), tuple(load_table().literals))
    text = f"{faulty}\nconst kept = 1;\n"
    module, _ = parse_module(SourceFile(name="changed", text=text))
    assert module.declarations[-1].span.text == "const kept = 1;"
