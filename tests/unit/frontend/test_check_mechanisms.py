"""Statements of mechanisms, and adjacencies."""

from __future__ import annotations

from checking import accepted, assert_reports, message


def test_a_mechanism_with_every_statement() -> None:
    accepted(
        """
        record Visit { who: 0..3, long: bool }
        mechanism inner(x: 0..2) emits 0..2 -> 0..2 { emit x; return x; }
        mechanism silent_one(x: 0..2) -> 0..2 { return x; }
        mechanism f(q: [2] of 0..2) emits {bot} | 0..2 -> 0..2 {
            var best = 0;
            var visit = Visit(0, false);
            var later: 0..2;
            let drawn ~ uniform(0..2);
            let typed: 0..2 = drawn;
            later = typed;
            var again ~ silent_one(later);
            visit.who = 1;
            visit.long ~ bernoulli(1/2);
            for i in 0..1 { if q[i] > best { best = q[i]; } else { emit bot; } }
            while best < 2 { best = best + 1; tick 1; }
            match best { 0 | 1 => { emit best; } _ => { } }
            assert best <= 2;
            let shown ~ inner(best);
            inner(shown);
            receive y: 0..1;
            emit uniform(0..1);
            { let hidden = y; again = hidden; }
            return silent_one(again);
        }
        """
    )


def test_drawing_and_giving() -> None:
    found = assert_reports(
        """
        mechanism m(x: 0..2) -> 0..2 { return x; }
        mechanism f(x: 0..2) -> 0..2 {
            let a = uniform(0..2);  //~ PFL0310
            let b ~ 3;  //~ PFL0309
            var c = m(x);  //~ PFL0310
            c = uniform(0..1);  //~ PFL0310
            var d: 0..2 ~ x;  //~ PFL0309
            d ~ x + 1;  //~ PFL0309
            d = true;  //~ PFL0301
            d ~ bernoulli(1/2);  //~ PFL0301
            let e: bool = x;  //~ PFL0301
            return m(x);
        }
        """
    )
    assert [d.help for d in found[:2]] == ["write `let a ~ ..`", "write `let b = ..` for a value"]


def test_what_can_be_assigned() -> None:
    assert_reports(
        """
        enum E { up, down }
        const n = 3;
        mechanism f(x: [2] of 0..2, t: (int, bool)) {
            let y = 1;
            var z = [0, 1];
            y = 2;  //~ PFL0311
            x[0] = 1;  //~ PFL0311
            n = 4;  //~ PFL0311
            up = down;  //~ PFL0311
            nothing = 3;  //~ PFL0201
            z[0] = 2;
            z[true] = 2;  //~ PFL0301
            z[0][0] = 2;  //~ PFL0312
            z.who = 2;  //~ PFL0312
            for i in 0..1 { i = 2; }  //~ PFL0311
            receive w: 0..1;
            w = 1;  //~ PFL0311
            zz[0] = 1;  //~ PFL0201
        }
        """
    )


def test_emptiness_needs_a_type() -> None:
    assert_reports(
        """
        mechanism f(x: 0..2) {
            var a = {};  //~ PFL0319
            var b;  //~ PFL0319
            var c: set of 0..2 = {};
            c = empty;
            c = {};
            emit size(c);
            emit {};  //~ PFL0319
        }
        """
    )


def test_the_result() -> None:
    assert_reports(
        """
        mechanism a(x: 0..2) -> 0..2 { if x == 0 { return; } return true; }  //~ PFL0320 PFL0301
        mechanism b(x: 0..2) { if x == 0 { return; } return x; }  //~ PFL0320
        mechanism c(x: 0..2) { if x == 0 { return; } emit x; }
        mechanism d(x: 0..2) { if x == 0 { return bot; } return x; }
        mechanism e(x: 0..2) emits {bot} { emit x; }  //~ PFL0301
        mechanism f(x: 0..2) emits {bot} { let y ~ c(x); }  //~ PFL0320
        """
    )


def test_statements_of_other_programs() -> None:
    assert_reports(
        """
        mechanism f(x: 0..2) {
            respond x;  //~ PFL0316
            start x = 1;  //~ PFL0316
            abs(x);  //~ PFL0316
            let y ~ stepwise g(x);  //~ PFL0322
        }
        mechanism g(x: 0..2) -> 0..2 { return x; }
        """
    )


def test_calls_that_emit_stand_alone() -> None:
    assert_reports(
        """
        mechanism e(x: 0..2) emits 0..2 -> 0..2 { emit x; return x; }
        mechanism r(x: 0..2) -> 0..2 { receive y: 0..2; return y; }
        mechanism through(x: 0..2) -> 0..2 { let y ~ e(x); return y; }
        mechanism f(x: 0..2) {
            let a ~ e(x);
            e(x);
            let b ~ [e(x)][0];  //~ PFL0318
            let c = e(x);  //~ PFL0310
            emit e(x);  //~ PFL0318
            return through(x);  //~ PFL0318
        }
        mechanism g(x: 0..2) {
            emit r(x);  //~ PFL0318
            let y ~ r(x);
        }
        hmm H { state x: 0..2; emit e(x); step x ~ through(x); }  //~ PFL0318 PFL0318
        prior p for H { start x ~ e(1); }  //~ PFL0318
        """
    )


def test_a_passed_mechanism_without_a_result_emits() -> None:
    assert_reports(
        """
        mechanism show(x: 0..2) { emit x; }
        mechanism same(x: 0..2) -> 0..2 { return x; }
        mechanism f(K: mechanism(0..2), x: 0..2) { K(x); emit K(x); }  //~ PFL0318
        mechanism g(K: [2] of mechanism(0..2) -> 0..2, x: 0..2) -> 0..2 { return K[1](x); }
        mechanism h(x: 0..2) {
            f(show, x);
            f(same, x);  //~ PFL0301
            let y ~ g([same, same], x);
            let z ~ g([same, show], x);  //~ PFL0301
            let w ~ g([same], true);  //~ PFL0301
            let v ~ same(x, 1);  //~ PFL0304
        }
        """
    )


def test_the_type_of_a_mechanism_without_an_arrow_is_that_of_what_it_returns() -> None:
    assert_reports(
        """
        mechanism f(x: 0..2) { if x == 0 { return bot; } return x; }
        mechanism g(x: 0..2) -> {bot} | 0..2 { let y ~ f(x); return y; }
        mechanism h(x: 0..2) -> bool { return f(x); }  //~ PFL0301
        """
    )


def test_adjacencies() -> None:
    assert_reports(
        """
        adjacency a(x: 0..2, y: 0..2) = abs(x - y) <= 1;
        adjacency b(x: 0..2) = x == 1;  //~ PFL0426
        adjacency c(x: 0..2, y: bool) = y;  //~ PFL0426
        adjacency d(x: 0..2, y: bool, z: 0..2, w: bool) = x == z;
        adjacency e(n: int, x: [n] of bool, y: [n] of bool) = x == y;
        adjacency f(x: 0..2, y: 0..2) = x + y;  //~ PFL0301
        adjacency g() = true;  //~ PFL0426
        adjacency h(x: 0..2, y: 0..2) = a(x, y) and e(2, [true, true], [x == 1, y == 1]);
        """
    )
    assert message("adjacency c(x: 0..2, y: bool) = y;")[0] == "left input `x` is an int, its right input `y` a bool"
