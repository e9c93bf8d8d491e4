"""Statements become nodes of a program. One lowering serves mechanisms, `init` and `step` blocks, priors and handlers.

A block is lowered from its last statement to its first: each function gets the point that follows, and returns the
point at which its statement begins. Runs of statements that neither draw nor show become plain code. Functions are
tasks, since sources nest deeper than Python's stack.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.base.diagnostics import InputRejected
from pfl.evaluation.fragment import Task, name
from pfl.model import program as ir
from pfl.model.program import LabelKind, Point
from pfl.programs.for_loops import ReceivedTurns, received_turns, turns_of
from pfl.programs.frame import Frame
from pfl.programs.inlining import callee_of, inlined_call, mechanism_frame, ordered_arguments, reject_uncounted
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


def block(frame: Frame, statements: Sequence[Statement], following: Point) -> Task[Point]:
    """The point at which a block begins, given the point that follows it."""
    point = following
    plain: list[Statement] = []
    for statement in reversed(statements):
        if is_plain(statement) and not _is_received(frame, statement):
            plain.append(statement)
        else:
            point = _run(frame, plain[::-1], point)
            plain = []
            point = yield _statement(frame, statement, point)
    return _run(frame, plain[::-1], point)


def _run(frame: Frame, statements: Sequence[Statement], following: Point) -> Point:
    if not statements:
        return following
    return _code(frame, code_of(frame, statements), following, statements[0])


def _code(frame: Frame, code: Sequence[ast.stmt], following: Point, at: Statement | Expr) -> Point:
    return frame.builder.add(ir.Run(code=tuple(code), next=following, origin=at.span)) if code else following


def _statement(frame: Frame, statement: Statement, following: Point) -> Task[Point]:
    """The task of a statement that is not plain."""
    match statement:
        case Let() | Var() | Assign() | Start():
            assert statement.value is not None
            return _draw(frame, place_of(frame, statement), statement.value, following, statement)
        case If():
            return _if(frame, statement, following)
        case MatchStatement():
            return _match(frame, statement, following)
        case For():
            return _for(frame, statement, following)
        case While(condition=condition, body=body):
            return _while(frame, statement, condition, body, following)
        case Forever(body=body):
            return _while(frame, statement, None, body, following)
        case Block(body=body):
            return block(frame, body, following)
        case Respond(value=Stepwise() as value):
            return _respond_stepwise(frame, value, following, statement)
        case CallStatement(call=call):
            return _call(frame, call, following)
        case Return(value=Call() as call) if inlined_call(frame, call) is not None:
            return _return_inlined(frame, call, statement)
        case _:
            return _immediate(_simple_statement(frame, statement, following))


def _simple_statement(frame: Frame, statement: Statement, following: Point) -> Point:
    """The point of a statement that has no other inside it."""
    match statement:
        case Emit(value=value):
            return _show(frame, "emit", value, frame.output, "what is emitted", following, statement)
        case Respond(value=value) if not isinstance(value, Stepwise):
            return _show(frame, "respond", value, frame.output, "the response", following, statement)
        case Return(value=value):
            return _return(frame, value, statement)
        case Receive():
            return _receive(frame, statement, following)
        case Tick(cost=cost):
            tree = frame.code(cost).number(cost)
            return frame.builder.add(ir.Tick(cost=tree, next=following, origin=statement.span))
        case _:
            raise AssertionError(f"{type(statement).__name__} is plain, or has its own task")


def _immediate(point: Point) -> Task[Point]:
    """The task that is done already."""
    return point
    yield


# --- drawing, showing, receiving ---------------------------------------------


def _draw(frame: Frame, place: Place, value: Expr | Stepwise, following: Point, at: Statement) -> Task[Point]:
    identifier = slot_for_draw(frame, place)
    point = _code(frame, after_draw(frame, place, identifier), following, at)
    called = inlined_call(frame, value)
    if called is not None:
        entry: Point = yield _inline(frame, called, identifier, point)
        return entry
    assert not isinstance(value, Stepwise)
    return _draw_into(frame, identifier, value, point, at)


def _draw_into(frame: Frame, identifier: str, value: Expr, following: Point, at: Statement | Expr) -> Point:
    reject_uncounted(frame, value)
    return frame.builder.add(
        ir.Draw(
            slot=identifier,
            distribution=frame.code(value).distribution(value),
            next=following,
            partial=frame.may_not_end(value),
            origin=at.span,
        )
    )


def _show(
    frame: Frame, kind: LabelKind, value: Expr, type_: Expr | None, what: str, following: Point, at: Statement
) -> Point:
    """Shows a value, or one that is drawn from a distribution; `type_` is what was declared of it."""
    if isinstance(frame.program.type_of(value), DistributionType):
        identifier = frame.builder.slot(kind, hidden=True)
        shown = frame.builder.add(ir.Show(kind=kind, value=name(identifier), next=following, origin=at.span))
        checked = [] if type_ is None else checked_slot(frame, identifier, type_, what, value.span)
        return _draw_into(frame, identifier, value, _code(frame, checked, shown, at), at)
    if type_ is None:
        tree = frame.code(value).value(value)
        return frame.builder.add(ir.Show(kind=kind, value=tree, next=following, origin=at.span))
    identifier = frame.builder.slot(kind, hidden=True)
    shown = frame.builder.add(ir.Show(kind=kind, value=name(identifier), next=following, origin=at.span))
    return _code(frame, evaluated(frame, identifier, value, type_, what, value.span), shown, at)


def _respond_stepwise(frame: Frame, value: Stepwise, following: Point, at: Statement) -> Task[Point]:
    identifier = frame.builder.slot("respond", hidden=True)
    shown = frame.builder.add(ir.Show(kind="respond", value=name(identifier), next=following, origin=at.span))
    checked = [] if frame.output is None else checked_slot(frame, identifier, frame.output, "the response", value.span)
    point: Point = yield _inline(frame, value.call, identifier, _code(frame, checked, shown, at))
    return point


def _return(frame: Frame, value: Expr | None, at: Return) -> Point:
    """Ends the run, or what is inlined; nothing follows."""
    if frame.returns is None:
        end = frame.builder.add(ir.Stop(origin=at.span))
        return end if value is None else _show(frame, "return", value, frame.result, "the result", end, at)
    identifier, following = frame.returns
    if value is None:
        return following
    if isinstance(frame.program.type_of(value), DistributionType):
        identifier, following = _slot_to_return(frame, value, at)
        return _draw_into(frame, identifier, value, following, at)
    identifier = identifier or frame.builder.slot("return", hidden=True)
    return _code(frame, evaluated(frame, identifier, value, frame.result, "the result", value.span), following, at)


def _slot_to_return(frame: Frame, value: Expr, at: Return) -> tuple[str, Point]:
    """A slot, and the point at which its value, which is drawn before, is returned."""
    if frame.returns is None:
        identifier = frame.builder.slot("return", hidden=True)
        end = frame.builder.add(ir.Stop(origin=at.span))
        following = frame.builder.add(ir.Show(kind="return", value=name(identifier), next=end, origin=at.span))
    else:
        known, following = frame.returns
        identifier = known or frame.builder.slot("return", hidden=True)
    checked = [] if frame.result is None else checked_slot(frame, identifier, frame.result, "the result", value.span)
    return identifier, _code(frame, checked, following, at)


def _return_inlined(frame: Frame, called: Call, at: Return) -> Task[Point]:
    identifier, following = _slot_to_return(frame, called, at)
    point: Point = yield _inline(frame, called, identifier, following)
    return point


def _receive(frame: Frame, statement: Receive, following: Point) -> Point:
    if frame.compiler.reads(statement.type):
        raise InputRejected([received_type_varies(statement)])
    return frame.builder.add(
        ir.Receive(
            slot=frame.names[frame.program.local(statement.name)],
            channel=str(frame.compiler.domain(statement.type)()),
            values=tuple(frame.compiler.elements(statement.type)()),
            next=following,
            origin=statement.span,
        )
    )


# --- control -----------------------------------------------------------------


def _branch(frame: Frame, condition: Expr, then: Point, otherwise: Point) -> Point:
    holds = frame.known(condition, frame.compiler.condition)
    if holds is not None:
        return then if holds else otherwise
    tree = frame.code(condition).test(condition)
    return frame.builder.add(ir.Branch(condition=tree, then=then, otherwise=otherwise, origin=condition.span))


def _if(frame: Frame, statement: If, following: Point) -> Task[Point]:
    chain: list[If] = [statement]
    while (rest := chain[-1].otherwise) is not None and len(rest) == 1 and isinstance(rest[0], If):
        chain.append(rest[0])
    point: Point = yield block(frame, chain[-1].otherwise or (), following)
    for link in reversed(chain):
        then: Point = yield block(frame, link.then, following)
        point = _branch(frame, link.condition, then, point)
    return point


def _match(frame: Frame, statement: MatchStatement, following: Point) -> Task[Point]:
    subject, before = match_subject(frame, statement)
    stuck = frame.builder.add(ir.Stop(origin=statement.span))
    point = _code(frame, no_match(frame, statement, subject), stuck, statement)
    for arm in reversed(statement.arms):
        body: Point = yield block(frame, arm.body, following)
        test = arm_test(frame, statement, arm, subject)
        point = frame.builder.add(ir.Branch(condition=test, then=body, otherwise=point, origin=arm.span))
    return _code(frame, before, point, statement)


def _is_received(frame: Frame, statement: Statement) -> bool:
    """Whether a statement is the loop whose arrays are given element by element."""
    return frame.sequential is not None and statement is frame.sequential.statement


def _for(frame: Frame, statement: For, following: Point) -> Task[Point]:
    if frame.sequential is not None and _is_received(frame, statement):
        point: Point = yield _for_received(frame, frame.sequential, following)
        return point
    turns = turns_of(frame, statement)
    head = frame.builder.reserve()
    body: Point = yield block(frame, statement.body, head)
    turn = _code(frame, turns.step, body, statement)
    frame.builder.put(head, ir.Branch(condition=turns.test, then=turn, otherwise=following, origin=statement.span))
    return _code(frame, turns.begin, head, statement)


def _for_received(frame: Frame, loop: SequentialLoop, following: Point) -> Task[Point]:
    """A loop that is given the elements of its arrays turn by turn. If nothing is shown in it, a run that is left is
    given the rest, too, before it shows its result: when it was left is not seen."""
    builder, statement = frame.builder, loop.statement
    turns = received_turns(frame, loop)
    head = builder.reserve()
    outer = frame.returns
    if not loop.shows_each_turn:
        frame.returns = _after_the_rest(frame, turns)
    body: Point = yield block(frame, statement.body, head)
    frame.returns = outer
    turn = _given_turn(frame, turns, _code(frame, turns.step, body, statement), statement)
    builder.put(head, ir.Branch(condition=turns.test, then=turn, otherwise=following, origin=statement.span))
    return _code(frame, turns.begin, head, statement)


def _given_turn(frame: Frame, turns: ReceivedTurns, following: Point, at: Statement) -> Point:
    return frame.builder.add(
        ir.Receive(slot=turns.given, channel=turns.channel, values=turns.values, next=following, origin=at.span)
    )


def _after_the_rest(frame: Frame, turns: ReceivedTurns) -> tuple[str, Point]:
    """The slot for a result, and the point at which the elements left are taken before the result is shown."""
    at = turns.statement
    result = frame.builder.slot("return", hidden=True)
    end = frame.builder.add(ir.Stop(origin=at.span))
    shown = ir.Show(kind="return", value=name(result), next=end, origin=at.span)
    last = frame.builder.add(shown) if frame.gives_result else end
    head = frame.builder.reserve()
    turn = _given_turn(frame, turns, _code(frame, turns.skip, head, at), at)
    frame.builder.put(head, ir.Branch(condition=turns.test, then=turn, otherwise=last, origin=at.span))
    return result, head


def _while(
    frame: Frame, at: Statement, condition: Expr | None, body: Sequence[Statement], following: Point
) -> Task[Point]:
    """A loop, without end where there is no condition. Each turn counts as a step."""
    head = frame.builder.reserve()
    turn: Point = yield block(frame, body, head)
    counted = ir.Tick(cost=ast.Constant(1), next=turn, counts="turns", origin=at.span)
    if condition is None or frame.known(condition, frame.compiler.condition):
        frame.builder.put(head, counted)
    else:
        test, then = frame.code(condition).test(condition), frame.builder.add(counted)
        frame.builder.put(head, ir.Branch(condition=test, then=then, otherwise=following, origin=at.span))
    return head


# --- mechanisms that run inside ----------------------------------------------


def _call(frame: Frame, call: Call | Stepwise, following: Point) -> Task[Point]:
    called = inlined_call(frame, call)
    if called is not None:
        point: Point = yield _inline(frame, called, None, following)
        return point
    assert not isinstance(call, Stepwise)
    # Nothing is seen of it and its result is dropped; but it may have no end.
    return _draw_into(frame, frame.builder.slot("call", hidden=True), call, following, call)


def _inline(frame: Frame, call: Call, result: str | None, following: Point) -> Task[Point]:
    """The body of a mechanism in place of its call: it returns into the slot, and goes on."""
    declaration = callee_of(frame, call)
    inner = mechanism_frame(frame.program, frame.compiler, frame.builder, declaration)
    inner.returns = (result, following)
    inner.costs = frame.costs
    slots = [inner.declare(frame.program.local(parameter.name)) for parameter in declaration.parameters]
    body: Point = yield mechanism_body(inner, declaration, following)
    if not slots:
        return body
    values = ordered_arguments(call, declaration)
    given = frame.code(*values).arguments(declaration.parameters, values, declaration.name.text)
    targets: ast.expr = ast.Tuple([ast.Name(slot, ast.Store()) for slot in slots], ast.Store())
    return _code(frame, [ast.Assign([targets], given)], body, call)


def mechanism_body(frame: Frame, declaration: MechanismDecl, following: Point) -> Task[Point]:
    """The body of a mechanism, ended by its closing brace: a fault where a result is missing, else `following`."""
    frame.declare_all(declaration.body)
    end = following
    if declaration.result is not None:
        fault = ast.Expr(frame.fault(lambda: no_return(declaration)))
        end = frame.builder.add(ir.Run(code=(fault,), next=following, origin=declaration.span))
    point: Point = yield block(frame, declaration.body, end)
    return point
