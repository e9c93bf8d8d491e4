"""Values go to variables and places, assigned or drawn, each checked against its written type."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from pfl.base.source import Span
from pfl.frontend.ast import Expr, Identifier, Name
from pfl.frontend.ast_statements import Assign, Let, Start, Var
from pfl.frontend.bindings import Builtin, Local
from pfl.frontend.compile.code import root_of
from pfl.frontend.compile.fragment import name
from pfl.frontend.lower.frame import Frame
from pfl.ir.domain import ArrayDomain, BoolDomain, Domain, EnumDomain, IntDomain, RangeDomain, RealDomain, RecordDomain
from pfl.ir.program import UNSET
from pfl.ir.values import RecordValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value goes: a variable, a part of one (`part` is then how it is written), or all state variables at once
    (`locals` has several, or one, and `is_whole` is set). `type` is its written type, where it has one. What a prior
    starts is never read, so its parts may be set one by one (`is_start`)."""

    locals: tuple[Local, ...]
    part: Expr | None
    type: Expr | None
    span: Span
    is_whole: bool = False
    is_start: bool = False

    @property
    def is_variable(self) -> bool:
        return self.part is None and not self.is_whole

    @property
    def what(self) -> str:
        return f"`{' '.join(self.span.text.split())}`"


def place_of(frame: Frame, statement: Let | Var | Assign | Start) -> Place:
    """Where the value of a statement goes."""
    if isinstance(statement, Let | Var):
        return _variable(frame, frame.program.local(statement.name), statement.name)
    root = root_of(statement.place)
    target = frame.program.target(root)
    if isinstance(target, Builtin):  # `start ~ d` in a prior
        return Place(locals=frame.whole, part=None, type=None, span=root.span, is_whole=True)
    local = frame.local(root)
    if isinstance(statement.place, Name):
        return _variable(frame, local, statement.place)
    declared = frame.types.get(local)
    element = None if declared is None else frame.compiler.type_at(statement.place, declared)
    return Place(
        locals=(local,),
        part=statement.place,
        type=element,
        span=statement.place.span,
        is_start=isinstance(statement, Start),
    )


def _variable(frame: Frame, local: Local, written: Identifier | Name) -> Place:
    return Place(locals=(local,), part=None, type=frame.types.get(local), span=written.span)


def assignment(frame: Frame, place: Place, value: Expr) -> list[ast.stmt]:
    """Code that gives a place the value of an expression."""
    identifier = slot_for_draw(frame, place)
    code = evaluated(frame, identifier, value, place.type, place.what, place.span)
    return code if place.is_variable else [*code, *stored(frame, place, identifier)]


def evaluated(frame: Frame, identifier: str, value: Expr, type_: Expr | None, what: str, span: Span) -> list[ast.stmt]:
    """Code that puts the value of an expression into a slot, checked against a written type."""
    code = frame.code(value)
    if type_ is None:
        return [assigned(identifier, code.value(value))]
    if isinstance(frame.known(type_, frame.compiler.domain), _SIMPLE):
        return [assigned(identifier, code.value(value)), *checked_slot(frame, identifier, type_, what, span)]
    return [assigned(identifier, code.fragment(value, type_, what).tree)]


def slot_for_draw(frame: Frame, place: Place) -> str:
    """The slot that a value for a place is drawn into: its own, or a hidden one."""
    if place.is_variable:
        return frame.names[place.locals[0]]
    return frame.builder.slot(place.span.text, hidden=True)


def after_draw(frame: Frame, place: Place, identifier: str) -> list[ast.stmt]:
    """Code that follows a draw into `slot_for_draw`."""
    checked = check(frame, identifier, place)
    if place.is_variable:
        return checked
    return [*checked, *stored(frame, place, identifier)]


def stored(frame: Frame, place: Place, identifier: str) -> list[ast.stmt]:
    """Code that moves a slot's value to a part of a variable, or to all state variables."""
    if place.part is not None:
        local = place.locals[0]
        tree = frame.code(place.part).update(place.part, name(identifier))
        blank = _blank(frame, local) if place.is_start else []
        return [*blank, assigned(frame.names[local], tree)]
    slots = [frame.names[local] for local in place.locals]
    if len(slots) == 1:
        return [assigned(slots[0], name(identifier))]
    elements = ast.Attribute(name(identifier), "elements", ast.Load())
    return [
        assigned(slot, ast.Subscript(elements, ast.Constant(position), ast.Load()))
        for position, slot in enumerate(slots)
    ]


def _blank(frame: Frame, local: Local) -> list[ast.stmt]:
    """Code that makes an array without a value into one whose elements have none, so that each can be set alone."""
    type_ = frame.types.get(local)
    domain = None if type_ is None else frame.known(type_, frame.compiler.domain)
    if domain is None or _without_values(domain) is UNSET:
        return []
    slot, unset_ = frame.names[local], frame.builder.bind(UNSET)
    blank = name(frame.builder.bind(_without_values(domain)))
    has_none = ast.Compare(name(slot), [ast.Is()], [name(unset_)])
    return [ast.If(has_none, [assigned(slot, blank)], [])]


def _without_values(domain: Domain) -> Any:
    match domain:
        case ArrayDomain(length=length, element=element):
            return (_without_values(element),) * length
        case RecordDomain(shape=shape, fields=fields) if shape.is_array:
            return RecordValue(shape, tuple(map(_without_values, fields)))
        case _:
            return UNSET


def check(frame: Frame, identifier: str, place: Place) -> list[ast.stmt]:
    """Code that fails unless the slot's value lies in the type of its place."""
    if place.type is None:
        return []
    return checked_slot(frame, identifier, place.type, place.what, place.span)


def checked_slot(frame: Frame, identifier: str, type_: Expr, what: str, span: Span) -> list[ast.stmt]:
    """Code that fails unless a slot's value lies in a written type; none where the static type says that it does."""
    domain = frame.known(type_, frame.compiler.domain)
    if isinstance(domain, _SIMPLE) and not isinstance(domain, RangeDomain):
        return []
    fault = ast.Expr(frame.code(type_).member(name(identifier), type_, what, span))
    if not isinstance(domain, RangeDomain):
        return [fault]
    low, high = ast.Constant(domain.low), ast.Constant(domain.high)
    inside = ast.Compare(low, [ast.LtE(), ast.LtE()], [name(identifier), high])
    return [ast.If(ast.UnaryOp(ast.Not(), inside), [fault], [])]


_SIMPLE = (BoolDomain, EnumDomain, IntDomain, RealDomain, RangeDomain)
"""Domains that hold whatever their static type holds, but for ranges, which are checked by comparing."""


def unset(frame: Frame, local: Local) -> ast.stmt:
    """Code that takes a variable's value away."""
    return assigned(frame.names[local], name(frame.builder.bind(UNSET)))


def assigned(identifier: str, tree: ast.expr) -> ast.stmt:
    """`identifier = tree`."""
    return ast.Assign([ast.Name(identifier, ast.Store())], tree)
