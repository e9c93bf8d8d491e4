"""The largest additive slack delta that a pair of starts needs at a bound c.

V_0(x) = max(0, x 1); V_k(x) = max(V_0(x), sum over letters that answer no input of V_{k-1}(x M_a) + the largest over
inputs of the sum over their answers of V_{k-1}(x M_a)). delta = V_k(pi - c tau): the words of one length are outcomes,
of whole runs the limit. Prefixes of equal direction are one. Source: docs/theory/excess.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd, lcm

from pfl.analysis.components import components
from pfl.analysis.ratio.integer_system import Integers, IntegerSystem, Word, constant, primitive, reached_part
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem

_NO_INPUT = -1
_MOST_NODES = 400_000
_MOST_WORDS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """After `letter`, `weight` times the direction of `node`."""

    letter: int
    node: int
    weight: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A direction: its mass, if positive, and what follows by the input that is answered; nothing where it is over."""

    own: int
    choices: Mapping[int, tuple[Edge, ...]]

    @property
    def edges(self) -> Iterator[Edge]:
        for edges in self.choices.values():
            yield from edges


class Excess:
    """V_k for one start vector; `delta` is its value, `words` a set of words that shows it."""

    def __init__(
        self,
        system: LabelledSystem,
        left: Sequence[Number],
        right: Sequence[Number],
        bound: Fraction,
        length: int | None,
        budget: Budget,
    ) -> None:
        """For the words of at most `length` letters, None for whole runs.

        Raises LimitReached where prefixes lead to too many directions, or a limit over whole runs is not found exactly.
        """
        self._part = reached_part(system, (left, right))
        self._letters = _letters(system, self._part)
        self._budget = budget
        self._length = length
        self._index: dict[Integers, int] = {}
        self._vectors: list[Integers] = []
        self._nodes: dict[int, Node] = {}
        """Expanded nodes."""
        start = [constant(left[state]) - bound * constant(right[state]) for state in self._part.states]
        scale = lcm(*(entry.denominator for entry in start))
        whole = [int(entry * scale) for entry in start]
        self._weight = Fraction(gcd(*whole), scale)
        self._start = self._node(primitive(whole))
        self._values = self._over_whole_runs() if length is None else self._up_to(length)
        self.delta = Fraction(0) if self._start is None else self._weight * self._values[0][self._start]

    def words(self, more_than: Fraction) -> tuple[Word, ...]:
        """Words, none of which begins another, whose excesses add up to more than that; it must be below `delta`."""
        total, found = Fraction(0), []
        assert self._start is not None
        waiting: list[tuple[Fraction, Word, int, Fraction]] = [(-self.delta, (), self._start, self._weight)]
        while total <= more_than:
            _, word, node, weight = heappop(waiting)
            edges = self._best_edges(node, len(word))
            if edges is None:
                total += weight * self._own(node)
                found.append(word)
            for edge in edges or ():
                value = weight * edge.weight * self._value(edge.node, len(word) + 1)
                if value:
                    heappush(waiting, (-value, (*word, edge.letter), edge.node, weight * edge.weight))
            if len(found) + len(waiting) > _MOST_WORDS:
                raise LimitReached(f"more than {_MOST_WORDS} words are needed to exceed delta; try a smaller delta")
        return tuple(sorted(found))

    def _up_to(self, length: int) -> list[dict[int, Fraction]]:
        """V by letters read: the j-th entry has V_{length - j} of the nodes that j letters lead to."""
        levels: list[list[int]] = [[] if self._start is None else [self._start]]
        for level in range(length):
            self._budget.check(f"{level} of {length} letters, {len(self._vectors):,} directions")
            levels.append(list(dict.fromkeys(e.node for node in levels[-1] for e in self._expanded(node).edges)))
        values = [{node: Fraction(self._own(node)) for node in levels[-1]}]
        for nodes in reversed(levels[:-1]):
            values.append({node: self._best(self._nodes[node], values[-1]) for node in nodes})
        return values[::-1]

    def _over_whole_runs(self) -> list[dict[int, Fraction]]:
        """The limit of V_k, component by component of the graph of directions."""
        for node in iter_growing(self._vectors):
            if node % 256 == 0:
                self._budget.check(f"{node:,} directions")
            self._expanded(node)
        offsets, targets = array("q", [0]), array("q")
        for node in range(len(self._vectors)):
            targets.extend(edge.node for edge in self._nodes[node].edges)
            offsets.append(len(targets))
        groups: dict[int, list[int]] = {}
        for node, component in enumerate(components(offsets, targets)):
            groups.setdefault(component, []).append(node)
        values: dict[int, Fraction] = {}
        for component in sorted(groups):
            values.update(self._limit(groups[component], values))
        return [values]

    def _limit(self, group: Sequence[int], known: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """The limit on a strongly connected group: V = A V + b, where A^n tends to 0."""
        inside = {node: place for place, node in enumerate(group)}
        if all(edge.node not in inside for node in group for edge in self._nodes[node].edges):
            return {node: self._best(self._nodes[node], known) for node in group}
        if any(len(self._nodes[node].choices.keys() - {_NO_INPUT}) > 1 for node in group):
            raise LimitReached("runs may go on for ever while an adversary chooses their inputs; give a length")
        matrix = [[Fraction(0)] * len(group) for _ in group]
        outside = [Fraction(0)] * len(group)
        for node, place in inside.items():
            for edge in self._nodes[node].edges:
                if edge.node in inside:
                    matrix[place][inside[edge.node]] += edge.weight
                else:
                    outside[place] += edge.weight * known[edge.node]
        solved = _solve(matrix, outside)
        if solved is None or any(value < self._own(node) for node, value in zip(group, solved)):
            raise LimitReached("runs may go on for ever without being told apart further; give a length")
        return dict(zip(group, solved))

    def _best(self, node: Node, following: Mapping[int, Fraction]) -> Fraction:
        sums = {
            choice: sum((edge.weight * following[edge.node] for edge in edges), Fraction(0))
            for choice, edges in node.choices.items()
        }
        unasked = sums.pop(_NO_INPUT, Fraction(0))
        return max(Fraction(node.own), unasked + max(sums.values(), default=Fraction(0)))

    def _best_edges(self, index: int, level: int) -> tuple[Edge, ...] | None:
        """The edges by which the value of a node is made up; None where it is the node's own mass."""
        node = self._nodes.get(index)
        if node is None or level == self._length or self._value(index, level) == node.own:
            return None
        unasked = node.choices.get(_NO_INPUT, ())
        asked = [edges for choice, edges in node.choices.items() if choice != _NO_INPUT]
        return (*unasked, *max(asked, key=lambda edges: self._sum(edges, level + 1), default=()))

    def _sum(self, edges: Sequence[Edge], level: int) -> Fraction:
        return sum((edge.weight * self._value(edge.node, level) for edge in edges), Fraction(0))

    def _value(self, node: int, level: int) -> Fraction:
        return self._values[0 if self._length is None else level][node]

    def _own(self, node: int) -> int:
        return max(0, sum(self._vectors[node]))

    def _node(self, vector: Integers) -> int | None:
        """The node of a direction; None where nothing can exceed, as no entry is positive."""
        if all(entry <= 0 for entry in vector):
            return None
        known = self._index.setdefault(vector, len(self._vectors))
        if known == len(self._vectors):
            self._vectors.append(vector)
            if known > _MOST_NODES:
                raise LimitReached(f"prefixes lead to more than {_MOST_NODES:,} directions; try a smaller length")
        return known

    def _expanded(self, index: int) -> Node:
        if index not in self._nodes:
            vector = self._vectors[index]
            choices = {} if all(entry >= 0 for entry in vector) else self._choices(vector)
            own = [edge for edges in choices.values() for edge in edges]
            if len(own) == 1 and own[0].node == index and own[0].weight == 1:
                choices = {}
            self._nodes[index] = Node(own=self._own(index), choices=choices)
        return self._nodes[index]

    def _choices(self, vector: Integers) -> dict[int, tuple[Edge, ...]]:
        choices: dict[int, tuple[Edge, ...]] = {}
        for letter, (position, scale, asked) in self._letters.items():
            image = self._part.step(vector, position)
            node = self._node(primitive(image))
            if node is not None:
                edge = Edge(letter=letter, node=node, weight=scale * gcd(*image))
                choices[asked] = (*choices.get(asked, ()), edge)
        return choices


def iter_growing(items: Sequence[object]) -> Iterator[int]:
    """The indices of a list that grows while it is gone through."""
    index = 0
    while index < len(items):
        yield index
        index += 1


def _letters(system: LabelledSystem, part: IntegerSystem) -> dict[int, tuple[int, Fraction, int]]:
    """For each letter that is shown its position, M_a as a multiple of those rows, and the input that it answers."""
    result = {}
    for letter, position in enumerate(part.positions):
        if position is not None:
            state = next(place for place, row in enumerate(part.rows[position]) if row)
            exact = constant(system.matrices[letter][part.states[state]][0][1])
            whole = part.rows[position][state][0][1]
            asked = _NO_INPUT if system.inputs is None else system.inputs[letter]
            result[letter] = (position, exact / whole, asked)
    return result


def _solve(matrix: Sequence[Sequence[Fraction]], outside: Sequence[Fraction]) -> list[Fraction] | None:
    """(I - A)^-1 b for a non-negative A with A^n -> 0; None for any other A.

    z = (I - A)^-1 1 >= 1 shows that A^n tends to 0, since A z = z - 1 < z.
    """
    from flint import fmpq, fmpq_mat

    size = range(len(matrix))

    def exact(number: Fraction) -> fmpq:
        return fmpq(number.numerator, number.denominator)

    system = fmpq_mat([[int(i == j) - exact(matrix[i][j]) for j in size] for i in size])
    sides = fmpq_mat([[exact(outside[i]), 1] for i in size])
    try:
        solution = system.solve(sides)
    except ZeroDivisionError:
        return None
    if any(solution[i, 1] < 1 for i in size):
        return None
    return [Fraction(int(solution[i, 0].p), int(solution[i, 0].q)) for i in size]
