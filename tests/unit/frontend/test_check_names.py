"""What names mean, and what is said where they mean nothing."""

from __future__ import annotations

import pytest
from checking import accepted, assert_reports, message

from pfl.resources import stdlib_module, stdlib_names
from pfl.syntax.parse.parser import parse_module
from pfl.syntax.tree.ast import Name
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    AutomatonDecl,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    MechanismDecl,
    TypeDecl,
)
from pfl.typecheck.bindings import Builtin, EnumValue, Local, Symbol
from pfl.typecheck.names.name_errors import library_module_of
from pfl.typecheck.types import BoolType, EnumType, IntType, SymbolType


def test_declarations_may_stand_in_any_order() -> None:
    accepted(
        """
        const a = f(b);
        fn f(x: T): int = x + c;
        type T = 0..c;
        const b = 1;
        const c = 2;
        """
    )


def test_names_of_a_file_are_declared_once() -> None:
    assert_reports(
        """
        const a = 1;
        type a = 0..2;  //~ PFL0205
        enum E { x, y }
        enum F { y, z }  //~ PFL0205
        fn a(i: int): int = i;  //~ PFL0205
        """
    )


def test_an_enum_value_and_a_constant_need_different_names() -> None:
    assert_reports(
        """
        enum E { x, y }  //~ PFL0205
        const x = 3;
        """
    )


def test_a_function_may_have_the_name_of_an_enum_value() -> None:
    accepted(
        """
        enum E { half, whole }
        fn half(x: real): real = x / 2;
        const a = half(1);
        const b = half == whole;
        """
    )


def test_lists_name_each_once() -> None:
    assert_reports(
        """
        enum E { x, y, x }  //~ PFL0218
        record R { a: int, a: bool }  //~ PFL0218
        fn f(p: int, p: bool): int = 1;  //~ PFL0218
        type T = {u, v, u};  //~ PFL0218
        type U = {1, 2, 1};  //~ PFL0218
        """
    )


def test_locals_hide_globals_but_not_locals_or_enum_values() -> None:
    assert_reports(
        """
        enum Health { well, sick }
        const n = 3;
        fn f(n: int): int = n;
        fn g(sick: int): int = 1;  //~ PFL0207
        fn h(i: int): bool = exists i in 0..3: i == 2;  //~ PFL0206
        mechanism m(x: 0..2) -> 0..2 {
            let y = x;
            if x == 0 { let z = 1; } else { let z = 2; }
            for z in 0..1 { let w = z; }
            if x == 1 { let y = 2; }  //~ PFL0206
            let n = 4;
            return y;
        }
        """
    )


def test_a_local_is_unknown_outside_its_block() -> None:
    assert_reports(
        """
        mechanism m(x: 0..2) -> 0..2 {
            if x == 0 { let z = 1; }
            return z;  //~ PFL0201
        }
        """
    )


def test_what_depends_on_itself() -> None:
    assert_reports(
        """
        const a = b;
        const b = a;  //~ PFL0209
        type T = [2] of T;  //~ PFL0209
        record R { inner: R }  //~ PFL0209
        fn f(n: int): int = g(n);
        fn g(n: int): int = f(n - 1);  //~ PFL0209
        dist d(n: int) = d(n - 1);  //~ PFL0209
        mechanism m(x: 0..2) -> 0..2 { let y ~ m(x); return y; }  //~ PFL0209
        const fine = f(3) + a;
        """
    )


def test_a_circle_is_told_once_and_by_name() -> None:
    headline, _ = message(
        """
        fn f(n: int): int = g(n);
        fn g(n: int): int = h(n);
        fn h(n: int): int = f(n);
        """
    )
    assert headline == "`f` calls `g`, which calls `h`, which calls `f`"


@pytest.mark.parametrize(
    ("wrong", "guess"),
    [("sizee(xs)", "size"), ("duoble(1)", "double"), ("Siz(xs)", "size"), ("uniforn(xs)", "uniform")],
)
def test_a_misspelt_function_gets_a_suggestion(wrong: str, guess: str) -> None:
    _, advice = message(f"fn double(x: int): int = 2 * x; fn f(xs: [2] of int): int = {wrong};")
    assert advice == f"did you mean `{guess}`?"


def test_suggestions_fit_the_place() -> None:
    text = "enum Health { well, sick } const helth = 1; fn f(x: Helth): int = 1;"
    assert message(text)[1] == "did you mean `Health`?"
    assert message("enum Health { well, sick } const well_being = sik;")[1] == "did you mean `sick`?"


@pytest.mark.parametrize("name", ["Laplace", "normal", "sqrt", "len", "poisson", "flip"])
def test_functions_of_other_languages_get_advice(name: str) -> None:
    found = assert_reports(f"fn f(x: int): int = {name}(x);  //~ PFL0219")
    assert found[0].help


def test_a_declared_function_of_a_foreign_name_is_just_a_function() -> None:
    accepted("fn exp(x: int): int = 2 ^ x; const a = exp(3);")


def test_builtin_functions_keep_their_names() -> None:
    assert_reports(
        """
        fn size(x: int): int = x;  //~ PFL0217
        const count = 3;
        const sum = count + 1;
        """
    )


def test_functions_and_values_are_looked_up_apart() -> None:
    assert_reports(
        """
        fn f(x: int): int = x;
        const a = f;  //~ PFL0210
        const b = size;  //~ PFL0210
        const c = a(1);  //~ PFL0211
        const d = _;  //~ PFL0210
        hmm H { state x: bool; }
        const e = H;  //~ PFL0210
        const g = H(1);  //~ PFL0211
        """
    )


def test_a_local_of_mechanism_type_is_called() -> None:
    accepted(
        """
        mechanism twice(n: int, K: mechanism(0..2) -> 0..2, x: 0..2) -> 0..2 {
            let y ~ K(x);
            let z ~ K(y);
            return z;
        }
        mechanism same(x: 0..2) -> 0..2 { return x; }
        compute distribution twice(1, same, 2);
        """
    )


def test_symbols_are_keys_and_whole_outputs_of_systems_without_declared_ones() -> None:
    assert_reports(
        """
        mechanism f(x: 0..2) {
            let y ~ { left_way: 1/2, right_way: 1/2 };
            if x == 0 { emit bot; }
            emit if x == 1 then top else bot;
            emit match x { 2 => { up: 1/2, top: 1/2 }, _ => point(bot) };
            let z = bot;  //~ PFL0201
            if y == left_way { return top; }  //~ PFL0201
            return bot;
        }
        """
    )


def test_with_declared_outputs_unknown_names_are_errors() -> None:
    assert_reports(
        """
        mechanism f(x: 0..2) emits {bot, top} -> 0..2 {
            emit bto;  //~ PFL0212
            let y ~ { heads: 1/2, tails: 1/2 };  //~ PFL0212 PFL0212
            let z: {up, down} ~ { up: 1/2, down: 1/2 };
            return if z == up then x else 0;
        }
        hmm H { state x: bool; emits {yes, no}; emit { yes: 1/2, maybe: 1/2 }; }  //~ PFL0212
        dist d() over {up, down} = { up: 1/2, dwon: 1/2 };  //~ PFL0212
        """
    )


def test_symbols_of_a_type_are_known_wherever_the_type_is() -> None:
    accepted(
        """
        type Answer = {bot, top};
        fn is_top(a: Answer): bool = a == top;
        const usual = bot;
        """
    )


def test_a_listed_name_that_has_a_meaning_is_no_symbol() -> None:
    program = accepted("enum E { x, y } const c = 3; type T = {x, y}; type U = {c, 5}; type V = {z, w};")
    t, u, v = (d for d in program.main.declarations if isinstance(d, TypeDecl))
    assert isinstance(program.type_of(t.type), EnumType)
    assert program.type_of(u.type) == IntType()
    assert program.type_of(v.type) == SymbolType()


def test_a_likely_misspelling_is_a_warning() -> None:
    assert_reports(
        """
        hmm H {
            state x: 0..2;
            emit match x {
                0 => { quiet: 1/2, cough: 1/2 },
                1 => { quite: 1/2, cough: 1/2 },  //~ PFL0213
                _ => { cuogh: 1 }  //~ PFL0213
            };
        }
        """
    )


def test_symbols_that_are_meant_to_be_alike_are_left_alone() -> None:
    accepted(
        """
        hmm H {
            state x: bool;
            emit if x then { left: 1/2, lift: 1/2 } else { top1: 1/2, top2: 1/4, a: 1/8, b: 1/8 };
        }
        """
    )


def test_a_symbol_of_a_called_distribution_must_be_declared_to_be_compared() -> None:
    _, advice = message(
        """
        dist coin() = { heads: 1/2, tails: 1/2 };
        mechanism f(x: bool) { let y ~ coin(); if y == heads { emit x; } }
        """
    )
    assert advice == "it is a symbol only of `coin`: list it in a type, `x: { heads, .. }`, or in an enum"


def test_targets_of_names() -> None:
    program = accepted(
        """
        enum Health { well, sick }
        const n = 3;
        fn f(h: Health, i: int): bool = if h == sick then i == n else size({1}) == 1;
        mechanism m(x: bool) { emit quiet; }
        """
    )
    found: dict[str, set[type]] = {}
    for identity, target in program._targets.items():
        assert identity in program._targets
        if isinstance(target, EnumValue):
            found.setdefault(target.declaration.values[target.position].text, set()).add(EnumValue)
        elif isinstance(target, Local):
            found.setdefault(target.name.text, set()).add(Local)
        elif isinstance(target, Symbol | Builtin):
            found.setdefault(target.name, set()).add(type(target))
        elif isinstance(target, Const | EnumDecl | FnDecl | MechanismDecl):
            found.setdefault(target.name.text, set()).add(type(target))
    assert found == {
        "sick": {EnumValue},
        "n": {Const},
        "h": {Local},
        "i": {Local},
        "x": {Local},
        "Health": {EnumDecl},
        "size": {Builtin},
        "quiet": {Symbol},
    }


def test_a_local_has_the_type_of_what_it_holds() -> None:
    program = accepted("fn f(x: bool, y: 0..3): bool = x;")
    (function,) = program.main.declarations
    assert isinstance(function, FnDecl)
    assert program.local(function.parameters[0].name).type == BoolType()
    assert program.local(function.parameters[1].name).type == IntType()
    assert isinstance(function.body, Name)
    assert program.target(function.body) is program.local(function.parameters[0].name)


def test_a_name_of_the_standard_library_that_is_not_imported_is_found_there() -> None:
    cases = {
        "hmm S { state x: 0..2 = 1; emit truncated_geometric(1/2, x, 0, 2); }": "std.noise",
        "mechanism m(q: 0..2) -> int { let y ~ noisy_count(1/2, bag {}, 4); return y; }": "std.mechanisms",
        "check privacy noisy_max_index { epsilon 1; adjacent any_two; }": "std.mechanisms",
        "mechanism m(q: bool) -> bool { return q; } check privacy m { epsilon 1; adjacent any_two; }": "std.neighbours",
        "check noninterference slots(1) { epsilon 1; }": "std.automata",
        "check implements slots of slots;": "std.automata",
        "const a = discrete_laplace(1/2, 0, 0, 1) == 1;": "std.noise",
    }
    for text, module in cases.items():
        assert message(text)[1] == f"`{module}` declares it: write `import {module};`", text


def test_every_declaration_of_the_standard_library_is_known_to_the_help() -> None:
    for path in stdlib_names():
        file = stdlib_module(path)
        assert file is not None
        for declaration in parse_module(file)[0].declarations:
            if isinstance(declaration, FnDecl | DistDecl | MechanismDecl | AdjacencyDecl | AutomatonDecl):
                assert library_module_of(declaration.name.text) == path
    assert library_module_of("nowhere") is None


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("y ~ bernoulli(1/2);", "declare it: `let y ~ ..;`, or `var y ~ ..;` if it changes later"),
        ("y = 3;", "declare it: `let y = ..;`, or `var y = ..;` if it changes later"),
        ("y[0] = 3;", "declare it first: `var y: T;`"),
    ],
)
def test_an_assignment_to_an_unknown_name_says_how_to_declare_it(statement: str, advice: str) -> None:
    text = f"mechanism m(q: bool) -> bool {{ {statement} if y == y {{ return q; }} return y; }}"
    assert message(text) == ("unknown name `y`", advice)


def test_an_unknown_name_in_a_step_is_a_state_or_a_local() -> None:
    _, advice = message("hmm H { state x: bool = true; step { y ~ bernoulli(1/2); x = y; } emit x; }")
    assert advice == "declare it: `state y: T;` if it is part of the state, else `let y ~ ..;` in the block"


def test_an_unknown_name_in_a_number_of_a_claim_says_what_to_write() -> None:
    system = "mechanism m(q: bool) -> bool { return q; } adjacency r(a: bool, b: bool) = true;"
    for clause, number in (("epsilon 2*eps;", "ln(2)"), ("epsilon 1; delta eps;", "1/100")):
        _, advice = message(f"{system} check privacy m {{ adjacent r; {clause} }}")
        assert advice == f"write a number such as `{number}`, or declare the name as a `const` or a `param`"


@pytest.mark.parametrize("use", ["return y == 1;", "y = 2; return y == 2;"])
def test_a_name_of_another_block_is_to_be_declared_before_both(use: str) -> None:
    text = f"mechanism m(q: bool) -> bool {{ if q {{ let y = 1; }} {use} }}"
    assert message(text) == (
        "unknown name `y`",
        "it is declared in another block: declare it before both, `var y: T;`",
    )
