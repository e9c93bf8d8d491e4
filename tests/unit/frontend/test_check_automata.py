"""Automata in both forms, and relations."""

from __future__ import annotations

from checking import accepted, assert_reports, message


def test_the_handler_form() -> None:
    accepted(
        """
        type D = 0..1;
        mechanism noisy(b: bag[2] of D) -> -1..3 { return uniform(-1..3); }
        automaton slots(t: int, v: int, K: [2] of mechanism(bag[2] of D) -> -1..3) {
            data d: D;
            data e: bool;
            query y: 0..1;
            query z: {count, sum};
            output -1..3 | {none};
            state bags: [t] of bag[v] of D = empty;
            state cur: 0..t-1 = 0;
            on data d { if size(bags[cur]) < v { bags[cur] = add(bags[cur], d); } }
            on data e { }
            on query y { respond K[y](union(bags)); cur = (cur + 1) mod t; bags[cur] = empty; }
            on query z {
                match z { count => { respond stepwise noisy(bags[0]); } sum => { respond none; } }
            }
        }
        compute epsilon slots(2, 1, [noisy, noisy]);
        """
    )


def test_faults_of_the_handler_form() -> None:
    assert_reports(
        """
        automaton A {
            data d: 0..1;
            query y: 0..1;
            query y: bool;  //~ PFL0218
            query z;  //~ PFL0410 PFL0416
            query w: bool;  //~ PFL0416
            output 0..1;
            output bool;  //~ PFL0415
            state s: 0..1;  //~ PFL0418
            state d: 0..1 = 0;
            on data d { d = 1; respond 1; }  //~ PFL0206 PFL0311 PFL0316
            on query y { respond true; }  //~ PFL0301
            on query y { respond 1; }  //~ PFL0417
            on query v { respond 1; }  //~ PFL0216
            on query d { respond 1; }  //~ PFL0216 PFL0417 PFL0206
        }
        automaton B { query y: bool; on query y { respond y; } }  //~ PFL0414
        automaton C { states a; start a; state s: bool = true; }  //~ PFL0410
        automaton D {
            query y: bool;
            state s: bool = true;
            output {yes, no};
            on query y {
                respond yse;  //~ PFL0212
                emit y;  //~ PFL0316
                return;  //~ PFL0316
                forever { }  //~ PFL0316
                m(y);  //~ PFL0316
                stepwise m(y);
                let a ~ stepwise uniform(0..1);  //~ PFL0322
                let b = stepwise m(y);  //~ PFL0310
                let c ~ e(y);  //~ PFL0318
            }
        }
        mechanism m(x: bool) -> bool { return x; }
        mechanism e(x: bool) { emit x; }
        """
    )


def test_every_path_responds_once() -> None:
    template = """
        automaton A {{ query y: 0..2; state s: 0..2 = 0; on query y {{ {} }} }}
    """
    for body in (
        "respond y;",
        "if y == 0 { respond 1; } else { respond 2; } s = y;",
        "if y == 0 { respond 1; } else if y == 1 { respond 2; } else { respond 3; }",
        "match y { 0 => { respond 1; } _ => { { respond 2; } } }",
        "for i in 0..2 { s = i; } respond s;",
    ):
        accepted(template.format(body))
    for body in (
        "",
        "s = y;",
        "if y == 0 { respond 1; }",
        "if y == 0 { respond 1; } respond 2;",
        "respond 1; respond 2;",
        "match y { 0 => { respond 1; } _ => { } }",
        "if y == 0 { } else if y == 1 { respond 2; } else { respond 3; }",
        "for i in 0..2 { respond i; }",
        "while s < 2 { if s == 1 { respond s; } }",
    ):
        assert_reports(template.format(body + " //~ PFL0419\n"))


def test_a_path_that_does_not_respond_is_shown() -> None:
    found = assert_reports(
        """
        automaton A {
            query y: 0..2;
            state s: 0..2 = 0;
            on query y {  //~ PFL0419
                if y == 0 { respond 1; } else if y == 1 { s = 1; } else { respond 2; }
            }
        }
        """
    )
    assert found[0].labels[1].span.text == "y == 1"


def test_the_table_form() -> None:
    accepted(
        """
        param p in (0, 1);
        automaton Door(w: real) {
            states idle, asked, yes_next, no_next;
            start { idle: 1/2, asked: 1/2 };
            query ask; data knock; output yes, no; hidden wait;
            idle -- ask --> asked;
            idle -- knock --> idle;
            asked -- wait --> { yes_next: w, no_next: 1 - w };
            yes_next -- yes --> idle;
            no_next -- no --> idle;
        }
        check noninterference Door(p) { epsilon 0; }
        """
    )


def test_faults_of_the_table_form() -> None:
    assert_reports(
        """
        automaton A {
            states a, b, c, a;  //~ PFL0218
            start d;  //~ PFL0215
            start a;  //~ PFL0415
            query ask, tell;
            query typed: bool;  //~ PFL0410
            data ask;  //~ PFL0218
            output yes;
            hidden wait;
            a -- ask --> b;
            a -- tell --> b;
            a -- typed --> b;
            a -- ask --> c;  //~ PFL0421
            b -- yes --> { a: 1/2, z: 1/2 };  //~ PFL0215 PFL0422
            b -- wait --> a;
            b -- nope --> a;  //~ PFL0216
            q -- yes --> a;  //~ PFL0215
            c -- yes --> 3;  //~ PFL0301
        }
        automaton B { states a; a -- x --> a; query x; }  //~ PFL0418
        automaton C { states a; start a; query x; data y; a -- x --> a; }  //~ PFL0423
        """
    )


def test_the_three_conditions_name_state_and_actions() -> None:
    text = "automaton A {{ states a; start a; query x; data y; output o; hidden h; {} }}"
    assert message(text.format("a -- o --> a; a -- o --> a;"))[0] == "state `a` has two transitions for `o`"
    assert message(text.format("a -- o --> a; a -- x --> a;"))[0] == "state `a` can do `o`, and `x` as well"
    assert message(text.format("a -- h --> a; a -- o --> a;"))[0] == "state `a` can do `h`, and `o` as well"
    assert message(text.format("a -- x --> a;"))[0] == "state `a` accepts `x`, but not `y`"


AUTOMATON = """
        automaton A { query y: 0..2; state s: 0..2 = 0; state t: bool = true; on query y { s = y; respond t; } }
        automaton T { states a, b; start a; query x; output o; a -- x --> b; b -- o --> a; }
"""


def test_relations() -> None:
    assert_reports(
        AUTOMATON
        + """
        relation r(j: 0..2) for A { balance 2*j*ln(2); holds left.s == right.s and (left.t or j == 0); }
        relation same for A { balance 0; holds left == right; }
        relation table for T { balance 0; holds left.a => right.a; }
        relation u for Missing { balance 0; holds true; }  //~ PFL0204
        relation v for A { balance 0; }  //~ PFL0425
        relation w for A { balance 0; balance 1; holds true; hold true; }  //~ PFL0425 PFL0425
        relation x for A { balance left.s; holds left.u; }  //~ PFL0201 PFL0214
        relation y for A(1) { balance true; holds 1; }  //~ PFL0507 PFL0301 PFL0301
        relation z for A { balance 0; holds s == 1; }  //~ PFL0201
        """
    )


def test_claims_about_automata() -> None:
    assert_reports(
        AUTOMATON
        + """
        relation r for A { balance 0; holds left == right; }
        check noninterference A { epsilon 0; adjacent insert; length 3; }
        check noninterference A { epsilon 0; adjacent replace; expect refuted; }
        check noninterference A { epsilon 0; adjacent swap; }  //~ PFL0506
        check noninterference A { }  //~ PFL0504
        check noninterference A { epsilon 0; secrets 1 vs 2; }  //~ PFL0502
        check unwinding A by r { epsilon 0; }
        check unwinding A { epsilon 0; }  //~ PFL0504
        check unwinding T by r { epsilon 0; }  //~ PFL0509
        check unwinding A by r(1) { epsilon 0; }  //~ PFL0507
        check unwinding A by nothing { epsilon 0; }  //~ PFL0204
        check implements A of T;
        check implements A;  //~ PFL0504
        check implements A of r;  //~ PFL0204
        check implements A of T(1);  //~ PFL0507
        check noninterference A by r { epsilon 0; }  //~ PFL0505
        compute epsilon A;
        compute delta A { epsilon ln(2); adjacent insert; }
        check privacy A { epsilon 0; }  //~ PFL0505
        """
    )


def test_a_response_by_another_word_and_a_random_start() -> None:
    automaton = "automaton A {{ state n: 0..2 = {0}; query ask: {{now}}; on query ask {{ {1} }} }}"
    for word in ("return", "emit"):
        assert message(automaton.format("0", f"{word} n;"))[1] == "write `respond e;`"
    assert message(automaton.format("uniform(0..2)", "respond n;")) == (
        "the first value of `n` is a distribution, and an automaton starts in one state",
        "draw in a handler: `n ~ ..;`",
    )


def test_a_misspelt_clause_of_a_relation_is_not_missing_as_well() -> None:
    automaton = "automaton A { state n: 0..2 = 0; data d: bool; on data d { n = 1; } } "
    assert message(automaton + "relation r for A { balace ln(2); holds left.n == right.n; }") == (
        "a relation has no clause `balace`",
        "did you mean `balance`?",
    )


def test_a_handler_that_is_left_early_is_one_error_with_the_way_out() -> None:
    (found,) = assert_reports("""
automaton A {
    data d: bool;  query q: { ask };  state n: 0..1 = 0;
    on data d { n = 1; }
    on query q {
        if n == 0 { respond no; return; } //~ PFL0316
        respond yes;
    }
}
""")
    assert found.help == "a handler goes on to its end; put what must not follow into `else { .. }`"
