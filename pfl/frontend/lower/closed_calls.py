"""`stepwise` calls whose steps nobody sees: the closure of the mechanism in place of its steps.

In an automaton all steps of a called mechanism are hidden. Closing them call by call, each mechanism once for each
arguments, gives the same interactive system as closing the whole run, whose states would multiply.
Source: docs/theory/refinement.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from pfl.frontend.ast import Expr, Node
from pfl.frontend.ast_statements import Statement, Stepwise


def closed_calls(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements with `stepwise f(..)` replaced by `f(..)`, at any depth."""
    return tuple(_closed(statement) for statement in statements)


def _closed(node: Any) -> Any:
    """The node itself where nothing in it changes."""
    if isinstance(node, Stepwise):
        return node.call
    if isinstance(node, tuple):
        parts = tuple(_closed(part) for part in node)
        return node if all(new is old for new, old in zip(parts, node)) else parts
    if isinstance(node, Expr) or not isinstance(node, Node):
        return node
    changed = {}
    for field in fields(node):
        old = getattr(node, field.name)
        new = _closed(old)
        if new is not old:
            changed[field.name] = new
    return replace(node, **changed) if changed else node
