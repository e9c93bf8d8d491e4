"""Types and domains: `0..n-1`, `[t] of bag[v] of T`, the name of a type, and any set-valued expression."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.evaluation import faults
from pfl.evaluation.fragment import Fragment, Task, call, done
from pfl.evaluation.translator import Translator
from pfl.model.cardinality import size
from pfl.model.domain import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MechanismDomain,
    RealDomain,
)
from pfl.model.values import in_order
from pfl.syntax.tree import ast as pfl_ast
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import EnumDecl, RecordDecl, TypeDecl
from pfl.typecheck.types import ArrayType, BagType, EnumType, SetType, Type

PRECOMPUTED = 10_000
"""The values of a type that is known now and has no more than this are listed once, at compile time."""

MOST_PARTS = 100_000
"""A type that is made of more types than this, written out, is refused: its values are as large."""

_BUILTIN: dict[str, Domain] = {"bool": BoolDomain(), "int": IntDomain(), "real": RealDomain()}


def is_domain(t: Translator, node: Expr) -> bool:
    """Whether an expression is written as a type: its values are then found without making a set of them."""
    match node:
        case (
            pfl_ast.BuiltinType()
            | pfl_ast.Range()
            | pfl_ast.Union()
            | pfl_ast.ArrayType()
            | pfl_ast.SetType()
            | pfl_ast.BagType()
            | pfl_ast.MechanismType()
        ):
            return True
        case pfl_ast.Name():
            return isinstance(t.linkage.program.target(node), TypeDecl | EnumDecl | RecordDecl)
        case pfl_ast.TupleLiteral():
            return isinstance(t.type_of(node), SetType)
        case _:
            return False


def domain(t: Translator, node: Expr) -> Task[Fragment]:
    """A fragment that yields the `Domain` of a type, or of a set-valued expression."""
    match node:
        case pfl_ast.BuiltinType(name=name):
            return done(t.namespace.constant(_BUILTIN[name]))
        case pfl_ast.Name():
            return _named(t, node)
        case pfl_ast.Range(low=low, high=high):
            return t.combined(lambda a, b: call("_range_domain", a, b), low, high)
        case pfl_ast.SetLiteral(elements=elements):
            return t.combined(lambda *trees: call("_ListedDomain", _settled(t, node, trees)), *elements)
        case pfl_ast.Union(members=members):
            return _composite(t, "_union_of", members)
        case pfl_ast.TupleLiteral(elements=elements):
            return _composite(t, "_TupleDomain", elements)
        case pfl_ast.ArrayType(size=index, element=element) if isinstance(t.type_of(index), EnumType):
            return _indexed(t, index, element)
        case pfl_ast.ArrayType(size=length, element=element):
            return _sized(t, "_array_domain", length, element)
        case pfl_ast.BagType(capacity=capacity, element=element):
            return _sized(t, "_bag_domain", capacity, element)
        case pfl_ast.SetType(element=element):
            return _set_type(t, element)
        case pfl_ast.MechanismType():
            return done(t.namespace.constant(MechanismDomain(" ".join(node.span.text.split()))))
        case _:
            return t.combined(lambda tree: call("_domain_of_set", tree), node)


def _set_type(t: Translator, element: Expr) -> Task[Fragment]:
    inner: Fragment = yield domain(t, element)
    return t.namespace.combine(lambda tree: call("_SetDomain", tree), inner)


def _composite(t: Translator, build: str, nodes: tuple[Expr, ...]) -> Task[Fragment]:
    parts = []
    for node in nodes:
        part: Fragment = yield domain(t, node)
        parts.append(part)
    return t.namespace.combine(lambda *trees: call(build, ast.Tuple(list(trees), ast.Load())), *parts)


def _sized(t: Translator, build: str, number: Expr, element: Expr) -> Task[Fragment]:
    count: Fragment = yield t.value(number)
    inner: Fragment = yield domain(t, element)
    place = t.namespace.object(number.span)
    return t.namespace.combine(lambda a, b: call(build, a, b, place), count, inner)


def _indexed(t: Translator, index: Expr, element: Expr) -> Task[Fragment]:
    inner: Fragment = yield domain(t, element)
    static = t.type_of(index)
    assert isinstance(static, EnumType)
    enumeration = t.namespace.object(t.linkage.globals.enumeration(static.declaration))
    return t.namespace.combine(lambda tree: call("_indexed_by", enumeration, tree), inner)


def is_by_enum(static: Type) -> bool:
    """Whether a static type is that of arrays whose indices are the values of an enum."""
    return isinstance(static, ArrayType) and static.index is not None


def _settled(t: Translator, node: Expr, trees: Sequence[ast.expr]) -> ast.expr:
    return t.settled(t.type_of(node), node.span, ast.Tuple(list(trees), ast.Load()))


def elements_of(t: Translator, node: Expr, value: Fragment) -> Fragment:
    """The value of a collection as what Python can go through: the elements of an array, a set, a bag."""
    if not is_by_enum(t.type_of(node)):
        return value
    return t.namespace.combine(lambda tree: ast.Attribute(tree, "values", ast.Load()), value)


def _named(t: Translator, node: pfl_ast.Name) -> Task[Fragment]:
    count = _parts(t, node)
    if count > MOST_PARTS:
        raise faults.type_too_large(node.span, count, MOST_PARTS)
    match t.linkage.program.target(node):
        case TypeDecl(type=declared):
            return domain(t, declared)
        case EnumDecl() as declaration:
            return done(t.namespace.constant(EnumDomain(t.linkage.globals.enumeration(declaration))))
        case RecordDecl() as declaration:
            return record_domain(t, declaration)
        case _:
            return t.combined(lambda tree: call("_domain_of_set", tree), node)


def _parts(t: Translator, node: Expr) -> int:
    """How many types a type is made of, each counted as often as it would be written out."""
    match node:
        case pfl_ast.Name():
            declaration = t.linkage.program.target(node)
            counts = t.linkage.parts_of_types
            if isinstance(declaration, TypeDecl | RecordDecl) and id(declaration) not in counts:
                inner = (
                    [declaration.type]
                    if isinstance(declaration, TypeDecl)
                    else [field.type for field in declaration.fields]
                )
                counts[id(declaration)] = sum(_parts(t, part) for part in inner)
            return 1 + counts.get(id(declaration), 0)
        case pfl_ast.TupleLiteral(elements=parts) | pfl_ast.Union(members=parts):
            return 1 + sum(_parts(t, part) for part in parts)
        case pfl_ast.ArrayType(element=element) | pfl_ast.BagType(element=element) | pfl_ast.SetType(element=element):
            return 1 + _parts(t, element)
        case _:
            return 1


def record_domain(t: Translator, declaration: RecordDecl) -> Task[Fragment]:
    """A fragment that yields the domain of a record."""
    fields = []
    for parameter in declaration.fields:
        part: Fragment = yield domain(t, parameter.type)
        fields.append(part)
    shape = t.namespace.constant(t.linkage.globals.shape(declaration))
    return t.namespace.combine(
        lambda head, *trees: call("_RecordDomain", head, ast.Tuple(list(trees), ast.Load())), shape, *fields
    )


def elements(t: Translator, node: Expr) -> Task[Fragment]:
    """A fragment that yields an iterable: the values of a type, set or bag in order, the elements of an array."""
    namespace = t.namespace
    place = namespace.object(node.span)
    if is_domain(t, node) or isinstance(node, pfl_ast.SetLiteral):
        whole: Fragment = yield domain(t, node)
        if whole.is_known:
            return _listed(t, whole, place)
        if isinstance(node, pfl_ast.Range):
            ends: list[Fragment] = yield t.values((node.low, node.high))
            return namespace.combine(lambda a, b: call("_span", a, b, place), *ends)
        return namespace.combine(lambda tree: call("_members", tree, place), whole)
    collection: Fragment = yield t.value(node)
    match t.type_of(node):
        case ArrayType():
            return elements_of(t, node, collection)
        case BagType():
            return namespace.combine(lambda tree: call("_tuple", tree), collection)
        case _:
            return namespace.combine(lambda tree: call("_in_order", tree), collection)


def _listed(t: Translator, whole: Fragment, place: ast.expr) -> Fragment:
    counted = size(whole.constant)
    if counted is not None and counted <= min(PRECOMPUTED, t.linkage.limit):
        return t.namespace.constant(tuple(in_order(whole.constant)))
    return t.namespace.combine(lambda tree: call("_members", tree, place), whole, fold=False)


def needs_check(t: Translator, node: Expr) -> bool:
    """Whether a value of the right static type can still lie outside a written type."""
    match node:
        case pfl_ast.BuiltinType() | pfl_ast.MechanismType():
            return False
        case pfl_ast.Name():
            target = t.linkage.program.target(node)
            if isinstance(target, TypeDecl):
                return needs_check(t, target.type)
            return not isinstance(target, EnumDecl | RecordDecl)
        case pfl_ast.SetType(element=element):
            return needs_check(t, element)
        case pfl_ast.Union(members=parts) | pfl_ast.TupleLiteral(elements=parts):
            return any(needs_check(t, part) for part in parts)
        case _:
            return True
