"""Hidden Markov models in both forms, and priors."""

from __future__ import annotations

from checking import accepted, assert_reports, message

from pfl.syntax.tree.ast import Name
from pfl.syntax.tree.ast_declarations import HmmDecl, PriorDecl, Row
from pfl.syntax.tree.ast_statements import Start
from pfl.typecheck.bindings import Local
from pfl.typecheck.types import BoolType, SymbolType


def test_both_forms() -> None:
    accepted(
        """
        hmm A(flip: real, n: int) {
            state x: 0..n;
            state y: [2] of bool = [false, false];
            init x ~ uniform(0..n);
            emits {lo, hi} | 0..9;
            emit if x == 0 then { lo: 1/2, silent: 1/2 } else { n: 1/4, hi: 3/4 };
            step x = n - x;
            step y[0] ~ bernoulli(flip);
            step y[1] = y[0];
        }
        hmm B {
            state x: bool;
            init { x ~ bernoulli(1/2); if x { x = false; } }
            step { let z = x; x ~ bernoulli(1/3); }
        }
        hmm C { states a, b; init a: 1/2, b: 1/2; a -> b; b -> a: 1/2, b: 1/2; a emits u; b emits u: 1/2, silent: 1/2; }
        hmm D { states a, b; init a; a emits a; b emits b; }
        """
    )


def test_faults_of_the_program_form() -> None:
    assert_reports(
        """
        hmm A { }  //~ PFL0414
        hmm B {
            state x: 0..2 = true;  //~ PFL0301
            state x: 0..2;  //~ PFL0206
            state y: 0..2 = x;  //~ PFL0201
            init x = 1;  //~ PFL0415
            init x = 2;  //~ PFL0415
            init y = 2;  //~ PFL0415
            step z = 1;  //~ PFL0201
            emit x;
            emit y;  //~ PFL0415
        }
        hmm C(n: int) {
            state x: [2] of 0..2;
            emits {lo};
            emits {hi};  //~ PFL0415
            emit x[0];  //~ PFL0301
            step x[0] = 1;
            step x[1] = 1;
            step x[0] = 2;  //~ PFL0415
            step n = 2;  //~ PFL0311
            init { emit 1; start x = 1; return; }  //~ PFL0316 PFL0316 PFL0316
        }
        hmm D { state x: bool; step { x = true; } step x = false; step { x = true; } }  //~ PFL0415 PFL0415
        hmm E { state x: bool; init x = bernoulli(1/2); step x ~ x; }  //~ PFL0310 PFL0309
        hmm F { state x: bool; states a, b; }  //~ PFL0410
        """
    )


def test_faults_of_the_table_form() -> None:
    assert_reports(
        """
        hmm A {
            states a, b, a;  //~ PFL0218
            init a: 1/2, c: 1/2;  //~ PFL0215
            init b;  //~ PFL0411
            a -> a: 1/2, a: 1/2;  //~ PFL0412
            a -> b;  //~ PFL0411
            b -> a: 1/2, b;  //~ PFL0427
            c -> a;  //~ PFL0215
            a emits u: true, v: 1/2;  //~ PFL0301
            b emits u: 1/2, u: 1/2;  //~ PFL0412
        }
        hmm B {
            states a, b, c;  //~ PFL0413 PFL0413
            init a;
            a -> b;
            b -> a + 1;  //~ PFL0215
            a emits u;
            c emits u;
        }
        hmm C { states a; emits {u, v}; a emits w; }  //~ PFL0212
        hmm D { init a; }  //~ PFL0414 PFL0215
        """
    )


def test_the_name_of_a_state_is_a_predicate_for_claims_and_a_value_for_starts() -> None:
    program = accepted(
        """
        hmm W { states rainy, sunny; rainy -> sunny; sunny -> rainy; rainy emits wet; sunny emits dry; }
        prior p for W { damp ~ bernoulli(1/2); start ~ if damp then { rainy: 1 } else { sunny: 1 }; }
        check pufferfish W { prior p; secrets rainy@1 vs sunny@1; epsilon 0; length 1; }
        check pufferfish W { between { rainy: 1 } and { sunny: 1 }; epsilon 0; length 1; }
        """
    )
    hmm = program.main.declarations[0]
    assert isinstance(hmm, HmmDecl)
    row = next(item for item in hmm.items if isinstance(item, Row))
    key = row.entries[0].key
    state = program.target(key)
    assert isinstance(state, Local)
    assert state.kind == "table-state"
    assert state.type == BoolType()
    assert program.type_of(key) == SymbolType()


def test_priors() -> None:
    assert_reports(
        """
        hmm H { state x: 0..2; state y: [2] of bool; emit x; }
        hmm I { state x: 0..2; init x = 0; emit x; }
        hmm T { states a, b; a -> b; b -> a; }
        mechanism m(n: int, q: [2] of bool, r: 0..2) -> bool { return q[0]; }
        automaton A { query y: bool; state s: bool = true; on query y { respond s; } }
        prior good(w: real) for H {
            john ~ bernoulli(w);
            var others = 0;
            if john { others = 1; }
            start x = others;
            start y[0] = john;
            start y[1] ~ bernoulli(w);
        }
        prior whole for H { start ~ { (0, [true, true]): 1/2, (1, [false, true]): 1/2 }; }
        prior inputs for m { john ~ bernoulli(1/2); start q = [john, false]; start r ~ uniform(0..2); }
        prior of_table for T { start = a; }
        prior needs_none for I { john ~ bernoulli(1/2); }
        prior unknown for Missing { john ~ bernoulli(1/2); }  //~ PFL0204
        prior of_automaton for A { john ~ bernoulli(1/2); }  //~ PFL0204
        prior forgets for H { john ~ bernoulli(1/2); start x = 1; }  //~ PFL0424
        prior forgets_input for m { start r = 1; }  //~ PFL0424
        prior forgets_table for T { john ~ bernoulli(1/2); }  //~ PFL0424
        prior wrong for I {
            start z = 1;  //~ PFL0201
            start x = true;  //~ PFL0301
            start x ~ 1;  //~ PFL0309
            start ~ { true: 1 };  //~ PFL0301
            john = 3;  //~ PFL0201
            mary ~ 3;  //~ PFL0309
            if mary { jim ~ bernoulli(1/2); }  //~ PFL0316
            emit 3;  //~ PFL0316
            receive y: 0..2;  //~ PFL0316
            x = 2;  //~ PFL0201
        }
        prior wrong_state for T { start ~ { a: 1/2, c: 1/2 }; }  //~ PFL0215
        prior wrong_arguments for I(1) { start x = 1; }  //~ PFL0507
        """
    )


def test_what_start_sets_is_the_variable_of_the_system() -> None:
    program = accepted(
        """
        hmm H { state x: 0..2; emit x; }
        prior p for H { x ~ uniform(0..2); start x = x; }
        """
    )
    hmm, prior = program.main.declarations
    assert isinstance(hmm, HmmDecl)
    assert isinstance(prior, PriorDecl)
    start = prior.body[1]
    assert isinstance(start, Start)
    place, value = program.target(start.place), program.target(start.value)
    assert isinstance(start.place, Name)
    assert isinstance(place, Local)
    assert isinstance(value, Local)
    assert (place.kind, value.kind) == ("state", "world")


def test_a_claim_about_what_nobody_sees_gets_a_warning() -> None:
    table = "hmm W { states a, b; init a: 1/2, b: 1/2; a -> b; b -> a; }"
    program = "hmm W { state x: bool; init x ~ bernoulli(1/2); }"
    for model, secrets in ((table, "a vs b"), (program, "x vs not x")):
        said, _ = message(f"{model} check pufferfish W {{ secrets {secrets}; epsilon 1; length 1; }}")
        assert said == "`W` shows nothing, so nothing is learned from it whatever the secrets are"
    accepted(table + " compute probability W { reach a; }")


def test_a_state_after_emits_and_a_row_in_braces() -> None:
    assert message("hmm H { state x: 0..1 = 0; emits x; }")[1] == (
        "`emits` lists what can be seen; `emit x;` shows the value of `x`"
    )
    assert message("hmm W { states a; init a; a -> { a: 1 }; }")[1] == (
        "write the row without braces: `-> a: 1/2, b: 1/2;`"
    )


def test_a_prior_that_forgets_its_signs() -> None:
    prior = "hmm H {{ state s: bool; emit s; }} prior p for H {{ {0} }}"
    assert message(prior.format("x ~ bernoulli(1/2); s = x;"))[1] == "`start s = ..;` says where the system starts"
    assert message(prior.format("x = bernoulli(1/2); start s = x;"))[1] == (
        "a prior declares `x` by drawing it: `x ~ ..;`"
    )


def test_a_moment_in_brackets() -> None:
    model = "hmm H {{ state s: bool = true; emit s; }} check pufferfish H {{ secrets {0} vs s; epsilon 1; length 1; }}"
    assert message(model.format("s[0]"))[1] == "a moment is written `s@0`"
    assert message(model.format("s(0)"))[1] == "a moment is written `s@3`"
