"""What stands on the left of `=` and `~`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pfl.frontend.ast import Expr, FieldAccess, Identifier, Index, Name
from pfl.frontend.bindings import Local
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.errors import LOCAL_NOUNS
from pfl.frontend.resolve.names import noun
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import errors
from pfl.frontend.typecheck.bodies import Body
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.fitting import ERROR, a
from pfl.frontend.typecheck.parts import check_position, field_of
from pfl.frontend.types import ArrayType, ErrorType, RecordType, Type

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
            checker.found.add(errors.not_assignable(place, "this is not a variable or a part of one", None))
            type_ = ERROR
    checker.types[id(place)] = type_
    return type_


def _element(checker: Checker, array: Expr, whole: Type) -> Type:
    if isinstance(whole, ArrayType):
        return whole.element
    if not isinstance(whole, ErrorType):
        checker.found.add(errors.no_such_part(array, "elements with an index", whole))
    return ERROR


def _field(checker: Checker, place: FieldAccess, whole: Type) -> Type:
    if isinstance(whole, RecordType):
        field = field_of(whole.declaration, place.field.text)
        if field is not None:
            return checker.types[id(field.type)]
        names = [field.name.text for field in whole.declaration.fields]
        checker.found.add(name_errors.unknown_field(place.field, a(whole), names))
    elif not isinstance(whole, ErrorType):
        checker.found.add(errors.no_such_part(place.record, f"field `{place.field.text}`", whole))
    return ERROR


def _variable(checker: Checker, name: Name, scope: Scope, body: Body, given: str | None) -> Type:
    """`given` is how the whole variable gets its value; None where a part of it does."""
    names = scope.owner.names
    local = scope.find(name.text)
    if local is not None:
        checker.bind(name, local)
        if local.kind in _ASSIGNABLE:
            return local.type
        checker.found.add(errors.not_assignable(name, f"`{name.text}` is {LOCAL_NOUNS[local.kind]}", _advice(local)))
    elif (declaration := names.declared.get(name.text)) is not None:
        checker.found.add(errors.not_assignable(name, f"`{name.text}` is {noun(declaration)}", None))
    elif name.text in names.enum_values:
        checker.found.add(errors.not_assignable(name, f"`{name.text}` is an enum value", None))
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
