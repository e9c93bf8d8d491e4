"""Distributions evaluated from source text: exact weights, rows that must sum to 1, and what is remembered."""

from fractions import Fraction

import pytest
from evaluation import Model

from pfl.base.rational_function import RationalFunction
from pfl.evaluation.faults import EvaluationFault
from pfl.model.distribution import DistributionValue, point, uniform
from pfl.model.values import FALSE, TRUE, SymbolValue, Value
from pfl.syntax.tree.ast_declarations import MechanismDecl

P = RationalFunction.parameter("p")


def distribution(body: str, declarations: str = "", **settings: str) -> DistributionValue:
    result = Model(f"{declarations}\ndist it() = {body};", settings).function("it")()
    assert isinstance(result, DistributionValue)
    return result


def fault_code(body: str, declarations: str = "") -> tuple[str, str]:
    with pytest.raises(EvaluationFault) as fault:
        distribution(body, declarations)
    return str(fault.value.diagnostic.code), fault.value.diagnostic.message


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("{ well: 9/10, sick: 0.1 }", "{ well: 9/10, sick: 1/10 }"),
        ("{ 0: 0.06, 1: 0.94 }", "{ 0: 3/50, 1: 47/50 }"),
        ("{ -1: 1/2, 1 - 1: 1/2 }", "{ -1: 1/2, 0: 1/2 }"),
        ("{ true: 1/3, false: 2/3 }", "{ true: 1/3, false: 2/3 }"),
        ("{ 0: 0, 1: 1 }", "{ 1: 1 }"),
        ("{ z mod 2: 1/3 for z in 0..2 }", "{ 0: 2/3, 1: 1/3 }"),
        ("uniform(0..3)", "{ 0: 1/4, 1: 1/4, 2: 1/4, 3: 1/4 }"),
        ("uniform([5, 5, 6])", "{ 5: 2/3, 6: 1/3 }"),
        ("uniform(bag {0, 1, 1})", "{ 0: 1/3, 1: 2/3 }"),
        ("uniform({5, 5, 6})", "{ 5: 1/2, 6: 1/2 }"),
        ("uniform(bool)", "{ false: 1/2, true: 1/2 }"),
        ("bernoulli(3/4)", "{ true: 3/4, false: 1/4 }"),
        ("binomial(2, 1/2)", "{ 0: 1/4, 1: 1/2, 2: 1/4 }"),
        ("point(7)", "{ 7: 1 }"),
        ("if 1 < 2 then point(1) else uniform(0..1)", "{ 1: 1 }"),
        ("match 3 { 0..2 => point(0), _ => binomial(1, 1/3) }", "{ 0: 2/3, 1: 1/3 }"),
    ],
)
def test_distributions_have_exact_weights(body: str, shown: str) -> None:
    assert str(distribution(body)) == shown


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("{ 0: 1/2, 1: 1/3 }", "PFL0401", "the weights of this distribution add up to 5/6, not 1"),
        ("{ 0: 1/3, 1: 1/3, 2: 1/3, 3: 1 }", "PFL0401", "the weights of this distribution add up to 2, not 1"),
        ("{ z: 1/3 for z in 0..1 }", "PFL0401", "the weights of this distribution add up to 2/3, not 1"),
        ("{ z: 1 for z in 1..0 }", "PFL0401", "the weights of this distribution add up to 0, not 1"),
        ("{ 0: 3/2, 1: -1/2 }", "PFL0402", "the weight of `1` is -1/2, and cannot be negative"),
        ("bernoulli(3/2)", "PFL0402", "the probability given to `bernoulli` is 3/2, and must lie in 0..1"),
        ("bernoulli(-1/2)", "PFL0402", "the probability given to `bernoulli` is -1/2, and must lie in 0..1"),
        ("binomial(2, 2)", "PFL0402", "the probability given to `binomial` is 2, and must lie in 0..1"),
        ("binomial(-1, 1/2)", "PFL0350", "the number of trials is -1, and cannot be negative"),
        ("{ 1: 1/2, 2 - 1: 1/2 }", "PFL0345", "the key `1` occurs twice in a distribution"),
        ("uniform({x in 0..3 | x > 5})", "PFL0347", "`uniform` of an empty set"),
        ("uniform(2..1)", "PFL0347", "`uniform` of an empty set"),
    ],
)
def test_what_is_no_distribution_is_refused(body: str, code: str, message: str) -> None:
    assert fault_code(body) == (code, message)


def test_the_label_writes_out_the_sum() -> None:
    with pytest.raises(EvaluationFault) as fault:
        distribution("{ 0: 3/5, 1: 1/2 }")
    primary = fault.value.diagnostic.primary
    assert primary is not None
    assert (primary.text, primary.span.text) == ("3/5 + 1/2 = 11/10", "{ 0: 3/5, 1: 1/2 }")


def test_equal_keys_point_at_both_places() -> None:
    with pytest.raises(EvaluationFault) as fault:
        distribution("{ 4: 1/2, 2 + 2: 1/2 }")
    assert [label.span.text for label in fault.value.diagnostic.labels] == ["2 + 2", "4"]


def test_weights_may_depend_on_parameters() -> None:
    declarations = "param p in (0, 1);"
    assert distribution("{ 0: p, 1: 1 - p }", declarations).weight(1) == 1 - P
    assert distribution("binomial(2, p)", declarations).weight(1) == 2 * P * (1 - P)
    assert distribution("{ 0: p, 1: 1 - p }", declarations, p="1/3").weight(1) == Fraction(2, 3)
    assert fault_code("{ 0: p, 1: p }", declarations)[1] == "the weights of this distribution add up to 2*p, not 1"
    given = "{ 0: 0, 1: (2-2*p)/(2-p), 2: p/(2-p) }"
    assert distribution(given, declarations).weight(2) == P / (2 - P)


def test_conditions_on_parameters_are_collected_once_where_they_are_needed() -> None:
    model = Model("""
        param p in (0, 1);
        dist unused() = { 0: p - 1, 1: 2 - p };
        dist used(x: int) = { x: p/(2-p), 1 - x: 1 - p/(2-p) };
    """)
    used = model.function("used")
    assert len(model.globals.side_conditions) == 0
    used(0)
    used(1)
    used(0)
    found = [(str(c.condition.polynomial), c.condition.relation) for c in model.globals.side_conditions]
    assert ("2 - p", "!=") in found
    assert ("-2*p + p^2", "<=") in found
    assert len(found) == 3


def test_a_declared_distribution_stays_within_its_type() -> None:
    declarations = "dist d(n: int) over 0..2 = { n: 1/2, 0: 1/2 };"
    model = Model(declarations + "dist it(n: int) = d(n);")
    it = model.function("it")
    assert str(it(2)) == "{ 2: 1/2, 0: 1/2 }"
    with pytest.raises(EvaluationFault, match=r"the value `3` of `d` lies outside its type `0\.\.2`"):
        it(3)


@pytest.mark.parametrize("centre", range(-3, 7))
@pytest.mark.parametrize(("low", "high"), [(0, 3), (0, 1), (-2, 2), (0, 0)])
def test_rows_of_the_truncated_geometric_sum_to_one_wherever_the_centre_lies(centre: int, low: int, high: int) -> None:
    model = Model("import std.noise;\ndist it(c: int, lo: int, hi: int) = truncated_geometric(1/2, c, lo, hi);")
    row = model.function("it")(centre, low, high)
    assert sum(weight for _, weight in row.items()) == 1
    assert set(row.support) == set(range(low, high + 1))
    if low <= centre <= high and low < high:
        alpha = Fraction(1, 2)
        assert row.weight(low) == alpha ** (centre - low) / (1 + alpha)


def test_the_matrix_of_the_half_geometric_mechanism() -> None:
    model = Model("import std.noise { truncated_geometric as geometric };\ndist it(x: int) = geometric(1/2, x, 0, 2);")
    rows = [[model.function("it")(x).weight(z) for z in range(3)] for x in range(3)]
    assert rows == [
        [Fraction(2, 3), Fraction(1, 6), Fraction(1, 6)],
        [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
        [Fraction(1, 6), Fraction(1, 6), Fraction(2, 3)],
    ]


def test_a_distribution_is_remembered_by_what_it_reads() -> None:
    model = Model("dist it(x: int, y: int) = { x: 1/2, x + 1: 1/2 };")
    it = model.function("it")
    assert it(1, 2) is it(1, 3)
    assert it(1, 2) is not it(2, 2)


def test_a_value_is_a_distribution_where_either_may_stand() -> None:
    model = Model("fn it(b: bool) = not b; dist d() = point(1);")
    declaration = model.program.globals["model.pfl"]["it"]
    local = model.program.local(declaration.parameters[0].name)
    outcome = model.compiler.distribution(declaration.body, [local])
    assert outcome(TRUE) == point(FALSE)


def test_a_mechanism_that_is_called_is_asked_for_its_distribution() -> None:
    asked: list[tuple[str, tuple[Value, ...]]] = []

    def explore(declaration: MechanismDecl, arguments: tuple[Value, ...]) -> DistributionValue:
        asked.append((declaration.name.text, arguments))
        return uniform((*arguments[:1], SymbolValue("bot")))

    model = Model(
        """
        mechanism noisy(x: 0..3) -> 0..3 { return x; }
        const all = [noisy];
        dist by_name(n: int) = noisy(n);
        dist by_value(n: int, K: [1] of mechanism(0..3) -> 0..3) = K[0](n + 1);
        dist known(n: int) = all[0](n);
        """,
        mechanism=explore,
    )
    by_name = model.function("by_name")
    assert by_name(1).weight(1) == Fraction(1, 2)
    by_name(1)
    assert asked == [("noisy", (1,))]
    assert model.function("known")(1) == by_name(1)
    assert model.function("by_value")(1, model.constant("all")).weight(2) == Fraction(1, 2)
    assert asked == [("noisy", (1,)), ("noisy", (2,))]
    with pytest.raises(EvaluationFault, match="the value `4` of parameter `x` of `noisy` lies outside its type"):
        by_name(4)


def test_weights_may_sum_to_one_by_assumption() -> None:
    simplex = "param p in (0, 1); param q in (0, 1); param r in (0, 1); assume p + q + r == 1;"
    drawn = distribution("{ 0: p, 1: q, 2: r }", simplex)
    assert [str(weight) for _, weight in drawn.items()] == ["1 - q - r", "q", "r"]
    assert sum(weight for _, weight in drawn.items()) == 1
    assert str(distribution("{ 0: p + q, 1: 1 - p - q }", simplex).weight(0)) == "1 - r"
    code, message = fault_code("{ 0: p, 1: q }", simplex)
    assert (code, message) == ("PFL0401", "the weights of this distribution add up to 1 - r, not 1")
    only_some = "param p in (0, 1); param q in (0, 1); assume p + q <= 1;"
    assert fault_code("{ 0: p, 1: q }", only_some)[0] == "PFL0401"
