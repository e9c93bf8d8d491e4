"""`if`, `match`, quantifiers and patterns.

Which values the arms of a match take: finds arms that are never chosen, and values that are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from pfl.syntax.tree.ast import (
    Boolean,
    Conditional,
    Expr,
    Identifier,
    Match,
    MatchArm,
    Name,
    Node,
    Number,
    Pattern,
    Quantified,
    Range,
    TuplePattern,
    Unary,
    ValuePattern,
    WildcardPattern,
)
from pfl.syntax.tree.ast_statements import MatchStatementArm
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import EnumValue, Local, Symbol
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.collections import branches
from pfl.typecheck.expressions.operators import condition
from pfl.typecheck.fitting import BOOL, INT, overlap
from pfl.typecheck.names.name_errors import LOCAL_NOUNS
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.types import BoolType, EnumType, ErrorType, TupleType, Type
from pfl.typecheck.written_types import domain

_MOST_VALUES = 1000

Point: TypeAlias = "str | Fraction | tuple[Point, ...]"
"""A value that a pattern writes out: a name (bool, enum value or symbol), a number, or a tuple of points."""


class Coverage:
    """The values that the patterns so far take: all of them where the subject has few values, single points elsewhere.

    A pattern whose value is not written out (a constant by name) takes an unknown point, and is left out of account.
    """

    def __init__(self, checker: Checker, subject: Type) -> None:
        self._checker = checker
        self._all = _values(subject)
        self._subject = subject
        self._taken: set[Point] = set()
        self._everything = False

    def take(self, pattern: Pattern) -> bool:
        """Adds what a pattern takes; False where earlier patterns have already taken all of it."""
        if self._everything:
            return False
        if isinstance(pattern, WildcardPattern):
            self._everything = True
            return self._all is None or not self._taken.issuperset(self._all)
        points = self._points(pattern, self._subject)
        if points is None:
            return True
        is_new = not self._taken.issuperset(points)
        self._taken.update(points)
        return is_new

    def missing(self) -> tuple[str, ...]:
        """The values that no pattern takes, as written; empty where they cannot be listed."""
        if self._everything or self._all is None:
            return ()
        return tuple(_show(point) for point in self._all if point not in self._taken)

    def _points(self, pattern: Pattern, subject: Type) -> Sequence[Point] | None:
        """The values that a pattern takes; None where they are too many or not written out."""
        match pattern:
            case WildcardPattern():
                return _values(subject)
            case ValuePattern(value=Range(low=low, high=high)):
                return _integers(self._point(low), self._point(high))
            case ValuePattern(value=value):
                point = self._point(value)
                return None if point is None else (point,)
            case TuplePattern(elements=parts):
                if not isinstance(subject, TupleType) or len(subject.elements) != len(parts):
                    return None
                columns = [self._column(alternatives, part) for alternatives, part in zip(parts, subject.elements)]
                known = [column for column in columns if column is not None]
                return tuple(product(*known)) if len(known) == len(columns) and _size(known) <= _MOST_VALUES else None

    def _column(self, alternatives: tuple[Pattern, ...], subject: Type) -> Sequence[Point] | None:
        points: list[Point] = []
        for alternative in alternatives:
            taken = self._points(alternative, subject)
            if taken is None:
                return None
            points.extend(taken)
        return points

    def _point(self, value: Expr) -> Point | None:
        match value:
            case Boolean(value=truth):
                return "true" if truth else "false"
            case Number(value=number):
                return number
            case Unary(operator="-", operand=Number(value=number)):
                return -number
            case Name():
                match self._checker.targets.get(id(value)):
                    case EnumValue(declaration=enum, position=position):
                        return enum.values[position].text
                    case Symbol(name=name):
                        return name
        return None


def _values(type_: Type) -> Sequence[Point] | None:
    """All values of a type that has few of them whatever its numbers are; None for other types."""
    match type_:
        case BoolType():
            return ("true", "false")
        case EnumType(declaration=enum):
            return tuple(value.text for value in enum.values)
        case TupleType(elements=elements):
            columns = [_values(element) for element in elements]
            known = [column for column in columns if column is not None]
            return tuple(product(*known)) if len(known) == len(columns) and _size(known) <= _MOST_VALUES else None
        case _:
            return None


def _integers(low: Point | None, high: Point | None) -> Sequence[Point] | None:
    if not isinstance(low, Fraction) or not isinstance(high, Fraction) or high - low > _MOST_VALUES:
        return None
    return tuple(Fraction(value) for value in range(int(low), int(high) + 1))


def _size(columns: Sequence[Sequence[Point]]) -> int:
    size = 1
    for column in columns:
        size *= len(column)
    return size


def _show(point: Point) -> str:
    return f"({', '.join(map(_show, point))})" if isinstance(point, tuple) else str(point)


def check_conditional(checker: Checker, node: Conditional, scope: Scope, want: Want) -> Type:
    """The type of `if c then a else b`: the common type of both branches."""
    condition(checker, node.condition, scope, "the condition of `if`")
    return branches(checker, (node.then, node.otherwise), scope, want, "the branches of `if`")


def check_match(checker: Checker, node: Match, scope: Scope, want: Want) -> Type:
    """The type of `match e { p => a, .. }`: the common type of the arms."""
    check_arms(checker, node, node.subject, node.arms, scope)
    return branches(checker, (arm.value for arm in node.arms), scope, want, "the arms of `match`")


def check_quantified(checker: Checker, node: Quantified, scope: Scope, _want: Want) -> Type:
    """bool, of `forall x in S: e` and `exists`."""
    element = domain(checker, node.domain, scope)
    inner = scope.inner()
    checker.declare(inner, "binder", node.variable, element, node.domain)
    condition(checker, node.body, inner, f"the body of `{node.quantifier}`")
    return BOOL


def check_arms(
    checker: Checker, node: Node, subject: Expr, arms: Sequence[MatchArm | MatchStatementArm], scope: Scope
) -> None:
    """Checks the patterns of a match, that they leave nothing out, and that each arm can be chosen."""
    type_ = checker.expression(subject, scope)
    coverage = Coverage(checker, type_)
    for arm in arms:
        for pattern in arm.patterns:
            _pattern(checker, pattern, type_, scope)
        useful = [coverage.take(pattern) for pattern in arm.patterns]
        if not any(useful):
            checker.found.add(type_errors.unreachable_arm(arm.patterns[0]))
    if missing := coverage.missing():
        checker.found.add(type_errors.match_not_exhaustive(node, type_, missing))


def _pattern(checker: Checker, pattern: Pattern, subject: Type, scope: Scope) -> None:
    match pattern:
        case WildcardPattern():
            return
        case TuplePattern(elements=parts):
            if isinstance(subject, TupleType) and len(subject.elements) == len(parts):
                for alternatives, element in zip(parts, subject.elements):
                    for alternative in alternatives:
                        _pattern(checker, alternative, element, scope)
            elif not isinstance(subject, ErrorType):
                checker.found.add(type_errors.no_such_part(pattern, f"{len(parts)} components", subject))
        case ValuePattern(value=Range() as value):
            checker.expression(value, scope)
            if not overlap(INT, subject):
                checker.found.add(type_errors.never_matches(pattern, INT, subject))
            _constant(checker, value)
        case ValuePattern(value=value):
            actual = checker.expression(value, scope, Want(type=subject))
            if not overlap(actual, subject):
                checker.found.add(type_errors.never_matches(pattern, actual, subject))
            _constant(checker, value)


def _constant(checker: Checker, value: Expr) -> None:
    """Reports a pattern that mentions a variable. Parameters of a declaration are fixed, and so constants."""
    nodes = list(descendants(value))
    bound = {id(checker.target(node)) for node in nodes if isinstance(node, Identifier)}
    for node in nodes:
        target = checker.target(node)
        if not isinstance(node, Name) or not isinstance(target, Local) or id(target) in bound:
            continue
        if target.kind not in _CONSTANT_KINDS:
            checker.found.add(type_errors.pattern_not_constant(node, node.text, LOCAL_NOUNS[target.kind]))


_CONSTANT_KINDS = frozenset({"parameter", "table-state"})
