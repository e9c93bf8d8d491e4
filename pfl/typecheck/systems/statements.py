"""Statements.

What is assigned, drawn, emitted, returned and responded: values and distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from pfl.syntax.tree.ast import Call, Expr, Identifier, Name
from pfl.syntax.tree.ast_declarations import MechanismDecl
from pfl.syntax.tree.ast_statements import (
    Assert,
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
from pfl.typecheck import type_errors
from pfl.typecheck.bindings import Builtin, Local
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.expressions.matching import check_arms
from pfl.typecheck.expressions.places import check_place, check_start_place
from pfl.typecheck.facts import WHERE, Body
from pfl.typecheck.fitting import BOOL, ERROR, REAL, assignable, has_distribution, has_unknown_element
from pfl.typecheck.names.scope import Scope
from pfl.typecheck.systems import system_errors
from pfl.typecheck.types import DistributionType, ErrorType, MechanismType, NeverType, Type
from pfl.typecheck.written_types import domain, written_type


def assigned(
    checker: Checker,
    value: Expr | Stepwise,
    scope: Scope,
    body: Body,
    place: str,
    wanted: Type | None,
    *,
    drawn: bool,
    want: Want | None = None,
) -> Type:
    """The type that a place has, or gets where `wanted` is None, after `place = value` or `place ~ value`."""
    hint = DistributionType(wanted) if drawn and wanted is not None else wanted
    want = (want or Want(emits=body.kind == "mechanism")).of(hint)
    actual = checked_value(checker, value, scope, body, want)
    if not isinstance(actual, ErrorType):
        if drawn and not isinstance(actual, DistributionType):
            checker.found.add(type_errors.drawn_from_value(value, place, actual))
            actual = ERROR
        elif isinstance(actual, DistributionType) and not drawn:
            message = f"`{place}` is given a distribution, not a value"
            checker.found.add(type_errors.distribution_not_drawn(value, message, place))
            actual = ERROR
    element = actual.element if isinstance(actual, DistributionType) else actual
    if drawn and isinstance(element, NeverType) and isinstance(value, Call):
        checker.found.add(system_errors.returns_nothing(value, value.callee.span.text))
        element = ERROR
    if wanted is None:
        return element
    if not assignable(element, wanted):
        checker.found.add(type_errors.type_mismatch(value, f"`{place}`", wanted, element))
    return wanted


def produced(
    checker: Checker, value: Expr | Stepwise, scope: Scope, body: Body, declared: Type | None, what: str
) -> Type:
    """The type of what `emit`, `respond` or `return` shows: a value, or one that is drawn from a distribution."""
    want = Want(type=declared, symbols="allowed" if declared is None else "declared")
    actual = checked_value(checker, value, scope, body, want)
    element = actual.element if isinstance(actual, DistributionType) else actual
    if declared is not None and not assignable(element, declared):
        checker.found.add(type_errors.type_mismatch(value, what, declared, element))
        return declared
    if declared is None and has_distribution(element):
        checker.found.add(type_errors.holds_distribution(value, what, element))
        return ERROR
    if declared is None and has_unknown_element(element):
        checker.found.add(type_errors.unknown_type_of_empty(value, "declare the type of the outputs"))
        return ERROR
    return element


def checked_value(checker: Checker, value: Expr | Stepwise, scope: Scope, body: Body, want: Want) -> Type:
    """The type of the value of a statement, which may be `stepwise f(x)`."""
    if not isinstance(value, Stepwise):
        return checker.expression(value, scope, want)
    if not body.is_handler:
        checker.found.add(system_errors.misplaced_stepwise(value, f"`stepwise` has no meaning {WHERE[body.kind]}"))
    type_ = checker.expression(value.call, scope)
    checker.types[id(value)] = type_
    if not isinstance(type_, ErrorType) and not calls_mechanism(checker, value.call):
        checker.found.add(system_errors.misplaced_stepwise(value, "`stepwise` runs something that is no mechanism"))
    return type_


def calls_mechanism(checker: Checker, call: Call) -> bool:
    """Whether a call that was checked is one of a mechanism."""
    target = checker.target(call.callee)
    if isinstance(target, MechanismDecl):
        return True
    is_value = target is None or isinstance(target, Local)
    return is_value and isinstance(checker.types.get(id(call.callee)), MechanismType)


_Rule: TypeAlias = Callable[[Checker, Any, Scope, Body], None]


def check_block(checker: Checker, statements: Sequence[Statement], scope: Scope, body: Body) -> None:
    """Checks statements in order, in a scope that is already theirs."""
    for statement in statements:
        _check(checker, statement, scope, body)


def _check(checker: Checker, statement: Statement, scope: Scope, body: Body) -> None:
    allowed = _ALLOWED.get(type(statement))
    if allowed is not None and body.kind not in allowed[1]:
        word, _, advice = allowed
        if isinstance(statement, Respond) and body.kind == "data":
            advice = "only `on query` responds"
        elif isinstance(statement, Return) and statement.value is None and body.kind in ("data", "query"):
            advice = "a handler goes on to its end; put what must not follow into `else { .. }`"
        elif isinstance(statement, Return | Emit) and body.kind == "query":
            advice = "write `respond e;`"
        checker.found.add(system_errors.misplaced_statement(statement, word, WHERE[body.kind], advice))
    STATEMENT_RULES[type(statement)](checker, statement, scope, body)


# --- locals and assignments --------------------------------------------------


def _let(checker: Checker, node: Let, scope: Scope, body: Body) -> None:
    declared = None if node.type is None else written_type(checker, node.type, scope)
    type_ = assigned(checker, node.value, scope, body, f"let {node.name.text}", declared, drawn=node.drawn)
    checker.declare(scope, "let", node.name, type_, node.type)


def _var(checker: Checker, node: Var, scope: Scope, body: Body) -> None:
    declared = None if node.type is None else written_type(checker, node.type, scope)
    type_ = declared or ERROR
    if node.value is not None:
        type_ = assigned(checker, node.value, scope, body, f"var {node.name.text}", declared, drawn=node.drawn)
        if has_unknown_element(type_):
            checker.found.add(
                type_errors.unknown_type_of_empty(node.value, f"write its type: `var {node.name.text}: T = ..;`")
            )
            type_ = ERROR
    elif declared is None:
        checker.found.add(system_errors.var_without_type(node.name))
    checker.declare(scope, "var", node.name, type_, node.type)


def _assign(checker: Checker, node: Assign, scope: Scope, body: Body) -> None:
    if body.kind == "prior" and isinstance(node.place, Name) and scope.find(node.place.text) is None:
        if node.place.text == "start" and body.whole is not None:
            _start_whole(checker, node, node.place, scope, body)
            return
        if node.drawn:
            _draw_world(checker, node, node.place, scope, body)
            return
    wanted = check_place(checker, node.place, scope, body, drawn=node.drawn)
    if isinstance(wanted, ErrorType) and body.kind == "prior":
        checked_value(checker, node.value, scope, body, Want())
        return
    known = None if isinstance(wanted, ErrorType) else wanted
    assigned(checker, node.value, scope, body, node.place.span.text, known, drawn=node.drawn)


def _draw_world(checker: Checker, node: Assign, name: Name, scope: Scope, body: Body) -> None:
    """`john ~ bernoulli(w);` in a prior declares john."""
    type_ = assigned(checker, node.value, scope, body, name.text, None, drawn=True)
    if scope.parent is None or scope.parent.parent is not None:
        checker.found.add(system_errors.world_drawn_in_block(name, name.text))
    identifier = Identifier(text=name.text, span=name.span)
    checker.bind(name, checker.declare(scope, "world", identifier, type_))
    checker.types[id(name)] = type_


def _start(checker: Checker, node: Start, scope: Scope, body: Body) -> None:
    if body.kind != "prior":
        return
    wanted = check_start_place(checker, node.place, scope, body)
    known = None if isinstance(wanted, ErrorType) else wanted
    assigned(checker, node.value, scope, body, f"start {node.place.span.text}", known, drawn=node.drawn)


def _start_whole(checker: Checker, node: Assign, name: Name, scope: Scope, body: Body) -> None:
    """`start ~ d;` in a prior sets all state variables at once, or the state of a table."""
    checker.bind(name, Builtin(name="start"))
    body.started.add("start")
    assigned(checker, node.value, scope, body, "start", body.whole, drawn=node.drawn, want=Want(states=body.states))


# --- control -----------------------------------------------------------------


def _if(checker: Checker, node: If, scope: Scope, body: Body) -> None:
    branch: If | None = node
    while branch is not None:  # a chain of `else if` is walked, not nested
        checker.fitting(branch.condition, scope, BOOL, "the condition of `if`")
        check_block(checker, branch.then, scope.inner(), body)
        otherwise = branch.otherwise or ()
        if len(otherwise) == 1 and isinstance(otherwise[0], If):
            branch = otherwise[0]
        else:
            check_block(checker, otherwise, scope.inner(), body)
            branch = None


def _match(checker: Checker, node: MatchStatement, scope: Scope, body: Body) -> None:
    check_arms(checker, node, node.subject, node.arms, scope)
    for arm in node.arms:
        check_block(checker, arm.body, scope.inner(), body)


def _for(checker: Checker, node: For, scope: Scope, body: Body) -> None:
    element = domain(checker, node.domain, scope)
    inner = scope.inner()
    checker.declare(inner, "loop", node.variable, element, node.domain)
    check_block(checker, node.body, inner, body)


def _while(checker: Checker, node: While, scope: Scope, body: Body) -> None:
    checker.fitting(node.condition, scope, BOOL, "the condition of `while`")
    check_block(checker, node.body, scope.inner(), body)


def _forever(checker: Checker, node: Forever, scope: Scope, body: Body) -> None:
    body.runs_forever = True
    check_block(checker, node.body, scope.inner(), body)


def _block(checker: Checker, node: Block, scope: Scope, body: Body) -> None:
    check_block(checker, node.body, scope.inner(), body)


# --- what is shown, received, counted ----------------------------------------


def _emit(checker: Checker, node: Emit, scope: Scope, body: Body) -> None:
    declared = body.output if body.kind == "mechanism" else None
    body.produced.append(produced(checker, node.value, scope, body, declared, "what is emitted"))


def _respond(checker: Checker, node: Respond, scope: Scope, body: Body) -> None:
    declared = body.output if body.kind == "query" else None
    body.produced.append(produced(checker, node.value, scope, body, declared, "the response"))


def _return(checker: Checker, node: Return, scope: Scope, body: Body) -> None:
    type_: Type | None = None
    if node.value is not None:
        type_ = produced(checker, node.value, scope, body, body.result, "the result")
    elif body.result is not None:
        checker.found.add(system_errors.return_without_value(node, scope.owner.name))
    body.returned.append((node, type_))


def _receive(checker: Checker, node: Receive, scope: Scope, body: Body) -> None:
    type_ = written_type(checker, node.type, scope)
    body.received.append(type_)
    checker.declare(scope, "received", node.name, type_, node.type)


def _assert(checker: Checker, node: Assert, scope: Scope, _body: Body) -> None:
    checker.fitting(node.condition, scope, BOOL, "what is asserted")


def _tick(checker: Checker, node: Tick, scope: Scope, _body: Body) -> None:
    checker.fitting(node.cost, scope, REAL, "a cost")


def _call(checker: Checker, node: CallStatement, scope: Scope, body: Body) -> None:
    actual = checked_value(checker, node.call, scope, body, Want(emits=body.kind == "mechanism"))
    if isinstance(node.call, Stepwise) or isinstance(actual, ErrorType):
        return
    if not isinstance(actual, DistributionType) or not calls_mechanism(checker, node.call):
        checker.found.add(system_errors.not_a_mechanism_call(node.call))
    elif body.is_handler:
        checker.found.add(system_errors.call_without_effect(node.call, WHERE[body.kind]))


STATEMENT_RULES: dict[type, _Rule] = {
    Let: _let,
    Var: _var,
    Assign: _assign,
    If: _if,
    MatchStatement: _match,
    For: _for,
    While: _while,
    Forever: _forever,
    Emit: _emit,
    Return: _return,
    Respond: _respond,
    Receive: _receive,
    Assert: _assert,
    Tick: _tick,
    CallStatement: _call,
    Block: _block,
    Start: _start,
}
"""One entry for each member of the union `Statement`."""

_ALLOWED: dict[type, tuple[str, frozenset[str], str | None]] = {
    Emit: ("`emit`", frozenset({"mechanism"}), "an hmm has one `emit e;` of its own; an automaton responds"),
    Return: ("`return`", frozenset({"mechanism"}), "only a mechanism returns"),
    Respond: ("`respond`", frozenset({"query"}), "only `on query` of an automaton responds"),
    Receive: ("`receive`", frozenset({"mechanism"}), "only a mechanism receives"),
    Forever: ("`forever`", frozenset({"mechanism"}), "the body must come to an end: use `for` or `while`"),
    Tick: ("`tick`", frozenset({"mechanism", "step"}), "costs are those of a mechanism's run, or of an hmm's steps"),
    Start: ("`start`", frozenset({"prior"}), "only a prior says where a system starts in this way"),
    CallStatement: (
        "a call on its own",
        frozenset({"mechanism", "data", "query"}),
        "draw its result: `let x ~ f(..);`",
    ),
}
"""Statements that only some bodies have: the word, the bodies, and what to do elsewhere."""
