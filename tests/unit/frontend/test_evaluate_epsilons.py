"""Epsilons: rational numbers plus rational multiples of logarithms."""

from fractions import Fraction

import pytest
from evaluation import Model

from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.evaluation.faults import EvaluationFault
from pfl.model.values import Value
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_module import ClaimDecl, Clause, ForBinding
from pfl.typecheck.bindings import Local

LN2 = Epsilon.ln(Fraction(2))


def claim(epsilon: str, more: str = "") -> tuple[Model, Expr, list[Local]]:
    model = Model(f"""
        {more}
        mechanism keep(x: 0..1) -> 0..1 {{ return x; }}
        adjacency any_two(x: 0..1, y: 0..1) = true;
        check privacy keep {{ for a in 0..2; for b in 0..2; adjacent any_two; epsilon {epsilon}; }}
    """)
    (declaration,) = model.program.claims()
    assert isinstance(declaration, ClaimDecl)
    values = [clause.value for clause in declaration.clauses if clause.keyword.text == "epsilon"]
    locals_ = [_bound(model, clause) for clause in declaration.clauses if clause.keyword.text == "for"]
    return model, values[0], locals_  # type: ignore[return-value]


def _bound(model: Model, clause: Clause) -> Local:
    assert isinstance(clause.value, ForBinding)
    return model.program.local(clause.value.variable)


def epsilon(written: str, more: str = "", values: tuple[Value, Value] = (0, 2)) -> Epsilon:
    model, node, variables = claim(written, more)
    return model.compiler.epsilon(node, variables)(*values)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("5/2", Epsilon.rational(Fraction(5, 2))),
        ("ln(2)", LN2),
        ("2*ln(2)", LN2 * 2),
        ("ln(4)", LN2 * 2),
        ("ln(2)/2", LN2 / 2),
        ("ln(4) - ln(2)", LN2),
        ("1/2 + 2*ln(3)/4 - ln(2)*3", Epsilon.rational(Fraction(1, 2)) + Epsilon.ln(Fraction(3)) / 2 - LN2 * 3),
        ("-ln(1/2)", LN2),
        ("-(-ln(2))", LN2),
        ("2*abs(a - b)*ln(2)", LN2 * 4),
        ("if a == b then 0 else ln(2)", LN2),
        ("match a { 0 => ln(2), _ => 0 }", LN2),
        ("N*ln(2)", LN2 * 3),
        ("ln(1 + 1/N)", Epsilon.ln(Fraction(4, 3))),
        ("0*ln(2)", Epsilon()),
    ],
)
def test_epsilons_are_exact(written: str, expected: Epsilon) -> None:
    assert epsilon(written, "const N = 3;") == expected


def test_for_variables_of_the_claim_are_arguments() -> None:
    model, node, variables = claim("abs(a - b)*ln(2)")
    function = model.compiler.epsilon(node, variables)
    assert [function(0, b) for b in range(3)] == [Epsilon(), LN2, LN2 * 2]
    bound = model.compiler.bind({variables[0]: 2}).epsilon(node, variables[1:])
    assert bound(0) == LN2 * 2


def test_a_parameter_may_stand_in_a_logarithm() -> None:
    model, node, variables = claim("-ln(alpha)", "param alpha in (0, 1);")
    value = model.compiler.epsilon(node, variables)(0, 0)
    assert value.logarithms == ((Fraction(-1), RationalFunction.parameter("alpha")),)
    (needed,) = model.globals.side_conditions
    assert (str(needed.condition.polynomial), needed.condition.relation) == ("-alpha", "<")
    assert needed.place.text == "alpha"


@pytest.mark.parametrize(
    ("written", "code", "place"),
    [
        ("ln(0)", "PFL0351", "0"),
        ("ln(1 - 3)", "PFL0351", "1 - 3"),
        ("alpha^2", "PFL0352", "alpha^2"),
        ("alpha*ln(2)", "PFL0352", "alpha"),
        ("ln(2)/(1 - 1)", "PFL0352", "1 - 1"),
        ("1/0", "PFL0342", "0"),
    ],
)
def test_what_is_no_epsilon(written: str, code: str, place: str) -> None:
    with pytest.raises(EvaluationFault) as fault:
        epsilon(written, "param alpha in (0, 1);")
    assert str(fault.value.diagnostic.code) == code
    assert fault.value.diagnostic.primary is not None
    assert fault.value.diagnostic.primary.span.text == place
