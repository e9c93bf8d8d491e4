"""What is taken out of a value, and copies with a part changed."""

from __future__ import annotations

from pfl.frontend.ast import (
    At,
    BuiltinType,
    Expr,
    FieldAccess,
    FieldUpdate,
    Index,
    IndexUpdate,
    Name,
    Number,
    Projection,
    With,
)
from pfl.frontend.ast_globals import Parameter, RecordDecl
from pfl.frontend.bindings import Local
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.builtins import BUILTIN_FUNCTIONS
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.resolve.spelling import FOREIGN_NAMES
from pfl.frontend.typecheck import errors
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.fitting import ERROR, INT, a
from pfl.frontend.types import ArrayType, ErrorType, NeverType, RecordType, TupleType, Type


def check_index(checker: Checker, node: Index, scope: Scope, _want: Want) -> Type:
    """The type of `a[i]`."""
    array = checker.expression(node.array, scope)
    if isinstance(node.array, BuiltinType):
        checker.expression(node.index, scope)
        checker.found.add(errors.index_of_type(node, array))
        return ERROR
    check_position(checker, node.index, scope, array)
    match array:
        case ArrayType(element=element):
            return element
        case ErrorType() | NeverType():
            return ERROR
        case _:
            moment = f"a moment is written `{node.array.span.text}@{node.index.span.text}`" if scope.moments else None
            checker.found.add(errors.no_such_part(node.array, "elements with an index", array, moment))
            return ERROR


def check_position(checker: Checker, index: Expr, scope: Scope, whole: Type) -> None:
    """Checks an index of an array: an int, or a value of an enum; of what is no array it may be anything."""
    if isinstance(whole, ArrayType):
        checker.fitting(index, scope, INT if whole.index is None else whole.index, "an index")
    else:
        checker.expression(index, scope)


def check_field(checker: Checker, node: FieldAccess, scope: Scope, _want: Want) -> Type:
    """The type of `r.f`, and of `left.x` in a relation."""
    if isinstance(node.record, Name) and (side := _side(scope, node.record)) is not None:
        return _state_of_side(checker, node, side, scope)
    record = checker.expression(node.record, scope)
    match record:
        case RecordType(declaration=declaration):
            field = field_of(declaration, node.field.text)
            if field is None:
                names = [field.name.text for field in declaration.fields]
                checker.found.add(name_errors.unknown_field(node.field, a(record), names))
                return ERROR
            return checker.types[id(field.type)] if checker.ensure(declaration, node) else ERROR
        case ErrorType() | NeverType():
            return ERROR
        case _:
            checker.found.add(
                errors.no_such_part(node.record, f"field `{node.field.text}`", record, _as_call(node.field.text))
            )
            return ERROR


def _as_call(name: str) -> str | None:
    return f"write `{name}(x)`" if name in BUILTIN_FUNCTIONS else FOREIGN_NAMES.get(name)


def field_of(record: RecordDecl, name: str) -> Parameter | None:
    """The field of a record that has a name."""
    return next((field for field in record.fields if field.name.text == name), None)


def _side(scope: Scope, name: Name) -> Local | None:
    local = scope.find(name.text)
    return local if local is not None and local.kind == "side" else None


def _state_of_side(checker: Checker, node: FieldAccess, side: Local, scope: Scope) -> Type:
    checker.bind(node.record, side)
    checker.types[id(node.record)] = side.type
    if isinstance(side.type, ErrorType):
        return ERROR
    state = scope.owner.state.get(node.field.text)
    if state is None:
        checker.found.add(name_errors.unknown_field(node.field, "the state", scope.owner.state))
        return ERROR
    checker.bind(node.field, state)
    return state.type


def check_projection(checker: Checker, node: Projection, scope: Scope, _want: Want) -> Type:
    """The type of `t.0`."""
    whole = checker.expression(node.tuple, scope)
    match whole:
        case TupleType(elements=elements) if node.position < len(elements):
            return elements[node.position]
        case ErrorType() | NeverType():
            return ERROR
        case _:
            checker.found.add(errors.no_such_part(node.tuple, f"component {node.position}", whole))
            return ERROR


def check_at(checker: Checker, node: At, scope: Scope, _want: Want) -> Type:
    """The type of `x@3`: that of `x`, which must be the state of an hmm."""
    checker.fitting(node.moment, scope, INT, "a moment")
    if scope.at_moment:
        checker.found.add(errors.misplaced_moment(node, "a moment is given twice"))
        return ERROR
    if not scope.moments:
        advice = "in a program, keep what is needed of the past in a variable of its own"
        checker.found.add(
            errors.misplaced_moment(node, "`@` stands only in the secrets of a claim about an hmm", advice)
        )
        return ERROR
    if isinstance(node.moment, Number) and node.moment.value < 0:
        checker.found.add(errors.misplaced_moment(node.moment, "a moment is counted from 0"))
    return checker.expression(node.operand, scope.inner(at_moment=True))


def check_with(checker: Checker, node: With, scope: Scope, _want: Want) -> Type:
    """The type of `v with { f = e }` and `a with { [i] = e }`: that of `v`."""
    whole = checker.expression(node.operand, scope)
    for update in node.updates:
        wanted = _updated_part(checker, update, whole, scope, node.operand)
        what = "the new value of the element" if isinstance(update, IndexUpdate) else f"field `{update.field.text}`"
        checker.fitting(update.value, scope, wanted, what)
    return whole


def _updated_part(
    checker: Checker, update: FieldUpdate | IndexUpdate, whole: Type, scope: Scope, operand: Expr
) -> Type:
    match update, whole:
        case _, ErrorType():
            if isinstance(update, IndexUpdate):
                checker.expression(update.index, scope)
            return ERROR
        case IndexUpdate(index=index), ArrayType(element=element):
            check_position(checker, index, scope, whole)
            return element
        case FieldUpdate(field=field), RecordType(declaration=declaration):
            found = field_of(declaration, field.text)
            if found is None:
                names = [field.name.text for field in declaration.fields]
                checker.found.add(name_errors.unknown_field(field, a(whole), names))
                return ERROR
            return checker.types[id(found.type)]
        case IndexUpdate(index=index), _:
            checker.expression(index, scope)
            checker.found.add(errors.no_such_part(operand, "elements with an index", whole))
            return ERROR
        case _:
            checker.found.add(errors.no_such_part(operand, f"field `{update.field.text}`", whole))
            return ERROR
