"""The variables of an expression, and which of them it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast import (
    Comprehension,
    DistributionComprehension,
    KeyedComprehension,
    Name,
    Node,
    Quantified,
    SetFilter,
)
from pfl.syntax.tree.tree_walk import descendants
from pfl.typecheck.bindings import CheckedProgram, Local

TIMED_KINDS = frozenset({"state", "table-state"})
"""The kinds of locals that `@` takes to another moment; all others are the same at every moment."""


@struct(kw_only=False)
class Moment:
    """`x@3`: the value of a local after `time` moves."""

    local: Local
    time: int


Variable: TypeAlias = Local | Moment


def reads(program: CheckedProgram, node: Node) -> tuple[Local, ...]:
    """The locals that a tree (an expression, patterns, a statement) mentions and does not bind itself.

    In order of first mention. Which moments an expression with `@` reads is known only once it is translated.
    """
    bound: set[Local] = set()
    found: dict[Local, None] = {}
    for current in descendants(node):
        if isinstance(current, Name) and isinstance(target := program.target(current), Local):
            found[target] = None
        bound.update(_bound_by(program, current))
    return tuple(variable for variable in found if variable not in bound)


def _bound_by(program: CheckedProgram, node: Node) -> Iterator[Local]:
    match node:
        case Quantified(variable=variable) | SetFilter(variable=variable):
            yield program.local(variable)
        case (
            Comprehension(binders=binders)
            | DistributionComprehension(binders=binders)
            | KeyedComprehension(binders=binders)
        ):
            for binder in binders:
                yield program.local(binder.variable)
        case _:
            return
