"""Statements become nodes of a program. One lowering serves mechanisms, `init` and `step` blocks, priors and handlers.

A block is lowered from its last statement to its first: each function gets the point that follows, and returns the
point at which its statement begins. Runs of statements that neither draw nor show become plain code. Functions are
tasks, since sources nest deeper than Python's stack.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.base.diagnostics import InputRejected
from pfl.evaluation.calls import ordered
from pfl.evaluation.fragment import Task, name
from pfl.model import program
from pfl.model.program import LabelKind, Point
from pfl.programs.body_scope import BodyScope
from pfl.programs.for_loops import ReceivingHeader, header_of, receiving_header
from pfl.programs.inlining import callee_of, inlined_call, mechanism_scope, reject_uncounted
from pfl.programs.placing import (
    Place,
    after_draw,
    arm_test,
    checked_slot,
    code_of,
    evaluated,
    is_plain,
    match_subject,
    no_match,
    place_of,
    slot_for_draw,
)
from pfl.programs.sequential import SequentialLoop
from pfl.programs.statement_errors import no_return, received_type_varies
from pfl.syntax.tree.ast import Call, Expr
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.syntax.tree.ast_statements import (
    Assign,
    Block,
    CallStatement,
    Emit,
    For,
    Forever,
    If,
    Let,
    MatchStatement,
    Receive,
    Respond,
    Return,
    Start,
    Statement,
    Stepwise,
    Tick,
    Var,
    While,
)
from pfl.typecheck.types import DistributionType


def block(scope: BodyScope, statements: Sequence[Statement], following: Point) -> Task[Point]:
    """The point at which a block begins, given the point that follows it."""
    point = following
    plain: list[Statement] = []
    for statement in reversed(statements):
        if is_plain(statement) and not _is_received(scope, statement):
            plain.append(statement)
        else:
            point = _run(scope, plain[::-1], point)
            plain = []
            point = yield _statement(scope, statement, point)
    return _run(scope, plain[::-1], point)


def _run(scope: BodyScope, statements: Sequence[Statement], following: Point) -> Point:
    if not statements:
        return following
    return _code(scope, code_of(scope, statements), following, statements[0])


def _code(scope: BodyScope, code: Sequence[ast.stmt], following: Point, at: Statement | Expr) -> Point:
    return scope.builder.add(program.Run(code=tuple(code), next=following, origin=at.span)) if code else following


def _statement(scope: BodyScope, statement: Statement, following: Point) -> Task[Point]:
    """The task of a statement that is not plain."""
    match statement:
        case Let() | Var() | Assign() | Start():
            assert statement.value is not None
            return _draw(scope, place_of(scope, statement), statement.value, following, statement)
        case If():
            return _if(scope, statement, following)
        case MatchStatement():
            return _match(scope, statement, following)
        case For():
            return _for(scope, statement, following)
        case While(condition=condition, body=body):
            return _while(scope, statement, condition, body, following)
        case Forever(body=body):
            return _while(scope, statement, None, body, following)
        case Block(body=body):
            return block(scope, body, following)
        case Respond(value=Stepwise() as value):
            return _respond_stepwise(scope, value, following, statement)
        case CallStatement(call=call):
            return _call(scope, call, following)
        case Return(value=Call() as call) if inlined_call(scope, call) is not None:
            return _return_inlined(scope, call, statement)
        case _:
            return _immediate(_simple_statement(scope, statement, following))


def _simple_statement(scope: BodyScope, statement: Statement, following: Point) -> Point:
    """The point of a statement that has no other inside it."""
    match statement:
        case Emit(value=value):
            return _show(scope, "emit", value, scope.output, "what is emitted", following, statement)
        case Respond(value=value) if not isinstance(value, Stepwise):
            return _show(scope, "respond", value, scope.output, "the response", following, statement)
        case Return(value=value):
            return _return(scope, value, statement)
        case Receive():
            return _receive(scope, statement, following)
        case Tick(cost=cost):
            tree = scope.code(cost).number(cost)
            return scope.builder.add(program.Tick(cost=tree, next=following, origin=statement.span))
        case _:
            raise AssertionError(f"{type(statement).__name__} is plain, or has its own task")


def _immediate(point: Point) -> Task[Point]:
    """The task that is done already."""
    return point
    yield


# --- drawing, showing, receiving ---------------------------------------------


def _draw(scope: BodyScope, place: Place, value: Expr | Stepwise, following: Point, at: Statement) -> Task[Point]:
    identifier = slot_for_draw(scope, place)
    point = _code(scope, after_draw(scope, place, identifier), following, at)
    called = inlined_call(scope, value)
    if called is not None:
        entry: Point = yield _inline(scope, called, identifier, point)
        return entry
    assert not isinstance(value, Stepwise)
    return _draw_into(scope, identifier, value, point, at)


def _draw_into(scope: BodyScope, identifier: str, value: Expr, following: Point, at: Statement | Expr) -> Point:
    reject_uncounted(scope, value)
    return scope.builder.add(
        program.Draw(
            slot=identifier,
            distribution=scope.code(value).distribution(value),
            next=following,
            partial=scope.may_not_end(value),
            origin=at.span,
        )
    )


def _show(
    scope: BodyScope, kind: LabelKind, value: Expr, type_: Expr | None, what: str, following: Point, at: Statement
) -> Point:
    """Shows a value, or one that is drawn from a distribution; `type_` is what was declared of it."""
    if isinstance(scope.program.type_of(value), DistributionType):
        identifier = scope.builder.slot(kind, hidden=True)
        shown = scope.builder.add(program.Show(kind=kind, value=name(identifier), next=following, origin=at.span))
        checked = [] if type_ is None else checked_slot(scope, identifier, type_, what, value.span)
        return _draw_into(scope, identifier, value, _code(scope, checked, shown, at), at)
    if type_ is None:
        tree = scope.code(value).value(value)
        return scope.builder.add(program.Show(kind=kind, value=tree, next=following, origin=at.span))
    identifier = scope.builder.slot(kind, hidden=True)
    shown = scope.builder.add(program.Show(kind=kind, value=name(identifier), next=following, origin=at.span))
    return _code(scope, evaluated(scope, identifier, value, type_, what, value.span), shown, at)


def _respond_stepwise(scope: BodyScope, value: Stepwise, following: Point, at: Statement) -> Task[Point]:
    identifier = scope.builder.slot("respond", hidden=True)
    shown = scope.builder.add(program.Show(kind="respond", value=name(identifier), next=following, origin=at.span))
    checked = [] if scope.output is None else checked_slot(scope, identifier, scope.output, "the response", value.span)
    point: Point = yield _inline(scope, value.call, identifier, _code(scope, checked, shown, at))
    return point


def _return(scope: BodyScope, value: Expr | None, at: Return) -> Point:
    """Ends the run, or what is inlined; nothing follows."""
    if scope.returns is None:
        end = scope.builder.add(program.Stop(origin=at.span))
        return end if value is None else _show(scope, "return", value, scope.result, "the result", end, at)
    identifier, following = scope.returns
    if value is None:
        return following
    if isinstance(scope.program.type_of(value), DistributionType):
        identifier, following = _slot_to_return(scope, value, at)
        return _draw_into(scope, identifier, value, following, at)
    identifier = identifier or scope.builder.slot("return", hidden=True)
    return _code(scope, evaluated(scope, identifier, value, scope.result, "the result", value.span), following, at)


def _slot_to_return(scope: BodyScope, value: Expr, at: Return) -> tuple[str, Point]:
    """A slot, and the point at which its value, which is drawn before, is returned."""
    if scope.returns is None:
        identifier = scope.builder.slot("return", hidden=True)
        end = scope.builder.add(program.Stop(origin=at.span))
        following = scope.builder.add(program.Show(kind="return", value=name(identifier), next=end, origin=at.span))
    else:
        known, following = scope.returns
        identifier = known or scope.builder.slot("return", hidden=True)
    checked = [] if scope.result is None else checked_slot(scope, identifier, scope.result, "the result", value.span)
    return identifier, _code(scope, checked, following, at)


def _return_inlined(scope: BodyScope, called: Call, at: Return) -> Task[Point]:
    identifier, following = _slot_to_return(scope, called, at)
    point: Point = yield _inline(scope, called, identifier, following)
    return point


def _receive(scope: BodyScope, statement: Receive, following: Point) -> Point:
    if scope.compiler.reads(statement.type):
        raise InputRejected([received_type_varies(statement)])
    return scope.builder.add(
        program.Receive(
            slot=scope.names[scope.program.local(statement.name)],
            channel=str(scope.compiler.domain(statement.type)()),
            values=tuple(scope.compiler.elements(statement.type)()),
            next=following,
            origin=statement.span,
        )
    )


# --- control -----------------------------------------------------------------


def _branch(scope: BodyScope, condition: Expr, then: Point, otherwise: Point) -> Point:
    holds = scope.known(condition, scope.compiler.condition)
    if holds is not None:
        return then if holds else otherwise
    tree = scope.code(condition).test(condition)
    return scope.builder.add(program.Branch(condition=tree, then=then, otherwise=otherwise, origin=condition.span))


def _if(scope: BodyScope, statement: If, following: Point) -> Task[Point]:
    chain: list[If] = [statement]
    while (rest := chain[-1].otherwise) is not None and len(rest) == 1 and isinstance(rest[0], If):
        chain.append(rest[0])
    point: Point = yield block(scope, chain[-1].otherwise or (), following)
    for link in reversed(chain):
        then: Point = yield block(scope, link.then, following)
        point = _branch(scope, link.condition, then, point)
    return point


def _match(scope: BodyScope, statement: MatchStatement, following: Point) -> Task[Point]:
    subject, before = match_subject(scope, statement)
    stuck = scope.builder.add(program.Stop(origin=statement.span))
    point = _code(scope, no_match(scope, statement, subject), stuck, statement)
    for arm in reversed(statement.arms):
        body: Point = yield block(scope, arm.body, following)
        test = arm_test(scope, statement, arm, subject)
        point = scope.builder.add(program.Branch(condition=test, then=body, otherwise=point, origin=arm.span))
    return _code(scope, before, point, statement)


def _is_received(scope: BodyScope, statement: Statement) -> bool:
    """Whether a statement is the loop whose arrays are given element by element."""
    return scope.sequential is not None and statement is scope.sequential.statement


def _for(scope: BodyScope, statement: For, following: Point) -> Task[Point]:
    if scope.sequential is not None and _is_received(scope, statement):
        point: Point = yield _for_received(scope, scope.sequential, following)
        return point
    header = header_of(scope, statement)
    head = scope.builder.reserve()
    body: Point = yield block(scope, statement.body, head)
    turn = _code(scope, header.step, body, statement)
    scope.builder.put(
        head, program.Branch(condition=header.test, then=turn, otherwise=following, origin=statement.span)
    )
    return _code(scope, header.begin, head, statement)


def _for_received(scope: BodyScope, loop: SequentialLoop, following: Point) -> Task[Point]:
    """A loop that is given the elements of its arrays turn by turn. If nothing is shown in it, a run that is left is
    given the rest, too, before it shows its result: when it was left is not seen."""
    builder, statement = scope.builder, loop.statement
    header = receiving_header(scope, loop)
    head = builder.reserve()
    outer = scope.returns
    if not loop.shows_each_turn:
        scope.returns = _after_the_rest(scope, header)
    body: Point = yield block(scope, statement.body, head)
    scope.returns = outer
    turn = _given_turn(scope, header, _code(scope, header.step, body, statement), statement)
    builder.put(head, program.Branch(condition=header.test, then=turn, otherwise=following, origin=statement.span))
    return _code(scope, header.begin, head, statement)


def _given_turn(scope: BodyScope, header: ReceivingHeader, following: Point, at: Statement) -> Point:
    return scope.builder.add(
        program.Receive(slot=header.given, channel=header.channel, values=header.values, next=following, origin=at.span)
    )


def _after_the_rest(scope: BodyScope, header: ReceivingHeader) -> tuple[str, Point]:
    """The slot for a result, and the point at which the elements left are taken before the result is shown."""
    at = header.statement
    result = scope.builder.slot("return", hidden=True)
    end = scope.builder.add(program.Stop(origin=at.span))
    shown = program.Show(kind="return", value=name(result), next=end, origin=at.span)
    last = scope.builder.add(shown) if scope.gives_result else end
    head = scope.builder.reserve()
    turn = _given_turn(scope, header, _code(scope, header.skip, head, at), at)
    scope.builder.put(head, program.Branch(condition=header.test, then=turn, otherwise=last, origin=at.span))
    return result, head


def _while(
    scope: BodyScope, at: Statement, condition: Expr | None, body: Sequence[Statement], following: Point
) -> Task[Point]:
    """A loop, without end where there is no condition. Each turn counts as a step."""
    head = scope.builder.reserve()
    turn: Point = yield block(scope, body, head)
    counted = program.Tick(cost=ast.Constant(1), next=turn, counts="turns", origin=at.span)
    if condition is None or scope.known(condition, scope.compiler.condition):
        scope.builder.put(head, counted)
    else:
        test, then = scope.code(condition).test(condition), scope.builder.add(counted)
        scope.builder.put(head, program.Branch(condition=test, then=then, otherwise=following, origin=at.span))
    return head


# --- mechanisms that run inside ----------------------------------------------


def _call(scope: BodyScope, call: Call | Stepwise, following: Point) -> Task[Point]:
    called = inlined_call(scope, call)
    if called is not None:
        point: Point = yield _inline(scope, called, None, following)
        return point
    assert not isinstance(call, Stepwise)
    # Nothing is seen of it and its result is dropped; but it may have no end.
    return _draw_into(scope, scope.builder.slot("call", hidden=True), call, following, call)


def _inline(scope: BodyScope, call: Call, result: str | None, following: Point) -> Task[Point]:
    """The body of a mechanism in place of its call: it returns into the slot, and goes on."""
    declaration = callee_of(scope, call)
    inner = mechanism_scope(scope.program, scope.compiler, scope.builder, declaration)
    inner.returns = (result, following)
    inner.costs, inner.holds_samples = scope.costs, scope.holds_samples
    slots = [inner.declare(scope.program.local(parameter.name)) for parameter in declaration.parameters]
    body: Point = yield mechanism_body(inner, declaration, following)
    if not slots:
        return body
    values = ordered(call.arguments, declaration.parameters)
    given = scope.code(*values).arguments(declaration.parameters, values, declaration.name.text)
    targets: ast.expr = ast.Tuple([ast.Name(slot, ast.Store()) for slot in slots], ast.Store())
    return _code(scope, [ast.Assign([targets], given)], body, call)


def mechanism_body(scope: BodyScope, declaration: MechanismDecl, following: Point) -> Task[Point]:
    """The body of a mechanism, ended by its closing brace: a fault where a result is missing, else `following`."""
    scope.declare_all(declaration.body)
    end = following
    if declaration.result is not None:
        fault = ast.Expr(scope.fault(lambda: no_return(declaration)))
        end = scope.builder.add(program.Run(code=(fault,), next=following, origin=declaration.span))
    point: Point = yield block(scope, declaration.body, end)
    return point
