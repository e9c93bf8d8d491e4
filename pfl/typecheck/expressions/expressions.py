"""The rule of every kind of expression.

Names where a value stands.
"""

from __future__ import annotations

from collections.abc import Iterable

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.syntax.spelling import FOREIGN_NAMES
from pfl.syntax.tree import ast
from pfl.syntax.tree.ast import Name
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    MechanismDecl,
    Param,
    RecordDecl,
    TypeDecl,
)
from pfl.syntax.tree.vocabulary import BUILTIN_FUNCTIONS, BUILTIN_VALUES
from pfl.typecheck.bindings import Builtin, Global, Symbol
from pfl.typecheck.checker import Checker, Rule, Want
from pfl.typecheck.expressions.calls import check_call
from pfl.typecheck.expressions.collections import (
    check_array,
    check_bag,
    check_comprehension,
    check_distribution,
    check_distribution_comprehension,
    check_keyed_array,
    check_keyed_comprehension,
    check_set,
    check_set_filter,
    check_tuple,
)
from pfl.typecheck.expressions.matching import check_conditional, check_match, check_quantified
from pfl.typecheck.expressions.operators import check_binary, check_logical, check_operation, check_unary
from pfl.typecheck.expressions.places import check_at, check_field, check_index, check_projection, check_with
from pfl.typecheck.fitting import BOOL, ERROR, INT, NEVER, REAL, SYMBOL, a
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import Scope, SymbolUse, noun
from pfl.typecheck.type_errors import misplaced_moment, unknown_type_of_empty
from pfl.typecheck.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    ErrorType,
    IntType,
    MechanismType,
    RealType,
    RecordType,
    SetType,
    TupleType,
    Type,
    UnionType,
)
from pfl.typecheck.written_types import check_range, check_type_as_value, check_union


def check_name(checker: Checker, node: Name, scope: Scope, want: Want) -> Type:
    """The type of a name where a value stands: a local, a letter, an enum value, a global, a symbol, in this order."""
    text, names = node.text, scope.owner.names
    if want.states is not None and text in want.states:
        checker.bind(node, want.states[text])
        return SYMBOL
    if (local := scope.find(text)) is not None:
        checker.bind(node, local)
        return local.type
    if (letter := scope.owner.letters.get(text)) is not None and want.states is None:
        checker.bind(node, letter)
        return SYMBOL
    if values := names.enum_values.get(text):
        checker.bind(node, values[0])
        if len(values) > 1:
            checker.found.add(name_errors.ambiguous_enum_value(node, values))
            return ERROR
        return EnumType(values[0].declaration)
    if (declaration := names.declared.get(text)) is not None:
        return _global(checker, node, declaration)
    if text in names.symbols and want.states is None:
        checker.bind(node, Symbol(name=text))
        return SYMBOL
    if text == "empty":
        checker.bind(node, Builtin(name=text))
        return _empty(checker, node, scope, want)
    if text == "silent" and want.silent:
        checker.bind(node, Builtin(name=text))
        return NEVER
    return _undeclared(checker, node, scope, want)


def _global(checker: Checker, node: Name, declaration: Global) -> Type:
    checker.bind(node, declaration)
    match declaration:
        case Const():
            return (checker.results[id(declaration)] or ERROR) if checker.ensure(declaration, node) else ERROR
        case Param():
            return REAL if checker.ensure(declaration, node) else ERROR
        case EnumDecl():
            return SetType(EnumType(declaration))
        case RecordDecl():
            return SetType(RecordType(declaration))
        case TypeDecl():
            return SetType(checker.types[id(declaration.type)]) if checker.ensure(declaration, node) else ERROR
        case MechanismDecl():
            return mechanism_type(checker, declaration) if checker.ensure(declaration, node) else ERROR
        case FnDecl() | DistDecl() | AdjacencyDecl():
            checker.found.add(name_errors.not_a_value(node, noun(declaration), f"call it: `{node.text}(..)`"))
            return ERROR
        case _:
            checker.found.add(name_errors.not_a_value(node, noun(declaration), None))
            return ERROR


def mechanism_type(checker: Checker, declaration: MechanismDecl) -> Type:
    """The type of a mechanism that was checked, as a value."""
    inputs = tuple(checker.types[id(parameter.type)] for parameter in declaration.parameters)
    return MechanismType(inputs, checker.results[id(declaration)])


_SHOWN_EMPTY: dict[str, str] = {
    "automaton": "declare what is responded: `output set of T;`",
    "hmm": "declare what is shown: `emits set of T;`",
    "mechanism": "declare what is emitted: `mechanism m() emits set of T { .. }`",
}
"""How to say what `empty` is empty of where it is shown, by what shows it."""


def _empty(checker: Checker, node: Name, scope: Scope, want: Want) -> Type:
    wanted = want.type
    if isinstance(wanted, UnionType):
        possible = [member for member in wanted.members if _can_be_empty(member)]
        wanted = possible[0] if len(possible) == 1 else None if possible else wanted
    if wanted is None:
        advice = _SHOWN_EMPTY.get(scope.owner.kind) if want.symbols == "allowed" else None
        checker.found.add(unknown_type_of_empty(node, advice) if advice else unknown_type_of_empty(node))
        return ERROR
    if not _can_be_empty(wanted):
        checker.found.add(
            Diagnostic.at(
                codes.TYPE_MISMATCH,
                node.span,
                f"`empty` is never {a(wanted)}",
                help="only sets, bags, and arrays of them, have an empty value",
            )
        )
        return ERROR
    return wanted


def _can_be_empty(type_: Type) -> bool:
    match type_:
        case SetType() | BagType() | ErrorType():
            return True
        case ArrayType(element=element):
            return _can_be_empty(element)
        case TupleType(elements=elements):
            return all(map(_can_be_empty, elements))
        case _:
            return False


def _undeclared(checker: Checker, node: Name, scope: Scope, want: Want) -> Type:
    text, owner = node.text, scope.owner
    if text == "_":
        checker.found.add(name_errors.not_a_value(node, "a wildcard", "`_` stands in patterns and among observations"))
        return ERROR
    if text in BUILTIN_FUNCTIONS:
        checker.found.add(name_errors.not_a_value(node, "a built-in function", f"call it: `{text}(..)`"))
        return ERROR
    if isinstance(want.type, ErrorType):
        return ERROR  # what is wanted has a fault, which is reported
    if not owner.names.complete or not owner.complete or (owner.kind == "claim" and text in owner.unknown):
        return ERROR
    owner.unknown.add(text)
    if scope.at_moment and scope.find(text, with_world=True) is not None:
        message = f"`{text}` is drawn by the prior, and is the same at every moment"
        checker.found.add(misplaced_moment(node, message, f"write `{text}` without `@`"))
        return ERROR
    if want.symbols == "allowed" and want.states is None:
        checker.bind(node, Symbol(name=text))
        owner.uses.append(SymbolUse(name=node, group=want.group))
        return SYMBOL
    if want.states is not None:
        checker.found.add(name_errors.unknown_state(node, owner.name, want.states))
    elif (
        want.symbols == "declared"
        and owner.kind not in ("claim", "relation")
        and not isinstance(want.type, BoolType | IntType | RealType)
    ):
        checker.found.add(name_errors.undeclared_letter(node, owner.name, value_names(scope, want)))
    elif text in FOREIGN_NAMES and owner.advice is None:
        checker.found.add(name_errors.not_offered(node, FOREIGN_NAMES[text]))
    elif text == "inf":
        checker.found.add(name_errors.infinity(node))
    else:
        checker.found.add(name_errors.unknown_name(node, value_names(scope, want), _advice(checker, scope, text)))
    return ERROR


def value_names(scope: Scope, want: Want) -> Iterable[str]:
    """The names that could stand where a value does."""
    names = scope.owner.names
    kinds = (Const, Param, MechanismDecl) if isinstance(want.type, MechanismType) else (Const, Param)
    yield from (local.name.text for local in scope.locals())
    yield from want.states or ()
    yield from scope.owner.letters
    yield from names.enum_values
    yield from names.symbols
    yield from names.of_kind(*kinds)
    yield from BUILTIN_VALUES
    yield from ("true", "false")


def _advice(checker: Checker, scope: Scope, text: str) -> str | None:
    """Why a name that exists elsewhere as a symbol is unknown here."""
    if text in scope.owner.hints:
        return scope.owner.hints[text]
    if text in scope.owner.declared:
        return f"it is declared in another block: declare it before both, `var {text}: T;`"
    called = [callee for identity, callee in scope.owner.callees.items() if text in checker.symbols.get(identity, ())]
    if called or any(use.name.text == text for use in scope.owner.uses):
        whose = f"of `{called[0].name.text}`" if called else "where it is a key"
        return f"it is a symbol only {whose}: list it in a type, `x: {{ {text}, .. }}`, or in an enum"
    return scope.owner.advice


def _number(_checker: Checker, node: ast.Number, _scope: Scope, _want: Want) -> Type:
    return INT if node.value.denominator == 1 else REAL


def _boolean(_checker: Checker, _node: ast.Boolean, _scope: Scope, _want: Want) -> Type:
    return BOOL


EXPRESSION_RULES: dict[type, Rule] = {
    ast.Name: check_name,
    ast.Number: _number,
    ast.Boolean: _boolean,
    ast.BuiltinType: check_type_as_value,
    ast.Operation: check_operation,
    ast.Logical: check_logical,
    ast.Unary: check_unary,
    ast.Binary: check_binary,
    ast.Range: check_range,
    ast.Union: check_union,
    ast.Call: check_call,
    ast.Index: check_index,
    ast.FieldAccess: check_field,
    ast.Projection: check_projection,
    ast.At: check_at,
    ast.Conditional: check_conditional,
    ast.Quantified: check_quantified,
    ast.Match: check_match,
    ast.TupleLiteral: check_tuple,
    ast.ArrayLiteral: check_array,
    ast.SetLiteral: check_set,
    ast.BagLiteral: check_bag,
    ast.Comprehension: check_comprehension,
    ast.SetFilter: check_set_filter,
    ast.DistributionLiteral: check_distribution,
    ast.DistributionComprehension: check_distribution_comprehension,
    ast.KeyedArray: check_keyed_array,
    ast.KeyedComprehension: check_keyed_comprehension,
    ast.With: check_with,
    ast.ArrayType: check_type_as_value,
    ast.SetType: check_type_as_value,
    ast.BagType: check_type_as_value,
    ast.MechanismType: check_type_as_value,
}
"""One entry for each member of the union `Expr`."""
