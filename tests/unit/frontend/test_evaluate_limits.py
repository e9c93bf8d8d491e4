"""Evaluation that would take too long, and numbers that would be too long, end at a limit that says where."""

from __future__ import annotations

from fractions import Fraction

import pytest
from evaluation import Model, value_of

from pfl.base import budget
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.driver import check_text
from pfl.evaluation.fragment import SideConditions
from pfl.evaluation.runtime.limited_operations import STEPS_BETWEEN_CHECKS, Limited
from pfl.options import Options

FAN = "fn f0(x: int): int = x + 1;\n" + "\n".join(
    f"fn f{n}(x: int): int = f{n - 1}(2 * x) + f{n - 1}(2 * x + 1);" for n in range(1, 21)
)
"""No two calls of a function have the same argument, so that nothing is remembered."""
SQUARES = "fn s0(x: int): int = x * x;\n" + "\n".join(
    f"fn s{n}(x: int): int = s{n - 1}(s{n - 1}(x));" for n in range(1, 7)
)


def limit_of(expression: str, declarations: str = "") -> tuple[str, str, str]:
    """Code, message and place of the limit that a value meets."""
    with pytest.raises(LimitReached) as limit:
        value_of(expression, declarations)
    assert limit.value.diagnostic is not None
    primary = limit.value.diagnostic.primary
    assert primary is not None
    return str(limit.value.diagnostic.code), limit.value.diagnostic.message, primary.span.text


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", 5_000)


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("sum(i * j for i in 0..199 for j in 0..i)", "0..i"),
        ("sum(i * j for i in 0..9 for j in 0..9999)", "0..9999"),
        ("sum(sum(j for j in 0..i) for i in 0..200)", "0..i"),
        ("forall i in 0..200: exists j in 0..i: j == i", "0..i"),
        ("size({i in 0..200 | size({j in 0..i | j == 0}) == 1})", "0..i"),
        ("size([i for i in 0..80 for j in 0..80 for k in 0..9])", "0..80"),
        ("f20(0)", "f"),
    ],
)
def test_evaluation_without_an_end_in_sight_is_a_limit(expression: str, place: str) -> None:
    code, message, at = limit_of(expression, FAN)
    assert code == "PFL0712"
    assert message.startswith("an expression has no value yet after 5,000 steps of evaluation; go through fewer")
    assert at.startswith(place)


@pytest.mark.usefixtures("few_steps")
def test_what_is_short_is_no_limit() -> None:
    assert value_of("sum(i * j for i in 0..40 for j in 0..40)") == 820**2
    assert value_of("f8(0)", FAN) == sum(range(2**8)) + 2**8


def test_a_check_of_the_budget_begins_a_new_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_STEPS", 10)
    spent = Budget()
    spent.spend(10)
    with pytest.raises(LimitReached, match="after 10 steps"):
        spent.spend(1)
    spent.check("one state")
    spent.spend(10)


def test_with_a_time_limit_steps_are_not_limited() -> None:
    Budget(deadline=budget.moment_after(1e6)).spend(10**12)
    with pytest.raises(LimitReached, match="the time limit was reached after 1 steps of evaluation; try a larger"):
        Budget(deadline=0.0).spend(1)


def test_long_loops_look_at_the_clock_on_the_way() -> None:
    spent = Budget()
    loop = Limited(spent, SideConditions()).counted_loop(range(4 * STEPS_BETWEEN_CHECKS), None)  # type: ignore[arg-type]
    values = iter(loop)
    assert [next(values) for _ in range(STEPS_BETWEEN_CHECKS)] == list(range(STEPS_BETWEEN_CHECKS))
    spent.deadline = 0.0
    with pytest.raises(LimitReached):
        next(values)


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("s6(3) == 0", "this product"),
        ("s6(1/3) == 0", "this product"),
        ("q(q(q(q(3)))) == 0", "to the power 64"),
        ("2 ^ 400000 * 2 ^ 400000 == 0", "this product"),
        ("(1/3) ^ 200000 / 3 ^ 200000 == 0", "this quotient"),
        ("(1/3) ^ 2000000 == 0", "`1/3` to the power 2000000"),
        ("size([10 ^ 9] of bool) == 0", "the number of values of `[1000000000] of bool`"),
        ("binomial(100000, 1/3) == point(0)", "a binomial distribution of 100000 trials"),
    ],
)
def test_numbers_that_are_too_long_are_a_limit(expression: str, what: str) -> None:
    reals = SQUARES.replace("int", "real") if "1/3)" in expression and "s6" in expression else SQUARES
    code, message, _ = limit_of(expression, reals + "\nfn q(x: int): int = x ^ 64;")
    assert code == "PFL0711"
    assert what in message
    assert message.endswith("is too large to compute exactly")


@pytest.mark.parametrize("expression", ["(p + 1/2) ^ 100000", "(p + q + 1) ^ 5000", "(1 / (1 + p)) ^ 100000"])
def test_functions_of_parameters_that_are_too_long_are_a_limit(expression: str) -> None:
    model = Model(f"param p in (0, 1); param q in (0, 1); fn it(n: int): real = {expression} * n;")
    with pytest.raises(LimitReached, match="is too large to compute exactly"):
        model.function("it")(1)


def test_products_of_functions_with_many_terms_are_a_limit() -> None:
    names = [f"p{number}" for number in range(80)]
    declared = "".join(f"param {name} in (0, 1);\n" for name in names)
    found = check_text(f"{declared}const S = {' + '.join(names)};\nconst T = (S * S) * (S * S);")
    assert [diagnostic.message for diagnostic in found.diagnostics] == ["this product is too large to compute exactly"]


@pytest.mark.parametrize(
    ("declarations", "name"),
    [
        ("type A0 = 0..1;\n" + "".join(f"type A{n} = (A{n - 1}, A{n - 1});\n" for n in range(1, 40)), "A39"),
        (
            "record A0 { a: bool }\n"
            + "".join(f"record A{n} {{ a: A{n - 1}, b: A{n - 1} | {{bot}} }}\n" for n in range(1, 40)),
            "A39",
        ),
    ],
)
def test_types_that_double_again_and_again_are_a_limit(declarations: str, name: str) -> None:
    found = check_text(
        f"{declarations}mechanism m(a: {name}) -> bool {{ return true; }}\n"
        f"adjacency same(a: {name}, b: {name}) = true;\ncheck privacy m {{ adjacent same; epsilon 1; }}"
    )
    assert [str(diagnostic.code) for diagnostic in found.diagnostics] == ["PFL0710"]
    assert f"the type `{name}` is made of" in found.diagnostics[0].message
    assert found.exit_code == 4


def test_powers_of_a_parameter_alone_are_short() -> None:
    model = Model("param p in (0, 1); fn it(n: int): real = p ^ n;")
    assert str(model.function("it")(100_000)) == "p^100000"


def test_small_powers_and_products_stay_exact() -> None:
    assert value_of("s3(3)", SQUARES) == 3**256
    assert value_of("(0 - 3) ^ 63") == -(3**63)
    assert value_of("(2/3) ^ 5 * (0 - 1/7)") == Fraction(-32, 243 * 7)


def test_an_empty_array_of_too_many_elements_is_a_limit() -> None:
    found = check_text(
        "mechanism m(b: bool) -> 0..1 { var a: [10^9] of bag[2] of 0..1 = empty; return size(a[0]); }\n"
        "compute distribution m(true);"
    )
    assert [str(diagnostic.code) for diagnostic in found.diagnostics] == ["PFL0710"]
    assert (
        found.diagnostics[0].message == "an array of type `[1000000000] of bag[2] of 0..1` has 1,000,000,000 elements"
    )


def test_limits_of_one_constant_do_not_hide_faults_of_another() -> None:
    found = check_text("const A = 2 ^ 10 ^ 9;\nconst B = 1 div 0;\nconst C = A + 1;")
    assert [str(diagnostic.code) for diagnostic in found.diagnostics] == ["PFL0711", "PFL0342"]


def test_time_holds_while_constants_are_evaluated() -> None:
    found = check_text("const A = sum(i for i in 0..10^5 for j in 0..10^5);", Options(timeout=1e-6))
    assert [str(diagnostic.code) for diagnostic in found.diagnostics] == ["PFL0712"]
    assert found.exit_code == 4


@pytest.mark.parametrize("number", ["1" * 100_001, "0." + "3" * 100_000])
def test_numbers_of_too_many_digits_are_refused(number: str) -> None:
    found = check_text(f"const A = {number};")
    assert [diagnostic.message for diagnostic in found.diagnostics] == ["the number has more than 100000 digits"]
    assert str(found.diagnostics[0].code) == "PFL0702"
