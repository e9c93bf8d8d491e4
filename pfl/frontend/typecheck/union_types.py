"""Unions of types that read as if they were other types: `[2] of {none} | 0..2`."""

from __future__ import annotations

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.frontend.ast import ArrayType, BagType, Expr, MechanismType, SetType, Union
from pfl.frontend.operator_levels import CONSTRUCTED


def ambiguous_union(node: Union) -> Diagnostic | None:
    """A fault where a member such as `[2] of T` stands before a `|` without parentheses: it seems to belong to T."""
    for member in node.members[:-1]:
        before = node.span.file.text[node.span.start : member.span.start].rstrip()
        if isinstance(member, CONSTRUCTED) and not before.endswith("("):
            return _may_mean_two(node, member)
    return None


def _may_mean_two(node: Union, constructed: Expr) -> Diagnostic:
    inner, text = _end(constructed), node.span.file.text
    own, others = constructed.span.text, text[constructed.span.end : node.span.end]
    parts = f"{text[constructed.span.start : inner.span.start]}({inner.span.text}{others})"
    return Diagnostic(
        code=codes.PARENTHESES_NEEDED,
        message=f"`{_on_one_line(own + others)}` can be read as two types",
        labels=(Label(node.span, "`|` binds most loosely"),),
        help=f"write `{_on_one_line(parts)}`, or `{_on_one_line(f'({own}){others}')}`, whichever is meant",
    )


def _end(type_: Expr) -> Expr:
    """The type that a constructed type ends in: T of `[2] of set of T`."""
    while True:
        match type_:
            case ArrayType(element=last) | SetType(element=last) | BagType(element=last) | MechanismType(result=last):
                if last is None:
                    return type_
                type_ = last
            case _:
                return type_


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
