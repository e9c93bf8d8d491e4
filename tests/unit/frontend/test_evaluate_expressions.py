"""Expressions evaluated from source text, exactly."""

import sys
from fractions import Fraction

import pytest
from evaluation import Model, shown, value_of

from pfl.evaluation.faults import EvaluationFault
from pfl.model.values import FALSE, TRUE, SymbolValue, show

DECLARATIONS = """
enum Health { well, sick }
type Query = [3] of 0..2;
record Visit { who: 0..3, long: bool }
const N = 3;
const xs = [4, 7, 1];
fn squares(n: int): set of int = {i * i for i in 1..n};
fn positives(bs: [N] of bool): int = count(b for b in bs if b);
fn zeros(n: int, counts: [n] of bag[2] of 0..1): int = sum(size(c) for c in counts);
adjacency close(a: Query, b: Query) = forall i in 0..2: abs(a[i] - b[i]) <= 1;
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("0.06 + 0.94 == 1", "true"),
        ("1e-5", "1/100000"),
        ("1/3 + 1/3 + 1/3 == 1", "true"),
        ("1/2 * 1/3", "1/6"),
        ("12345678901234567890 * 98765432109876543210", "1219326311370217952237463801111263526900"),
        ("7 / 2", "7/2"),
        ("6 / 3", "2"),
        ("-7 div 2", "-4"),
        ("-7 mod 3", "2"),
        ("7 mod -3", "-2"),
        ("1 - 2 - 3", "-4"),
        ("2 / 3 / 4 * 6", "1"),
        ("2 ^ 3 ^ 2", "512"),
        ("-2 ^ 2", "-4"),
        ("(2/3) ^ -2", "9/4"),
        ("2 ^ -1", "1/2"),
        ("0 ^ 0", "1"),
        ("2 ^ 100", "1267650600228229401496703205376"),
        ("abs(-3/4)", "3/4"),
        ("floor(-7/2)", "-4"),
        ("ceil(-7/2)", "-3"),
        ("floor(3)", "3"),
    ],
)
def test_numbers_are_exact(expression: str, value: str) -> None:
    assert shown(expression) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 < 2 and not 2 <= 1", "true"),
        ("1/2 > 1/3 or false", "true"),
        ("false => 1 div 0 == 0", "true"),
        ("true => false => true", "true"),
        ("false and 1 div 0 == 0", "false"),
        ("true or 1 div 0 == 0", "true"),
        ("not 1 == 2", "true"),
        ("(1 == 1) == true", "true"),
        ("true == (1 == 2)", "false"),
        ("if N > 2 then well else sick", "well"),
        ("if N > 5 then 1 div 0 else if N > 2 then 20 else 30", "20"),
        ("sick == well", "false"),
        ("3 in 1..N and 1 not in 2..N", "true"),
        ("sick in Health", "true"),
        ("1/2 in real and 1 in int and 2/1 in 0..2", "true"),
        ("[1, 0, 2] in Query", "true"),
        ("[1, 0, 3] in Query", "false"),
        ("forall i in 0..2: xs[i] > i", "false"),
        ("exists h in Health: h == sick", "true"),
        ("forall x in {}: x == 1", "true"),
        ("forall q in Query: size(q) == 3", "true"),
        ("exists b in bool: b", "true"),
        ("forall p in (bool, 0..1): p.1 < 2", "true"),
    ],
)
def test_logic_and_choice(expression: str, value: str) -> None:
    assert shown(expression, DECLARATIONS) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("xs[2]", "1"),
        ("xs with { [0] = 9, [2] = xs[1] }", "[9, 7, 7]"),
        ("[[1, 2], [3]][1][0]", "3"),
        ("[i + j for i in 0..1 for j in i..1 if i + j != 0]", "[1, 2]"),
        ("{x mod 3 for x in xs}", "{1}"),
        ("{x in 0..10 | x mod 5 == 0}", "{0, 5, 10}"),
        ("bag {2, 1, 2}", "bag {1, 2, 2}"),
        ("bag {x mod 2 for x in 0..4}", "bag {0, 0, 0, 1, 1}"),
        ("{1, 2} == 1..2", "true"),
        ("{2, 1} == {1, 2, 2}", "true"),
        ("bag {1} == bag {1, 1}", "false"),
        ("size({1, 1}) + size(bag {1, 1}) + size(xs) + size(2..5)", "10"),
        ("size(Query)", "27"),
        ("size(set of Health)", "4"),
        ("contains(xs, 7) and not contains(bag {1}, 2) and contains(Query, [0, 0, 0])", "true"),
        ("add({1}, 2)", "{1, 2}"),
        ("add(bag {1}, 1)", "bag {1, 1}"),
        ("remove({1, 2}, 3)", "{1, 2}"),
        ("remove(bag {1, 1}, 1)", "bag {1}"),
        ("union({1}, {2}, {1})", "{1, 2}"),
        ("union([bag {1}, bag {0, 1}])", "bag {0, 1, 1}"),
        ("union({i, i + 10} for i in 0..1)", "{0, 1, 10, 11}"),
        ("sum(xs) + sum(i for i in 1..3) + sum(x for x in {} if x == 1)", "18"),
        ("sum(1/i for i in 1..3)", "11/6"),
        ("count(x for x in xs if x > 2)", "2"),
        ("count(xs) + count({1, 1})", "4"),
        ("min(xs) + max(1, 2, 3) + max(x - 1 for x in xs)", "10"),
        ("min(1/2, 1)", "1/2"),
        ("(1, (true, sick)).1.0", "true"),
        ("Visit(who = 1, long = true)", "Visit(who = 1, long = true)"),
        ("Visit(long = false, who = 2).who", "2"),
        ("Visit(1, true) with { who = 3 }", "Visit(who = 3, long = true)"),
        ("squares(N)", "{1, 4, 9}"),
        ("positives([true, false, true])", "2"),
        ("zeros(2, [bag {1}, bag {1, 1}])", "3"),
        ("zeros(2, empty)", "0"),
        ("close([0, 1, 2], [1, 1, 1])", "true"),
        ("close([0, 1, 2], [2, 1, 1])", "false"),
    ],
)
def test_collections_records_and_calls(expression: str, value: str) -> None:
    assert shown(expression, DECLARATIONS) == value


@pytest.mark.parametrize(
    ("subject", "arms", "value"),
    [
        ("3", "0 | 1 => 10, 2..4 => 20, _ => 30", "20"),
        ("sick", "well => 0, sick => 1", "1"),
        ("(1, sick)", "(0, _) => 0, (1 | 2, well) => 1, (1..2, sick) => 2, _ => 3", "2"),
        ("[1, 2]", "[0, 0] => 0, [1, 2] => 1, _ => 2", "1"),
        ("true", "true => 1, false => 0", "1"),
        ("7 mod 4", "0 => 0, 1 => 1, 2 => 2, 3 => 3, 4 => 4, 5 => 5, 6 => 6, 7 => 7, 8 => 8, _ => 9", "3"),
        ("77", "0 => 0, 1 => 1, 2 => 2, 3 => 3, 4 => 4, 5 => 5, 6 => 6, 7 => 7, 8 => 8, _ => 9", "9"),
    ],
)
def test_match_takes_the_first_arm_that_fits(subject: str, arms: str, value: str) -> None:
    assert shown(f"match {subject} {{ {arms} }}", DECLARATIONS) == value


def test_match_on_a_variable_takes_the_same_arms() -> None:
    model = Model("""
        fn small(x: int) = match x { 0 | 1 => x + 10, 2..4 => x * x, _ => 0 };
        fn pair(x: int, y: bool) = match (x, y) { (0, true) => 1, (0..3, false) => 2, (_, _) => 3 };
        fn large(x: int) = match x { 0 => 9, 1 => 8, 2 => 7, 3 => 6, 4 => 5, 5 => 4, 6 => 3, 7 => 2, 8 => 1, _ => 0 };
    """)
    small, pair, large = map(model.function, ("small", "pair", "large"))
    assert [small(x) for x in range(-1, 6)] == [0, 10, 11, 4, 9, 16, 0]
    assert [pair(0, TRUE), pair(3, FALSE), pair(4, FALSE), pair(1, TRUE)] == [1, 2, 3, 3]
    assert [large(x) for x in range(-1, 11)] == [0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]


def test_a_bool_and_a_number_stay_apart_in_a_union() -> None:
    model = Model("""
        type Answer = bool | 0..2 | {bot};
        fn kind(a: Answer) = match a { true => 1, 1 => 2, bot => 3, _ => 4 };
        fn seen(a: Answer, b: Answer) = size({a, b});
        fn same(a: Answer, b: Answer) = a == b;
    """)
    kind, seen, same = map(model.function, ("kind", "seen", "same"))
    assert [kind(TRUE), kind(1), kind(SymbolValue("bot")), kind(FALSE), kind(0)] == [1, 2, 3, 4, 4]
    assert seen(TRUE, 1) == 2
    assert (same(TRUE, 1), same(1, 1)) == (FALSE, TRUE)


def test_an_int_and_a_real_are_one_number() -> None:
    assert value_of("size({1, 2/2, 1.0})") == 1
    assert value_of("[1, 2] == [2/2, 4/2]") is TRUE


def test_deep_nesting_and_long_sums_compile_and_run_in_little_stack() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        model = Model(f"""
            fn deep(x: int) = {"(" * 400}x{" + 1)" * 400};
            fn negated(b: bool) = {"not " * 401}b;
            fn long(x: int) = {" + ".join(["x", "1"] * 3_000)};
            fn literals() = {" + ".join(["1/3"] * 1_500)};
            fn all_of(x: int) = {" and ".join(f"x != {n}" for n in range(1_000))};
            fn choose(x: int) = {"".join(f"if x == {n} then {n * n} else " for n in range(300))} -1;
        """)
    finally:
        sys.setrecursionlimit(limit)
    assert model.function("deep")(1) == 401
    assert model.function("negated")(TRUE) is FALSE
    assert model.function("long")(2) == 9_000
    assert model.function("literals")() == 500
    assert model.function("all_of")(-1) is TRUE
    assert model.function("all_of")(999) is FALSE
    assert model.function("choose")(299) == 299 * 299
    assert model.function("choose")(300) == -1


def test_what_is_known_is_computed_once_and_what_fails_only_where_it_is_reached() -> None:
    model = Model("""
        const N = 0;
        fn guarded(x: int) = if x > 0 then 1 / N else 2;
        fn dead() = if N == 0 then 5 else 1 / N;
    """)
    assert model.function("guarded")(0) == 2
    assert model.function("dead")() == 5


def test_the_sensitivity_of_a_sum_of_squared_deviations_is_exact() -> None:
    """Replacing one of n values in 0..u changes the sum of squared deviations by u^2 (n-1)/n at most."""
    model = Model("""
        const n = 3;
        const u = 2;
        type Data = [n] of 0..u;
        fn mean(xs: Data): real = sum(xs) / n;
        fn deviations(xs: Data): real = sum((x - mean(xs)) ^ 2 for x in xs);
        fn change(xs: Data, i: int, x: int): real = abs(deviations(xs) - deviations(xs with { [i] = x }));
        const changes = {change(xs, i, x) for xs in Data for i in 0..n-1 for x in 0..u};
        const sensitivity = max(changes);
        const declared = u ^ 2 * (n - 1) / n;
    """)
    assert model.constant("sensitivity") == model.constant("declared") == Fraction(8, 3)


@pytest.mark.parametrize(
    ("written", "value"), [("3/4", (3, 4)), ("0.75", (3, 4)), ("1/3", (1, 3)), ("1e-18", (1, 10**18))]
)
def test_no_number_passes_through_a_float(written: str, value: tuple[int, int]) -> None:
    assert value_of(written) == Fraction(*value)
    assert type(value_of(written)) is Fraction
    assert value_of(f"({written}) * 3 - ({written}) * 2 == {written}") is TRUE


@pytest.mark.parametrize(
    ("written", "order"),
    [
        ("{3, 1, 2}", "[1, 2, 3]"),
        ("Answer | 7..8 | bool", "[false, true, 0, 1, 7, 8, bot, top]"),
        ("Answer", "[0, 1, bot, top]"),
        ("Health", "[well, sick]"),
        ("[2] of 0..1", "[[0, 0], [0, 1], [1, 0], [1, 1]]"),
        ("bag {2, 1, 2}", "[1, 2, 2]"),
        ("[3, 1, 2]", "[3, 1, 2]"),
    ],
)
def test_every_set_is_gone_through_in_one_order(written: str, order: str) -> None:
    declarations = f"{DECLARATIONS} type Answer = {{top, bot}} | 0..1;"
    assert shown(f"[e for e in {written}]", declarations) == order
    if not written.startswith(("[", "bag")):
        assert shown(f"[e for e in {{s for s in {written}}}]", declarations) == order


def test_both_ends_of_a_range_are_evaluated() -> None:
    model = Model("fn it(x: int) = x in 5..1 div x;")
    with pytest.raises(EvaluationFault, match="`1` is divided by 0"):
        model.function("it")(0)


def test_functions_see_constants_and_each_other_in_any_order() -> None:
    assert (
        show(
            value_of(
                "twice(a)", "fn twice(x: int) = x + shift(x); fn shift(x: int) = x + b; const a = b + 1; const b = 2;"
            )
        )
        == "8"
    )
