"""Statements that neither draw, nor show, nor wait, nor loop without a bound, as plain Python code."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pfl.frontend.ast_statements import (
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
from pfl.frontend.compile.fragment import call, name
from pfl.frontend.lower.frame import Frame
from pfl.frontend.lower.placing import assigned, assignment, place_of, unset
from pfl.frontend.lower.statement_errors import assert_failed
from pfl.frontend.tree_walk import inner_statements

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


def code_of(frame: Frame, statements: Sequence[Statement], *, inside_loop: bool = False) -> list[ast.stmt]:
    """The code of plain statements, in order."""
    return [line for statement in statements for line in _code(frame, statement, inside_loop)]


def _code(frame: Frame, statement: Statement, inside_loop: bool) -> list[ast.stmt]:
    match statement:
        case Var(name=declared, value=None):
            return [unset(frame, frame.program.local(declared))]
        case Let() | Var() | Assign() | Start():
            assert statement.value is not None
            assert not isinstance(statement.value, Stepwise)
            return assignment(frame, place_of(frame, statement), statement.value)
        case Assert(condition=condition):
            fault = ast.Expr(frame.fault(lambda: assert_failed(statement)))
            return [ast.If(ast.UnaryOp(ast.Not(), frame.code(condition).test(condition)), [fault], [])]
        case If(condition=condition, then=then, otherwise=otherwise):
            test = frame.code(condition).test(condition)
            branches = [code_of(frame, part, inside_loop=inside_loop) for part in (then, otherwise or ())]
            return [ast.If(test, branches[0] or [ast.Pass()], branches[1])]
        case MatchStatement():
            return _match(frame, statement, inside_loop)
        case For(variable=variable, domain=domain, body=body):
            target = ast.Name(frame.names[frame.program.local(variable)], ast.Store())
            turn = code_of(frame, body, inside_loop=True)
            loop = ast.For(target, frame.code(domain).elements(domain), turn or [ast.Pass()], [])
            # Loops in loops can take long although each is bounded, so the inner one looks at the clock.
            return [ast.Expr(call(PAUSE)), loop] if inside_loop else [loop]
        case Block(body=body):
            return code_of(frame, body, inside_loop=inside_loop)
        case _:
            raise AssertionError(f"{type(statement).__name__} is not plain")


PAUSE = "·pause"
"""What an exploration offers to code that may run long: it stops the run when the time is over."""


def _match(frame: Frame, statement: MatchStatement, inside_loop: bool) -> list[ast.stmt]:
    subject, before = match_subject(frame, statement)
    otherwise = no_match(frame, statement, subject)
    for arm in reversed(statement.arms):
        test = arm_test(frame, statement, arm, subject)
        body = code_of(frame, arm.body, inside_loop=inside_loop)
        otherwise = [ast.If(test, body or [ast.Pass()], otherwise)]
    return [*before, *otherwise]


def match_subject(frame: Frame, statement: MatchStatement) -> tuple[str, list[ast.stmt]]:
    """A slot that holds the subject of a match, and the code that puts it there."""
    identifier = frame.builder.slot(statement.subject.span.text, hidden=True)
    return identifier, [assigned(identifier, frame.code(statement.subject).value(statement.subject))]


def arm_test(frame: Frame, statement: MatchStatement, arm: MatchStatementArm, subject: str) -> ast.expr:
    """Whether the subject fits an arm, as a Python bool."""
    static = frame.program.type_of(statement.subject)
    return frame.code(*arm.patterns).fits(arm.patterns, name(subject), static)


def no_match(frame: Frame, statement: MatchStatement, subject: str) -> list[ast.stmt]:
    """Code for a subject that fits no arm."""
    span = statement.subject.span
    return [ast.Expr(call("_no_arm_matches", name(subject), name(frame.builder.bind(span))))]
