"""What stands on the left of `=` and `~`.

What is taken out of a value, and copies with a part changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pfl.syntax.spelling import FOREIGN_NAMES
from pfl.syntax.tree.ast import (
    At,
    BuiltinType,
    Expr,
    FieldAccess,
    FieldUpdate,
    Identifier,
    Index,
    IndexUpdate,
    Name,
    Number,
    Projection,
    With,
)
from pfl.syntax.tree.ast_declarations import Parameter, RecordDecl
from pfl.syntax.tree.vocabulary import BUILTIN_FUNCTIONS
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Local
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.facts import Body
from pfl.typecheck.fitting import ERROR, INT, a
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.name_errors import LOCAL_NOUNS
from pfl.typecheck.names.scope import Scope, noun
from pfl.typecheck.types import ArrayType, ErrorType, NeverType, RecordType, TupleType, Type


def check_index(checker: Checker, node: Index, scope: Scope, _want: Want) -> Type:
    """The type of `a[i]`."""
    array = checker.expression(node.array, scope)
    if isinstance(node.array, BuiltinType):
        checker.expression(node.index, scope)
        checker.found.add(type_errors.index_of_type(node, array))
        return ERROR
    check_position(checker, node.index, scope, array)
    match array:
        case ArrayType(element=element):
            return element
        case ErrorType() | NeverType():
            return ERROR
        case _:
            moment = f"a moment is written `{node.array.span.text}@{node.index.span.text}`" if scope.moments else None
            checker.found.add(type_errors.no_such_part(node.array, "elements with an index", array, moment))
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
                type_errors.no_such_part(node.record, f"field `{node.field.text}`", record, _as_call(node.field.text))
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
            checker.found.add(type_errors.no_such_part(node.tuple, f"component {node.position}", whole))
            return ERROR


def check_at(checker: Checker, node: At, scope: Scope, _want: Want) -> Type:
    """The type of `x@3`: that of `x`, which must be the state of an hmm."""
    checker.fitting(node.moment, scope, INT, "a moment")
    if scope.at_moment:
        checker.found.add(type_errors.misplaced_moment(node, "a moment is given twice"))
        return ERROR
    if not scope.moments:
        advice = "in a program, keep what is needed of the past in a variable of its own"
        checker.found.add(
            type_errors.misplaced_moment(node, "`@` stands only in the secrets of a claim about an hmm", advice)
        )
        return ERROR
    if isinstance(node.moment, Number) and node.moment.value < 0:
        checker.found.add(type_errors.misplaced_moment(node.moment, "a moment is counted from 0"))
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
            checker.found.add(type_errors.no_such_part(operand, "elements with an index", whole))
            return ERROR
        case _:
            checker.found.add(type_errors.no_such_part(operand, f"field `{update.field.text}`", whole))
            return ERROR


_ASSIGNABLE = frozenset({"var", "world", "state"})


def root_of(place: Expr) -> Expr:
    """The variable in which a place lies: `a` of `a[i].f`."""
    while isinstance(place, Index | FieldAccess):
        place = place.array if isinstance(place, Index) else place.record
    return place


def check_place(checker: Checker, place: Expr, scope: Scope, body: Body, *, drawn: bool) -> Type:
    """The type of the values that a place takes; ERROR, and a report, where it is none. `drawn` is whether by `~`."""
    given = f"{place.span.text} {'~' if drawn else '='} ..;" if isinstance(place, Name) else None
    return _place(checker, place, scope, lambda name: _variable(checker, name, scope, body, given))


def check_start_place(checker: Checker, place: Expr, scope: Scope, body: Body) -> Type:
    """The type of what `start` sets in a prior: a state variable, or an input of a mechanism, or a part of one."""

    def variable(name: Name) -> Type:
        if body.places is None:
            return ERROR
        local = body.places.get(name.text)
        if local is None:
            checker.found.add(name_errors.undeclared_place(name, body.places, _the_places(body.places)))
            return ERROR
        checker.bind(name, local)
        body.started.add(name.text)
        return local.type

    return _place(checker, place, scope, variable)


def _the_places(places: Iterable[str]) -> str | None:
    listed = ", ".join(f"`{name}`" for name in places)
    return f"what `start` sets are {listed}" if listed else None


def _place(checker: Checker, place: Expr, scope: Scope, variable: Callable[[Name], Type]) -> Type:
    match place:
        case Name():
            type_ = variable(place)
        case Index(array=array, index=index):
            whole = _place(checker, array, scope, variable)
            check_position(checker, index, scope, whole)
            type_ = _element(checker, array, whole)
        case FieldAccess(record=record):
            type_ = _field(checker, place, _place(checker, record, scope, variable))
        case _:
            checker.found.add(type_errors.not_assignable(place, "this is not a variable or a part of one", None))
            type_ = ERROR
    checker.types[id(place)] = type_
    return type_


def _element(checker: Checker, array: Expr, whole: Type) -> Type:
    if isinstance(whole, ArrayType):
        return whole.element
    if not isinstance(whole, ErrorType):
        checker.found.add(type_errors.no_such_part(array, "elements with an index", whole))
    return ERROR


def _field(checker: Checker, place: FieldAccess, whole: Type) -> Type:
    if isinstance(whole, RecordType):
        field = field_of(whole.declaration, place.field.text)
        if field is not None:
            return checker.types[id(field.type)]
        names = [field.name.text for field in whole.declaration.fields]
        checker.found.add(name_errors.unknown_field(place.field, a(whole), names))
    elif not isinstance(whole, ErrorType):
        checker.found.add(type_errors.no_such_part(place.record, f"field `{place.field.text}`", whole))
    return ERROR


def _variable(checker: Checker, name: Name, scope: Scope, body: Body, given: str | None) -> Type:
    """`given` is how the whole variable gets its value; None where a part of it does."""
    names = scope.owner.names
    local = scope.find(name.text)
    if local is not None:
        checker.bind(name, local)
        if local.kind in _ASSIGNABLE:
            return local.type
        checker.found.add(
            type_errors.not_assignable(name, f"`{name.text}` is {LOCAL_NOUNS[local.kind]}", _advice(local))
        )
    elif (declaration := names.declared.get(name.text)) is not None:
        checker.found.add(type_errors.not_assignable(name, f"`{name.text}` is {noun(declaration)}", None))
    elif name.text in names.enum_values:
        checker.found.add(type_errors.not_assignable(name, f"`{name.text}` is an enum value", None))
    elif names.complete:
        candidates = (local.name.text for local in scope.locals() if local.kind in _ASSIGNABLE)
        checker.found.add(
            name_errors.undeclared_place(name, candidates, _how_to_declare(name.text, scope, body, given))
        )
        # Declared all the same, so that it is not unknown again wherever it is used.
        scope.put(Local(kind="var", name=Identifier(text=name.text, span=name.span), type=ERROR))
    return ERROR


def _how_to_declare(name: str, scope: Scope, body: Body, given: str | None) -> str:
    if body.kind == "prior" and body.places and name in body.places:
        body.started.add(name)  # so it was meant
        return f"`start {name} = ..;` says where the system starts"
    if body.kind == "prior":
        return f"a prior declares `{name}` by drawing it: `{name} ~ ..;`"
    if name in scope.owner.declared:
        return f"it is declared in another block: declare it before both, `var {name}: T;`"
    if given is None:
        return f"declare it first: `var {name}: T;`"
    if body.kind == "mechanism":
        return f"declare it: `let {given}`, or `var {given}` if it changes later"
    return f"declare it: `state {name}: T;` if it is part of the state, else `let {given}` in the block"


def _advice(local: Local) -> str | None:
    match local.kind:
        case "let":
            return f"declare it with `var {local.name.text}` if it is to change"
        case "parameter" | "input" | "received" | "loop":
            return "copy it into a `var`"
        case _:
            return None
