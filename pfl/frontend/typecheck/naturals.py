"""Which ints are never negative, whatever a run does: a power with such an exponent is an int.

Only what is written tells: ranges, sizes, sums and products of what is known. Where `--set` changes a constant, the
power is still checked when it is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import (
    ArrayType,
    BagType,
    Binary,
    Call,
    Comprehension,
    Conditional,
    Expr,
    Index,
    Name,
    Number,
    Operation,
    Range,
    SetLiteral,
    SetType,
    Union,
)
from pfl.frontend.ast_globals import Const, TypeDecl
from pfl.frontend.bindings import Builtin, Local
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.fitting import INT

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
