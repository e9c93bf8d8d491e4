"""Operators: arithmetic, comparisons, membership, and the connectives."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.source import Span
from pfl.evaluation import domains
from pfl.evaluation.fragment import Fragment, Task, call, known_test
from pfl.evaluation.runtime.number_operations import WORD, is_bearable
from pfl.evaluation.translator import Translator
from pfl.syntax.tree.ast import Binary, Expr, Logical, Operation, Range, Unary
from pfl.typecheck.types import IntType

STATEMENT = 12
"""A longer run of operators is computed statement by statement, so that it is not deep."""

Operator: TypeAlias = Literal["+", "-", "*", "/", "div", "mod"]


def operation(t: Translator, node: Operation) -> Task[Fragment]:
    """`a + b - c`, `a * b div c`, from left to right."""
    operands: list[Fragment] = yield t.values(node.operands)
    known = _computed(operands, node.operators)
    if known is not None:
        return t.namespace.constant(known)
    integral = isinstance(t.type_of(node), IntType)

    def build(first: ast.expr, position: int, others: Sequence[ast.expr]) -> ast.expr:
        """What is computed so far, and the next operands: `others[0]` is the one at `position`."""
        tree = first
        for at, other in enumerate(others, position):
            grows_little = _is_short(operands[at]) or (at == 1 and _is_short(operands[0]))
            span = node.operands[at].span
            tree = _applied(t, node.operators[at - 1], tree, other, operands[at], span, integral, grows_little)
        return tree

    if len(operands) <= STATEMENT:
        return t.namespace.combine(
            lambda first, *others: build(first, 1, others), *operands, levels=len(node.operators)
        )
    return t.namespace.computed_in_steps(operands, STATEMENT, build)


def _computed(operands: list[Fragment], operators: Sequence[Operator]) -> Fraction | int | None:
    """The value of constants joined by `+ - * /`, computed now; None for anything else, for a division by 0, and for
    what gets too long."""
    result = operands[0].constant
    if not isinstance(result, int | Fraction):
        return None
    for operator, operand in zip(operators, operands[1:]):
        other = operand.constant
        if not isinstance(other, int | Fraction) or operator not in _EXACT or (operator == "/" and not other):
            return None
        result = _EXACT[operator](result, other)
        if not is_bearable(result):
            return None
    return result


def _is_short(factor: Fragment) -> bool:
    value = factor.constant
    return isinstance(value, int | Fraction) and max(abs(value.numerator), value.denominator) < WORD


_Exact: TypeAlias = Callable[[Fraction | int, Fraction | int], Fraction | int]

_EXACT: dict[Operator, _Exact] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: Fraction(left) / right,
}


def _applied(
    t: Translator,
    operator: Operator,
    left: ast.expr,
    right: ast.expr,
    divisor: Fragment,
    span: Span,
    integral: bool,
    grows_little: bool,
) -> ast.expr:
    """`grows_little`: one of two factors is a constant of no more than a word, so that the product can hardly grow."""
    by_int = integral and isinstance(divisor.constant, int) and divisor.constant != 0
    match operator:
        case "+":
            return ast.BinOp(left, ast.Add(), right)
        case "-":
            return ast.BinOp(left, ast.Sub(), right)
        case "*" if grows_little:
            return ast.BinOp(left, ast.Mult(), right)
        case "*" if integral:
            return call("_whole_product", left, right, t.namespace.object(span))
        case "*":
            return call("_product", left, right, t.namespace.object(span))
        case "/":
            return call("_divide", left, right, t.namespace.object(span))
        case "div" if by_int:
            return ast.BinOp(left, ast.FloorDiv(), right)
        case "mod" if by_int:
            return ast.BinOp(left, ast.Mod(), right)
        case "div":
            return call("_floor_divide", left, right, t.namespace.object(span))
        case "mod":
            return call("_modulo", left, right, t.namespace.object(span))


def unary(t: Translator, node: Unary) -> Task[Fragment]:
    """`not a`, `-a`."""
    return _negated(t, t.test(node.operand)) if node.operator == "not" else _opposite(t, node.operand)


def _opposite(t: Translator, operand: Expr) -> Task[Fragment]:
    number: Fragment = yield t.value(operand)
    return t.namespace.combine(lambda tree: ast.UnaryOp(ast.USub(), tree), number)


def logical(t: Translator, node: Logical) -> Task[Fragment]:
    """`a and b and c`, `a or b or c`: from left to right, as far as needed."""
    tests = []
    for operand in node.operands:
        test: Fragment = yield t.test(operand)
        tests.append(test)
        if test.is_known and test.constant is (node.operator == "or"):
            break
    return connected(t, node.operator, tests)


def connected(t: Translator, operator: Literal["and", "or"], tests: list[Fragment]) -> Fragment:
    """Tests joined by a connective; those that are known are left out, and what follows a decisive one."""
    neutral = operator == "and"
    needed: list[Fragment] = []
    for test in tests:
        if test.is_known and test.constant is neutral:
            continue
        needed.append(test)
        if test.is_known:
            break
    if len(needed) <= 1:
        return needed[0] if needed else known_test(neutral)
    connective = ast.And() if neutral else ast.Or()
    return t.namespace.combine(lambda *trees: ast.BoolOp(connective, list(trees)), *needed, is_test=True)


def binary(t: Translator, node: Binary) -> Task[Fragment]:
    """`a => b`, `a ^ b`, comparisons and membership."""
    match node.operator:
        case "=>":
            return _implication(t, node)
        case "^":
            return _power(t, node)
        case "in":
            return membership(t, node.left, node.right)
        case "not in":
            return _negated(t, membership(t, node.left, node.right))
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return _comparison(t, node)


def _negated(t: Translator, task: Task[Fragment]) -> Task[Fragment]:
    test: Fragment = yield task
    return t.namespace.combine(lambda tree: ast.UnaryOp(ast.Not(), tree), test, is_test=True)


def _implication(t: Translator, node: Binary) -> Task[Fragment]:
    """`a => b => c` is `not a or not b or c`."""
    tests: list[Fragment] = []
    current: Expr = node
    while isinstance(current, Binary) and current.operator == "=>":
        premise: Fragment = yield t.test(current.left)
        if premise.is_known and not premise.constant:
            return connected(t, "or", [*tests, known_test(True)])
        tests.append(t.namespace.combine(lambda tree: ast.UnaryOp(ast.Not(), tree), premise, is_test=True))
        current = current.right
    conclusion: Fragment = yield t.test(current)
    return connected(t, "or", [*tests, conclusion])


def _power(t: Translator, node: Binary) -> Task[Fragment]:
    base, exponent = yield t.values((node.left, node.right))
    place = t.namespace.object(node.span)
    function = "_whole_power" if isinstance(t.type_of(node), IntType) else "_power"
    return t.namespace.combine(lambda left, right: call(function, left, right, place), base, exponent)


_PYTHON: dict[str, type[ast.cmpop]] = {
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}


def _comparison(t: Translator, node: Binary) -> Task[Fragment]:
    left, right = yield t.values((node.left, node.right))
    if not (t.may_hold_parameters(t.type_of(node.left)) or t.may_hold_parameters(t.type_of(node.right))):
        operator = _PYTHON[node.operator]()
        return t.namespace.combine(lambda a, b: ast.Compare(a, [operator], [b]), left, right, is_test=True)
    return undecided_comparison(t, node.operator, left, right, node.span)


def undecided_comparison(t: Translator, operator: str, left: Fragment, right: Fragment, span: Span) -> Fragment:
    """A comparison of values that may depend on parameters: a fault where their values would decide it."""
    place = t.namespace.object(span)

    def build(a: ast.expr, b: ast.expr) -> ast.expr:
        match operator:
            case "<":
                return call("_less", a, b, place)
            case ">":
                return call("_less", b, a, place)
            case "<=":
                return call("_at_most", a, b, place)
            case ">=":
                return call("_at_most", b, a, place)
            case "==":
                return call("_equal", a, b, place)
            case _:
                return ast.UnaryOp(ast.Not(), call("_equal", a, b, place))

    return t.namespace.combine(build, left, right, is_test=True)


def membership(t: Translator, element: Expr, whole: Expr) -> Task[Fragment]:
    """`x in S`, and `contains(S, x)`."""
    place = t.namespace.object(element.span)
    if isinstance(whole, Range) and isinstance(t.type_of(element), IntType):
        low, value, high = yield t.values((whole.low, element, whole.high))
        return between(t, low, value, high)
    if domains.is_domain(t, whole):
        held: Fragment = yield t.value(element)
        domain: Fragment = yield domains.domain(t, whole)
        depends = t.may_hold_parameters(t.type_of(element))
        return t.namespace.combine(
            lambda value, tree: (
                call("_lies_in", value, tree, place)
                if depends
                else ast.Call(ast.Attribute(tree, "contains", ast.Load()), [value], [])
            ),
            held,
            domain,
            is_test=True,
        )
    value, collection = yield t.values((element, whole))
    held = domains.elements_of(t, whole, collection)
    if t.may_hold_parameters(t.type_of(element)) or t.may_hold_parameters(t.type_of(whole)):
        return t.namespace.combine(lambda a, b: call("_occurs", a, b, place), value, held, is_test=True)
    return t.namespace.combine(lambda a, b: ast.Compare(a, [ast.In()], [b]), value, held, is_test=True)


def between(t: Translator, low: Fragment, value: Fragment, high: Fragment) -> Fragment:
    """`low <= value <= high`, of ints. Both ends are always evaluated, as those of a range are."""

    def build(a: ast.expr, b: ast.expr, c: ast.expr) -> ast.expr:
        if high.depth > 1:  # Python would leave out the high end where the low end decides
            return call("_between", a, b, c)
        return ast.Compare(a, [ast.LtE(), ast.LtE()], [b, c])

    return t.namespace.combine(build, low, value, high, is_test=True)
