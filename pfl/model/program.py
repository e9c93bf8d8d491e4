"""Probabilistic programs as control-flow graphs over variable slots, free of syntax.

Mechanism bodies, `init` and `step` blocks, priors and handlers all become a
`Program`. A node is one instruction with its successors; a *point* is the index of
a node. Expressions and straight-line code are Python syntax trees (`ast`) over the
identifiers of slots and the names in `namespace`, so that an exploration can join
whole stretches of a program into one compiled Python function.

The fault of a model that shows only when something is evaluated, as an exception that carries its diagnostic.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias, assert_never

from pfl.base.diagnostics import Diagnostic
from pfl.base.source import Span
from pfl.base.struct import struct

Point: TypeAlias = int

LabelKind: TypeAlias = Literal["emit", "return", "respond", "input", "move"]
"""What a visible step shows: an emitted, returned or responded value, an input that was chosen, or the end of a
move of a chain."""

Costs: TypeAlias = Literal["moves", "turns", "ticks"]
"""The accounts in which costs are kept."""


@struct
class Slot:
    """One variable of a program.

    `identifier` is its name in the code, unique in the program; `name` is what the model calls it, and `show`
    writes a value as the model would. A `hidden` slot (the rest of a loop's range, a drawn response) is not shown.
    `origin` is where the variable is declared; `is_endless` says that no type with an end of values is
    written there.
    """

    identifier: str
    name: str
    show: Callable[[Any], str] = field(default=str, compare=False, repr=False)
    hidden: bool = False
    origin: Span | None = None
    is_endless: bool = False


@struct(eq=False)
class Run:
    """Deterministic code: assignments, checks, and conditionals and bounded loops without a draw inside."""

    code: tuple[ast.stmt, ...]
    next: Point
    origin: Span | None = None


@struct(eq=False)
class Branch:
    """Goes to `then` where the condition is true, otherwise to `otherwise`."""

    condition: ast.expr
    then: Point
    otherwise: Point
    origin: Span | None = None


@struct(eq=False)
class Draw:
    """Draws a value of the slot from a distribution.

    A `partial` one may hold the value `NEVER`: the call of a mechanism that does not end, so this run does not either.
    """

    slot: str
    distribution: ast.expr
    next: Point
    partial: bool = False
    origin: Span | None = None


@struct(eq=False)
class Show:
    """A visible step: the value of the expression is seen by whoever watches."""

    kind: LabelKind
    value: ast.expr
    next: Point
    origin: Span | None = None


@struct(eq=False)
class Receive:
    """Waits for an input: the slot becomes any of the values, as somebody outside chooses; the choice is visible.

    `channel` names the domain that is asked for: two points with one channel look alike from outside.
    """

    slot: str
    channel: str
    values: tuple[Any, ...]
    next: Point
    origin: Span | None = None


@struct(eq=False)
class Tick:
    """Adds to what the run has cost; `counts` says in which account: what `tick` says, turns of loops, or moves of an
    hmm."""

    cost: ast.expr
    next: Point
    counts: Costs = "ticks"
    origin: Span | None = None


@struct(eq=False)
class Stop:
    """The end of the run: the values of `Program.results` are its result."""

    origin: Span | None = None


Node: TypeAlias = Run | Branch | Draw | Show | Receive | Tick | Stop


@struct(eq=False)
class Program:
    """A control-flow graph.

    `inputs` are the slots that a start gives values to, in order; every other slot is `UNSET` at the start.
    `results` are the slots whose values remain at a `Stop`. `namespace` holds what the code mentions beside slots; it
    may grow while the program is explored.
    """

    name: str
    slots: tuple[Slot, ...]
    nodes: tuple[Node, ...]
    entry: Point = 0
    inputs: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    namespace: dict[str, Any] = field(default_factory=dict, repr=False)

    def slot(self, identifier: str) -> Slot:
        """The slot of that identifier. Raises KeyError."""
        for slot in self.slots:
            if slot.identifier == identifier:
                return slot
        raise KeyError(identifier)

    @property
    def identifiers(self) -> frozenset[str]:
        """What code may name a slot by."""
        return frozenset(slot.identifier for slot in self.slots)


@struct
class Step:
    """A step of a chain in a program: it begins at one point, to which no way leads back but through its `end`."""

    begin: Point
    end: Point


def successors(node: Node) -> tuple[Point, ...]:
    """The points that a run can go to next."""
    match node:
        case Branch(then=then, otherwise=otherwise):
            return then, otherwise
        case Stop():
            return ()
        case Run() | Draw() | Show() | Receive() | Tick():
            return (node.next,)
        case _:
            assert_never(node)


def expression(text: str) -> ast.expr:
    """The syntax tree of a Python expression, for programs that are written by hand."""
    return ast.parse(text, mode="eval").body


def code(text: str) -> tuple[ast.stmt, ...]:
    """The syntax trees of Python statements, for programs that are written by hand."""
    return tuple(ast.parse(text).body)


def describe(program: Program) -> str:
    """The program as text, one node a line, for `pflc emit ir`."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    yield f"program {program.name}({', '.join(program.inputs)})"
    for slot in program.slots:
        yield f"  slot {slot.identifier}" + ("  hidden" if slot.hidden else f"  `{slot.name}`")
    if program.results:
        yield f"  results {', '.join(program.results)}"
    yield f"  start at {program.entry}"
    for point, node in enumerate(program.nodes):
        head, *rest = _node_text(node).split("\n")
        line = f"  {point:>3}: {head}"
        yield line if node.origin is None else f"{line:<72} // line {node.origin.line}"
        yield from (f"       {line}" for line in rest)


def _node_text(node: Node) -> str:
    match node:
        case Run(code=code, next=following):
            statements = (ast.unparse(ast.fix_missing_locations(statement)) for statement in code)
            return "\n".join(statements) + f"  -> {following}"
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return f"if {ast.unparse(condition)} -> {then} else -> {otherwise}"
        case Draw(slot=slot, distribution=distribution, next=following):
            return f"{slot} ~ {ast.unparse(distribution)}  -> {following}"
        case Show(kind=kind, value=value, next=following):
            return f"{kind} {ast.unparse(value)}  -> {following}"
        case Receive(slot=slot, channel=channel, next=following):
            return f"receive {slot} in {channel}  -> {following}"
        case Tick(cost=cost, counts=counts, next=following):
            return f"{counts.removesuffix('s')} {ast.unparse(cost)}  -> {following}"
        case Stop():
            return "stop"
        case _:
            assert_never(node)


class EvaluationFault(Exception):
    """An expression has no value: its diagnostic says where and why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)

    def with_path(self, notes: Sequence[str]) -> Diagnostic:
        """The diagnostic with what led there, one line each."""
        return replace(self.diagnostic, notes=(*self.diagnostic.notes, *notes))
