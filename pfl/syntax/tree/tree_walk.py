"""Walks over syntax trees of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from pfl.syntax.tree.ast import Node
from pfl.syntax.tree.ast_statements import Block, For, Forever, If, MatchStatement, Statement, While


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, in order of the source."""
    found: list[Node] = []
    kind: Any = type(node)
    for name in _field_names(kind):
        value = getattr(node, name)
        if isinstance(value, tuple):
            _collect(value, found)
        elif isinstance(value, Node):
            found.append(value)
    return found


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "span")


def _collect(values: tuple[object, ...], found: list[Node]) -> None:
    for value in values:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, tuple):
            _collect(value, found)


def descendants(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, in order of the source."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


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
