"""Types as they are written, and domains, which are the same text where a value stands."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.syntax.tree.ast import (
    ArrayType,
    BagType,
    BuiltinType,
    Expr,
    MechanismType,
    Name,
    Number,
    Range,
    SetLiteral,
    SetType,
    TupleLiteral,
    Union,
)
from pfl.syntax.tree.ast_declarations import EnumDecl, Parameter, RecordDecl, TypeDecl
from pfl.syntax.tree.operator_levels import ambiguous_union
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Symbol
from pfl.typecheck.checker import NOTHING, Checker, Want
from pfl.typecheck.fitting import BOOL, ERROR, INT, REAL, SYMBOL, element_of, union_of
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import Scope, noun
from pfl.typecheck.systems import system_errors
from pfl.typecheck.types import ArrayType as ArrayOf
from pfl.typecheck.types import BagType as BagOf
from pfl.typecheck.types import EnumType, ErrorType, RecordType, TupleType, Type
from pfl.typecheck.types import MechanismType as MechanismOf
from pfl.typecheck.types import SetType as SetOf

_BUILTIN: dict[str, Type] = {"bool": BOOL, "int": INT, "real": REAL}


def written_type(checker: Checker, node: Expr, scope: Scope) -> Type:
    """The type that a written type denotes. Unknown names in its `{..}` become letters of the declaration."""
    type_ = _denoted(checker, node, scope)
    checker.types[id(node)] = type_
    return type_


def shown_type(checker: Checker, node: Expr, scope: Scope, keyword: str) -> Type:
    """The type after `emits` or `output`, which must not list nothing."""
    if isinstance(node, SetLiteral) and not node.elements:
        checker.found.add(system_errors.empty_alphabet(node, keyword))
        checker.types[id(node)] = ERROR
        return ERROR
    return written_type(checker, node, scope)


def _denoted(checker: Checker, node: Expr, scope: Scope) -> Type:
    match node:
        case BuiltinType(name=name):
            return _BUILTIN[name]
        case Name():
            return _named(checker, node, scope)
        case Range():
            checker.expression(node, scope)
            return INT
        case Union() if (fault := ambiguous_union(node)) is not None:
            for member in node.members:
                written_type(checker, member, scope)
            checker.found.add(fault)
            return ERROR
        case Union(members=members):
            return union_of([written_type(checker, member, scope) for member in members])
        case SetLiteral():
            return _listed(checker, node, scope)
        case TupleLiteral(elements=elements):
            return TupleType(tuple(written_type(checker, element, scope) for element in elements))
        case ArrayType(size=size, element=element):
            index = _index(checker, size, scope)
            inner = written_type(checker, element, scope)
            return ERROR if isinstance(index, ErrorType) else ArrayOf(inner, index)
        case SetType(element=element):
            return SetOf(written_type(checker, element, scope))
        case BagType(capacity=capacity, element=element):
            checker.fitting(capacity, scope, INT, "the capacity of a bag")
            return BagOf(written_type(checker, element, scope))
        case MechanismType(inputs=inputs, result=result):
            parts = tuple(written_type(checker, part, scope) for part in inputs)
            return MechanismOf(parts, None if result is None else written_type(checker, result, scope))
        case _:
            actual = checker.expression(node, scope)
            return _elements(checker, node, actual)


def _index(checker: Checker, size: Expr, scope: Scope) -> EnumType | ErrorType | None:
    """The enum whose values are the indices of an array; None for an array of so many elements.

    What stands in the brackets is resolved by what it means: the name of a type is the type of the indices.
    """
    is_type = isinstance(size, BuiltinType | Range | Union | ArrayType | SetType | BagType | MechanismType)
    if isinstance(size, Name) and scope.find(size.text) is None and size.text not in scope.owner.names.enum_values:
        is_type = isinstance(scope.owner.names.declared.get(size.text), EnumDecl | RecordDecl | TypeDecl)
    if not is_type:
        actual = checker.fitting(size, scope, INT, "the size of an array")
        return actual if isinstance(actual, ErrorType) else None
    index = written_type(checker, size, scope)
    if isinstance(index, EnumType | ErrorType):
        return index
    written = " ".join(size.span.text.split())
    checker.found.add(
        Diagnostic.at(
            codes.TYPE_MISMATCH,
            size.span,
            f"an array has a number of elements, or one for each value of an enum, not of `{written}`",
            label="a type, whose values are no indices",
            help="write `[n] of T` for n elements, whose indices are 0 to n - 1",
        )
    )
    return ERROR


def _named(checker: Checker, node: Name, scope: Scope) -> Type:
    names = scope.owner.names
    declaration = names.declared.get(node.text)
    if scope.find(node.text) is None and node.text not in names.enum_values:
        match declaration:
            case EnumDecl():
                checker.bind(node, declaration)
                return EnumType(declaration)
            case RecordDecl():
                checker.bind(node, declaration)
                return RecordType(declaration) if checker.ensure(declaration, node) else ERROR
            case TypeDecl():
                checker.bind(node, declaration)
                return checker.types[id(declaration.type)] if checker.ensure(declaration, node) else ERROR
            case None:
                if names.complete:
                    types = names.of_kind(EnumDecl, RecordDecl, TypeDecl)
                    hint = scope.owner.hints.get(node.text)
                    checker.found.add(name_errors.unknown_type(node, [*types, *_BUILTIN], hint))
                return ERROR
            case _:
                pass
    if declaration is not None and scope.find(node.text) is None and noun(declaration) != "a constant":
        checker.found.add(name_errors.unknown_of_kind("type", node, (), declaration))
        return ERROR
    return _elements(checker, node, checker.expression(node, scope))


def _elements(checker: Checker, node: Expr, actual: Type) -> Type:
    """The type whose values are the elements of a set-valued expression."""
    if isinstance(actual, SetOf):
        return actual.element
    if not isinstance(actual, ErrorType):
        checker.found.add(type_errors.not_a_type(node, actual))
    return ERROR


def _listed(checker: Checker, node: SetLiteral, scope: Scope) -> Type:
    types: list[Type] = []
    seen: dict[object, Expr] = {}
    for element in node.elements:
        key = element.text if isinstance(element, Name) else element.value if isinstance(element, Number) else None
        if key is not None and key in seen:
            checker.found.add(name_errors.listed_twice(element, seen[key].span, "this type"))
        elif key is not None:
            seen[key] = element
        if isinstance(element, Name) and _is_free(element, scope):
            symbol = Symbol(name=element.text)
            scope.owner.letters.setdefault(element.text, symbol)
            checker.bind(element, symbol)
            checker.types[id(element)] = SYMBOL
            types.append(SYMBOL)
        else:
            types.append(checker.expression(element, scope))
            if isinstance(element, Range):
                checker.found.add(type_errors.range_in_braces(element))
    return union_of(types)


def _is_free(name: Name, scope: Scope) -> bool:
    """Whether a name listed by a type means nothing else, and so introduces a symbol."""
    return scope.find(name.text) is None and not scope.owner.names.is_value(name.text)


def declare_parameters(checker: Checker, parameters: tuple[Parameter, ...], scope: Scope) -> None:
    """Makes parameters known, in order: a type may mention earlier parameters."""
    first: dict[str, Parameter] = {}
    hint = "a type mentions only parameters that stand before it"
    scope.owner.hints.update((parameter.name.text, hint) for parameter in parameters)
    for parameter in parameters:
        type_ = written_type(checker, parameter.type, scope)
        if parameter.name.text in first:
            earlier = first[parameter.name.text].name.span
            where = f"the parameters of `{scope.owner.name}`"
            checker.found.add(name_errors.listed_twice(parameter.name, earlier, where))
            continue
        first[parameter.name.text] = parameter
        checker.declare(scope, "parameter", parameter.name, type_, parameter.type)


# --- domains: where a value stands ------------------------------------------


def check_type_as_value(checker: Checker, node: Expr, scope: Scope, _want: Want) -> Type:
    """The type of a written type where a value stands: the set of its elements."""
    return SetOf(_denoted(checker, node, scope))


def check_range(checker: Checker, node: Range, scope: Scope, _want: Want) -> Type:
    """The type of `lo..hi`."""
    for end in (node.low, node.high):
        checker.fitting(end, scope, INT, "an end of a range")
    return SetOf(INT)


def check_union(checker: Checker, node: Union, scope: Scope, _want: Want) -> Type:
    """The type of `A | B` where a value stands: the set of the elements of both."""
    if (fault := ambiguous_union(node)) is not None:
        checker.found.add(fault)
        return ERROR
    return SetOf(union_of([domain(checker, member, scope, endless=True) for member in node.members]))


def domain(checker: Checker, node: Expr, scope: Scope, *, endless: bool = False) -> Type:
    """The type of the elements that a domain has: of a range, a finite type, a set, a bag, an array.

    `endless` allows `int` and `real`, for membership.
    """
    if isinstance(node, TupleLiteral):
        elements = tuple(domain(checker, element, scope, endless=endless) for element in node.elements)
        checker.types[id(node)] = SetOf(TupleType(elements))
        return TupleType(elements)
    actual = checker.expression(node, scope, NOTHING)
    is_endless = isinstance(node, BuiltinType) and node.name != "bool"
    if is_endless and not endless:
        checker.found.add(type_errors.endless_domain(node))
        return ERROR
    element = element_of(actual)
    if element is None:
        checker.found.add(type_errors.not_a_domain(node, actual))
        return ERROR
    return element
