"""Pieces of generated code, as Python syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def name(identifier: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(id=identifier, ctx=ast.Load())


def constant(value: int) -> ast.expr:
    return ast.Constant(value=value)


def call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(func=name(function), args=list(arguments), keywords=[])


def subscript(mapping: str, key: ast.expr) -> ast.expr:
    return ast.Subscript(value=name(mapping), slice=key, ctx=ast.Load())


def item(sequence: str, position: int) -> ast.expr:
    return subscript(sequence, constant(position))


def attribute(owner: str, attribute: str) -> ast.expr:
    return ast.Attribute(value=name(owner), attr=attribute, ctx=ast.Load())


def compare(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left=left, ops=[operator], comparators=[right])


def key(names: Sequence[str]) -> ast.expr:
    """Several values as one: a tuple, or the value itself if there is one."""
    return name(names[0]) if len(names) == 1 else ast.Tuple(elts=[name(each) for each in names], ctx=ast.Load())


def assign(identifier: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=identifier, ctx=ast.Store())], value=value)


def _targets(names: Sequence[str]) -> ast.expr:
    return ast.Tuple(elts=[ast.Name(id=each, ctx=ast.Store()) for each in names], ctx=ast.Store())


def unpack(names: Sequence[str], value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[_targets(names)], value=value)


def unpack_key(names: Sequence[str], value: ast.expr) -> list[ast.stmt]:
    """The names get what `key` made one of them."""
    return [unpack(names, value) if len(names) != 1 else assign(names[0], value)] if names else []


def loop(names: Sequence[str], domain: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.For(target=_targets(names), iter=domain, body=body, orelse=[])


def function(name: str, arguments: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    definition = ast.parse("def _(): pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.name, definition.body = name, body
    definition.args.args = [ast.arg(arg=argument) for argument in arguments]
    return definition
