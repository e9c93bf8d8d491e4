"""Faulty programs, one mistake each unless the heading lists more: `syntax_faults.txt` has them with line and code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pfl.base.diagnostics import Diagnostic
from pfl.base.source import SourceFile
from pfl.syntax.parse.parse_table import load_table
from pfl.syntax.parse.parser import parse_module

HEADING = re.compile(r"^//// (?P<marks>[^:]*): (?P<title>.*)\n", re.MULTILINE)


def cases() -> list[Any]:
    text = (Path(__file__).parent / "syntax_faults.txt").read_text(encoding="utf-8")
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return [
        pytest.param(text[heading.end() : end], heading["marks"], id=heading["title"])
        for heading, end in zip(headings, ends)
    ]


def faults(text: str) -> tuple[Diagnostic, ...]:
    return parse_module(SourceFile(name="faulty.pfl", text=text))[1]


def place(diagnostic: Diagnostic) -> tuple[int, int]:
    """(line, column) of the first label."""
    span = diagnostic.labels[0].span
    return span.line, span.column


@pytest.mark.parametrize(("text", "marks"), cases())
def test_a_fault_is_told_once_in_its_line(text: str, marks: str) -> None:
    told = [f"{place(diagnostic)[0]} {diagnostic.code}" for diagnostic in faults(text)]
    assert ", ".join(told) == marks


def words_of(diagnostic: Diagnostic) -> str:
    labels = " ".join(label.text for label in diagnostic.labels)
    return f"{diagnostic.message} {labels} {diagnostic.help or ''}"


@pytest.mark.parametrize(("text", "_marks"), cases())
def test_no_name_of_the_grammar_is_told(text: str, _marks: str) -> None:
    table = load_table()
    names = {*table.terminals, *(production.origin for production in table.productions)}
    internal = {name for name in names if name.isupper() or "_" in name}
    for diagnostic in faults(text):
        own_words = re.sub(r"`[^`]*`", "", words_of(diagnostic))
        assert not internal.intersection(re.findall(r"\w+", own_words))


def only(text: str) -> Diagnostic:
    (diagnostic,) = faults(text)
    return diagnostic


def test_an_open_block_is_shown_where_it_opens_and_where_it_is_noticed() -> None:
    found = only("mechanism f(x: int) -> int {\n    return x;\n\nconst N = 3;\n")
    assert [(label.span.line, label.span.column) for label in found.labels] == [(1, 28), (4, 1)]
    assert found.message == "the block `mechanism f(x: int) -> int {` on line 1 is never closed"


def test_an_open_block_is_noticed_at_the_end_of_the_file() -> None:
    found = only("check privacy f {\n    epsilon 1;\n\n\n")
    assert [(label.span.line, label.span.column) for label in found.labels] == [(1, 17), (2, 15)]


def test_a_missing_semicolon_is_shown_after_the_last_word() -> None:
    assert place(only("const N = 3  // three\n\nconst M = 4;\n")) == (1, 12)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("const a = x && y;", "write `and`"),
        ("mechanism f() { x := 3; }", "write `=` to assign, `~` to draw"),
        ("const a = .5;", "write `0.5`"),
        ("const a = 5.;", "write `5.0`"),
        ("const a = 1_000;", "write `1000`; numbers are decimal and exact, without suffixes"),
        ("const a = 2x;", "write `2*x` for a product; numbers are decimal and exact, without suffixes"),
        ("check privacy f { epsilon ln 2; }", "write `ln(2)`"),
        ("hmm H { x: 0..1; }", "write `state x: T;`"),
        ("hmm H { x = 1; }", "write `step x = ..;` for how it moves, `init x = ..;` for where it starts"),
        ("hmm H { next x = 1; }", "write `step x = e;`, or `step x ~ d;` to draw"),
        ("hmm H { var x: 0..1; }", "a variable of an hmm is declared by `state x: T;`"),
        (
            "hmm H { init { a: 1/2, b: 1/2 }; }",
            "write `init rainy: 3/5, sunny: 2/5;` in a table, `init x ~ { 0: 1/2, 1: 1/2 };` in a program",
        ),
        (
            "param p = 1/3;",
            "write `const p = ..;` for a number that is fixed, `param p in (0, 1);` for any in an interval",
        ),
        ("check probability f { terminates; >= 1/2; }", "write `at least 1/2;`"),
        ("check H { epsilon 1; }", "write the kind of claim, then the system: `check privacy H { .. }`"),
        ("check privacy { epsilon 1; }", "write the kind of claim, then the system: `check privacy noisy { .. }`"),
        ("privacy f { epsilon 1; }", "a claim begins with `check` or `compute`: `check privacy ..`"),
        ("def f(x: int): int = x;", "a function is declared by `fn f(x: T): U = e;`"),
        ("let N = 3;", "a constant is declared by `const N = 3;`"),
        ("mechanism f(x: bool): bool { }", "write `->`, as in `mechanism noisy(q: Query) -> 0..2 { .. }`"),
        (
            "dist f(p: real): bool = bernoulli(p);",
            "write `over`, as in `dist coin(w: real) over bool = { true: w, false: 1 - w };`",
        ),
        (
            "automaton A { query ask: {now}; on ask { respond 1; } }",
            "write `on query ask { .. }`, or `on data ask { .. }`",
        ),
        ("automaton A { n: 0..2 = 0; }", "write `state n: T = e;`"),
        (
            "automaton A { input d: bool; }",
            "write `query x: T;` for what is asked, `data x: T;` for what is hidden",
        ),
        ("automaton A { states a; a -q-> a; }", "write a transition with spaces: `idle -- ask --> asked;`"),
        (
            "automaton A { states a, b; a -- q --> a: 1/2, b: 1/2; }",
            "write `asked -- wait --> { yes: 3/4, no: 1/4 };`",
        ),
        (
            "check pufferfish H { between { 0: 1 } vs { 1: 1 }; epsilon 1; }",
            "write `between { 0: 1 } and { 1: 1 };`; secrets are compared by `vs`",
        ),
        ("check pufferfish H { secrets a vs b vs c; epsilon 1; }", "for example `secrets john vs not john;`"),
        ("automaton A { states a; strat a; }", "did you mean `start`?"),
        ("automaton A { on quey ask { respond 1; } }", "did you mean `query`?"),
        ("check probability f { returns r were r; }", "did you mean `where`?"),
        (
            "mechanism f() { lt y = 1; }",
            "every statement and every declaration without a block ends in `;`",
        ),
        ("mechanism f() { let y: bool; }", "write `var x: T;` for what gets its value later"),
        ("mechanism f() { repeat 3 { tick 1; } }", "write `for i in 1..n { .. }`"),
        (
            "mechanism f() { do { tick 1; } }",
            "write `while c { .. }`, or `forever { .. }` for a stream without end",
        ),
        ("mechanism f() { break; }", "a loop ends by the condition of `while`, and `return` ends the run"),
        ("const a = x is 1;", "write `==`"),
        (
            "fn f(x: list of bool): int = 1;",
            "write `[n] of T` for arrays, `set of T` for sets, `bag[n] of T` for bags of at most n elements",
        ),
        ("compute probability f { returns > 3; }", "for example `returns r where r > 1;`"),
        ("check privacy f { adjacent r; epsilon ln(2) length 1; }", "every clause ends in `;`"),
        ("check privacy f { adjacent r; receive q at most 1; }", "did you mean `received`?"),
        ("const mod = 3;", "choose another name, such as `mod_`"),
        ("mechansim f() {}", "did you mean `mechanism`?"),
        ("automaton A { states a; a -> q -> a; }", "write `--`, as in `idle -- ask --> asked;`"),
        ("const a = b == not c;", "write `(not x)`"),
        ("const a = 'b';", 'write "b"'),
        ('const a = "b";', "a symbol is written without quotes: `b`"),
        ("check privacy f { epsilon = 1; }", "write `epsilon e;`"),
        ("fn f(x: int): int { return x; }", "for example `fn double(n: int): int = 2 * n;`"),
        ("param p (0, 1);", "for example `param p in (0, 1);`"),
        (
            "automaton A { output 0..2, refused, none; }",
            "write `output {refused, none} | 0..2;`; only the actions of a table are listed, `output yes, no;`",
        ),
        ("hmm W { states rain, sun; start sun; rain -> rain: 1; }", "write `init sun: 1;`"),
        ("hmm W { start rain: 1/2, sun: 1/2; states rain, sun; }", "write `init rain: ..;`"),
        ("hmm W { state x: bool; start x = true; }", "write `init x = e;`, or `init x ~ d;` to draw"),
        (
            "hmm W { states rain, sun; sun = rain; }",
            "write `sun -> ..;` for how it moves, `sun emits ..;` for what it shows",
        ),
        (
            "mechanism f(q: bool) -> 0..2 emits {bot, top} { return 0; }",
            "what is emitted comes first: write `emits .. -> 0..2`",
        ),
    ],
)
def test_the_help_says_what_to_write(text: str, advice: str) -> None:
    assert only(text).help == advice


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("const a = 3 4;", "expected an operator or `;`, found `4`"),
        ("const a = ;", "expected an expression, found `;`"),
        ("const a = b +", "expected an expression, found the end of the file"),
        ("check pufferfish S { secrets john; }", "expected `vs`, found `;`"),
        ("type T = ;", "expected a type, found `;`"),
        ("mechanism f() { let = 3; }", "expected a name, found `=`"),
        ("mechanism f() { ) }", "`)` closes nothing"),
        ("enum E { a b }", "missing `,` after `a`"),
        ("const a = $;", "the character `$` has no meaning in PFL"),
        ("const a = e\u0301;", "the character U+0301, COMBINING ACUTE ACCENT, has no meaning in PFL"),
        ("const a = \u00a03;", "the character U+00A0, NO-BREAK SPACE, has no meaning in PFL"),
        ("hmm W { states rain; start rain; }", "no part of an hmm in table form begins with `start`"),
        ("hmm W { state x: bool; start x = true; }", "no part of an hmm in program form begins with `start`"),
    ],
)
def test_the_headline_says_what_is_wrong(text: str, message: str) -> None:
    assert only(text).message == message


def test_declarations_around_a_fault_are_kept() -> None:
    text = "const a = 1;\nconst b = ;\nmechanism f() { x = ) }\nconst c = 3;\n"
    module, found = parse_module(SourceFile(name="faulty.pfl", text=text))
    assert [declaration.span.line for declaration in module.declarations] == [1, 4]
    assert len(found) == 2


def test_a_declaration_that_was_mended_is_kept() -> None:
    module, found = parse_module(SourceFile(name="faulty.pfl", text="const a = 1\nconst b = (2;\ncheck privacy f {"))
    assert len(found) == 3
    assert len(module.declarations) == 3


def test_an_empty_file_is_only_a_warning() -> None:
    assert only("").severity == "warning"
