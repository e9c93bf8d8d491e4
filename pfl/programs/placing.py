"""Values go to variables and places, assigned or drawn, each checked against its written type.

Statements that neither draw, nor show, nor wait, nor loop without a bound, as plain Python code.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.code import root_of
from pfl.evaluation.fragment import call, name
from pfl.model.code_places import CodePlaces
from pfl.model.domain import (
    ArrayDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    RangeDomain,
    RealDomain,
    RecordDomain,
)
from pfl.model.values import UNSET, RecordValue
from pfl.programs.body_scope import BodyScope
from pfl.programs.statement_errors import assert_failed
from pfl.syntax.tree.ast import Expr, Identifier, Name
from pfl.syntax.tree.ast_statements import (
    Assert,
    Assign,
    Block,
    For,
    If,
    Let,
    MatchStatement,
    MatchStatementArm,
    Start,
    Statement,
    Stepwise,
    Var,
)
from pfl.syntax.tree.tree_walk import inner_statements
from pfl.typecheck.bindings import Builtin, Local


@struct
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


def place_of(scope: BodyScope, statement: Let | Var | Assign | Start) -> Place:
    """Where the value of a statement goes."""
    if isinstance(statement, Let | Var):
        return _variable(scope, scope.program.local(statement.name), statement.name)
    root = root_of(statement.place)
    target = scope.program.target(root)
    if isinstance(target, Builtin):  # `start ~ d` in a prior
        return Place(locals=scope.whole, part=None, type=None, span=root.span, is_whole=True)
    local = scope.local(root)
    if isinstance(statement.place, Name):
        return _variable(scope, local, statement.place)
    declared = scope.types.get(local)
    element = None if declared is None else scope.compiler.type_at(statement.place, declared)
    return Place(
        locals=(local,),
        part=statement.place,
        type=element,
        span=statement.place.span,
        is_start=isinstance(statement, Start),
    )


def _variable(scope: BodyScope, local: Local, written: Identifier | Name) -> Place:
    return Place(locals=(local,), part=None, type=scope.types.get(local), span=written.span)


def assignment(scope: BodyScope, place: Place, value: Expr) -> list[ast.stmt]:
    """Code that gives a place the value of an expression."""
    identifier = slot_for_draw(scope, place)
    code = evaluated(scope, identifier, value, place.type, place.what, place.span)
    return code if place.is_variable else [*code, *stored(scope, place, identifier)]


def evaluated(
    scope: BodyScope, identifier: str, value: Expr, type_: Expr | None, what: str, span: Span
) -> list[ast.stmt]:
    """Code that puts the value of an expression into a slot, checked against a written type."""
    code = scope.code(value) if type_ is None else scope.code(value, type_)
    if type_ is None:
        return [assigned(identifier, code.value(value))]
    if isinstance(scope.known(type_, scope.compiler.domain), _SIMPLE):
        return [assigned(identifier, code.value(value)), *checked_slot(scope, identifier, type_, what, span)]
    return [assigned(identifier, code.fragment(value, type_, what).tree)]


def slot_for_draw(scope: BodyScope, place: Place) -> str:
    """The slot that a value for a place is drawn into: its own, or a hidden one."""
    if place.is_variable:
        return scope.names[place.locals[0]]
    return scope.builder.slot(place.span.text, hidden=True)


def after_draw(scope: BodyScope, place: Place, identifier: str) -> list[ast.stmt]:
    """Code that follows a draw into `slot_for_draw`."""
    checked = check(scope, identifier, place)
    if place.is_variable:
        return checked
    return [*checked, *stored(scope, place, identifier)]


def stored(scope: BodyScope, place: Place, identifier: str) -> list[ast.stmt]:
    """Code that moves a slot's value to a part of a variable, or to all state variables."""
    if place.part is not None:
        local = place.locals[0]
        tree = scope.code(place.part).update(place.part, name(identifier))
        blank = _blank(scope, local) if place.is_start else []
        return [*blank, assigned(scope.names[local], tree)]
    slots = [scope.names[local] for local in place.locals]
    checks = [check for local in place.locals for check in _checked_part(scope, local, place.span)]
    if len(slots) == 1:
        return [assigned(slots[0], name(identifier)), *checks]
    elements = ast.Attribute(name(identifier), "elements", ast.Load())
    parts = [
        assigned(slot, ast.Subscript(elements, ast.Constant(position), ast.Load()))
        for position, slot in enumerate(slots)
    ]
    return [*parts, *checks]


def _checked_part(scope: BodyScope, local: Local, span: Span) -> list[ast.stmt]:
    """Code that fails unless a variable that was set with all others lies in its type."""
    if local not in scope.types:
        return []
    return checked_slot(scope, scope.names[local], scope.types[local], f"`{local.name.text}`", span)


def _blank(scope: BodyScope, local: Local) -> list[ast.stmt]:
    """Code that makes an array or a record without a value into one whose parts have none, to be set one by one."""
    type_ = scope.types.get(local)
    if type_ is None:
        return []
    slot, unset_ = scope.names[local], scope.builder.bind(UNSET)
    blank = call(scope.builder.bind(_without_values), scope.code(type_).domain(type_))
    has_none = ast.Compare(name(slot), [ast.Is()], [name(unset_)])
    return [ast.If(has_none, [assigned(slot, blank)], [])]


def _without_values(domain: Domain) -> Any:
    match domain:
        case ArrayDomain(length=length, element=element):
            return (_without_values(element),) * length
        case RecordDomain(shape=shape, fields=fields):
            return RecordValue(shape, tuple(map(_without_values, fields)))
        case _:
            return UNSET


def check(scope: BodyScope, identifier: str, place: Place) -> list[ast.stmt]:
    """Code that fails unless the slot's value lies in the type of its place."""
    if place.type is None:
        return []
    return checked_slot(scope, identifier, place.type, place.what, place.span)


def checked_slot(scope: BodyScope, identifier: str, type_: Expr, what: str, span: Span) -> list[ast.stmt]:
    """Code that fails unless a slot's value lies in a written type; none where the static type says that it does."""
    domain = scope.known(type_, scope.compiler.domain)
    if isinstance(domain, _SIMPLE) and not isinstance(domain, RangeDomain):
        return []
    fault = ast.Expr(scope.code(type_).member(name(identifier), type_, what, span))
    if not isinstance(domain, RangeDomain):
        return [fault]
    low, high = ast.Constant(domain.low), ast.Constant(domain.high)
    inside = ast.Compare(low, [ast.LtE(), ast.LtE()], [name(identifier), high])
    return [ast.If(ast.UnaryOp(ast.Not(), inside), [fault], [])]


_SIMPLE = (BoolDomain, EnumDomain, IntDomain, RealDomain, RangeDomain)
"""Domains that hold whatever their static type holds, but for ranges, which are checked by comparing."""


def unset(scope: BodyScope, local: Local) -> ast.stmt:
    """Code that takes a variable's value away."""
    return assigned(scope.names[local], name(scope.builder.bind(UNSET)))


def assigned(identifier: str, tree: ast.expr) -> ast.stmt:
    """`identifier = tree`."""
    return ast.Assign([ast.Name(identifier, ast.Store())], tree)


_DEEPEST = 8
"""Plain code nests no deeper: Python allows no more than 20 nested loops."""


def is_plain(statement: Statement, depth: int = _DEEPEST) -> bool:
    """Whether a statement can be lowered by `code_of`."""
    match statement:
        case Let(drawn=drawn) | Var(drawn=drawn) | Assign(drawn=drawn) | Start(drawn=drawn):
            return not drawn
        case Assert():
            return True
        case If() | MatchStatement() | For() | Block():
            return depth > 0 and all(is_plain(inner, depth - 1) for inner in inner_statements(statement))
        case _:
            return False


def code_of(scope: BodyScope, statements: Sequence[Statement], *, inside_loop: bool = False) -> list[ast.stmt]:
    """The code of plain statements, in order."""
    places = CodePlaces.of(scope.compiler.namespace)
    lines: list[ast.stmt] = []
    for statement in statements:
        found = _code(scope, statement, inside_loop)
        if places is not None:
            for line in found:
                places.put(line, statement.span)
        lines += found
    return lines


def _code(scope: BodyScope, statement: Statement, inside_loop: bool) -> list[ast.stmt]:
    match statement:
        case Var(name=declared, value=None):
            return [unset(scope, scope.program.local(declared))]
        case Let() | Var() | Assign() | Start():
            assert statement.value is not None
            assert not isinstance(statement.value, Stepwise)
            return assignment(scope, place_of(scope, statement), statement.value)
        case Assert(condition=condition):
            fault = ast.Expr(scope.fault(lambda: assert_failed(statement)))
            return [ast.If(ast.UnaryOp(ast.Not(), scope.code(condition).test(condition)), [fault], [])]
        case If(condition=condition, then=then, otherwise=otherwise):
            test = scope.code(condition).test(condition)
            branches = [code_of(scope, part, inside_loop=inside_loop) for part in (then, otherwise or ())]
            return [ast.If(test, branches[0] or [ast.Pass()], branches[1])]
        case MatchStatement():
            return _match(scope, statement, inside_loop)
        case For(variable=variable, domain=domain, body=body):
            target = ast.Name(scope.names[scope.program.local(variable)], ast.Store())
            turn = code_of(scope, body, inside_loop=True)
            loop = ast.For(target, scope.code(domain).elements(domain), turn or [ast.Pass()], [])
            # Loops in loops can take long although each is bounded, so the inner one looks at the clock.
            return [ast.Expr(call(PAUSE)), loop] if inside_loop else [loop]
        case Block(body=body):
            return code_of(scope, body, inside_loop=inside_loop)
        case _:
            raise AssertionError(f"{type(statement).__name__} is not plain")


PAUSE = "·pause"
"""What an exploration offers to code that may run long: it stops the run when the time is over."""


def _match(scope: BodyScope, statement: MatchStatement, inside_loop: bool) -> list[ast.stmt]:
    subject, before = match_subject(scope, statement)
    otherwise = no_match(scope, statement, subject)
    for arm in reversed(statement.arms):
        test = arm_test(scope, statement, arm, subject)
        body = code_of(scope, arm.body, inside_loop=inside_loop)
        otherwise = [ast.If(test, body or [ast.Pass()], otherwise)]
    return [*before, *otherwise]


def match_subject(scope: BodyScope, statement: MatchStatement) -> tuple[str, list[ast.stmt]]:
    """A slot that holds the subject of a match, and the code that puts it there."""
    identifier = scope.builder.slot(statement.subject.span.text, hidden=True)
    return identifier, [assigned(identifier, scope.code(statement.subject).value(statement.subject))]


def arm_test(scope: BodyScope, statement: MatchStatement, arm: MatchStatementArm, subject: str) -> ast.expr:
    """Whether the subject fits an arm, as a Python bool."""
    static = scope.program.type_of(statement.subject)
    return scope.code(*arm.patterns).fits(arm.patterns, name(subject), static)


def no_match(scope: BodyScope, statement: MatchStatement, subject: str) -> list[ast.stmt]:
    """Code for a subject that fits no arm."""
    span = statement.subject.span
    return [ast.Expr(call("_no_arm_matches", name(subject), name(scope.builder.bind(span))))]
