"""Builds the statements of the syntax tree; see `build_expressions` for how builders work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pfl.base import codes
from pfl.base.source import Span
from pfl.syntax.errors.token_errors import how_to_stop
from pfl.syntax.parse.build_expressions import identifier, text
from pfl.syntax.parse.lr_parser import Builder, SyntaxFault, Token
from pfl.syntax.tree import ast, ast_statements
from pfl.syntax.tree.ast import Expr, Pattern


class Binding(NamedTuple):
    """`= e` or `~ d`."""

    drawn: bool
    value: Expr | ast_statements.Stepwise


def block(_span: Span, *body: ast_statements.Statement) -> tuple[ast_statements.Statement, ...]:
    return body


def binding(_span: Span, word: str, value: Expr | ast_statements.Stepwise) -> Binding:
    return Binding(word == "~", value)


def assignment(span: Span, place: Expr, bound: Binding) -> ast_statements.Assign:
    _demand_place(place)
    return ast_statements.Assign(span=span, place=place, value=bound.value, drawn=bound.drawn)


def _demand_place(place: Expr) -> None:
    """Raises `SyntaxFault` unless a place is a variable, or an element or a field of one."""
    inner = place
    while not isinstance(inner, ast.Name):
        match inner:
            case ast.Index(array=inner) | ast.FieldAccess(record=inner):
                pass
            case _:
                raise SyntaxFault(
                    codes.NOT_A_PLACE,
                    place.span,
                    f"`{inner.span.text}` is not something that can be assigned to",
                    "the left side is a variable `x`, an element `a[i]` or a field `r.f`",
                )


def stepwise(span: Span, call: Expr) -> ast_statements.Stepwise:
    if not isinstance(call, ast.Call):
        message = "`stepwise` is not followed by the call of a mechanism"
        raise SyntaxFault(codes.STEPWISE, call.span, message, "write `stepwise f(x)`")
    return ast_statements.Stepwise(span=span, call=call)


def call_statement(span: Span, call: Expr) -> ast_statements.CallStatement:
    if not isinstance(call, ast.Call):
        advice = "write `x = e;` to assign, `x ~ d;` to draw, or `f(x);` to run a mechanism"
        help = how_to_stop(call.span.text) or advice
        raise SyntaxFault(codes.DOES_NOTHING, call.span, "the statement does nothing", help)
    return ast_statements.CallStatement(span=span, call=call)


def stepwise_statement(span: Span, call: Expr) -> ast_statements.CallStatement:
    return ast_statements.CallStatement(span=span, call=stepwise(Span(span.file, span.start, call.span.end), call))


def block_statement(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_statements.Block:
    return ast_statements.Block(span=span, body=body)


def start(span: Span, assigned: ast_statements.Assign) -> ast_statements.Start:
    if isinstance(assigned.value, ast_statements.Stepwise):
        message = "`stepwise` has no meaning in a prior"
        raise SyntaxFault(codes.STEPWISE, assigned.value.span, message, "leave it out")
    return ast_statements.Start(span=span, place=assigned.place, value=assigned.value, drawn=assigned.drawn)


def let(span: Span, name: Token, type_: Expr | None, bound: Binding) -> ast_statements.Let:
    return ast_statements.Let(span=span, name=identifier(span, name), type=type_, value=bound.value, drawn=bound.drawn)


def var(span: Span, name: Token, type_: Expr | None, bound: Binding | None) -> ast_statements.Var:
    value, drawn = (bound.value, bound.drawn) if bound else (None, False)
    return ast_statements.Var(span=span, name=identifier(span, name), type=type_, value=value, drawn=drawn)


def else_if(_span: Span, inner: ast_statements.If) -> tuple[ast_statements.Statement, ...]:
    return (inner,)


def if_statement(
    span: Span,
    condition: Expr,
    then: tuple[ast_statements.Statement, ...],
    otherwise: tuple[ast_statements.Statement, ...] | None = None,
) -> ast_statements.If:
    return ast_statements.If(span=span, condition=condition, then=then, otherwise=otherwise)


def statement_arm(
    span: Span, patterns: tuple[Pattern, ...], body: tuple[ast_statements.Statement, ...]
) -> ast_statements.MatchStatementArm:
    return ast_statements.MatchStatementArm(span=span, patterns=patterns, body=body)


def match_statement(
    span: Span, subject: Expr, *arms: ast_statements.MatchStatementArm
) -> ast_statements.MatchStatement:
    return ast_statements.MatchStatement(span=span, subject=subject, arms=arms)


def for_statement(
    span: Span, variable: Token, domain: Expr, body: tuple[ast_statements.Statement, ...]
) -> ast_statements.For:
    return ast_statements.For(span=span, variable=identifier(span, variable), domain=domain, body=body)


def while_statement(span: Span, condition: Expr, body: tuple[ast_statements.Statement, ...]) -> ast_statements.While:
    return ast_statements.While(span=span, condition=condition, body=body)


def forever_statement(span: Span, body: tuple[ast_statements.Statement, ...]) -> ast_statements.Forever:
    return ast_statements.Forever(span=span, body=body)


def emit(span: Span, value: Expr) -> ast_statements.Emit:
    return ast_statements.Emit(span=span, value=value)


def return_statement(span: Span, value: Expr | None) -> ast_statements.Return:
    return ast_statements.Return(span=span, value=value)


def respond(span: Span, value: Expr | ast_statements.Stepwise) -> ast_statements.Respond:
    return ast_statements.Respond(span=span, value=value)


def receive(span: Span, name: Token, type_: Expr) -> ast_statements.Receive:
    return ast_statements.Receive(span=span, name=identifier(span, name), type=type_)


def assert_statement(span: Span, condition: Expr) -> ast_statements.Assert:
    return ast_statements.Assert(span=span, condition=condition)


def tick(span: Span, cost: Expr) -> ast_statements.Tick:
    return ast_statements.Tick(span=span, cost=cost)


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
