"""Builds the statements of the syntax tree; see `build_expressions` for how builders work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pfl.base.source import Span
from pfl.frontend import ast, syntax_errors
from pfl.frontend import ast_declarations as tree
from pfl.frontend.ast import Expr, Pattern
from pfl.frontend.build_expressions import identifier, text
from pfl.frontend.lr_parser import Builder, Token


class Binding(NamedTuple):
    """`= e` or `~ d`."""

    drawn: bool
    value: Expr | tree.Stepwise


def block(_span: Span, *body: tree.Statement) -> tuple[tree.Statement, ...]:
    return body


def binding(_span: Span, word: str, value: Expr | tree.Stepwise) -> Binding:
    return Binding(word == "~", value)


def assignment(span: Span, place: Expr, bound: Binding) -> tree.Assign:
    _demand_place(place)
    return tree.Assign(span=span, place=place, value=bound.value, drawn=bound.drawn)


def _demand_place(place: Expr) -> None:
    """Raises `SyntaxFault` unless a place is a variable, or an element or a field of one."""
    inner = place
    while not isinstance(inner, ast.Name):
        match inner:
            case ast.Index(array=inner) | ast.FieldAccess(record=inner):
                pass
            case _:
                raise syntax_errors.SyntaxFault(syntax_errors.not_a_place(place.span, inner))


def stepwise(span: Span, call: Expr) -> tree.Stepwise:
    if not isinstance(call, ast.Call):
        raise syntax_errors.SyntaxFault(syntax_errors.stepwise_without_call(call.span))
    return tree.Stepwise(span=span, call=call)


def call_statement(span: Span, call: Expr) -> tree.CallStatement:
    if not isinstance(call, ast.Call):
        raise syntax_errors.SyntaxFault(syntax_errors.statement_does_nothing(call.span))
    return tree.CallStatement(span=span, call=call)


def stepwise_statement(span: Span, call: Expr) -> tree.CallStatement:
    return tree.CallStatement(span=span, call=stepwise(Span(span.file, span.start, call.span.end), call))


def block_statement(span: Span, body: tuple[tree.Statement, ...]) -> tree.Block:
    return tree.Block(span=span, body=body)


def start(span: Span, assigned: tree.Assign) -> tree.Start:
    if isinstance(assigned.value, tree.Stepwise):
        raise syntax_errors.SyntaxFault(syntax_errors.stepwise_start(assigned.value.span))
    return tree.Start(span=span, place=assigned.place, value=assigned.value, drawn=assigned.drawn)


def let(span: Span, name: Token, type_: Expr | None, bound: Binding) -> tree.Let:
    return tree.Let(span=span, name=identifier(span, name), type=type_, value=bound.value, drawn=bound.drawn)


def var(span: Span, name: Token, type_: Expr | None, bound: Binding | None) -> tree.Var:
    value, drawn = (bound.value, bound.drawn) if bound else (None, False)
    return tree.Var(span=span, name=identifier(span, name), type=type_, value=value, drawn=drawn)


def else_if(_span: Span, inner: tree.If) -> tuple[tree.Statement, ...]:
    return (inner,)


def if_statement(
    span: Span, condition: Expr, then: tuple[tree.Statement, ...], otherwise: tuple[tree.Statement, ...] | None = None
) -> tree.If:
    return tree.If(span=span, condition=condition, then=then, otherwise=otherwise)


def statement_arm(
    span: Span, patterns: tuple[Pattern, ...], body: tuple[tree.Statement, ...]
) -> tree.MatchStatementArm:
    return tree.MatchStatementArm(span=span, patterns=patterns, body=body)


def match_statement(span: Span, subject: Expr, *arms: tree.MatchStatementArm) -> tree.MatchStatement:
    return tree.MatchStatement(span=span, subject=subject, arms=arms)


def for_statement(span: Span, variable: Token, domain: Expr, body: tuple[tree.Statement, ...]) -> tree.For:
    return tree.For(span=span, variable=identifier(span, variable), domain=domain, body=body)


def while_statement(span: Span, condition: Expr, body: tuple[tree.Statement, ...]) -> tree.While:
    return tree.While(span=span, condition=condition, body=body)


def forever_statement(span: Span, body: tuple[tree.Statement, ...]) -> tree.Forever:
    return tree.Forever(span=span, body=body)


def emit(span: Span, value: Expr) -> tree.Emit:
    return tree.Emit(span=span, value=value)


def return_statement(span: Span, value: Expr | None) -> tree.Return:
    return tree.Return(span=span, value=value)


def respond(span: Span, value: Expr | tree.Stepwise) -> tree.Respond:
    return tree.Respond(span=span, value=value)


def receive(span: Span, name: Token, type_: Expr) -> tree.Receive:
    return tree.Receive(span=span, name=identifier(span, name), type=type_)


def assert_statement(span: Span, condition: Expr) -> tree.Assert:
    return tree.Assert(span=span, condition=condition)


def tick(span: Span, cost: Expr) -> tree.Tick:
    return tree.Tick(span=span, cost=cost)


BUILDERS: Mapping[str, Builder] = {
    "block": block,
    "binding_word": text,
    "binding": binding,
    "assignment": assignment,
    "stepwise": stepwise,
    "call_statement": call_statement,
    "stepwise_statement": stepwise_statement,
    "block_statement": block_statement,
    "start": start,
    "let": let,
    "var": var,
    "else_if": else_if,
    "if_statement": if_statement,
    "statement_arm": statement_arm,
    "match_statement": match_statement,
    "for_statement": for_statement,
    "while_statement": while_statement,
    "forever_statement": forever_statement,
    "emit": emit,
    "return_statement": return_statement,
    "respond": respond,
    "receive": receive,
    "assert_statement": assert_statement,
    "tick": tick,
}
