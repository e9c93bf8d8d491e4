"""What expressions ask of the parameters is checked for all values that the assumptions leave."""

from fractions import Fraction

import pytest
from evaluation import Model

from pfl.base.budget import Budget
from pfl.driver import check_text
from pfl.evaluation.globals.unmet import Needed, conditions_on, unmet_side_conditions
from pfl.options import Options
from pfl.verify.verdict import Found


def unmet(declarations: str, body: str, sought: str = "") -> list[tuple[str, str, str]]:
    """The conditions that fail once a distribution has been evaluated: code, message, place."""
    model = Model(f"{declarations}\ndist it() = {body};")
    model.function("it")()
    found = unmet_side_conditions(Needed(values=model.globals, sought=frozenset(sought.split())), Budget())
    return [(str(d.code), d.message, d.labels[0].span.text) for d in found]


@pytest.mark.parametrize(
    ("declarations", "body"),
    [
        ("param p in (0, 1);", "{ 0: p, 1: 1 - p }"),
        ("param p in [0, 1];", "binomial(3, p)"),
        ("param p in (0, 1);", "{ 0: p^2, 1: 2*p*(1-p), 2: (1-p)^2 }"),
        ("param p in (0, 1);", "{ 0: (2-2*p)/(2-p), 1: p/(2-p) }"),
        ("param p in (0, 2); assume p <= 1;", "{ 0: p, 1: 1 - p }"),
        ("param p in (0, 1); param q in (0, 1); assume p + q <= 1;", "{ 0: p, 1: q, 2: 1 - p - q }"),
        ("param p in (0, 1); param q in (0, 1); param r in (0, 1); assume p + q + r == 1;", "{ 0: p, 1: q, 2: r }"),
        ("param p in (0, 1); assume p != 1/2;", "{ 0: (1-2*p)^2/(1-2*p)^2, 1: 0 }"),
        ("param p in (0, 1); param q in (0, 1);", "{ 0: p*q, 1: p*(1-q), 2: 1-p }"),
    ],
)
def test_conditions_that_hold_for_all_values(declarations: str, body: str) -> None:
    assert unmet(declarations, body) == []


def test_a_weight_that_can_be_negative_is_found_with_a_value() -> None:
    ((code, message, place),) = unmet("param p in (0, 1);", "{ 0: 2*p, 1: 1 - 2*p }")
    assert code == "PFL0470"
    assert message.startswith("for p = ")
    assert message.endswith(" it does not hold that the weight 1 - 2*p of `1` is at least 0")
    assert place == "{ 0: 2*p, 1: 1 - 2*p }"


def test_a_divisor_that_can_be_zero_is_found_where_it_stands() -> None:
    assert unmet("param p in (0, 1);", "{ 0: (1-2*p)/(1-2*p), 1: 0 * (1/p) }") == [
        ("PFL0471", "for p = 1/2 it does not hold that the divisor 1 - 2*p is not 0", "1-2*p")
    ]


def test_assumptions_decide_which_values_count() -> None:
    body = "{ 0: 2*p - 1, 1: 2 - 2*p }"
    assert unmet("param p in (0, 1); assume p >= 1/2;", body) == []
    assert [code for code, _, _ in unmet("param p in (0, 1); assume p >= 1/3;", body)] == ["PFL0470"]


def test_what_a_find_looks_for_is_left_to_it() -> None:
    assert unmet("param w in (0, 2);", "{ 0: w, 1: 1 - w }", sought="w") == []
    assert len(unmet("param w in (0, 2);", "{ 0: w, 1: 1 - w }", sought="v")) == 1


def test_it_is_left_to_that_alone() -> None:
    """What others ask of the same parameter must hold for all its values, and is no condition on what is found."""
    model = """
        param p in [0, 1];
        mechanism told(k: real, t: bool) -> bool { let x ~ bernoulli(k); return x == t; }
        mechanism quarter(k: real) -> bool { return bernoulli(4*k); }
        adjacency other(a: bool, b: bool) = a != b;
    """
    claims = [
        "compute w: probability quarter(p);",
        "find f: p such that privacy told(p) { adjacent other; epsilon 0; }",
    ]
    for order in (claims, claims[::-1]):
        findings = check_text(model + "\n".join(order))
        assert [str(found.code) for found in findings.diagnostics] == ["PFL0470"]
    alone = check_text(model + "\n".join(claims), Options(claims=("f",)))
    assert isinstance(alone.results[0].verdict, Found)
    assert alone.results[0].verdict.values == (("p", Fraction(1, 2)),)


def test_a_find_must_satisfy_the_conditions_on_what_it_looks_for() -> None:
    model = Model("param w in (0, 2); param p in (0, 1); dist it() = { 0: w/2, 1: 1 - w, 2: w/2 + p, 3: -p };")
    model.function("it")()
    conditions = conditions_on(model.globals, ["w"])
    assert [(str(c.polynomial), c.relation) for c in conditions] == [("-w", "<="), ("-1 + w", "<=")]
