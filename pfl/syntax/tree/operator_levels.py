"""How tightly expressions hold together, and so where parentheses are needed; grammar/README.md has the table.

Unions of types that read as if they were other types: `[2] of {none} | 0..2`.
"""

from __future__ import annotations

import re
from enum import IntEnum

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.syntax.tree import ast
from pfl.syntax.tree.ast import ArrayType, BagType, Expr, MechanismType, SetType, Union

OPEN = ast.Conditional | ast.Quantified
"""Expressions that extend as far to the right as possible."""

CONSTRUCTED = ast.ArrayType | ast.SetType | ast.BagType | ast.MechanismType
"""Types that end in a type: they look as if a `|` that follows belonged to that."""


class Level(IntEnum):
    """How tightly an expression holds together; grammar/README.md has the table."""

    UNION = 0
    EXPRESSION = 1
    DISJUNCTION = 2
    CONJUNCTION = 3
    NEGATION = 4
    COMPARISON = 5
    RANGE = 6
    SUM = 7
    PRODUCT = 8
    SIGN = 9
    POWER = 10
    POSTFIX = 11
    ATOM = 12


def level(node: Expr) -> Level:
    """The level of the outermost operator of an expression."""
    known = _LEVELS.get(type(node))
    if known is not None:
        return known
    match node:
        case ast.Binary(operator="=>"):
            return Level.EXPRESSION
        case ast.Logical(operator=operator):
            return Level.DISJUNCTION if operator == "or" else Level.CONJUNCTION
        case ast.Unary(operator=operator):
            return Level.NEGATION if operator == "not" else Level.SIGN
        case ast.Binary(operator=operator):
            return Level.POWER if operator == "^" else Level.COMPARISON
        case ast.Operation(operators=operators):
            return Level.SUM if operators[0] in ("+", "-") else Level.PRODUCT
        case _:
            return Level.ATOM


_LEVELS: dict[type, Level] = {
    ast.Union: Level.UNION,
    ast.Conditional: Level.EXPRESSION,
    ast.Quantified: Level.EXPRESSION,
    **dict.fromkeys((ast.Range, ast.ArrayType, ast.SetType, ast.BagType, ast.MechanismType), Level.RANGE),
    **dict.fromkeys((ast.Call, ast.Index, ast.FieldAccess, ast.Projection, ast.At, ast.With), Level.POSTFIX),
    ast.Name: Level.ATOM,
    ast.Number: Level.ATOM,
}
"""Of expressions that have one level whatever their operators are."""


def last_operand(node: Expr) -> tuple[Expr, Level] | None:
    """The operand that an operator ends in, with the level it must have to stand there without parentheses."""
    match node:
        case ast.Binary(operator="=>", right=right):
            return right, Level.EXPRESSION
        case ast.Logical(operator=operator, operands=(*_, last)):
            return last, Level.CONJUNCTION if operator == "or" else Level.NEGATION
        case ast.Binary(operator="^", right=right):
            return right, Level.SIGN
        case ast.Binary(right=right):
            return right, Level.RANGE
        case ast.Unary(operand=operand):
            return operand, level(node)
        case ast.Range(high=high):
            return high, Level.SUM
        case ast.Operation(operands=(*_, last)):
            return last, Level(level(node) + 1)
        case _:
            return None


def extends_right(node: Expr) -> bool:
    """Whether an expression ends in an `if`, `forall` or `exists`, and so takes in all that follows."""
    while not isinstance(node, OPEN):
        match last_operand(node):
            case last, needed if level(last) >= needed or isinstance(last, OPEN):
                node = last
            case _:
                return False
    return True


def begins_with_sign(node: Expr) -> bool:
    """Whether the first thing in an expression is a minus sign."""
    while isinstance(node, ast.Operation) and level(node) == Level.PRODUCT:
        node = node.operands[0]
    return isinstance(node, ast.Unary) and node.operator == "-"


def is_compact(node: Expr) -> bool:
    """Whether a product or power reads well without spaces: its operands are plain, as in `2*j*ln(2)` and `x^2`."""
    match node:
        case ast.Operation(operands=operands, operators=operators) if level(node) == Level.PRODUCT:
            return {"div", "mod"}.isdisjoint(operators) and all(is_compact(operand) for operand in operands)
        case ast.Binary(operator="^", left=left, right=right):
            return level(left) >= Level.POSTFIX and is_compact(right)
        case ast.Unary(operator="-", operand=operand):
            return is_compact(operand)
        case _:
            return level(node) >= Level.POSTFIX


_COMMENT = re.compile(r"/\*.*?\*/|//[^\r\n]*", re.DOTALL)


def ambiguous_union(node: Union) -> Diagnostic | None:
    """A fault where a member such as `[2] of T` stands before a `|` without parentheses: it seems to belong to T."""
    for member in node.members[:-1]:
        if isinstance(member, CONSTRUCTED):
            before = _COMMENT.sub("", node.span.file.text[node.span.start : member.span.start])
            if not before.rstrip().endswith("("):
                return _may_mean_two(node, member)
    return None


def _may_mean_two(node: Union, constructed: Expr) -> Diagnostic:
    inner, text = _end(constructed), node.span.file.text
    own, others = constructed.span.text, text[constructed.span.end : node.span.end]
    parts = f"{text[constructed.span.start : inner.span.start]}({inner.span.text}{others})"
    return Diagnostic.at(
        codes.PARENTHESES_NEEDED,
        node.span,
        f"`{_on_one_line(own + others)}` can be read as two types",
        label="`|` binds most loosely",
        help=f"write `{_on_one_line(parts)}`, or `{_on_one_line(f'({own}){others}')}`, whichever is meant",
    )


def _end(type_: Expr) -> Expr:
    """The type that a constructed type ends in: T of `[2] of set of T`."""
    while True:
        match type_:
            case ArrayType(element=last) | SetType(element=last) | BagType(element=last) | MechanismType(result=last):
                if last is None:
                    return type_
                type_ = last
            case _:
                return type_


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
