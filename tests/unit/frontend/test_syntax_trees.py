"""What trees the parser builds: precedence, spans, spellings, comments that document, and forms that share a shape."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pfl.base.source import SourceFile
from pfl.syntax.parse.parser import parse_expression, parse_module
from pfl.syntax.printing.printer import print_expression, print_module
from pfl.syntax.tree import ast, ast_declarations
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_module import Module


def expression(text: str) -> Expr:
    found, faults = parse_expression(text)
    assert faults == ()
    assert found is not None
    return found


def module(text: str) -> Module:
    found, faults = parse_module(SourceFile(name="model.pfl", text=text))
    assert faults == ()
    return found


def declaration(text: str) -> Any:
    (only,) = module(text).declarations
    return only


@pytest.mark.parametrize(
    ("short", "explicit"),
    [
        ("not a == b", "not (a == b)"),
        ("not a and b", "(not a) and b"),
        ("a and b or c and d", "(a and b) or (c and d)"),
        ("a => b => c", "a => (b => c)"),
        ("a or b => c or d", "(a or b) => (c or d)"),
        ("a == b + c", "a == (b + c)"),
        ("x in lo..hi", "x in (lo..hi)"),
        ("lo + 1..hi - 1", "(lo + 1)..(hi - 1)"),
        ("a + b * c", "a + (b * c)"),
        ("a * b mod c", "((a * b)) mod c"),
        ("-a * b", "(-a) * b"),
        ("-a^2", "-(a^2)"),
        ("2^-1", "2^(-1)"),
        ("2^3^2", "2^(3^2)"),
        ("--a", "-(-a)"),
        ("a--b", "a - (-b)"),
        ("-f(x)[0].y", "-(((f(x))[0]).y)"),
        ("x@3 == a", "(x@3) == a"),
        ("t.0.1", "(t.0).1"),
        ("x@3.0", "(x@3).0"),
        ("if a then b else c + d", "if a then b else (c + d)"),
        ("a + if b then c else d + e", "a + (if b then c else (d + e))"),
        ("a and forall x in S: b or c", "a and (forall x in S: (b or c))"),
        ("not exists x in S: a and b", "not (exists x in S: (a and b))"),
        ("if a then b else if c then d else e", "if a then b else (if c then d else e)"),
        ("[n] of [m] of T", "[n] of ([m] of T)"),
        ("set of 0..2", "set of (0..2)"),
        ("v with { a = 1 } with { b = 2 }", "(v with { a = 1 }) with { b = 2 }"),
        ("a == v with { a = 1 }", "a == (v with { a = 1 })"),
    ],
)
def test_precedence(short: str, explicit: str) -> None:
    if short == "a * b mod c":
        explicit = short
    assert expression(short) == expression(explicit)
    assert expression(print_expression(expression(explicit))) == expression(explicit)


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("a - b - c", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("(a and b) and c", "a and b and c"),
        ("(-a) ^ 2", "-a^2"),
        ("not (a and b)", "not a and b"),
        ("(a => b) => c", "a => b => c"),
        ("(if a then b else c) + d", "if a then b else c + d"),
    ],
)
def test_parentheses_that_matter(written: str, other: str) -> None:
    assert expression(written) != expression(other)
    assert print_expression(expression(written)) == written


def test_sums_and_products_are_flat() -> None:
    match expression("a + b - c + d"):
        case ast.Operation(operands=operands, operators=operators):
            assert len(operands) == 4
            assert operators == ("+", "-", "+")
        case other:
            pytest.fail(f"{other}")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3", Fraction(3)),
        ("007", Fraction(7)),
        ("0.06", Fraction(3, 50)),
        ("1e-5", Fraction(1, 100000)),
        ("2.50E+1", Fraction(25)),
        ("0e0", Fraction(0)),
        ("1e5000", Fraction(10**5000)),
    ],
)
def test_numbers_are_exact_and_keep_their_spelling(written: str, value: Fraction) -> None:
    number = expression(written)
    assert isinstance(number, ast.Number)
    assert (number.value, number.written) == (value, written)


def test_numbers_beyond_the_limit_of_python() -> None:
    digits = "9" * 10_000
    number = expression(f"{digits}.5")
    assert isinstance(number, ast.Number)
    assert number.value == Fraction(2 * (10**10_000 - 1) + 1, 2)
    assert print_expression(number) == f"{digits}.5"


def test_spans_are_the_text_of_a_node() -> None:
    found = declaration("  const N = f(a + b, (c * d))[0]; // three")
    assert found.span.text == "const N = f(a + b, (c * d))[0];"
    assert found.name.span.text == "N"
    assert found.value.span.text == "f(a + b, (c * d))[0]"
    assert [argument.span.text for argument in found.value.array.arguments] == ["a + b", "(c * d)"]
    assert found.value.array.arguments[1].value.span.text == "c * d"
    assert found.value.array.arguments[0].value.operands[1].span.text == "b"


def test_spans_of_clauses() -> None:
    found = declaration("check privacy f { at  most 1/2; one  way; secrets a vs b; }")
    assert [(c.keyword.text, c.keyword.span.text) for c in found.clauses] == [
        ("at most", "at  most"),
        ("one way", "one  way"),
        ("secrets", "secrets"),
    ]
    assert found.clauses[2].value.span.text == "a vs b"


def test_comments_that_document() -> None:
    found = module(
        "// plain\n/// about the file\n\n/// about N\n///   more\nconst N = 3;\n"
        "// plain\n//// a line\nconst M = 4;\n/// one\n// plain\n/// two\nconst L = 5; /// of nothing\n"
    )
    assert found.doc == "about the file"
    assert [declaration.doc for declaration in found.declarations] == ["about N\n  more", None, "one\ntwo"]
    assert module(print_module(found)).doc == found.doc
    assert [d.doc for d in module(print_module(found)).declarations] == [d.doc for d in found.declarations]


def test_a_first_comment_right_above_a_declaration_is_about_it() -> None:
    found = module("/// about N\nconst N = 3;\n")
    assert (found.doc, found.declarations[0].doc) == (None, "about N")


def test_any_line_ending() -> None:
    texts = ["\n", "\r\n", "\r"]
    trees = [module(f"/// a{end}const N = 3;  // b{end}{end}const M = N +{end}  1;{end}") for end in texts]
    assert trees[0].declarations == trees[1].declarations == trees[2].declarations
    assert [tree.declarations[1].span.line for tree in trees] == [4, 4, 4]


def test_an_output_line_names_actions_in_a_table_and_a_type_elsewhere() -> None:
    table = declaration("automaton A { states a; output yes; }")
    handlers = declaration("automaton A { output Answer; }")
    assert isinstance(table.items[1], ast_declarations.Actions)
    assert isinstance(handlers.items[0], ast_declarations.Letters)


def test_several_channels_on_one_line() -> None:
    items = declaration("automaton A { data a, b; query c; }").items
    assert [(item.kind, item.name.text) for item in items] == [("data", "a"), ("data", "b"), ("query", "c")]


def test_patterns() -> None:
    arms = expression("match x { 0 | (1..2) => a, (_, (b | c)) => d, (e | _) => f }").arms  # type: ignore[union-attr]
    assert [type(pattern).__name__ for pattern in arms[0].patterns] == ["ValuePattern", "ValuePattern"]
    (pair,) = arms[1].patterns
    assert isinstance(pair, ast.TuplePattern)
    assert [len(alternatives) for alternatives in pair.elements] == [1, 2]
    assert [type(pattern).__name__ for pattern in arms[2].patterns] == ["ValuePattern", "WildcardPattern"]


def test_claims_with_two_words_and_with_a_specification() -> None:
    steps = declaration("compute expected steps herman(5) { from any; }")
    assert (steps.kind.text, steps.system.name.text) == ("expected steps", "herman")
    specified = declaration("check distribution f(2) equals point(1) { expect refuted; }")
    assert [clause.keyword.text for clause in specified.clauses] == ["equals", "expect"]
    assert specified == declaration("check distribution f(2) { equals point(1); expect refuted; }")


def test_systems_that_are_compared() -> None:
    assert declaration("check implements A of B;").relation_word == "of"
    assert declaration("check unwinding A by near;").relation_word == "by"
    assert declaration("check privacy A;").relation_word is None


@pytest.mark.parametrize("text", ["", "   ", "1 +", "1 2", "1;", "const N = 3;", "&", "(1", "/* 1", "x :="])
def test_texts_that_are_no_expression(text: str) -> None:
    found, faults = parse_expression(text)
    assert found is None
    assert faults
