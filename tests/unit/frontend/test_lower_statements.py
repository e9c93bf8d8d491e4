"""Every kind of statement, seen through the distribution of what a mechanism returns, and faults with their paths."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from mechanism_models import Models, faults

from pfl.base.diagnostics import LimitReached
from pfl.model.values import FALSE, NEVER, TRUE, show


def returned(body: str, *arguments: Any, header: str = "f() -> int", before: str = "") -> dict[str, Fraction]:
    """What a mechanism with that body returns, as texts with their probabilities."""
    name = header.split("(")[0]
    found = Models(f"{before}\nmechanism {header} {{ {body} }}").distribution(name, *arguments)
    return {show(value): Fraction(weight) for value, weight in found.items()}


def test_variables_places_and_blocks() -> None:
    body = """
        var a: [3] of 0..9 = [1, 2, 3];
        var r = Pair(left = 0, right = 5);
        { let i = 1; a[i] = a[0] + a[2]; }
        { let i = 2; a[i] ~ { a[1] + 1: 1 }; }
        r.left = a[1];
        r.right ~ { 7: 1 };
        return 100 * a[1] + 10 * a[2] + r.left + r.right;
    """
    assert returned(body, before="record Pair { left: 0..9, right: 0..9 }") == {"461": 1}


def test_bags_and_sets_are_values() -> None:
    body = """
        var kept: bag[3] of 0..2 = empty;
        for x in bag {2, 0, 2} { kept = add(kept, x); }
        var seen: set of 0..2 = {};
        for x in kept { seen = add(seen, x); }
        return 10 * size(kept) + size(seen);
    """
    assert returned(body) == {"32": 1}


def test_conditions_and_matches() -> None:
    body = """
        let x ~ uniform(0..5);
        var y = 0;
        match x {
            0 | 5 => { y = 1; }
            1..2 => { let z ~ bernoulli(1/2); if z { y = 2; } else { y = 3; } }
            _ => { y = 4; }
        }
        if x == 3 { return 10 + y; } else if x == 4 { return 20 + y; } else { return y; }
    """
    third = Fraction(1, 6)
    assert returned(body) == {"1": 2 * third, "2": third, "3": third, "14": third, "24": third}


@pytest.mark.parametrize(
    ("domain", "total"),
    [
        ("0..3", 6),
        ("1..n", 6),
        ("n..1", 0),
        ("[5, n, 5]", 13),
        ("{4, 4, 1}", 5),
        ("bag {n, n}", 6),
        ("{x in 0..9 | x > 7}", 17),
    ],
)
def test_loops_go_through_what_is_written(domain: str, total: int) -> None:
    """With a draw in the body, and without."""
    drawn = f"var n = 3; var sum = 0; for x in {domain} {{ let y ~ {{ x: 1 }}; sum = sum + y; n = 100; }} return sum;"
    plain = f"var n = 3; var sum = 0; for x in {domain} {{ sum = sum + x; n = 100; }} return sum;"
    for body in (drawn, plain):
        assert returned(body) == {str(total): 1}


def test_loops_without_a_bound_are_solved() -> None:
    body = """
        var turns = 0;
        while true {
            let six ~ { true: 1/6, false: 5/6 };
            if six { return turns mod 2; }
            turns = (turns + 1) mod 2;
        }
    """
    assert returned(body) == {"0": Fraction(6, 11), "1": Fraction(5, 11)}


def test_a_run_without_end_is_an_outcome() -> None:
    models = Models(
        """
mechanism stuck(x: bool) -> bool { let lost ~ bernoulli(1/3); while lost { } return x; }
mechanism outer(x: bool) -> bool { let y ~ stuck(x); stuck(y); return not y; }
"""
    )
    found = models.distribution("outer", FALSE)
    assert found.weight(TRUE) == Fraction(4, 9)
    assert found.weight(NEVER) == Fraction(5, 9)


def test_a_variable_without_a_value_is_a_fault_only_where_it_is_read() -> None:
    source = "mechanism f(x: bool) -> 0..9 { var y: 0..9; if x { y = 4; } return if x then y else 9; }"
    models = Models(source)
    assert models.distribution("f", TRUE).weight(4) == 1
    assert models.distribution("f", FALSE).weight(9) == 1
    [fault] = faults(Models(source.replace("if x then y else 9", "y")), "f")
    assert (str(fault.code), fault.message) == ("PFL0442", "`y` is read before it has a value")
    assert fault.notes == ("`f` starts with x = false",)


def test_a_declaration_in_a_loop_starts_without_a_value_each_time() -> None:
    source = """
mechanism f() -> 0..9 {
    for i in 0..1 { var y: 0..9; let b ~ bernoulli(1/2); if i == 0 { y = 4; } else { return y; } }
    return 0;
}
"""
    [fault] = faults(Models(source), "f")
    assert str(fault.code) == "PFL0442"
    assert fault.notes[:2] == ("line 3: draws b = true", "line 3: draws b = true")


def test_a_value_outside_its_type_is_a_fault_with_the_path() -> None:
    source = """
mechanism f(x: 0..2) -> 0..9 {
    var sum: 0..4 = x;
    for i in 1..2 {
        let more ~ uniform(0..2);
        sum = sum + more;
    }
    return sum;
}
"""
    [fault] = faults(Models(source), "f")
    assert fault.message == "the value `5` of `sum` lies outside its type `0..4`"
    assert fault.notes == (
        "`f` starts with x = 1",
        "line 5: draws more = 2",
        "line 5: draws more = 2",
        "before its last step, sum = 3",
    )


def test_a_fault_in_a_called_mechanism_tells_both_paths() -> None:
    source = """
mechanism inner(x: 0..3) -> 0..3 { let y ~ uniform(0..1); assert x + y < 3; return x; }
mechanism outer(x: 0..1) -> 0..3 { let z ~ uniform(0..1); let w ~ inner(x + z + 1); return w; }
"""
    [fault] = faults(Models(source), "outer")
    assert fault.notes == (
        "`inner` starts with x = 2",
        "line 2: draws y = 1",
        "`outer` starts with x = 0",
        "line 3: draws z = 1",
        "before its last step, x = 0, z = 1",
    )


def test_the_result_must_lie_in_its_type() -> None:
    [fault] = faults(Models("mechanism f() -> 0..1 { let x ~ uniform(0..2); return x; }"), "f")
    assert fault.message == "the value `2` of the result lies outside its type `0..1`"
    [fault] = faults(Models("mechanism f() -> 0..1 { return uniform(0..2); }"), "f")
    assert fault.notes == ()


def test_emits_of_inner_mechanisms_pass_through_in_order() -> None:
    models = Models(
        """
mechanism say(x: 0..2) emits 0..2 -> bool { emit x; let heard ~ bernoulli(1/3); return heard; }
mechanism talk(K: mechanism(0..2) -> bool, x: 0..2) emits 0..2 -> int {
    say(x);
    var n = 0;
    while n < 2 { let heard ~ say(n); if heard { n = n + 1; } else { return n; } }
    let last ~ K(x);
    return if last then 7 else 8;
}
mechanism quiet(x: 0..2) -> bool { return bernoulli(1/4); }
mechanism run(x: 0..2) emits 0..2 -> int { let y ~ talk(quiet, x); return y; }
"""
    )
    built = models.system("run")
    start = built.vector(built.left[2])

    def mass(*word: str) -> object:
        return built.system.mass(start, [built.system.letters.index(letter) for letter in word])

    assert mass("2", "0", "return 0", "halt") == Fraction(2, 3)
    assert mass("2", "0", "1", "return 1") == Fraction(2, 9)
    assert mass("2", "0", "1", "return 7") == Fraction(1, 36)
    assert built.whole_run == (4,)


def test_a_stream_without_end_has_no_last_letter() -> None:
    built = Models("mechanism f(x: bool) emits bool { forever { emit x; let y ~ bernoulli(1/2); emit y; } }").system(
        "f"
    )
    assert built.whole_run == "any"
    assert built.system.letters == ("true", "false") or set(built.system.letters) == {"true", "false"}


def test_deep_nesting_is_lowered() -> None:
    depth = 200
    plain = "if x == 0 { " * depth + "y = y + 1;" + " }" * depth
    drawn = "if x == 0 { " * depth + "y ~ { y + 1: 1 };" + " }" * depth
    chain = " else ".join(f"if x == {value} {{ y = {value}; }}" for value in range(1, 300))
    assert returned(f"var x = 0; var y = 0; {plain} {drawn} {chain} return y;") == {"2": 1}


def test_many_statements_are_lowered() -> None:
    tosses = " ".join(f"let t{i} ~ bernoulli(1/2); if t{i} {{ n = (n + 1) mod 3; }}" for i in range(300))
    total = returned(f"var n = 0; {tosses} return n;")
    assert sum(total.values()) == 1
    assert len(total) == 3


def test_a_counter_without_a_bound_is_named() -> None:
    body = "var n = 0; var more ~ bernoulli(1/2); while more { n = n + 1; more ~ bernoulli(1/2); } return n;"
    source = f"mechanism f() -> int {{ {body} }}"
    with pytest.raises(LimitReached, match=r"`f` has more than 500 states .*; `n` grows") as caught:
        Models(source, max_states=500).system("f")
    assert caught.value.diagnostic is not None
    assert str(caught.value.diagnostic.code) == "PFL0720"


def test_too_many_inputs_name_the_input() -> None:
    source = "mechanism f(x: bool, q: [40] of 0..9) -> bool { return x; }"
    with pytest.raises(LimitReached, match=r"has more than 10\^\d+ inputs, counting up to `q`"):
        Models(source).system("f")


def test_inputs_may_depend_on_earlier_inputs() -> None:
    built = Models("mechanism f(n: 0..2, xs: [n] of bool) -> int { return count(x for x in xs if x); }").system("f")
    assert len(built.inputs) == 1 + 2 + 4
    assert built.name(3) == "n = 2, xs = [false, false]"
    assert built.system.size == 1 + 3


def test_the_program_can_be_printed() -> None:
    text = Models("mechanism f(x: bool) -> bool { let keep ~ bernoulli(3/4); return if keep then x else not x; }").text(
        "f"
    )
    assert text.startswith("program f(x)")
    assert "keep ~" in text
    assert "stop" in text


PARAMETRIC = """
param p in {interval};
mechanism retry(x: bool) -> bool {{
    while true {{
        let done ~ bernoulli(p);
        if done {{ let keep ~ bernoulli(p); return if keep then x else not x; }}
    }}
}}
"""


def test_parameters_go_through_loops() -> None:
    models = Models(PARAMETRIC.format(interval="(0, 1)"))
    found = models.distribution("retry", TRUE)
    assert {show(value): str(weight) for value, weight in found.items()} == {"true": "p", "false": "1 - p"}
    models.system("retry")
    assert list(map(str, models.divisors)) == ["p"]


def test_where_a_loop_is_never_left_the_system_says_nothing() -> None:
    models = Models(PARAMETRIC.format(interval="[0, 1]"))
    models.system("retry")
    assert list(map(str, models.divisors)) == ["p"]
