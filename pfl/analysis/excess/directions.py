"""The graph of the directions that the prefixes of one start vector lead to, for sums of positive excesses.

A node is a vector x up to a positive factor, in the shortest integers; an edge has the factor. Source:
docs/theory/excess.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, constant, primitive, reached_part
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

NO_INPUT = -1
"""What a letter answers that answers no input."""
_MOST_NODES = 400_000


@struct
class Edge:
    """After `letter`, `weight` times the direction of `node`."""

    letter: int
    node: int
    weight: Fraction


@struct
class Node:
    """What follows a direction: the letters that answer no input, and for each channel on which an input may be asked
    for the answers to each input. Nothing where it is over."""

    unasked: tuple[Edge, ...] = ()
    channels: tuple[tuple[tuple[Edge, ...], ...], ...] = ()

    @property
    def edges(self) -> Iterator[Edge]:
        """All edges, whatever answers what."""
        yield from self.unasked
        for answers in self.channels:
            for edges in answers:
                yield from edges


class Directions:
    """Directions of (left - bound * right) M_w, made when asked for; those without a positive entry are left out.

    `start` is the node of the empty word, `weight` its factor; None where it is left out.
    """

    def __init__(
        self, system: LabelledSystem, left: Sequence[Number], right: Sequence[Number], bound: Fraction
    ) -> None:
        self._part = reached_part(system, (left, right))
        self._system = system
        self._letters = _letters(system, self._part)
        self._index: dict[Integers, int] = {}
        self._vectors: list[Integers] = []
        self._nodes: dict[int, Node] = {}
        start = [constant(left[state]) - bound * constant(right[state]) for state in self._part.states]
        scale = lcm(*(entry.denominator for entry in start))
        whole = [int(entry * scale) for entry in start]
        self.weight = Fraction(gcd(*whole), scale)
        self.start = self._node(primitive(whole))

    def __len__(self) -> int:
        """How many are known; each is the start or was found from one with a smaller index."""
        return len(self._vectors)

    def own(self, node: int) -> int:
        """V_0, the mass of a direction if it is positive."""
        return max(0, sum(self._vectors[node]))

    def most(self, node: int) -> int:
        """The sum of its positive entries, which no V_k exceeds."""
        return sum(entry for entry in self._vectors[node] if entry > 0)

    def known(self, node: int) -> Node | None:
        """What follows a node that was expanded before."""
        return self._nodes.get(node)

    def expanded(self, index: int) -> Node:
        """What follows a node. Raises LimitReached where there are too many directions."""
        if index not in self._nodes:
            vector = self._vectors[index]
            node = Node() if all(entry >= 0 for entry in vector) else self._following(vector)
            own = list(node.edges)
            if len(own) == 1 and own[0].node == index and own[0].weight == 1:
                node = Node()
            self._nodes[index] = node
        return self._nodes[index]

    def _following(self, vector: Integers) -> Node:
        unasked: list[Edge] = []
        channels: dict[int, dict[int, tuple[Edge, ...]]] = {}
        for letter, (position, scale) in self._letters.items():
            image = self._part.step(vector, position)
            node = self._node(primitive(image))
            if node is None:
                continue
            edge = Edge(letter=letter, node=node, weight=scale * gcd(*image))
            asked = NO_INPUT if self._system.inputs is None else self._system.inputs[letter]
            if asked == NO_INPUT:
                unasked.append(edge)
            else:
                answers = channels.setdefault(0 if self._system.channels is None else self._system.channels[letter], {})
                answers[asked] = (*answers.get(asked, ()), edge)
        return Node(unasked=tuple(unasked), channels=tuple(tuple(answers.values()) for answers in channels.values()))

    def _node(self, vector: Integers) -> int | None:
        if all(entry <= 0 for entry in vector):
            return None
        known = self._index.setdefault(vector, len(self._vectors))
        if known == len(self._vectors):
            self._vectors.append(vector)
            if known > _MOST_NODES:
                raise LimitReached(f"prefixes lead to more than {_MOST_NODES:,} directions; try a smaller length")
        return known


def _letters(system: LabelledSystem, part: IntegerSystem) -> dict[int, tuple[int, Fraction]]:
    """For each letter that is shown its position, and M_a as a multiple of those rows."""
    result = {}
    for letter, position in enumerate(part.positions):
        if position is not None:
            state = next(place for place, row in enumerate(part.rows[position]) if row)
            exact = constant(system.matrices[letter][part.states[state]][0][1])
            whole = part.rows[position][state][0][1]
            result[letter] = (position, exact / whole)
    return result
