"""What can be wrong with arrays whose indices are the values of an enum."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base import codes
from pfl.base.diagnostics import Diagnostic, Label
from pfl.syntax.tree.ast import Node
from pfl.syntax.tree.ast_declarations import EnumDecl
from pfl.typecheck.fitting import a
from pfl.typecheck.types import Type


def how_to_list(enum: EnumDecl) -> str:
    """How an array is written whose indices are the values of an enum."""
    keys = [f"{value.text}: .." for value in enum.values]
    listed = keys if len(keys) <= 2 else [*keys[:2], ".."]
    return f"write `[{', '.join(listed)}]`, or `[i: .. for i in {enum.name.text}]`"


def index_of_no_enum(node: Node) -> Diagnostic:
    written = " ".join(node.span.text.split())
    return Diagnostic(
        code=codes.TYPE_MISMATCH,
        message=f"an array has a number of elements, or one for each value of an enum, not of `{written}`",
        labels=(Label(node.span, "a type, whose values are no indices"),),
        help="write `[n] of T` for n elements, whose indices are 0 to n - 1",
    )


def key_of_no_enum(node: Node, index: Type) -> Diagnostic:
    return Diagnostic(
        code=codes.TYPE_MISMATCH,
        message=f"the keys of an array are the values of an enum, not {a(index)}",
        labels=(Label(node.span, a(index)),),
        help="write `[a, b]` for an array with the indices 0, 1, ..; in `{ key: weight }` a distribution",
    )


def key_twice(node: Node, earlier: Node) -> Diagnostic:
    return Diagnostic(
        code=codes.ARRAY_KEYS,
        message=f"the array has two elements for `{node.span.text}`",
        labels=(Label(node.span), Label(earlier.span, "the first one")),
        help="each value of the enum is the key of one element",
    )


def keys_missing(node: Node, missing: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code=codes.ARRAY_KEYS,
        message=f"the array has no element for {', '.join(f'`{name}`' for name in missing)}",
        labels=(Label(node.span),),
        help="each value of the enum is the key of one element",
    )
