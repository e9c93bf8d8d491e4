"""SMT-LIB text: literals, symbols, layout."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfl.engines.smt.model_values import read_expressions
from pfl.engines.smt.smtlib import WIDTH, expression, number, renamed, script_text, symbol_names
from pfl.engines.smt.terms import Assert, Comment, Constant, Declare, Or, Relation, Script, Select, Sum, Symbol

SIMPLE_SYMBOL = re.compile(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")


def flat(inner: object) -> str:
    return inner if isinstance(inner, str) else f"({' '.join(map(flat, inner))})"  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0.0"),
        (Fraction(1), "1.0"),
        (Fraction(-1), "(- 1.0)"),
        (Fraction(1, 3), "(/ 1.0 3.0)"),
        (Fraction(-2, 3), "(- (/ 2.0 3.0))"),
        (Fraction(1, 10**5000), f"(/ 1.0 1{'0' * 5000}.0)"),
    ],
)
def test_literals_are_real(value: Fraction, text: str) -> None:
    assert flat(number(value)) == text


def test_reserved_words_and_foreign_letters_become_legal_symbols() -> None:
    names = ["select", "assert", "let", "α", "a b", "|", "-1", "letter.3", "", "7"]
    assert symbol_names("w0", "letter", names) == [
        "w0.select",
        "w0.assert",
        "w0.let",
        "w0.letter.3",
        "w0.letter.4",
        "w0.letter.5",
        "w0.-1",
        "w0.letter.7",
        "w0.letter.8",
        "w0.7",
    ]
    assert list(renamed("letter", names))[:3] == [
        "letter.3  stands for  α",
        "letter.4  stands for  a b",
        "letter.5  stands for  |",
    ]


@given(st.lists(st.text(max_size=6), unique=True, max_size=12))
def test_symbols_are_legal_and_distinct(names: list[str]) -> None:
    symbols = [
        symbol
        for prefix, kind in (("w0", "letter"), ("x1", "state"), ("w0.first", "letter"))
        for symbol in symbol_names(prefix, kind, names)
    ]
    assert len(set(symbols)) == len(symbols)
    assert all(SIMPLE_SYMBOL.fullmatch(symbol) for symbol in symbols)


def test_a_script_is_one_question() -> None:
    x = Symbol("x", "Real")
    script = Script(
        logic="QF_LRA",
        header=("two lines\nin one", ""),
        commands=(Comment("a real"), Declare(x), Assert(Relation(">", x, Constant(Fraction(1, 2)))), Assert(Or(()))),
        values=(x,),
    )
    assert script_text(script) == (
        "; two lines in one\n"
        ";\n"
        "(set-option :produce-models true)\n"
        "(set-logic QF_LRA)\n"
        "\n"
        "; a real\n"
        "(declare-fun x () Real)\n"
        "(assert (> x (/ 1.0 2.0)))\n"
        "(assert false)\n"
        "\n"
        "(check-sat)\n"
        "(get-value (x))\n"
    )


def test_long_terms_are_broken_into_lines_that_mean_the_same() -> None:
    symbols = [Symbol(f"variable.number.{position}", "Real") for position in range(40)]
    term = Relation("=", symbols[0], Sum(tuple(symbols)))
    text = script_text(Script(logic="QF_LRA", commands=(Assert(term),), values=tuple(symbols)))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert ["assert", expression(term)] in read_expressions(text)


def test_thousands_of_cases_neither_nest_too_deeply_nor_indent_for_ever() -> None:
    w = Symbol("w", "Real")
    cases = tuple((Relation("=", w, Constant(Fraction(case))), Constant(Fraction(case))) for case in range(5000))
    text = script_text(
        Script(logic="QF_LRA", commands=(Assert(Relation("=", w, Select(cases, Constant(Fraction(0))))),), values=())
    )
    assert text.count("(ite ") == 5000
    assert text.count("(") == text.count(")")
    assert max(map(len, text.splitlines()[:-4])) <= WIDTH
