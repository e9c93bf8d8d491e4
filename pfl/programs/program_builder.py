"""Puts a program together, node by node, from its end to its beginning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from pfl.base.source import Span
from pfl.model.program import Branch, Draw, Node, Point, Program, Receive, Run, Show, Slot, Stop, Tick, successors
from pfl.model.values import show

_NO_IDENTIFIERS = frozenset({"None", "True", "False", "__debug__"})
"""Names that Python does not let generated code assign."""


class ProgramBuilder:
    """A program under construction. Nodes are added after their successors; a loop's head is reserved first."""

    def __init__(self, name: str, namespace: dict[str, Any]) -> None:
        self._name = name
        self._namespace = namespace
        self._slots: dict[str, Slot] = {}
        self._nodes: list[Node | None] = []

    def slot(self, name: str, *, hidden: bool = False, origin: Span | None = None, is_endless: bool = False) -> str:
        """The identifier of a new slot for a variable of that name; several may have one name."""
        # Names with an underscore in front are kept for the operations that code calls.
        base = f"v{name}" if name.startswith("_") or name in _NO_IDENTIFIERS else name
        identifier, number = base, 1
        while identifier in self._slots:
            number += 1
            identifier = f"{base}_{number}"
        self._slots[identifier] = Slot(
            identifier=identifier, name=name, show=show, hidden=hidden, origin=origin, is_endless=is_endless
        )
        return identifier

    def bind(self, value: Any) -> str:
        """A name by which code reads an object."""
        number = len(self._namespace)
        while (identifier := f"_p{number}") in self._namespace:
            number += 1
        self._namespace[identifier] = value
        return identifier

    def add(self, node: Node) -> Point:
        """The point of a new node."""
        self._nodes.append(node)
        return len(self._nodes) - 1

    def reserve(self) -> Point:
        """A point whose node is given later, by `put`."""
        self._nodes.append(None)
        return len(self._nodes) - 1

    def put(self, point: Point, node: Node) -> None:
        """Gives a reserved point its node."""
        self._nodes[point] = node

    def finish(self, entry: Point, inputs: Sequence[str] = (), results: Sequence[str] = ()) -> Program:
        """The program: points renumbered in the order of the source, what cannot be reached left out."""
        order: dict[Point, int] = {}
        pending = [entry]
        while pending:
            point = pending.pop()
            if point not in order:
                order[point] = len(order)
                pending.extend(reversed(successors(self._node(point))))
        return Program(
            name=self._name,
            slots=tuple(self._slots.values()),
            nodes=tuple(_renumbered(self._node(point), order) for point in order),
            inputs=tuple(inputs),
            results=tuple(results),
            namespace=self._namespace,
        )

    def _node(self, point: Point) -> Node:
        node = self._nodes[point]
        assert node is not None, "a reserved point was never given its node"
        return node


def _renumbered(node: Node, order: Mapping[Point, int]) -> Node:
    match node:
        case Branch():
            return replace(node, then=order[node.then], otherwise=order[node.otherwise])
        case Run() | Draw() | Show() | Receive() | Tick():
            return replace(node, next=order[node.next])
        case Stop():
            return node
        case _:
            assert_never(node)
