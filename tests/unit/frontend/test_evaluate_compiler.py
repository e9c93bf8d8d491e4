"""What the compiler offers beside values: what is read, places, types, moments, code to be joined with other code."""

import ast
from fractions import Fraction

import pytest
from evaluation import Model

from pfl.base.epsilon import Epsilon
from pfl.evaluation.code import root_of
from pfl.evaluation.faults import EvaluationFault
from pfl.evaluation.variables import Moment
from pfl.model.domain import ArrayDomain, BagDomain, RangeDomain
from pfl.model.values import FALSE, TRUE, Bag, RecordShape, RecordValue, show
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import FnDecl, HmmDecl, MechanismDecl, RelationDecl, StateVariable
from pfl.syntax.tree.ast_module import ClaimDecl, Versus
from pfl.syntax.tree.ast_statements import Assign
from pfl.typecheck.bindings import Local


def names_of(model: Model, name: str) -> tuple[Expr, list[Local]]:
    declaration = model.program.globals["model.pfl"][name]
    assert isinstance(declaration, FnDecl)
    return declaration.body, [model.program.local(parameter.name) for parameter in declaration.parameters]


def test_reads_are_the_free_locals_in_order_of_first_mention() -> None:
    model = Model("""
        const N = 3;
        fn it(a: int, b: [N] of int, c: int, d: int) = sum(b[i] + a for i in 0..N-1 if i != c) + a;
    """)
    body, (a, b, c, d) = names_of(model, "it")
    assert model.compiler.reads(body) == (b, a, c)
    assert model.compiler.bind({a: 1, d: 2}).reads(body) == (b, c)


def test_bound_locals_are_constants() -> None:
    model = Model("fn it(t: int, x: int) = [i * x for i in 1..t];")
    body, (t, x) = names_of(model, "it")
    assert model.compiler.bind({t: 3}).expression(body, [x])(2) == (2, 4, 6)


def test_variables_are_positional() -> None:
    model = Model("fn it(x: int, y: int) = x - y;")
    body, (x, y) = names_of(model, "it")
    assert model.compiler.expression(body, [y, x])(1, 5) == 4


def test_numbers_are_never_python_ints_and_conditions_are_python_bools() -> None:
    model = Model("fn n(x: int) = x + 1; fn c(x: int) = x > 1; fn b(x: bool) = x;")
    (n, ns), (c, cs), (b, bs) = (names_of(model, name) for name in "ncb")
    assert isinstance(model.compiler.number(n, ns)(1), Fraction)
    assert model.compiler.condition(c, cs)(2) is True
    assert model.compiler.condition(b, bs)(FALSE) is False
    assert model.compiler.expression(c, cs)(2) is TRUE


def test_types_become_domains_of_the_values_they_mention() -> None:
    model = Model("fn it(t: int, slots: [t] of bag[t + 1] of 0..t) = 0;")
    declaration = model.program.globals["model.pfl"]["it"]
    assert isinstance(declaration, FnDecl)
    t = model.program.local(declaration.parameters[0].name)
    domain = model.compiler.domain(declaration.parameters[1].type, [t])
    assert domain(2) == ArrayDomain(2, BagDomain(3, RangeDomain(0, 2)))
    assert str(domain(1)) == "[1] of bag[2] of 0..1"


def test_elements_are_listed_in_order() -> None:
    model = Model("""
        fn of_range(n: int) = count(x for x in 0..n);
        fn of_set(s: set of int) = count(x for x in s);
        fn of_bag(s: bag[9] of int) = count(x for x in s);
    """)
    for name, given, expected in [
        ("of_range", 2, (0, 1, 2)),
        ("of_set", frozenset((2, 0, 1)), (0, 1, 2)),
        ("of_bag", Bag.of((1, 0, 1)), (0, 1, 1)),
    ]:
        body, variables = names_of(model, name)
        domain = body.arguments[0].value.binders[0].domain  # type: ignore[union-attr]
        assert model.compiler.elements(domain, variables)(given) == expected


PLACES = """
record Cell { held: bag[2] of 0..1, full: bool }
type Row = [2] of Cell;
mechanism it(n: int, grid: [n] of Row) -> bool {
    var g: [n] of Row = grid;
    g[n - 1][0].full = true;
    g[0][1].held = empty;
    return g[0][0].full;
}
"""


def test_a_place_in_a_variable_is_changed_by_a_copy() -> None:
    model = Model(PLACES)
    mechanism = model.program.globals["model.pfl"]["it"]
    assert isinstance(mechanism, MechanismDecl)
    declared, first, second = mechanism.body[:3]
    assert isinstance(first, Assign)
    assert isinstance(second, Assign)
    n = model.program.local(mechanism.parameters[0].name)
    g = model.program.target(root_of(first.place))
    assert isinstance(g, Local)
    assert g.name.text == "g"
    compiler = model.compiler
    element = compiler.type_at(first.place, declared.type)  # type: ignore[union-attr, arg-type]
    assert element is not None
    assert element.span.text == "bool"
    bags = compiler.type_at(second.place, declared.type)  # type: ignore[union-attr, arg-type]
    assert bags is not None
    assert compiler.typed(second.value, bags, [n])(1) == Bag()  # type: ignore[arg-type]
    model_of_cell = Model("record Cell { held: bag[2] of 0..1, full: bool } const c = Cell(bag {1}, false);")
    cell = model_of_cell.constant("c")
    changed = compiler.update(first.place, [n, g])(TRUE, 1, ((cell, cell),))
    assert show(changed) == ("[[Cell(held = bag {1}, full = true), Cell(held = bag {1}, full = false)]]")
    with pytest.raises(EvaluationFault, match="the index 3 lies outside an array of 1 element"):
        compiler.update(first.place, [n, g])(TRUE, 4, ((cell, cell),))


def test_typed_values_are_checked_and_named() -> None:
    model = Model("fn it(n: int, xs: [n] of 0..n) = n + 5;")
    declaration = model.program.globals["model.pfl"]["it"]
    assert isinstance(declaration, FnDecl)
    n = model.program.local(declaration.parameters[0].name)
    type_ = declaration.parameters[1].type
    member = model.compiler.member(type_, "`xs`", [n])
    assert member((0, 2), 2) == (0, 2)
    with pytest.raises(EvaluationFault, match=r"the value `\[0, 3\]` of `xs` lies outside its type `\[2\] of 0\.\.2`"):
        member((0, 3), 2)


def test_arguments_are_checked_against_types_that_mention_earlier_ones() -> None:
    model = Model("fn it(n: int, xs: [n] of 0..n) = n; fn two() = 2; fn list() = [0, 1]; fn long() = [0, 1, 2];")
    declaration = model.program.globals["model.pfl"]["it"]
    assert isinstance(declaration, FnDecl)
    two, good, bad = (names_of(model, name)[0] for name in ("two", "list", "long"))
    assert model.compiler.arguments(declaration.parameters, [two, good], "it")() == (2, (0, 1))
    with pytest.raises(EvaluationFault, match="of parameter `xs` of `it` lies outside its type"):
        model.compiler.arguments(declaration.parameters, [two, bad], "it")()


def test_moments_are_variables_of_their_own() -> None:
    model = Model("""
        hmm Walk { state at: 0..2; init at ~ uniform(0..2); emit at; }
        check pufferfish Walk { for t in 0..1; secrets at@0 == at@(t + 1) vs at@0 != at@2; epsilon 1; length 3; }
    """)
    (claim,) = model.program.claims()
    assert isinstance(claim, ClaimDecl)
    secrets = next(clause.value for clause in claim.clauses if isinstance(clause.value, Versus))
    hmm = model.program.globals["model.pfl"]["Walk"]
    assert isinstance(hmm, HmmDecl)
    (state,) = (item for item in hmm.items if isinstance(item, StateVariable))
    at = model.program.local(state.name)
    assert model.compiler.secret(secrets.right)[0] == (Moment(at, 0), Moment(at, 2))
    t = model.program.local(claim.clauses[0].value.variable)  # type: ignore[union-attr]
    read, holds = model.compiler.bind({t: 0}).secret(secrets.left)
    assert read == (Moment(at, 0), Moment(at, 1))
    assert (holds(1, 1), holds(1, 2)) == (True, False)


def test_code_is_joined_with_other_code_in_one_namespace() -> None:
    model = Model("fn it(x: int, y: int) = if x > y then x / 2 else 1 / y;")
    body, (x, y) = names_of(model, "it")
    tree = model.compiler.code({x: "left", y: "right"}).value(body)
    source = ast.Expression(ast.BinOp(tree, ast.Add(), ast.Constant(1)))
    compiled = compile(ast.fix_missing_locations(source), "test", "eval")
    assert eval(compiled, model.compiler.namespace, {"left": 3, "right": 2}) == Fraction(5, 2)
    with pytest.raises(EvaluationFault, match="`1` is divided by 0"):
        eval(compiled, model.compiler.namespace, {"left": 0, "right": 0})


def test_the_sides_of_a_relation_read_as_records_of_the_state() -> None:
    model = Model("""
        automaton Counter(limit: int) {
            data  d: 0..1;
            query y: { total };
            state sum: 0..limit = 0;
            state cur: 0..1 = 0;
            on data d { if sum < limit { sum = sum + d; } }
            on query y { respond sum; cur = 1 - cur; }
        }
        relation near(j: 0..2) for Counter(3) {
            balance 2*j*ln(2);
            holds left.cur == right.cur and abs(left.sum - right.sum) <= j;
        }
    """)
    relation = model.program.globals["model.pfl"]["near"]
    assert isinstance(relation, RelationDecl)
    balance, holds = (clause.value for clause in relation.clauses)
    j = model.program.local(relation.parameters[0].name)
    left, right = (variable for variable in model.compiler.reads(holds) if variable is not j)
    assert isinstance(left, Local)
    assert (left.kind, left.name.text) == ("side", "left")
    related = model.compiler.condition(holds, [j, left, right])
    shape = RecordShape("Counter", ("sum", "cur"))
    one, three = RecordValue(shape, (1, 0)), RecordValue(shape, (3, 0))
    assert (related(1, one, three), related(2, one, three)) == (False, True)
    assert related(2, one, RecordValue(shape, (1, 1))) is False
    assert model.compiler.epsilon(balance, [j])(2) == Epsilon.ln(Fraction(16))
