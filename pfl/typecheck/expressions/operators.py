"""Arithmetic, logic and comparisons.

Which ints are never negative, whatever a run does: a power with such an exponent is an int.

Only what is written tells: ranges, sizes, sums and products of what is known. Where `--set` changes a constant, the
power is still checked when it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from pfl.syntax.tree.ast import (
    ArrayType,
    BagType,
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expr,
    Index,
    Logical,
    Name,
    Number,
    Operation,
    Range,
    SetLiteral,
    SetType,
    Unary,
    Union,
)
from pfl.syntax.tree.ast_declarations import Const, TypeDecl
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Builtin, Local
from pfl.typecheck.checker import NOTHING, Checker, Want
from pfl.typecheck.fitting import BOOL, ERROR, INT, REAL, fits, is_numeric, overlap
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.types import DistributionType, ErrorType, IntType, NeverType, RealType, Type, UnionType
from pfl.typecheck.written_types import domain

_NEVER_NEGATIVE = frozenset({"size", "count", "abs"})


def is_natural(checker: Checker, node: Expr) -> bool:
    """Whether an int is known to be 0 or more. The expression was checked, so that its names have a meaning."""
    match node:
        case Number(value=value):
            return value >= 0
        case Name():
            target = checker.target(node)
            if isinstance(target, Const):  # one that depends on itself has no type
                return checker.results.get(id(target)) == INT and is_natural(checker, target.value)
            return isinstance(target, Local) and _holds_naturals(checker, checker.written.get(id(target)))
        case Index(array=base):
            return _holds_naturals(checker, _element(checker, _written(checker, base)))
        case Operation(operands=operands, operators=operators):
            return "-" not in operators and "/" not in operators and _all_natural(checker, operands)
        case Binary(operator="^", left=left):
            return is_natural(checker, left)
        case Conditional(then=then, otherwise=otherwise):
            return _all_natural(checker, (then, otherwise))
        case Call(callee=Name() as callee, arguments=arguments) if isinstance(checker.target(callee), Builtin):
            values = [argument.value for argument in arguments]
            if callee.text in _NEVER_NEGATIVE:
                return True
            if callee.text == "max":
                return len(values) > 1 and any(is_natural(checker, value) for value in values)
            if callee.text == "sum" and isinstance(values[0], Comprehension):
                return is_natural(checker, values[0].element)
            return callee.text == "min" and len(values) > 1 and _all_natural(checker, values)
        case _:
            return False


def _all_natural(checker: Checker, nodes: Sequence[Expr]) -> bool:
    return all(is_natural(checker, node) for node in nodes)


def _written(checker: Checker, node: Expr) -> Expr | None:
    """The written type of what a name, or an element of an array, holds; None where it has none."""
    match node:
        case Name():
            target = checker.target(node)
            return checker.written.get(id(target)) if isinstance(target, Local) else None
        case Index(array=base):
            return _element(checker, _written(checker, base))
        case _:
            return None


def _element(checker: Checker, type_: Expr | None) -> Expr | None:
    type_ = _unnamed(checker, type_)
    return type_.element if isinstance(type_, ArrayType | SetType | BagType) else None


def _unnamed(checker: Checker, type_: Expr | None) -> Expr | None:
    """A type in place of the name that a `type` gives it."""
    while isinstance(type_, Name) and isinstance(declaration := checker.target(type_), TypeDecl):
        type_ = declaration.type
    return type_


def _holds_naturals(checker: Checker, type_: Expr | None) -> bool:
    """Whether every int of a type is 0 or more. A domain that is a value is its type: `{1, 2}`, an array's name."""
    match _unnamed(checker, type_):
        case Range(low=low):
            return is_natural(checker, low)
        case SetLiteral(elements=parts):
            return _all_natural(checker, parts)
        case Union(members=members):
            return all(_holds_naturals(checker, member) for member in members)
        case _:
            return False


def number_operand(checker: Checker, node: Expr, scope: Scope, operator: str, want: Want = NOTHING) -> Type:
    """The type of an operand that must be a number; ERROR, and a report, where it is none."""
    actual = checker.expression(node, scope, want)
    if is_numeric(actual):
        return ERROR if isinstance(actual, NeverType) else actual
    _report_operand(checker, node, operator, "numbers", actual)
    return ERROR


def int_operand(checker: Checker, node: Expr, scope: Scope, operator: str) -> Type:
    """The type of an operand that must be an int; ERROR, and a report, where it is none."""
    actual = checker.expression(node, scope, Want(type=INT))
    if fits(actual, INT):
        return actual
    _report_operand(checker, node, operator, "ints", actual)
    return ERROR


def condition(checker: Checker, node: Expr, scope: Scope, what: str) -> None:
    """Checks an expression that must be a bool."""
    checker.fitting(node, scope, BOOL, what)


def _report_operand(checker: Checker, node: Expr, operator: str, takes: str, actual: Type) -> None:
    may_be_number = isinstance(actual, UnionType) and any(map(is_numeric, actual.members))
    report = type_errors.union_operand if may_be_number else type_errors.wrong_operand
    checker.found.add(report(node, operator, takes, actual))


def check_operation(checker: Checker, node: Operation, scope: Scope, want: Want) -> Type:
    """The type of a run of `+ -` or of `* / div mod`: int where every operand is and nothing is divided by `/`."""
    if node.operators[0] in ("+", "-"):
        inner = Want(logarithms=want.logarithms)
        operators = (node.operators[0], *node.operators)
        inner = inner.of(int_wanted(want))
        return _wider(
            [number_operand(checker, part, scope, word, inner) for part, word in zip(node.operands, operators)]
        )
    return _product(checker, node, scope, want)


def _product(checker: Checker, node: Operation, scope: Scope, want: Want) -> Type:
    result: Type = INT
    has_logarithm = False
    for position, operand in enumerate(node.operands):
        operator = node.operators[position - 1] if position else "*"
        before = checker.logarithms
        if operator in ("div", "mod"):
            if isinstance(result, RealType):
                checker.found.add(type_errors.wrong_operand(_left_part(node, position), operator, "ints", REAL))
                result = ERROR
            result = _wider([result, int_operand(checker, operand, scope, operator)])
        else:
            shown = node.operators[0] if position == 0 else operator
            is_divided = not {"div", "mod"}.isdisjoint(node.operators[position:])
            wanted = INT if is_divided else int_wanted(want) if "/" not in node.operators else None
            factor = number_operand(checker, operand, scope, shown, Want(logarithms=want.logarithms, type=wanted))
            result = _wider([result, factor, REAL if operator == "/" else INT])
        if checker.logarithms > before:
            if has_logarithm or operator == "/":
                message = "something is divided by a logarithm" if operator == "/" else "two logarithms are multiplied"
                checker.found.add(type_errors.misplaced_logarithm(operand, message))
            has_logarithm = True
    return result


def _left_part(node: Operation, position: int) -> Expr:
    """What stands before an operator: the operands up to it."""
    before = node.operands[:position]
    if len(before) == 1:
        return before[0]
    span = before[0].span.to(before[-1].span)
    return Operation(operands=before, operators=node.operators[: position - 1], span=span)


def _wider(types: list[Type]) -> Type:
    if any(isinstance(type_, ErrorType) for type_ in types):
        return ERROR
    return REAL if any(isinstance(type_, RealType) for type_ in types) else INT


def check_logical(checker: Checker, node: Logical, scope: Scope, _want: Want) -> Type:
    """bool, of `and` and `or`."""
    for operand in node.operands:
        condition(checker, operand, scope, f"an operand of `{node.operator}`")
    return BOOL


def check_unary(checker: Checker, node: Unary, scope: Scope, want: Want) -> Type:
    """The type of `not a` and `-a`."""
    if node.operator == "not":
        condition(checker, node.operand, scope, "the operand of `not`")
        return BOOL
    inner = Want(logarithms=want.logarithms, type=int_wanted(want))
    return number_operand(checker, node.operand, scope, "-", inner)


def check_binary(checker: Checker, node: Binary, scope: Scope, want: Want) -> Type:
    """The type of `=>`, `^`, comparisons and membership."""
    match node.operator:
        case "=>":
            for operand in (node.left, node.right):
                condition(checker, operand, scope, "an operand of `=>`")
        case "^":
            return _power(checker, node, scope, want)
        case "==" | "!=":
            _equality(checker, node, scope)
        case "in" | "not in":
            _membership(checker, node, scope)
        case _:
            left = number_operand(checker, node.left, scope, node.operator)
            right = checker.expression(node.right, scope)
            is_same_fault = isinstance(left, ErrorType) and right == checker.types[id(node.left)]
            if not is_numeric(right) and not is_same_fault:
                _report_operand(checker, node.right, node.operator, "numbers", right)
    return BOOL


def _power(checker: Checker, node: Binary, scope: Scope, want: Want) -> Type:
    """The type of `a ^ n`: an int where `a` is one and `n` is never negative, or where only an int will do; then that
    `n` is not negative is checked when the power is computed."""
    wanted = int_wanted(want)
    base = number_operand(checker, node.left, scope, "^", Want(type=wanted))
    exponent = checker.fitting(node.right, scope, INT, "an exponent")
    if isinstance(base, ErrorType) or isinstance(exponent, ErrorType):
        return ERROR
    is_negative = isinstance(node.right, Unary) or (isinstance(node.right, Number) and node.right.value < 0)
    if isinstance(base, RealType) or is_negative:
        return REAL
    return INT if wanted is not None or is_natural(checker, node.right) else REAL


def int_wanted(want: Want) -> Type | None:
    """INT where the surroundings take an int, and no other number."""
    return INT if want.type is not None and fits(INT, want.type) and not fits(REAL, want.type) else None


def _equality(checker: Checker, node: Binary, scope: Scope) -> None:
    if _takes_its_type(node.left):
        right = checker.expression(node.right, scope)
        left = checker.expression(node.left, scope, _compared_with(right))
    else:
        left = checker.expression(node.left, scope)
        right = checker.expression(node.right, scope, _compared_with(left))
    if not overlap(left, right):
        drawn = next((side for side in (left, right) if isinstance(side, DistributionType)), None)
        if drawn is not None and left != right:
            checker.found.add(type_errors.wrong_operand(node, node.operator, "values", drawn))
        else:
            checker.found.add(type_errors.incomparable(node, left, right))


def _compared_with(other: Type) -> Want:
    """What is compared with a value: it need not be an int, if that is one."""
    return NOTHING if isinstance(other, IntType) else Want(type=other)


def _takes_its_type(node: Expr) -> bool:
    """Whether the expression is `empty`, whose type is that of what it is compared with."""
    return node.span.text == "empty"


def _membership(checker: Checker, node: Binary, scope: Scope) -> None:
    element = domain(checker, node.right, scope, endless=True)
    actual = checker.expression(node.left, scope, _compared_with(element))
    if not overlap(actual, element):
        checker.found.add(type_errors.never_element(node, actual, checker.types[id(node.right)]))
