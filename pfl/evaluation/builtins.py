"""Calls of the built-in functions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from pfl.base.source import Span
from pfl.evaluation import arithmetic, collections, domains
from pfl.evaluation.fragment import Fragment, Task, call
from pfl.evaluation.translator import Translator
from pfl.syntax.tree.ast import Call, Comprehension, Expr
from pfl.typecheck.types import ArrayType, BagType, IntType, SetType

BuiltinRule: TypeAlias = "Callable[[Translator, Span, tuple[Expr, ...]], Task[Fragment]]"


def builtin_call(t: Translator, node: Call, function: str) -> Task[Fragment]:
    """The call of a built-in function."""
    return _RULES[function](t, node.span, tuple(argument.value for argument in node.arguments))


def _size(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    (whole,) = arguments
    if domains.is_domain(t, whole):
        place = t.namespace.object(span)
        domain: Fragment = yield domains.domain(t, whole)
        return t.namespace.combine(lambda tree: call("_cardinality", tree, place), domain)
    collection: Fragment = yield t.value(whole)
    function = "_len" if isinstance(t.type_of(whole), ArrayType | SetType) else "_size"
    return t.namespace.combine(lambda tree: call(function, tree), domains.elements_of(t, whole, collection))


def _contains(t: Translator, _span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    whole, element = arguments
    return arithmetic.membership(t, element, whole)


def _changed(function: str) -> BuiltinRule:
    def rule(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
        parts: list[Fragment] = yield t.values(arguments)
        if not any(t.may_hold_parameters(t.type_of(part)) for part in arguments):
            return t.namespace.combine(lambda collection, value: call(function, collection, value), *parts)
        place = t.namespace.object(span)
        return t.namespace.combine(
            lambda collection, value: call(f"{function}_settled", collection, value, place), *parts
        )

    return rule


def _union(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    united: Fragment = yield _items(t, arguments)
    static = t.type_of(arguments[0])
    if len(arguments) == 1 and isinstance(static, ArrayType | SetType | BagType):
        static = static.element
    if isinstance(static, BagType):
        return t.namespace.combine(lambda tree: call("_union_of_bags", tree), united)
    return t.namespace.combine(lambda tree: t.settled(static, span, call("_union_of_sets", tree)), united)


def _items(t: Translator, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    """What an aggregate goes through: a generator, the elements of one collection, or the arguments themselves."""
    if len(arguments) > 1:
        parts: list[Fragment] = yield t.values(arguments)
        return t.namespace.combine(lambda *trees: ast.Tuple(list(trees), ast.Load()), *parts)
    (whole,) = arguments
    is_generator = isinstance(whole, Comprehension) and whole.shape == "argument"
    items: Fragment = yield t.value(whole) if is_generator else domains.elements(t, whole)
    return items


def _sum(t: Translator, _span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    items: Fragment = yield _items(t, arguments)
    return t.namespace.combine(lambda tree: call("_sum", tree), items)


def _count(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    (whole,) = arguments
    if not (isinstance(whole, Comprehension) and whole.shape == "argument"):
        return _size(t, span, arguments)
    return collections.over_binders(
        t,
        whole.binders,
        (whole.element,),
        lambda items: call("_len", call("_tuple", items)),
    )


def _extremum(function: str) -> BuiltinRule:
    def rule(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
        items: Fragment = yield _items(t, arguments)
        if len(arguments) > 1 and not any(t.may_hold_parameters(t.type_of(part)) for part in arguments):
            return t.namespace.combine(lambda tree: call(f"_{function}", tree), items)
        place = t.namespace.object(span)
        return t.namespace.combine(lambda tree: call(f"_{function}_of", tree, place), items)

    return rule


def _rounded(function: str) -> BuiltinRule:
    def rule(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
        number: Fragment = yield t.value(arguments[0])
        if isinstance(t.type_of(arguments[0]), IntType):
            return t.namespace.combine(lambda tree: call("_abs", tree), number) if function == "_absolute" else number
        place = t.namespace.object(span)
        return t.namespace.combine(lambda tree: call(function, tree, place), number)

    return rule


def _uniform(t: Translator, _span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    values: Fragment = yield domains.elements(t, arguments[0])
    place = t.namespace.object(arguments[0].span)
    return t.namespace.combine(lambda tree: call("_uniform", tree, place), values)


def _with_place(function: str) -> BuiltinRule:
    def rule(t: Translator, _span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
        parts: list[Fragment] = yield t.values(arguments)
        place = t.namespace.object(arguments[-1].span)
        return t.namespace.combine(lambda *trees: call(function, *trees, place), *parts)

    return rule


def _noise(function: str) -> BuiltinRule:
    def rule(t: Translator, span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
        parts: list[Fragment] = yield t.values(arguments)
        places = t.namespace.object((span, *(argument.span for argument in arguments)))
        return t.namespace.combine(lambda *trees: call(function, *trees, places), *parts)

    return rule


def _point(t: Translator, _span: Span, arguments: tuple[Expr, ...]) -> Task[Fragment]:
    value: Fragment = yield t.value(arguments[0])
    return t.namespace.combine(lambda tree: call("_point", tree), value)


_RULES: dict[str, BuiltinRule] = {
    "size": _size,
    "contains": _contains,
    "add": _changed("_add"),
    "remove": _changed("_remove"),
    "union": _union,
    "sum": _sum,
    "count": _count,
    "min": _extremum("min"),
    "max": _extremum("max"),
    "abs": _rounded("_absolute"),
    "floor": _rounded("_floor"),
    "ceil": _rounded("_ceiling"),
    "uniform": _uniform,
    "bernoulli": _with_place("_bernoulli"),
    "binomial": _with_place("_binomial"),
    "point": _point,
    "exp": _with_place("_exp"),
    "ln": _with_place("_logarithm"),
    "laplace": _noise("_laplace"),
    "exponential": _noise("_exponential"),
    "two_sided_geometric": _noise("_two_sided_geometric"),
    "geometric": _noise("_geometric"),
    "gaussian": _noise("_gaussian"),
    "discrete_gaussian": _noise("_discrete_gaussian"),
}
