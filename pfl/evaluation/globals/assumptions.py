"""Assumptions about the parameters, in conjunctive form: clauses of polynomial conditions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.evaluation import domains
from pfl.evaluation.calls import ordered
from pfl.evaluation.faults import EvaluationFault, brief
from pfl.evaluation.fragment import Fragment, Task, done, run
from pfl.evaluation.globals.global_errors import not_an_assumption, too_many_alternatives
from pfl.evaluation.translator import Translator
from pfl.model.parameters import Condition
from pfl.syntax.tree.ast import Binary, Boolean, Call, Conditional, Expr, Logical, Name, Quantified, Unary
from pfl.syntax.tree.ast_declarations import AdjacencyDecl, FnDecl
from pfl.typecheck.types import IntType, RealType

Clause: TypeAlias = tuple[Condition, ...]
Clauses: TypeAlias = tuple[Clause, ...]
"""Each clause needs one condition that holds. No clause: true. An empty clause: false."""

TRUE: Clauses = ()
FALSE: Clauses = ((),)

MOST_CLAUSES = 2_000

_Relation: TypeAlias = Literal["<", "<=", "==", "!="]
_RELATIONS: dict[str, _Relation] = {"<": "<", ">": "<", "<=": "<=", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def assumption(t: Translator, node: Expr) -> Clauses:
    """An assumption in conjunctive form, over polynomials. Raises EvaluationFault where it is none."""
    conditions = t.linkage.globals.side_conditions
    before = len(conditions)
    clauses = run(_clauses(t, node, holds=True))
    # A division inside an assumption asks nothing of the model: where its divisor is 0, the assumption is false.
    conditions.rollback(before)
    return clauses


def _clauses(t: Translator, node: Expr, *, holds: bool) -> Task[Clauses]:
    """The clauses that say that a bool expression holds, or that it does not."""
    match node:
        case Boolean(value=value):
            return done(TRUE if value is holds else FALSE)
        case Unary(operator="not", operand=operand):
            return _clauses(t, operand, holds=not holds)
        case Logical(operator=operator, operands=operands):
            return _joined(node, [_clauses(t, part, holds=holds) for part in operands], (operator == "and") is holds)
        case Binary(operator="=>", left=left, right=right):
            return _joined(node, [_clauses(t, left, holds=not holds), _clauses(t, right, holds=holds)], not holds)
        case Conditional():
            return _conditional(t, node, holds)
        case Quantified():
            return _quantified(t, node, holds)
        case Binary(operator="==" | "!=" | "<" | "<=" | ">" | ">=") if _compares_numbers(t, node):
            return _comparison(t, node, holds)
        case Call(callee=Name() as callee) if isinstance(t.linkage.program.target(callee), FnDecl | AdjacencyDecl):
            return _called(t, node, callee, holds)
        case _:
            return _constant(t, node, holds)


def _joined(node: Expr, parts: Iterable[Task[Clauses]], conjunction: bool) -> Task[Clauses]:
    result = TRUE if conjunction else FALSE
    for part in parts:
        clauses: Clauses = yield part
        if conjunction:
            result = _without_repetition((*result, *clauses))
        else:
            result = _without_repetition((*left, *right) for left, right in product(result, clauses))
        if len(result) > MOST_CLAUSES:
            raise EvaluationFault(too_many_alternatives(node, MOST_CLAUSES))
    return result


def _without_repetition(clauses: Iterable[Clause]) -> Clauses:
    return tuple(dict.fromkeys(tuple(dict.fromkeys(clause)) for clause in clauses))


def _conditional(t: Translator, node: Conditional, holds: bool) -> Task[Clauses]:
    """`if c then a else b` is (not c or a) and (c or b)."""
    first: Clauses = yield _joined(
        node, [_clauses(t, node.condition, holds=False), _clauses(t, node.then, holds=holds)], False
    )
    second: Clauses = yield _joined(
        node, [_clauses(t, node.condition, holds=True), _clauses(t, node.otherwise, holds=holds)], False
    )
    return _without_repetition((*first, *second))


def _quantified(t: Translator, node: Quantified, holds: bool) -> Task[Clauses]:
    local = t.linkage.program.local(node.variable)
    values = _known(t, run(domains.elements(t, node.domain)))
    assert isinstance(values, tuple | range)
    parts = [_clauses(t.with_local(local, t.namespace.constant(value)), node.body, holds=holds) for value in values]
    return _joined(node, parts, (node.quantifier == "forall") is holds)


def _called(t: Translator, node: Call, callee: Name, holds: bool) -> Task[Clauses]:
    """The body of a function, with its parameters replaced by the arguments."""
    declaration = t.linkage.program.target(callee)
    assert isinstance(declaration, FnDecl | AdjacencyDecl)
    inner = t.outside()
    for parameter, value in zip(declaration.parameters, ordered(node.arguments, declaration.parameters)):
        given = t.namespace.constant(_known(t, run(t.value(value))))
        inner = inner.with_local(t.linkage.program.local(parameter.name), given)
    return _clauses(inner, declaration.body, holds=holds)


def _compares_numbers(t: Translator, node: Binary) -> bool:
    return all(isinstance(t.type_of(side), IntType | RealType) for side in (node.left, node.right))


def _comparison(t: Translator, node: Binary, holds: bool) -> Task[Clauses]:
    left, right = (_number(t, side) for side in (node.left, node.right))
    operator = node.operator if holds else _NEGATED[node.operator]
    difference = right - left if operator in (">", ">=") else left - right
    text = brief(node.span.text) if holds else f"not ({brief(node.span.text)})"
    return done(_condition(difference, _RELATIONS[operator], text))


def _condition(difference: Number, relation: _Relation, text: str) -> Clauses:
    """`difference relation 0` over polynomials: n/d < 0 is n d < 0, and n/d <= 0 is n d <= 0 where d is not 0."""
    if isinstance(difference, Fraction):
        return TRUE if Condition(polynomial=difference, relation=relation, text=text).holds(difference) else FALSE
    polynomial = difference.numerator.to_number()
    if difference.is_polynomial:  # a constant denominator is positive
        return ((Condition(polynomial=polynomial, relation=relation, text=text),),)
    divisor = difference.denominator.to_number()
    polynomial = polynomial * divisor
    condition = (Condition(polynomial=polynomial, relation=relation, text=text),)
    if relation in ("<", "!="):
        return (condition,)
    return (condition, (Condition(polynomial=divisor, relation="!=", text=f"{divisor} != 0"),))


def _number(t: Translator, node: Expr) -> Number:
    value = _known(t, run(t.value(node)))
    assert isinstance(value, int | Fraction | RationalFunction)
    return Fraction(value) if isinstance(value, int) else value


def _constant(t: Translator, node: Expr, holds: bool) -> Task[Clauses]:
    """A condition that no parameter takes part in."""
    try:
        value = bool(_known(t, run(t.test(node))))
    except EvaluationFault as fault:
        raise EvaluationFault(not_an_assumption(node, fault.diagnostic.message)) from None
    return done(TRUE if value is holds else FALSE)


def _known(t: Translator, fragment: Fragment) -> object:
    return fragment.constant if fragment.is_known else t.namespace.evaluate(fragment)
