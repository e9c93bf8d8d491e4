"""Arrays, sets, bags and distributions: literals, comprehensions, quantifiers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from pfl.evaluation import arithmetic, domains, moments
from pfl.evaluation.fragment import Fragment, Task, call
from pfl.evaluation.runtime.limited_operations import FEW
from pfl.evaluation.translator import Translator
from pfl.syntax.tree.ast import (
    ArrayLiteral,
    BagLiteral,
    Binder,
    Comprehension,
    DistributionComprehension,
    DistributionLiteral,
    Expr,
    Identifier,
    KeyedArray,
    KeyedComprehension,
    Quantified,
    SetFilter,
    SetLiteral,
)
from pfl.typecheck.types import ArrayType

_MOST_COPIES = 16
"""Of the inside of a loop, and of loops in it."""


def literal(t: Translator, node: ArrayLiteral | SetLiteral | BagLiteral) -> Task[Fragment]:
    """`[a, b]`, `{a, b}`, `bag {a, b}`."""
    elements: list[Fragment] = yield t.values(node.elements)

    def build(*trees: ast.expr) -> ast.expr:
        listed = ast.Tuple(list(trees), ast.Load())
        match node:
            case ArrayLiteral():
                return listed
            case SetLiteral():
                return call("_frozenset", t.settled(t.type_of(node), node.span, listed))
            case BagLiteral():
                return call("_bag", listed)

    return t.namespace.combine(build, *elements)


def comprehension(t: Translator, node: Comprehension) -> Task[Fragment]:
    """`[e for x in S]`, `{e for x in S}`, `bag {e for x in S}`; as an argument, a generator."""
    if node.shape == "array" and len(node.binders) == 1 and node.binders[0].condition is None:
        binder = node.binders[0]
        copies: list[Translator] | None = yield _copies(t, binder.variable, binder.domain)
        if copies is not None:
            made = []
            for inner in copies:
                element: Fragment = yield inner.value(node.element)
                made.append(element)
            return t.namespace.combine(lambda *trees: ast.Tuple(list(trees), ast.Load()), *made)
    functions = {"array": "_tuple", "set": "_frozenset", "bag": "_bag"}

    def whole(items: ast.expr) -> ast.expr:
        if node.shape == "set":
            items = t.settled(t.type_of(node), node.span, items)
        return items if node.shape == "argument" else call(functions[node.shape], items)

    result: Fragment = yield over_binders(t, node.binders, (node.element,), whole)
    return result


def set_filter(t: Translator, node: SetFilter) -> Task[Fragment]:
    """`{x in S | c}`."""
    if t.writes_out(node.variable):
        written: Fragment = yield moments.set_filter(t, node)
        return written
    inner, variable = t.binder(node.variable)
    domain: Fragment = yield domains.elements(t, node.domain)
    condition: Fragment = yield inner.test(node.condition)

    def build(source: ast.expr, test: ast.expr) -> ast.expr:
        counted = _counted(t, node.domain, domain, source, test)
        generator = ast.comprehension(ast.Name(variable, ast.Store()), counted, [test], 0)
        return call("_frozenset", ast.GeneratorExp(ast.Name(variable, ast.Load()), [generator]))

    return t.namespace.combine(build, domain, condition, bound=(variable,))


def quantified(t: Translator, node: Quantified) -> Task[Fragment]:
    """`forall x in S: e`, `exists x in S: e`."""
    if t.writes_out(node.variable):
        written: Fragment = yield moments.quantified(t, node)
        return written
    copies: list[Translator] | None = yield _copies(t, node.variable, node.domain)
    if copies is not None:
        tests = []
        for each in copies:
            test: Fragment = yield each.test(node.body)
            tests.append(test)
        return arithmetic.connected(t, "and" if node.quantifier == "forall" else "or", tests)
    inner, variable = t.binder(node.variable)
    domain: Fragment = yield domains.elements(t, node.domain)
    body: Fragment = yield inner.test(node.body)
    function = "_all" if node.quantifier == "forall" else "_any"

    def build(source: ast.expr, test: ast.expr) -> ast.expr:
        counted = _counted(t, node.domain, domain, source, test)
        generator = ast.comprehension(ast.Name(variable, ast.Store()), counted, [], 0)
        return call(function, ast.GeneratorExp(test, [generator]))

    return t.namespace.combine(build, domain, body, bound=(variable,), is_test=True)


def _copies(t: Translator, variable: Identifier, domain: Expr) -> Task[list[Translator] | None]:
    """The scopes of the copies of a loop's inside, one for each value, where these are known and few: that is quicker
    than a loop, and what depends on the variable alone is known. None where it stays a loop."""
    source: Fragment = yield domains.elements(t, domain)
    if not source.is_known or t.written_out or not 0 < t.copies * len(source.constant) <= _MOST_COPIES:
        return None
    local, copies = t.linkage.program.local(variable), t.copies * len(source.constant)
    return [t.with_copies(local, t.namespace.constant(value), copies) for value in source.constant]


def over_binders(
    t: Translator,
    binders: tuple[Binder, ...],
    elements: Sequence[Expr],
    whole: Callable[[ast.expr], ast.expr],
    item: moments.CollectedItem = lambda trees: trees[0],
) -> Task[Fragment]:
    """`whole` of all items, each made of some expressions, for the values of the binders, which nest from left to
    right."""
    if any(t.writes_out(binder.variable) for binder in binders):
        items: Fragment = yield moments.collected(t, binders, elements, item)
        return t.namespace.combine(whole, items)
    scope = t
    parts: list[Fragment] = []
    sources: list[Fragment] = []
    bound: list[str] = []
    for binder in binders:
        domain: Fragment = yield domains.elements(scope, binder.domain)
        scope, variable = scope.binder(binder.variable)
        parts.append(domain)
        sources.append(domain)
        bound.append(variable)
        if binder.condition is not None:
            condition: Fragment = yield scope.test(binder.condition)
            parts.append(condition)
    made: list[Fragment] = yield scope.values(tuple(elements))

    def assemble(*trees: ast.expr) -> ast.expr:
        remaining = list(trees)
        generators: list[ast.comprehension] = []
        for binder, domain, variable in zip(binders, sources, bound):
            source = remaining.pop(0)
            is_last = len(generators) == len(binders) - 1
            counted = _counted(t, binder.domain, domain, source, *remaining, is_innermost=is_last)
            tests = [remaining.pop(0)] if binder.condition is not None else []
            generators.append(ast.comprehension(ast.Name(variable, ast.Store()), counted, tests, 0))
        return whole(ast.GeneratorExp(item(remaining), generators))

    return t.namespace.combine(assemble, *parts, *made, bound=bound)


def _counted(
    t: Translator, node: Expr, domain: Fragment, source: ast.expr, *inner: ast.expr, is_innermost: bool = True
) -> ast.expr:
    """What a loop goes through, counted unless it is short. `inner` is what is evaluated for each of its values."""
    is_short = domain.is_known and len(domain.constant) <= FEW and is_innermost
    if is_short and not t.namespace.leads_on(*inner):
        return source
    return call("_counted_loop", source, t.namespace.object(node.span))


def distribution_literal(t: Translator, node: DistributionLiteral) -> Task[Fragment]:
    """`{ well: 9/10, sick: 1/10 }`."""
    keys: list[Fragment] = yield t.values(tuple(entry.key for entry in node.entries))
    weights: list[Fragment] = yield t.values(tuple(entry.weight for entry in node.entries))
    spans = t.namespace.object(tuple(entry.key.span for entry in node.entries))
    place = t.namespace.object(node.span)

    def build(*trees: ast.expr) -> ast.expr:
        pairs = zip(trees[: len(keys)], trees[len(keys) :])
        entries = [ast.Tuple([key, weight], ast.Load()) for key, weight in pairs]
        return call("_listed", ast.Tuple(list(entries), ast.Load()), spans, place)

    return t.namespace.combine(build, *keys, *weights)


def distribution_comprehension(t: Translator, node: DistributionComprehension) -> Task[Fragment]:
    """`{ z: w(z) for z in lo..hi }`."""
    place = t.namespace.object(node.span)

    result: Fragment = yield over_binders(
        t,
        node.binders,
        (node.key, node.weight),
        lambda items: call("_weighted", items, place),
        lambda trees: ast.Tuple(list(trees), ast.Load()),
    )
    return result


def keyed_array(t: Translator, node: KeyedArray) -> Task[Fragment]:
    """`[ann: 3, bob: 1]`."""
    keys: list[Fragment] = yield t.values(tuple(entry.key for entry in node.entries))
    elements: list[Fragment] = yield t.values(tuple(entry.weight for entry in node.entries))
    enumeration, place = _enumeration(t, node), t.namespace.object(node.span)

    def build(*trees: ast.expr) -> ast.expr:
        pairs = zip(trees[: len(keys)], trees[len(keys) :])
        entries = [ast.Tuple([key, element], ast.Load()) for key, element in pairs]
        return call("_keyed", enumeration, ast.Tuple(list(entries), ast.Load()), place)

    return t.namespace.combine(build, *keys, *elements)


def keyed_comprehension(t: Translator, node: KeyedComprehension) -> Task[Fragment]:
    """`[c: votes(c) for c in Candidate]`."""
    enumeration, place = _enumeration(t, node), t.namespace.object(node.span)

    result: Fragment = yield over_binders(
        t,
        node.binders,
        (node.key, node.element),
        lambda entries: call("_keyed", enumeration, entries, place),
        lambda trees: ast.Tuple(list(trees), ast.Load()),
    )
    return result


def _enumeration(t: Translator, node: Expr) -> ast.expr:
    """The enum whose values are the indices of an array."""
    static = t.type_of(node)
    assert isinstance(static, ArrayType)
    assert static.index is not None
    return t.namespace.object(t.linkage.globals.enumeration(static.index.declaration))


def set_of_domain(t: Translator, node: Expr) -> Task[Fragment]:
    """A type as a value: the set of its values."""
    domain: Fragment = yield domains.domain(t, node)
    place = t.namespace.object(node.span)
    return t.namespace.combine(lambda tree: call("_frozenset", call("_members", tree, place)), domain)
