"""Deterministic stretches of a program, from one point on to where a run stops, as Python syntax trees."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, assert_never

from pfl.explore import pieces
from pfl.explore.liveness import slots_read
from pfl.model.code_places import CodePlaces
from pfl.model.program import Branch, Costs, Draw, Node, Point, Program, Receive, Run, Show, Stop, Tick

# Names of the generated code. Identifiers of slots do not begin with the dot.
KEY, WEIGHT, LABEL, COST = "·key", "·weight", "·label", "·cost"
PAIRS, NO_COST, NEVER = "·pairs", "·no_cost", "·never"


class Stretches(ABC):
    """Builds generated code; where runs stop, and what is done there, is said by those who derive from it.

    `namespace` is what the code is run in.
    """

    def __init__(self, program: Program, live: Sequence[Sequence[str]], counted: Costs | None) -> None:
        self.program = program
        self.live = live
        self.counted = counted
        self._slots = program.identifiers
        self._places = CodePlaces.of(program.namespace)
        # Looked up after other names, and live: functions of the program are compiled when first called.
        self.namespace: dict[str, Any] = {"__builtins__": program.namespace}

    @abstractmethod
    def stops(self, point: Point, shown: bool) -> bool:
        """Whether a run that comes to the point does not simply go on there."""

    @abstractmethod
    def arrive(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        """What is done by a run that comes to the point."""

    def reads(self, point: Point, draw: Draw) -> list[str]:
        """The slots that a distribution depends on, in the order of the state."""
        read = slots_read(draw.distribution, self._slots)
        return [name for name in self.live[point] if name in read]

    def draw_function(self, point: Point, draw: Draw) -> ast.stmt:
        """key -> the pairs of the distribution; the key holds the slots that it reads."""
        read = self.reads(point, draw)
        unpack = pieces.unpack_key(read, pieces.name(KEY))
        return pieces.function(drawn(point), [KEY], [*unpack, ast.Return(pieces.call(PAIRS, draw.distribution))])

    def run(self, point: Point, shown: bool, weight: ast.expr) -> list[ast.stmt]:
        """Runs the node of a point, and on to where the run stops."""
        body: list[ast.stmt] = []
        while True:
            node = self.program.nodes[point]
            body += self._placed(self._code(node), node)
            if isinstance(node, Branch):
                then = self.arrive(node.then, shown, weight)
                otherwise = self.arrive(node.otherwise, shown, weight)
                return [*body, ast.If(test=node.condition, body=then, orelse=otherwise)]
            assert isinstance(node, Run | Show | Tick)
            shown = shown or isinstance(node, Show)
            point = node.next
            if self.stops(point, shown):
                return [*body, *self.arrive(point, shown, weight)]

    def start_cost(self) -> list[ast.stmt]:
        """Nothing is spent yet."""
        return [] if self.counted is None else [pieces.assign(COST, pieces.name(NO_COST))]

    def _placed(self, code: list[ast.stmt], node: Node) -> list[ast.stmt]:
        if self._places is not None and node.origin is not None:
            for statement in code:
                self._places.put(statement, node.origin)
        return code

    def _code(self, node: Node) -> list[ast.stmt]:
        match node:
            case Run(code=code):
                return list(code)
            case Show(kind=kind, value=value):
                return [pieces.assign(LABEL, pieces.subscript(shown_as(kind), value))]
            case Tick(cost=cost, counts=counts):
                total = ast.BinOp(left=pieces.name(COST), op=ast.Add(), right=cost)
                return [pieces.assign(COST, total)] if counts == self.counted else []
            case Branch() | Draw() | Receive() | Stop():
                return []
            case _:
                assert_never(node)


def drawn(point: Point) -> str:
    """The name of the function from what a distribution reads to its pairs."""
    return f"·drawn{point}"


def shown_as(kind: str) -> str:
    """The name of the mapping from what is shown to labels."""
    return f"·shown_{kind}"
