"""Constants, parameters, settings and assumptions."""

from fractions import Fraction

import pytest
from evaluation import Model, faults_of_globals

from pfl.base.rational_function import RationalFunction
from pfl.model.values import show

P = RationalFunction.parameter("p")


def only_fault(text: str, **settings: str) -> tuple[str, str, str | None]:
    (fault,) = faults_of_globals(text, **settings)
    return str(fault.code), fault.message, fault.help


def test_constants_are_evaluated_in_order_of_dependency() -> None:
    model = Model("""
        const c = f(b);
        const b = a + 1;
        fn f(x: int): int = x * a;
        const a = 2;
        const half: real = 1/2;
        const table: [a] of 0..9 = [b, c];
        const visits = [Visit(who = i, long = i > 0) for i in 0..1];
        record Visit { who: T, long: bool }
        type T = 0..a;
    """)
    assert [show(model.constant(name)) for name in ("a", "b", "c", "half", "table")] == ["2", "3", "6", "1/2", "[3, 6]"]
    assert show(model.constant("visits")) == "[Visit(who = 0, long = false), Visit(who = 1, long = true)]"


def test_a_long_chain_of_constants_needs_no_stack() -> None:
    chain = "\n".join(f"const a{n} = a{n + 1} + 1;" for n in reversed(range(300)))
    assert Model(f"{chain}\nconst a300 = 0;").constant("a0") == 300


def test_empty_arrays_of_sets_find_their_size_by_the_type() -> None:
    model = Model(
        "const n = 2; const slots: [n] of bag[1] of 0..1 = empty; const grid: [n] of [1] of set of bool = empty;"
    )
    assert show(model.constant("slots")) == "[bag {}, bag {}]"
    assert show(model.constant("grid")) == "[[{}], [{}]]"


def test_settings_change_constants_and_what_depends_on_them() -> None:
    text = "const N = 3; const M = 2 * N; const w: real = 1/3; const d: 0..9 = 1;"
    model = Model(text, {"N": "5", "w": "1/4", "d": "9"})
    assert [show(model.constant(name)) for name in ("N", "M", "w", "d")] == ["5", "10", "1/4", "9"]


def test_a_setting_fixes_a_parameter() -> None:
    text = "param p in (0, 1); assume p <= 9/10; const q = 1 - p;"
    free, fixed = Model(text), Model(text, {"p": "1/3"})
    assert free.constant("q") == 1 - P
    assert free.globals.has_parameters
    assert [str(parameter) for parameter in free.globals.space.parameters] == ["p in (0, 1)"]
    assert fixed.constant("q") == Fraction(2, 3)
    assert fixed.globals.space.parameters == ()
    assert fixed.globals.space.assumptions == ()
    assert not fixed.globals.has_parameters


@pytest.mark.parametrize(
    ("text", "settings", "code", "message", "help_text"),
    [
        (
            "const rounds = 3; param p in (0, 1);",
            {"round": "4"},
            "PFL0360",
            "`--set round=...` names neither a const nor a param of the model",
            "did you mean `rounds`?",
        ),
        (
            "const N = 3; param p in (0, 1);",
            {"zzz": "4"},
            "PFL0360",
            "`--set zzz=...` names neither a const nor a param of the model",
            "this model can set `N`, `p`",
        ),
        (
            "type N = 0..1;",
            {"N": "4"},
            "PFL0360",
            "`--set N=...` names neither a const nor a param of the model",
            "only a `const` or a `param` can be set, and this model declares none",
        ),
        ("const N = 3;", {"N": "1/2"}, "PFL0361", "`--set N=1/2` does not fit: `N` is an int", None),
        ("const N: 0..9 = 3;", {"N": "10"}, "PFL0361", "`--set N=10` does not fit: the type of `N` is `0..9`", None),
        ("const b = true;", {"b": "1"}, "PFL0361", "`--set b=1` does not fit: `b` is a bool", None),
        ("param p in (0, 1);", {"p": "1"}, "PFL0361", "`--set p=1` does not fit: `p` lies in (0, 1)", None),
        ("param p in [0, 1/2);", {"p": "1/2"}, "PFL0361", "`--set p=1/2` does not fit: `p` lies in [0, 1/2)", None),
        (
            "param p in (0, 1); assume p < 1/2;",
            {"p": "3/4"},
            "PFL0364",
            "the assumption `p < 1/2` is false",
            "every claim would hold of nothing; change the constants or the assumption",
        ),
    ],
)
def test_settings_that_do_not_fit(
    text: str, settings: dict[str, str], code: str, message: str, help_text: str | None
) -> None:
    assert only_fault(text, **settings) == (code, message, help_text)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("param p in (1, 0);", "PFL0362", "the interval of `p` has no values"),
        ("param p in (1/2, 1/2];", "PFL0362", "the interval of `p` has no values"),
        ("param p in (0, 1); param q in (0, p);", "PFL0349", "the interval of `q` depends on another parameter"),
        ("const N: 0..2 = 3;", "PFL0340", "the value `3` of constant `N` lies outside its type `0..2`"),
        ("const a = 1 / b; const b = 0; const c = a + 1;", "PFL0342", "`1` is divided by 0"),
        ("const N = 3; assume N > 4;", "PFL0364", "the assumption `N > 4` is false"),
        (
            "param p in (0, 1); assume floor(p) == 0;",
            "PFL0349",
            "`floor` is asked of `p`, which depends on the value of `p`",
        ),
        (
            "param p in (0, 1); assume p in 0..1 or p > 1/2;",
            "PFL0363",
            "`p in 0..1` is no condition on the parameters that can be assumed",
        ),
        (
            "param p in (0, 1); assume p < 1/4 or (p > 1/2) == true;",
            "PFL0363",
            "`(p > 1/2) == true` is no condition on the parameters that can be assumed",
        ),
    ],
)
def test_declarations_that_do_not_fit(text: str, code: str, message: str) -> None:
    assert only_fault(text)[:2] == (code, message)


def test_independent_faults_are_reported_together() -> None:
    codes = [
        str(fault.code) for fault in faults_of_globals("const a = 1 / 0; param p in (1, 0); const b = a + p;", x="1")
    ]
    assert sorted(codes) == ["PFL0342", "PFL0360", "PFL0362"]


def test_a_point_interval_is_allowed_where_both_ends_are_closed() -> None:
    assert [str(p) for p in Model("param p in [1/2, 1/2];").globals.space.parameters] == ["p in [1/2, 1/2]"]


# --- assumptions in conjunctive form ------------------------------------------


def clauses(condition: str, declarations: str = "") -> list[list[str]]:
    model = Model(f"{declarations} param p in (0, 1); param q in (0, 1); assume {condition};")
    return [
        [f"{condition.polynomial} {condition.relation} 0" for condition in clause]
        for clause in model.globals.space.assumptions
    ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("p <= 9/10", [["-9 + 10*p <= 0"]]),
        ("p > q", [["-p + q < 0"]]),
        ("p + q == 1", [["-1 + p + q == 0"]]),
        ("p != q", [["p - q != 0"]]),
        ("not p < q", [["-p + q <= 0"]]),
        ("p < q and q < 1/2", [["p - q < 0"], ["-1 + 2*q < 0"]]),
        ("p < q or q < 1/2", [["p - q < 0", "-1 + 2*q < 0"]]),
        ("p < q => q < 1/2", [["-p + q <= 0", "-1 + 2*q < 0"]]),
        ("not (p < q => q < 1/2)", [["p - q < 0"], ["1 - 2*q <= 0"]]),
        ("p < 1/4 or (p > 1/2 and q > 1/2)", [["-1 + 4*p < 0", "1 - 2*p < 0"], ["-1 + 4*p < 0", "1 - 2*q < 0"]]),
        ("forall i in 1..2: i * p < q", [["p - q < 0"], ["2*p - q < 0"]]),
        ("exists i in 1..2: i * p < q", [["p - q < 0", "2*p - q < 0"]]),
        ("if p < q then q < 1/2 else true", [["-p + q <= 0", "-1 + 2*q < 0"]]),
        ("p / q <= 2", [["p*q - 2*q^2 <= 0"], ["q != 0"]]),
        ("p / q < 2", [["p*q - 2*q^2 < 0"]]),
        ("N > 2 and p < 1/2", [["-1 + 2*p < 0"]]),
        ("N > 5 or p < 1/2", [["-1 + 2*p < 0"]]),
        ("N > 2 or p < 1/2", []),
        ("less(q = p, p = q)", [["-p + q < 0"]]),
        ("p * q < 1/4 and p * q < 1/4", [["-1 + 4*p*q < 0"]]),
    ],
)
def test_assumptions_become_clauses_of_polynomial_conditions(condition: str, expected: list[list[str]]) -> None:
    assert clauses(condition, "const N = 3; fn less(p: real, q: real): bool = p < q;") == expected


def test_conditions_keep_the_words_of_the_user() -> None:
    model = Model("param p in (0, 1); assume p <= 9/10 and not p == 1/2;")
    texts = [condition.text for clause in model.globals.space.assumptions for condition in clause]
    assert texts == ["p <= 9/10", "not (p == 1/2)"]


def test_a_division_in_an_assumption_asks_nothing_of_the_model() -> None:
    model = Model("param p in (0, 1); assume 1 / (1 - p) < 5; assume p / 2 < 1;")
    assert len(model.globals.side_conditions) == 0


def test_an_assumption_with_too_many_clauses_is_refused() -> None:
    pairs = " or ".join(f"(p < 1/{n} and q < 1/{n})" for n in range(2, 16))
    fault = only_fault(f"param p in (0, 1); param q in (0, 1); assume {pairs};")
    assert fault[1] == "this assumption has more than 2000 clauses in conjunctive form"
