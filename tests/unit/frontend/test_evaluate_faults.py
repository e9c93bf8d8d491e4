"""Expressions that have no value: the code, the headline, and the place."""

import pytest
from evaluation import Model, fault_of, value_of

from pfl.base.diagnostics import LimitReached
from pfl.evaluation.faults import EvaluationFault

DECLARATIONS = """
param p in (0, 1);
param q in (0, 1);
type Digit = 0..9;
record Visit { who: 0..3, long: bool }
const xs = [4, 7, 1];
const none: [0] of int = [];
fn digit(d: Digit): int = d;
fn small(x: int): 0..3 = x;
fn sized(n: int, ys: [n] of bool): int = n;
fn lots(n: int): int = size([e for e in 0..n]);
"""


@pytest.mark.parametrize(
    ("expression", "code", "message", "place"),
    [
        ("digit(2 * 5)", "0340", "the value `10` of parameter `d` of `digit` lies outside its type `0..9`", "2 * 5"),
        ("small(4)", "0340", "the value `4` of the result of `small` lies outside its type `0..3`", "x"),
        (
            "sized(3, [true])",
            "0340",
            "the value `[true]` of parameter `ys` of `sized` lies outside its type `[3] of bool`",
            "[true]",
        ),
        ("Visit(4, true)", "0340", "the value `4` of field `who` lies outside its type `0..3`", "4"),
        ("Visit(0, true) with { who = 5 }", "0340", "the value `5` of field `who` lies outside its type `0..3`", "5"),
        ("0..2 ^ (1 - 3)", "0340", "an int is wanted, but 2 ^ (-2) is a fraction", "2 ^ (1 - 3)"),
        ("xs[1 + 2]", "0341", "the index 3 lies outside an array of 3 elements", "1 + 2"),
        ("xs[0 - 1]", "0341", "the index -1 lies outside an array of 3 elements", "0 - 1"),
        ("none[0]", "0341", "the index 0 lies outside an array of 0 elements", "0"),
        ("(xs with { [7] = 0 })[0]", "0341", "the index 7 lies outside an array of 3 elements", "7"),
        ("5 / (1 - 1)", "0342", "`5` is divided by 0", "1 - 1"),
        ("5 div (1 - 1)", "0342", "`5` is divided by 0", "1 - 1"),
        ("5 mod 0", "0342", "`5` is divided by 0", "0"),
        ("p / (p - p)", "0342", "`p` is divided by 0", "p - p"),
        ("min(x for x in xs if x > 9)", "0343", "`min` of nothing", "min(x for x in xs if x > 9)"),
        ("max(none)", "0343", "`max` of nothing", "max(none)"),
        ("(1/2 - 0.5) ^ -1", "0344", "0 is raised to the power -1", "(1/2 - 0.5) ^ -1"),
        ("match 3 { 0..1 => 0, 2 => 1 }", "0348", "no arm of this `match` fits the value `3`", "3"),
        ("p < 1/2", "0349", "whether `p < 1/2` holds depends on the value of `p`", "p < 1/2"),
        ("p >= q", "0349", "whether `q <= p` holds depends on the value of `p` and `q`", "p >= q"),
        ("[p] == [1/2]", "0349", "whether `[p] == [1/2]` holds depends on the value of `p`", "[p] == [1/2]"),
        ("match p { 1/2 => 0, _ => 1 }", "0349", "whether `p == 1/2` holds depends on the value of `p`", "1/2"),
        ("max(p, 1/2)", "0349", "`max` is asked of `p`, which depends on the value of `p`", "max(p, 1/2)"),
        ("floor(2 * p)", "0349", "`floor` is asked of `2*p`, which depends on the value of `p`", "floor(2 * p)"),
        ("size([0 - 2] of bool)", "0350", "the size of an array is -2, and cannot be negative", "0 - 2"),
        ("size(bag[-1] of bool)", "0350", "the capacity of a bag is -1, and cannot be negative", "-1"),
    ],
)
def test_a_fault_says_what_and_where(expression: str, code: str, message: str, place: str) -> None:
    fault = fault_of(expression, DECLARATIONS)
    assert (str(fault.code), fault.message) == (f"PFL{code}", message)
    assert fault.primary is not None
    assert fault.primary.span.text == place


def test_comparisons_of_parameters_that_are_the_same_everywhere_are_decided() -> None:
    assert value_of("p - p == 0 and p + 1 > p and p != p + 1 and p <= p and max(p, p) == p", DECLARATIONS)


def test_the_path_is_added_to_a_fault() -> None:
    with pytest.raises(EvaluationFault) as fault:
        Model("fn it(n: int) = 1 / n;").function("it")(0)
    assert fault.value.with_path(["n = 0"]).notes == ("n = 0",)


def test_a_fault_tells_of_the_calls_around_it_and_points_at_the_innermost() -> None:
    model = Model("""
        fn share(people: int, xs: [2] of int): real = sum(xs) / people;
        fn outer(n: int): real = share(n - 1, [n, 2]);
        fn it(n: int) = outer(n);
    """)
    with pytest.raises(EvaluationFault) as fault:
        model.function("it")(1)
    assert fault.value.diagnostic.notes == ("in the call `share(0, [1, 2])`", "in the call `outer(1)`")
    assert fault.value.diagnostic.labels[0].span.text == "people"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("lots(10 ^ 12)", "`0..1000000000000` has 1000000000001 values; at most 2000000 can be gone through"),
        ("forall x in 0..10 ^ 9: x >= 0", "`0..1000000000` has 1000000001 values; at most 2000000 can be gone through"),
        (
            "size({x for x in [30] of bool})",
            "`[30] of bool` has 1073741824 values; at most 2000000 can be gone through",
        ),
        ("0..10 ^ 8 == {}", "`0..100000000` has 100000001 values; at most 2000000 can be gone through"),
        ("forall x in 0..10 ^ 7: x >= 0", "`0..10000000` has 10000001 values; at most 2000000 can be gone through"),
    ],
)
def test_a_domain_that_is_too_large_is_a_limit(expression: str, reason: str) -> None:
    with pytest.raises(LimitReached) as limit:
        value_of(expression, DECLARATIONS)
    larger = ", or try a larger --max-states" if "10 ^ 7" in expression else ""  # where memory would hold the values
    assert limit.value.reason == f"{reason}; use a smaller range{larger}"
    assert limit.value.diagnostic is not None
    assert (str(limit.value.diagnostic.code), limit.value.diagnostic.message) == ("PFL0710", reason)


def test_large_domains_that_need_no_listing_are_fine() -> None:
    assert value_of("10 ^ 15 in 0..10 ^ 18 and not contains(0..10 ^ 18, -1) and size(0..10 ^ 18) == 10 ^ 18 + 1")


def test_a_number_that_is_too_long_is_a_limit() -> None:
    with pytest.raises(LimitReached, match="`2` to the power 1000000000 is too large to compute exactly"):
        value_of("2 ^ 10 ^ 9 == 0")


def test_long_values_are_cut_in_a_headline() -> None:
    fault = fault_of("digit(10 ^ 5000)", DECLARATIONS)
    assert len(fault.message) < 250


def test_the_pair_that_is_named_does_not_depend_on_how_python_keeps_sets() -> None:
    fault = fault_of("size(union({p}, {1/2}, {1/3}, {1/5}, {q})) == 5", DECLARATIONS)
    assert fault.message == "whether `1/5 == p` holds depends on the value of `p`"
