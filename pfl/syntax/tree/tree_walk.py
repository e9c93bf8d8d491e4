"""Walks over syntax trees of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from pfl.syntax.tree.ast import Node
from pfl.syntax.tree.ast_statements import Block, For, Forever, If, MatchStatement, Statement, While


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in order of the source."""
    for field in fields(node):
        yield from _nodes(getattr(node, field.name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def descendants(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in order of the source."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))


def inner_statements(statement: Statement) -> Iterator[Statement]:
    """The statements directly inside a statement."""
    match statement:
        case If(then=then, otherwise=otherwise):
            yield from then
            yield from otherwise or ()
        case MatchStatement(arms=arms):
            for arm in arms:
                yield from arm.body
        case For(body=body) | While(body=body) | Forever(body=body) | Block(body=body):
            yield from body
        case _:
            return


def all_statements(statements: Iterable[Statement]) -> Iterator[Statement]:
    """Statements, and those inside them at any depth, in order of the source."""
    pending = list(reversed(list(statements)))
    while pending:
        statement = pending.pop()
        yield statement
        pending.extend(reversed(list(inner_statements(statement))))
