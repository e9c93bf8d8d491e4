"""Names where a value stands."""

from __future__ import annotations

from collections.abc import Iterable

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.frontend.ast import Name
from pfl.frontend.ast_globals import Const, DistDecl, EnumDecl, FnDecl, Param, RecordDecl, TypeDecl
from pfl.frontend.ast_systems import AdjacencyDecl, MechanismDecl
from pfl.frontend.bindings import Builtin, Global, Symbol
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.builtins import BUILTIN_FUNCTIONS, BUILTIN_VALUES
from pfl.frontend.resolve.names import noun
from pfl.frontend.resolve.scope import Scope, SymbolUse
from pfl.frontend.resolve.spelling import FOREIGN_NAMES
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.errors import misplaced_moment, unknown_type_of_empty
from pfl.frontend.typecheck.fitting import ERROR, NEVER, REAL, SYMBOL, a
from pfl.frontend.types import (
    ArrayType,
    BagType,
    EnumType,
    ErrorType,
    MechanismType,
    RecordType,
    SetType,
    TupleType,
    Type,
    UnionType,
)


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
            Diagnostic(
                code=codes.TYPE_MISMATCH,
                message=f"`empty` is never {a(wanted)}",
                labels=(Label(node.span),),
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
    elif want.symbols == "declared" and owner.kind not in ("claim", "relation"):
        checker.found.add(name_errors.undeclared_letter(node, owner.name, value_names(scope, want)))
    elif text in FOREIGN_NAMES and owner.advice is None:
        checker.found.add(name_errors.not_offered(node, FOREIGN_NAMES[text]))
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
