"""`if`, `match`, and patterns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, assert_never

from pfl.evaluation import arithmetic, domains
from pfl.evaluation.fragment import Fragment, Task, call, component, name, union_of_names
from pfl.evaluation.translator import Translator
from pfl.syntax.tree.ast import (
    Conditional,
    Expr,
    Match,
    Pattern,
    Range,
    TuplePattern,
    ValuePattern,
    WildcardPattern,
)
from pfl.typecheck.types import BoolType, DistributionType, IntType, TupleType, Type

TABLE = 8
"""A `match` of more arms than this, all of constants, becomes a dictionary."""

Choice = tuple[Fragment, Fragment]
"""A test, and what is chosen where it holds."""


def conditional(t: Translator, node: Conditional, expected: Fragment | None) -> Task[Fragment]:
    """`if c then a else if d then b else e`, of any length."""
    is_test = isinstance(t.type_of(node), BoolType)
    choices: list[Choice] = []
    current: Expr = node
    while isinstance(current, Conditional):
        condition: Fragment = yield t.test(current.condition)
        if not condition.is_known or condition.constant:
            chosen: Fragment = yield _branch(t, current.then, expected, node)
            if condition.is_known:
                return _chain(t, choices, chosen, is_test)
            choices.append((condition, chosen))
        current = current.otherwise
    otherwise: Fragment = yield _branch(t, current, expected, node)
    return _chain(t, choices, otherwise, is_test)


def _branch(t: Translator, node: Expr, expected: Fragment | None, whole: Expr) -> Task[Fragment]:
    """A branch of a whole, as a Python bool where that is a bool, and as a distribution where it is one."""
    static = t.type_of(whole)
    if isinstance(static, BoolType):
        return t.test(node)
    return certain(t, node, expected) if isinstance(static, DistributionType) else t.value(node, expected)


def certain(t: Translator, node: Expr, expected: Fragment | None = None) -> Task[Fragment]:
    """The distribution that an expression is, or for which its value stands: the one that is always that value."""
    value: Fragment = yield t.value(node, expected)
    if isinstance(t.type_of(node), DistributionType):
        return value
    return t.namespace.combine(lambda tree: call("_outcome", tree), value)


def _chain(t: Translator, choices: list[Choice], otherwise: Fragment, is_test: bool) -> Fragment:
    """The first choice whose test holds."""
    if not choices:
        return otherwise
    if len(choices) == 1:
        (condition, chosen) = choices[0]
        return t.namespace.combine(
            lambda test, then, other: ast.IfExp(test, then, other), condition, chosen, otherwise, is_test=is_test
        )
    body: list[ast.stmt] = [ast.If(condition.tree, [ast.Return(chosen.tree)], []) for condition, chosen in choices]
    parts = [part for choice in choices for part in choice]
    return t.namespace.outline(
        [*body, ast.Return(otherwise.tree)], union_of_names([*parts, otherwise]), is_test=is_test
    )


def match_expression(t: Translator, node: Match, expected: Fragment | None) -> Task[Fragment]:
    """`match e { p | q => a, _ => b }`: the first arm that fits, or a fault."""
    is_test = isinstance(t.type_of(node), BoolType)
    subject: Fragment = yield t.value(node.subject)
    table: Fragment | None = yield _table(t, node, subject)
    if table is not None:
        return table
    python_name = t.namespace.fresh("s")
    held = subject if subject.is_known else Fragment(name(python_name), names=(python_name,))
    choices: list[Choice] = []
    otherwise: Fragment | None = None
    for arm in node.arms:
        test: Fragment = yield fits_any(t, arm.patterns, held, t.type_of(node.subject))
        if test.is_known and not test.constant:
            continue
        chosen: Fragment = yield _branch(t, arm.value, expected, node)
        if test.is_known:
            otherwise = chosen
            break
        choices.append((test, chosen))
    if otherwise is None:
        place = t.namespace.object(node.subject.span)
        otherwise = t.namespace.combine(
            lambda tree: call("_no_arm_matches", tree, place), held, is_test=is_test, fold=False
        )
    if not choices:
        return otherwise
    body: list[ast.stmt] = [ast.If(test.tree, [ast.Return(chosen.tree)], []) for test, chosen in choices]
    if not subject.is_known:
        body.insert(0, ast.Assign([ast.Name(python_name, ast.Store())], subject.tree))
    parts = [subject, *(part for choice in choices for part in choice), otherwise]
    names = [variable for variable in union_of_names(parts) if variable != python_name]
    return t.namespace.outline([*body, ast.Return(otherwise.tree)], names, is_test=is_test)


def _table(t: Translator, node: Match, subject: Fragment) -> Task[Fragment | None]:
    """A look-up in a dictionary, for many arms of constant patterns and constant values."""
    if len(node.arms) <= TABLE or t.may_hold_parameters(t.type_of(node.subject)):
        return None
    table: dict[Any, Any] = {}
    default: Fragment | None = None
    for arm in node.arms:
        is_drawn = isinstance(t.type_of(node), DistributionType)
        chosen: Fragment = yield certain(t, arm.value) if is_drawn else t.value(arm.value)
        if not chosen.is_known:
            return None
        for pattern in arm.patterns:
            if isinstance(pattern, WildcardPattern):
                default = default or chosen
                continue
            if not isinstance(pattern, ValuePattern) or isinstance(pattern.value, Range) or default is not None:
                return None
            key: Fragment = yield t.value(pattern.value)
            if not key.is_known:
                return None
            table.setdefault(key.constant, chosen.constant)
    if default is None:
        place = t.namespace.object(node.subject.span)
        return t.namespace.combine(lambda tree: call("_looked_up", t.namespace.object(table), tree, place), subject)
    return t.namespace.combine(
        lambda tree, other: ast.Call(ast.Attribute(t.namespace.object(table), "get", ast.Load()), [tree, other], []),
        subject,
        default,
    )


def fits_any(t: Translator, patterns: Sequence[Pattern], subject: Fragment, static: Type) -> Task[Fragment]:
    """The test whether a value fits one of some patterns. `static` is its type."""
    tests = []
    for pattern in patterns:
        test: Fragment = yield _fits(t, pattern, subject, static)
        tests.append(test)
    return arithmetic.connected(t, "or", tests)


def _fits(t: Translator, pattern: Pattern, subject: Fragment, static: Type) -> Task[Fragment]:
    match pattern:
        case WildcardPattern():
            return arithmetic.connected(t, "and", [])
        case ValuePattern(value=Range(low=low, high=high)) if isinstance(static, IntType):
            ends: list[Fragment] = yield t.values((low, high))
            return arithmetic.between(t, ends[0], subject, ends[1])
        case ValuePattern(value=Range() as value):
            domain: Fragment = yield domains.domain(t, value)
            return t.namespace.combine(
                lambda tree, held: ast.Call(ast.Attribute(tree, "contains", ast.Load()), [held], []),
                domain,
                subject,
                is_test=True,
            )
        case ValuePattern(value=value):
            constant: Fragment = yield t.value(value)
            if t.may_hold_parameters(static):
                return arithmetic.undecided_comparison(t, "==", subject, constant, pattern.span)
            return t.namespace.combine(
                lambda held, wanted: ast.Compare(held, [ast.Eq()], [wanted]), subject, constant, is_test=True
            )
        case TuplePattern(elements=alternatives):
            result: Fragment = yield _fits_tuple(t, alternatives, subject, static)
            return result
        case _:
            assert_never(pattern)


def _fits_tuple(
    t: Translator, alternatives: tuple[tuple[Pattern, ...], ...], subject: Fragment, static: Type
) -> Task[Fragment]:
    tests = []
    if not isinstance(static, TupleType):
        count = len(alternatives)
        tests.append(
            t.namespace.combine(lambda tree: call("_is_tuple_of", tree, ast.Constant(count)), subject, is_test=True)
        )
    for position, patterns in enumerate(alternatives):
        part = t.namespace.combine(lambda tree, at=position: component(tree, "elements", at), subject)
        part_type = static.elements[position] if isinstance(static, TupleType) else static
        test: Fragment = yield fits_any(t, patterns, part, part_type)
        tests.append(test)
    return arithmetic.connected(t, "and", tests)
