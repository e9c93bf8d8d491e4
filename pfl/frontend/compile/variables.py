"""The variables of an expression, and which of them it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pfl.frontend.ast import (
    At,
    Comprehension,
    DistributionComprehension,
    Expr,
    KeyedComprehension,
    Name,
    Node,
    Quantified,
    SetFilter,
)
from pfl.frontend.bindings import CheckedProgram, Local
from pfl.frontend.tree_walk import children

TIMED_KINDS = frozenset({"state", "table-state"})
"""The kinds of locals that `@` takes to another moment; all others are the same at every moment."""


@dataclass(frozen=True, slots=True)
class Moment:
    """`x@3`: the value of a local after `time` moves."""

    local: Local
    time: int


Variable: TypeAlias = Local | Moment


def reads(program: CheckedProgram, node: Node, moment_of: Callable[[Expr], int]) -> tuple[Variable, ...]:
    """The locals that a tree (an expression, patterns, a statement) mentions and does not bind itself.

    In order of first mention. `moment_of` evaluates what stands after `@`.
    """
    bound: set[Local] = set()
    found: dict[Variable, None] = {}
    pending: list[tuple[Node, int | None]] = [(node, None)]
    while pending:
        current, moment = pending.pop()
        if isinstance(current, At):
            pending.append((current.operand, moment_of(current.moment)))
            continue
        if isinstance(current, Name):
            target = program.target(current)
            if isinstance(target, Local):
                timed = moment is not None and target.kind in TIMED_KINDS
                found[Moment(target, moment) if timed and moment is not None else target] = None
            continue
        bound.update(_bound_by(program, current))
        pending.extend((child, moment) for child in reversed(list(children(current))))
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
