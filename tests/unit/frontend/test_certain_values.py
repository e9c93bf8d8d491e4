"""A value stands for the certain distribution where one is wanted, and only there."""

from __future__ import annotations

import pytest
from checking import accepted, assert_reports, message

from pfl.driver import check_text
from pfl.engines.answer import Computed, Proved

MODEL = """
enum Health { well, sick }
dist coin(w: real) over bool = { true: w, false: 1 - w };
"""


def test_where_a_value_stands_beside_distributions() -> None:
    accepted(
        MODEL
        + """
        dist a(x: 0..3) over 0..3 = if x == 0 then uniform(0..2) else x;
        dist b(x: 0..3) over 0..3 = match x { 0 => 3, 1 => a(1), 2 | 3 => if x == 2 then 1 else binomial(2, 1/2) };
        dist c(x: 0..3) over 0..3 = x;
        dist d(x: 0..3) = x;
        dist e(x: bool) over set of bool = if x then uniform([{true}, {}]) else empty;
        dist f(x: Health) over {bot} | 0..2 = match x { well => bot, sick => if x == well then 1 else uniform(0..2) };
        mechanism m(x: bool) emits {yes, no} -> 0..3 {
            let first ~ if x then coin(1/3) else false;
            var second: 0..3 ~ match first { true => 3, false => a(0) };
            second ~ if x then second else d(second);
            emit if x then yes else { yes: 1/2, no: 1/2 };
            return if first then second else uniform(0..2);
        }
        hmm H {
            state x: 0..2;
            init x ~ if true then 0 else uniform(1..2);
            emit match x { 0 => quiet, 1 => { quiet: 1/2, cough: 1/2 }, 2 => if x == 2 then silent else cough };
            step x ~ if x == 2 then x else uniform(0..2);
        }
        prior p for H {
            w ~ if true then coin(1/2) else true;
            start x ~ if w then 0 else uniform(1..2);
        }
        automaton A {
            query q: bool;
            state n: 0..2 = 0;
            on query q { n ~ if q then uniform(0..2) else n; respond if q then n else { 0: 1/2, 1: 1/2 }; }
        }
        automaton T {
            states i, j; start if true then i else { i: 1/2, j: 1/2 }; query q; output o;
            i -- q --> if true then j else { i: 1/2, j: 1/2 };
            j -- o --> i;
        }
        """
    )


def test_where_it_does_not() -> None:
    assert_reports(
        MODEL
        + """
        dist a() over bool = if true then coin(1/2) else 1;  //~ PFL0301
        dist b() over 0..2 = match true { true => uniform(0..2), false => true };  //~ PFL0301
        const c = [coin(1/2), true];  //~ PFL0301
        const d = {coin(1/2), true};  //~ PFL0301
        const e = { coin(1/2): 1/2, true: 1/2 };  //~ PFL0301
        dist f() = if true then point(coin(1/2)) else coin(1/3);  //~ PFL0301
        dist g() = if true then coin(1/2) else [coin(1/3)];  //~ PFL0301
        dist h() = [coin(1/3)];  //~ PFL0301
        fn i(x: bool): bool = if x then coin(1/2) else true;  //~ PFL0310
        fn j(x: bool) = if x then coin(1/2) else true;  //~ PFL0310
        mechanism m(x: bool) -> bool {
            let y ~ true;  //~ PFL0309
            let z ~ if x then true else false;  //~ PFL0309
            let v = if x then true else coin(1/2);  //~ PFL0310
            let w = 1 + (if x then uniform(0..1) else 1);  //~ PFL0310
            return x and (if x then coin(1/2) else true);  //~ PFL0310
        }
        """
    )


def test_what_is_told() -> None:
    assert message(MODEL + "dist a() over bool = if true then coin(1/2) else 1;") == (
        "the branches of `if` must have one type, but a distribution over bool and an int meet",
        None,
    )
    assert message(MODEL + "const a = [coin(1/2), true];")[1] == "`point(x)` is the distribution that is always x"
    assert message(MODEL + "dist a() = if true then point(coin(1/2)) else coin(1/3);")[0] == (
        "the branches of `if` must have one type, but a distribution over distribution over bool and a distribution "
        "over bool meet"
    )


def test_starts_and_results_of_claims() -> None:
    findings = check_text(
        """
        hmm W {
            states rainy, sunny;
            rainy -> rainy: 1/2, sunny: 1/2;
            sunny -> rainy;
            rainy emits x;
            sunny emits x: 1/2, y: 1/2;
        }
        compute a: epsilon W { between rainy and sunny; length 1; }
        compute b: epsilon W { between { rainy: 1 } and { sunny: 1 }; length 1; }
        mechanism sure(x: bool) -> 0..2 { return if x then 2 else uniform(0..1); }
        check c: distribution sure(true) equals 2;
        check d: distribution sure(false) equals if true then uniform(0..1) else 2;
        """
    )
    assert findings.exit_code == 0, findings.diagnostics
    first, second, third, fourth = (result.verdict for result in findings.results)
    assert isinstance(first, Computed)
    assert isinstance(second, Computed)
    assert first.bound == second.bound
    assert isinstance(third, Proved)
    assert isinstance(fourth, Proved)


@pytest.mark.parametrize("wrong", ["between 0 and { 3: 1 }", "between true and { 1: 1 }", "between [1] and { 1: 1 }"])
def test_a_start_that_is_none(wrong: str) -> None:
    model = "hmm V { state n: 0..2; emit n; }"
    findings = check_text(f"{model} check a: pufferfish V {{ {wrong}; epsilon 1; length 1; }}")
    assert {str(one.code) for one in findings.diagnostics} <= {"PFL0301", "PFL0340"}
    assert findings.exit_code == 3
