"""`if`, `match`, quantifiers and patterns."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import (
    Conditional,
    Expr,
    Identifier,
    Match,
    MatchArm,
    Name,
    Node,
    Pattern,
    Quantified,
    Range,
    TuplePattern,
    ValuePattern,
    WildcardPattern,
)
from pfl.frontend.ast_statements import MatchStatementArm
from pfl.frontend.bindings import Local
from pfl.frontend.resolve.errors import LOCAL_NOUNS
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.tree_walk import descendants
from pfl.frontend.typecheck import errors
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.collections import branches
from pfl.frontend.typecheck.coverage import Coverage
from pfl.frontend.typecheck.fitting import BOOL, INT, overlap
from pfl.frontend.typecheck.operators import condition
from pfl.frontend.typecheck.written_types import domain
from pfl.frontend.types import ErrorType, TupleType, Type


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
            checker.found.add(errors.unreachable_arm(arm.patterns[0]))
    if missing := coverage.missing():
        checker.found.add(errors.match_not_exhaustive(node, type_, missing))


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
                checker.found.add(errors.no_such_part(pattern, f"{len(parts)} components", subject))
        case ValuePattern(value=Range() as value):
            checker.expression(value, scope)
            if not overlap(INT, subject):
                checker.found.add(errors.never_matches(pattern, INT, subject))
            _constant(checker, value)
        case ValuePattern(value=value):
            actual = checker.expression(value, scope, Want(type=subject))
            if not overlap(actual, subject):
                checker.found.add(errors.never_matches(pattern, actual, subject))
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
            checker.found.add(errors.pattern_not_constant(node, node.text, LOCAL_NOUNS[target.kind]))


_CONSTANT_KINDS = frozenset({"parameter", "table-state"})
