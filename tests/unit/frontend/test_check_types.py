"""Types of expressions, and what is said where they do not fit."""

from __future__ import annotations

from typing import get_args

import pytest
from checking import accepted, assert_reports, check, message

from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import Const
from pfl.syntax.tree.ast_module import TopLevel
from pfl.syntax.tree.ast_statements import Statement
from pfl.typecheck.expressions.expressions import EXPRESSION_RULES
from pfl.typecheck.fitting import show
from pfl.typecheck.program import DECLARATION_RULES
from pfl.typecheck.systems.statements import STATEMENT_RULES

PRELUDE = """
enum Health { well, sick }
record Visit { who: 0..3, long: bool }
type Query = [3] of 0..2;
type Answer = {bot} | 0..2;
param p in (0, 1);
const v = Visit(1, true);
const pair = (1, true);
const xs = [1, 2, 3];
const bits = [true, false];
fn odd(n: int): bool = n mod 2 == 1;
dist coin(w: real) over bool = { true: w, false: 1 - w };
"""


def test_every_kind_of_node_has_a_rule() -> None:
    assert EXPRESSION_RULES.keys() == set(get_args(Expr))
    assert STATEMENT_RULES.keys() == set(get_args(Statement))
    assert {kind.__name__ for kind in set(get_args(TopLevel)) - DECLARATION_RULES.keys()} == {"Import"}


@pytest.mark.parametrize(
    ("expression", "type_"),
    [
        ("3", "int"),
        ("2.0", "int"),
        ("0.06", "real"),
        ("1 + 2 * 3 - 4", "int"),
        ("1 + 0.5", "real"),
        ("6 / 2", "real"),
        ("7 div 2 * 3", "int"),
        ("7 mod 2", "int"),
        ("-p", "real"),
        ("2 ^ 3", "int"),
        ("2 ^ -3", "real"),
        ("(1/2) ^ 3", "real"),
        ("2 ^ (1 - 3)", "real"),
        ("2 ^ size(xs)", "int"),
        ("2 ^ xs[0]", "real"),
        ("2 ^ v.who", "real"),
        ("xs[2 ^ (i0 - 1)]", "int"),
        ("[2 ^ i for i in 0..2]", "array of int"),
        ("[2 ^ i for i in -1..2]", "array of real"),
        ("2 ^ (i0 - 1) div 2", "int"),
        ("1 < 2 and not 3 == 4 or true => false", "bool"),
        ("well != sick", "bool"),
        ("1 in 0..3", "bool"),
        ("well in Health", "bool"),
        ("1/2 in real", "bool"),
        ("(1, true) in (0..2, bool)", "bool"),
        ("if true then 1 else 1/2", "real"),
        ("match well { well => 1, sick => 2 }", "int"),
        ("forall x in Health: x == well", "bool"),
        ("xs[0]", "int"),
        ("pair.1", "bool"),
        ("v.who", "int"),
        ("v with { who = 2, long = false }", "Visit"),
        ("xs with { [i0] = 2 }", "array of int"),
        ("[x + 1/2 for x in xs]", "array of real"),
        ("{x for x in xs if x > 1}", "set of int"),
        ("{x in 0..3 | odd(x)}", "set of int"),
        ("bag {1, 1}", "bag of int"),
        ("bag {x for x in xs for y in 0..x}", "bag of int"),
        ("[(1, well), (2, sick)]", "array of (int, Health)"),
        ("sum(x for x in xs if odd(x))", "int"),
        ("sum(x / 2 for x in xs)", "real"),
        ("sum(xs)", "int"),
        ("count(b for b in bits if b)", "int"),
        ("count(Health)", "int"),
        ("min(1, 1/2)", "real"),
        ("max(xs)", "int"),
        ("floor(7/2) + ceil(p)", "int"),
        ("abs(-1/2)", "real"),
        ("size(bag {1}) + size({1}) + size([1])", "int"),
        ("contains({1, 2}, 1)", "bool"),
        ("add({}, 1)", "set of int"),
        ("add({1}, 2)", "set of int"),
        ("remove(bag {1, 1}, 1)", "bag of int"),
        ("union({1}, {2}, {})", "set of int"),
        ("union([bag {1}, bag {2}])", "bag of int"),
        ("union({y} for y in xs)", "set of int"),
        ("{ well: 1/2, sick: 1/2 }", "distribution over Health"),
        ("{ -1: 1/2, 0 + 1: 1/2 }", "distribution over int"),
        ("{ z: 1/4 for z in 0..3 }", "distribution over int"),
        ("uniform(Health)", "distribution over Health"),
        ("uniform(Query)", "distribution over array of int"),
        ("uniform([2] of bool)", "distribution over array of bool"),
        ("bernoulli(p)", "distribution over bool"),
        ("binomial(3, p)", "distribution over int"),
        ("point((1, true))", "distribution over (int, bool)"),
        ("coin(1)", "distribution over bool"),
        ("coin(w = p)", "distribution over bool"),
        ("if true then coin(p) else point(true)", "distribution over bool"),
        ("Visit(long = true, who = 1)", "Visit"),
        ("Health", "set of Health"),
        ("count(0..2 | {5})", "int"),
    ],
)
def test_the_type_of_an_expression(expression: str, type_: str) -> None:
    program = accepted(f"{PRELUDE} const i0 = 0; const it = {expression};")
    it = program.main.declarations[-1]
    assert isinstance(it, Const)
    assert show(program.type_of(it.value)) == type_


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("1 + true", "PFL0302"),
        ("well + 1", "PFL0302"),
        ("uniform(0..2) + 1", "PFL0310"),
        ("7/2 mod 2", "PFL0302"),
        ("1 div p", "PFL0302"),
        ("2 ^ (1/2)", "PFL0301"),
        ("1 and true", "PFL0301"),
        ("not 1", "PFL0301"),
        ("1 == true", "PFL0303"),
        ("[1] == {1}", "PFL0303"),
        ("well < sick", "PFL0302"),
        ("true in 0..2", "PFL0303"),
        ("1 in 2", "PFL0314"),
        ("if 1 then 2 else 3", "PFL0301"),
        ("if true then 1 else well", "PFL0301"),
        ("[coin(p), true]", "PFL0301"),
        ("if true then coin(p) else 1", "PFL0301"),
        ("xs[1/2]", "PFL0301"),
        ("xs.who", "PFL0312"),
        ("v.what", "PFL0214"),
        ("v[0]", "PFL0312"),
        ("pair.2", "PFL0312"),
        ("xs with { who = 1 }", "PFL0312"),
        ("v with { [0] = 1 }", "PFL0312"),
        ("v with { wo = 1 }", "PFL0214"),
        ("v with { who = true }", "PFL0301"),
        ("[1, true]", "PFL0301"),
        ("{1, well}", "PFL0301"),
        ("[x for x in 3]", "PFL0314"),
        ("[x for x in int]", "PFL0314"),
        ("[x for x in xs if x]", "PFL0301"),
        ("forall x in xs: x", "PFL0301"),
        ("sum(bits)", "PFL0302"),
        ("sum(1, 2)", "PFL0304"),
        ("max(true, 1)", "PFL0302"),
        ("count(3)", "PFL0302"),
        ("size(3)", "PFL0302"),
        ("size(i for i in xs)", "PFL0321"),
        ("add(xs, 1)", "PFL0302"),
        ("add({1}, true)", "PFL0301"),
        ("union({1}, bag {1})", "PFL0301"),
        ("union(xs)", "PFL0302"),
        ("abs(true)", "PFL0302"),
        ("uniform(real)", "PFL0314"),
        ("bernoulli(true)", "PFL0301"),
        ("binomial(1/2, p)", "PFL0301"),
        ("coin(true)", "PFL0301"),
        ("coin()", "PFL0304"),
        ("coin(1/2, 1)", "PFL0304"),
        ("coin(v = 1)", "PFL0305"),
        ("Visit(1, who = 1)", "PFL0305 PFL0304"),
        ("Visit(who = 1, true)", "PFL0305 PFL0304"),
        ("{ true: 1/2, 1: 1/2 }", "PFL0301"),
        ("{ true: well, false: 1/2 }", "PFL0301"),
        ("empty", "PFL0319"),
        ("{}", "PFL0319"),
        ("[]", "PFL0319"),
        ("size(empty)", "PFL0319"),
        ("ln(2)", "PFL0315"),
        ("xs@1", "PFL0317"),
        ("(1)(2)", "PFL0211"),
    ],
)
def test_a_faulty_expression(expression: str, code: str) -> None:
    assert_reports(f"{PRELUDE} const i0 = 0; const it = {expression};  //~ {code}")


def test_one_fault_has_one_report() -> None:
    assert_reports(
        """
        fn f(x: int): int = missing + x * unknown(x) - 1;  //~ PFL0201 PFL0202
        const a = f(true) + 1 == 2 and size(nothing) > a2;  //~ PFL0301 PFL0201 PFL0201
        const b = wrong;  //~ PFL0201
        const c = b + b[0] + b.f + size(b);
        fn g(x: Missing): Missing = x;  //~ PFL0203 PFL0203
        const d = g(1) + g(true);
        """
    )


def test_an_argument_is_named() -> None:
    text = "dist coin(w: real) over bool = { true: w, false: 1 - w }; const a = coin(true);"
    assert message(text)[0] == "argument `w` of `coin` must be a real, not a bool"
    text = "fn clamp(x: int, lo: int, hi: int): int = max(lo, min(x, hi)); const c = clamp(3, 0);"
    assert message(text) == ("`clamp` lacks the argument `hi`", "the parameters are `x`, `lo`, `hi`")


def test_declared_types() -> None:
    assert_reports(
        """
        const a: real = 1;
        const b: int = 1/2;  //~ PFL0301
        const c: set of 0..2 = {};
        const d: [2] of bag[3] of bool = empty;
        const e: int = empty;  //~ PFL0301
        const f: {bot} | 0..2 = 1;
        const g: {bot} | 0..2 = true;  //~ PFL0301
        const h: 3 = 3;  //~ PFL0313
        const i: [1/2] of bool = [true];  //~ PFL0301
        const j: bag[2] of bool = {true};  //~ PFL0301
        type Setting = {on} | 0..1;
        const k: [2] of Setting = [on, 1];
        const l: {on} = on;
        fn m(x: int): bool = x;  //~ PFL0301
        fn n(x: int): Missing = x;  //~ PFL0203
        fn o(x: int) = uniform(0..x);  //~ PFL0310
        fn q(x: int) = {};  //~ PFL0319
        dist r(x: int) over bool = x;  //~ PFL0301
        dist s(x: int) over bool = uniform(0..x);  //~ PFL0301
        param t in (0, true);  //~ PFL0301
        assume 1 + 1;  //~ PFL0301
        """
    )


def test_a_value_of_a_union_is_given_a_narrower_type_first() -> None:
    assert_reports(
        """
        type Answer = {bot} | 0..2;
        fn wrong(a: Answer): int = if a == bot then 0 else a + 1;  //~ PFL0302
        mechanism right(a: Answer) -> 0..3 {
            if a == bot { return 0; }
            let n: 0..2 = a;
            return n + 1;
        }
        """
    )


def test_sets_of_values_as_types() -> None:
    accepted(
        """
        const S = {0, 2, 5};
        mechanism f(x: S, y: {z in 0..9 | z mod 2 == 0}) -> S { return x; }
        fn g(D: set of int, x: D): bool = x in D;
        """
    )


def test_matches() -> None:
    assert_reports(
        """
        enum E { x, y, z }
        type Answer = {bot, top};
        const one = 1;
        fn a(e: E): int = match e { x => 1, y | z => 2 };
        fn b(e: E): int = match e { x => 1, y => 2 };  //~ PFL0306
        fn c(b: bool): int = match b { true => 1 };  //~ PFL0306
        fn d(e: E, b: bool): int = match (e, b) { (x, _) => 1, (y | z, true) => 2, (_, false) => 3 };
        fn f(e: E, b: bool): int = match (e, b) { (x, _) => 1, (y, true) => 2, (_, false) => 3 };  //~ PFL0306
        fn g(n: int): int = match n { 0..2 => 1, -1 => 2, 3 | 4 => 3, _ => 4 };
        fn h(n: int): int = match n { 0..2 => 1, 1 | 2 => 2, _ => 3 };  //~ PFL0307
        fn i(n: int): int = match n { _ => 1, 3 => 2 };  //~ PFL0307
        fn j(e: E): int = match e { x | y | z => 1, _ => 2 };  //~ PFL0307
        fn k(e: E): int = match e { x => 1, true => 2, _ => 3 };  //~ PFL0303
        fn l(n: int): int = match n { one => 1, _ => 3 };
        fn m(a: Answer): int = match a { bot => 1, top => 2 };
        fn n(n: int, k: int): bool = forall i in 0..n: match i { k => true, _ => false };
        fn o(n: int): bool = forall i in 0..n: forall j in 0..n: match i { j => true, _ => false };  //~ PFL0308
        fn p(e: E): int = match (e, 1) { (x, _, _) => 1, _ => 2 };  //~ PFL0312
        fn q(n: int): int = match n { true..2 => 1, _ => 2 };  //~ PFL0301
        """
    )


def test_what_a_match_leaves_out_is_named() -> None:
    headline, _ = message("enum E { x, y } fn f(e: E, b: bool): int = match (e, b) { (x, _) => 1, (y, true) => 2 };")
    assert headline == "this match leaves out `(y, false)`"


def test_logarithms() -> None:
    text = """
        mechanism m(x: bool) -> bool {{ return bernoulli(if x then 2/3 else 1/3); }}
        adjacency any_two(a: bool, b: bool) = true;
        fn double(x: real): real = 2 * x;
        check privacy m {{ adjacent any_two; epsilon {}; }}
    """
    for epsilon in ("ln(2)", "2*ln(2)", "ln(2) * 3 / 4 + 1/2 - ln(3)", "-(ln(2))", "if true then ln(2) else 0", "0"):
        accepted(text.format(epsilon))
    for epsilon in ("ln(2) * ln(3)", "1 / ln(2)", "double(ln(2))", "ln(ln(2))", "ln(2) ^ 2", "abs(ln(2))"):
        (only,) = check(text.format(epsilon))[1]
        assert str(only.code) == "PFL0315"
    for epsilon, code in (("true", "PFL0301"), ("ln(true)", "PFL0302"), ("ln(2) > 1", "PFL0315")):
        assert code in {str(d.code) for d in check(text.format(epsilon))[1]}


def test_a_pattern_mentions_no_variable_anywhere() -> None:
    assert_reports(
        """
        const n = 2;
        mechanism f(x: 0..2) -> bool {
            let y = 1;
            return match x { n + 1 => true, y + 1 => false, 0..y => true, _ => false };  //~ PFL0308 PFL0308
        }
        """
    )


def test_types_mention_earlier_parameters_only() -> None:
    accepted("mechanism f(n: int, q: [n] of 0..n) -> 0..n { return q[0]; }")
    assert message("mechanism f(q: [n] of bool, n: int) -> bool { return q[0]; }") == (
        "unknown name `n`",
        "a type mentions only parameters that stand before it",
    )


def test_distributions_inside_a_value_are_to_be_drawn() -> None:
    each = "draw each element: `var a: [n] of T;`, then `for i in 0..n-1 { a[i] ~ ..; }`"
    array = "[uniform(0..1) for i in 0..2]"
    assert message(f"mechanism m() -> [3] of 0..1 {{ return {array}; }}") == (
        "the result must be an array of int, not an array of distribution over int",
        each,
    )
    assert message(f"mechanism m() {{ return {array}; }}") == (
        "the result is an array of distribution over int, and only values are shown",
        each,
    )
    assert message("mechanism m() -> (int, int) { return (uniform(0..1), 1); }")[1] == (
        "draw each part first: `let x ~ ..;`"
    )
    assert message("mechanism m() -> bool { return uniform(0..1) == 1; }") == (
        "`==` takes values, not a distribution over int",
        "draw one of its values first: `let x ~ ..;`",
    )


def test_the_first_value_of_a_state_is_drawn_by_init() -> None:
    assert message("hmm H { state x: 0..2 = uniform(0..2); emit x; }") == (
        "the first value of `x` is a distribution, not a value",
        "write `init x ~ ..`",
    )


def test_types_as_other_languages_write_them() -> None:
    assert message("mechanism m(x: int[0..2]) -> bool { return true; }") == (
        "`int[0..2]` takes an element of a type",
        "an array type is written `[n] of T`, a type of some ints `lo..hi`",
    )
    assert message("mechanism m(x: {0..2}) -> bool { return true; }") == (
        "the only value of the type `{0..2}` is the whole range",
        "the type of its numbers is written without braces: `0..2`",
    )


def test_a_function_written_as_a_field() -> None:
    for field, advice in (("size", "write `size(x)`"), ("length", "the number of elements is `size(x)`")):
        assert message(f"fn f(x: [3] of int): int = x.{field};")[1] == advice


def test_counting_truth_values_counts_the_false_ones() -> None:
    advice = "write `count(x for x in xs if x)` for those that are true, `size(xs)` for all"
    for counted in ("count(xs)", "count(x for x in xs)", "count(x == y for x in xs for y in xs)"):
        said = message(f"fn f(xs: [3] of bool): int = {counted};")
        assert said == ("`count` counts every element, the false ones as well", advice)
    accepted("fn f(xs: [3] of bool): int = count(x for x in xs if x) + count(x for x in xs for y in xs if y);")
    accepted("fn f(xs: [3] of int): int = count(xs);")
    assert message("fn f(xs: [3] of bool): int = sum(xs);")[1] == (
        "write `count(x for x in xs if x)` for the number of those that are true"
    )


def test_truth_values_of_other_languages() -> None:
    assert message("const a = True;")[1] == "did you mean `true`?"
    assert message("mechanism m() -> bool { return False; }")[1] == "did you mean `false`?"
