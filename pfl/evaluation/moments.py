"""Moments that bound variables run through: `exists t in 0..2: x@t` is `x@0 or x@1 or x@2`.

What a secret reads must be known before the chain is followed, so the loops over such variables are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from pfl.evaluation import arithmetic, domains, faults
from pfl.evaluation.fragment import Fragment, Task, call, name
from pfl.evaluation.translator import Translator
from pfl.model.values import Value
from pfl.syntax.tree.ast import (
    At,
    Binder,
    Comprehension,
    DistributionComprehension,
    Expr,
    Name,
    Node,
    Quantified,
    SetFilter,
)
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck.bindings import CheckedProgram, Local

MOST_COPIES = 10_000
"""How often the inside of loops may be written out, one within the other."""

CollectedItem: TypeAlias = Callable[[Sequence[ast.expr]], ast.expr]
"""What a comprehension collects, made of its expressions."""


def run_through_moments(program: CheckedProgram, node: Node) -> frozenset[Local]:
    """The bound variables whose values must be known: those in moments, and those in the domains of such variables."""
    bound = dict(_domains(program, node))
    found: set[Local] = set()
    pending: list[Node] = [part.moment for part in descendants(node) if isinstance(part, At)]
    while pending:
        for part in descendants(pending.pop()):
            target = program.target(part) if isinstance(part, Name) else None
            if isinstance(target, Local) and target in bound and target not in found:
                found.add(target)
                pending.append(bound[target])
    return frozenset(found)


def _domains(program: CheckedProgram, node: Node) -> Iterator[tuple[Local, Expr]]:
    """The variables that an expression binds, with what they run through."""
    for part in descendants(node):
        match part:
            case Quantified(variable=variable, domain=domain) | SetFilter(variable=variable, domain=domain):
                yield program.local(variable), domain
            case Comprehension(binders=binders) | DistributionComprehension(binders=binders):
                for binder in binders:
                    yield program.local(binder.variable), binder.domain
            case _:
                pass


def quantified(t: Translator, node: Quantified) -> Task[Fragment]:
    """`forall t in S: e` as a chain of `and`, `exists` as one of `or`; what follows a decisive part is left out."""
    neutral = node.quantifier == "forall"
    tests: list[Fragment] = []
    for inner in (yield _scopes(t, node.domain, t.linkage.program.local(node.variable))):
        test: Fragment = yield inner.test(node.body)
        tests.append(test)
        if test.is_known and test.constant is not neutral:
            break
    return arithmetic.connected(t, "and" if neutral else "or", tests)


def set_filter(t: Translator, node: SetFilter) -> Task[Fragment]:
    """`{t in S | c}`."""
    local = t.linkage.program.local(node.variable)
    parts: list[Fragment] = []
    for inner in (yield _scopes(t, node.domain, local)):
        test: Fragment = yield inner.test(node.condition)
        parts.append(_where(t, test, t.namespace.combine(_alone, inner.scope[local])))
    return t.namespace.combine(lambda tree: call("_frozenset", tree), _joined(t, parts))


def collected(
    t: Translator, binders: tuple[Binder, ...], elements: Sequence[Expr], item: CollectedItem
) -> Task[Fragment]:
    """The tuple of all items that a comprehension collects, in order; binders of which no moment depends stay loops."""
    if not binders:
        made: list[Fragment] = yield t.values(tuple(elements))
        return t.namespace.combine(lambda *trees: _alone(item(trees)), *made)
    binder, *rest = binders
    local = t.linkage.program.local(binder.variable)
    if local not in t.written_out:
        looped: Fragment = yield _looped(t, binder, tuple(rest), elements, item)
        return looped
    parts: list[Fragment] = []
    for inner in (yield _scopes(t, binder.domain, local)):
        test: Fragment | None = None
        if binder.condition is not None:
            test = yield inner.test(binder.condition)
            if test is not None and test.is_known and not test.constant:
                continue
        part: Fragment = yield collected(inner, tuple(rest), elements, item)
        parts.append(part if test is None else _where(t, test, part))
    return _joined(t, parts)


def _looped(
    t: Translator, binder: Binder, rest: tuple[Binder, ...], elements: Sequence[Expr], item: CollectedItem
) -> Task[Fragment]:
    """The items of a loop in which loops that are written out stand."""
    domain: Fragment = yield domains.elements(t, binder.domain)
    inner, variable = t.binder(binder.variable)
    parts: list[Fragment] = [domain]
    if binder.condition is not None:
        condition: Fragment = yield inner.test(binder.condition)
        parts.append(condition)
    collected_inside: Fragment = yield collected(inner, rest, elements, item)
    each = t.namespace.fresh("x")

    def build(source: ast.expr, *trees: ast.expr) -> ast.expr:
        *tests, inside = trees
        counted = call("_counted_loop", source, t.namespace.object(binder.domain.span))
        outer = ast.comprehension(ast.Name(variable, ast.Store()), counted, tests, 0)
        return call(
            "_tuple",
            ast.GeneratorExp(name(each), [outer, ast.comprehension(ast.Name(each, ast.Store()), inside, [], 0)]),
        )

    return t.namespace.combine(build, *parts, collected_inside, bound=(variable,))


def _scopes(t: Translator, domain: Expr, local: Local) -> Task[list[Translator]]:
    """The scopes in which a variable has each of the values that it runs through."""
    source: Fragment = yield domains.elements(t, domain)
    if source.names:
        raise faults.domain_of_moments_varies(domain.span)
    counted = t.namespace.combine(
        lambda tree: call("_tuple", call("_counted_loop", tree, t.namespace.object(domain.span))), source, fold=False
    )
    values: tuple[Value, ...] = t.namespace.evaluate(counted)
    copies = t.copies * len(values)
    if copies > MOST_COPIES:
        raise faults.too_many_moments(domain.span, copies, MOST_COPIES)
    return [t.with_copies(local, t.namespace.constant(value), copies) for value in values]


def _alone(tree: ast.expr) -> ast.expr:
    return ast.Tuple([tree], ast.Load())


def _where(t: Translator, test: Fragment, items: Fragment) -> Fragment:
    """The items where a test holds, else none."""
    if test.is_known:
        return items if test.constant else t.namespace.constant(())
    return t.namespace.combine(lambda tree, held: ast.IfExp(tree, held, ast.Tuple([], ast.Load())), test, items)


def _joined(t: Translator, parts: Sequence[Fragment]) -> Fragment:
    """The items of several tuples, in order."""
    return t.namespace.combine(
        lambda *trees: ast.Tuple([ast.Starred(tree, ast.Load()) for tree in trees], ast.Load()), *parts
    )
