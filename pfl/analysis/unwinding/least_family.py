"""The least family of bounds on pairs of states: exact largest ratios where the graph has directed factors.

E(i) is the largest of 1 and, over the edges of pair i, of factor * E(target). Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.components import components
from pfl.analysis.unwinding.pair_graph import EQUAL, INFINITE, PairGraph
from pfl.base.budget import Budget
from pfl.base.struct import struct

Extended: TypeAlias = Fraction | Literal["unbounded", "inf"]
"""A ratio; `inf` where a finite word has an infinite one, `unbounded` where ratios grow for ever."""

NO_EDGE = -1
_IS_ONE = 0
_UNBOUNDED = -1
_INFINITE = -2


def rank(value: Extended) -> tuple[int, Fraction]:
    """What values are ordered by."""
    if isinstance(value, Fraction):
        return 0, value
    return (1, Fraction(1)) if value == "unbounded" else (2, Fraction(1))


@struct(eq=False)
class Family:
    """The bound of pair i has number `numbers[i]`; where it is finite and more than 1, `best[i]` attains it."""

    numbers: array[int]
    best: array[int]
    table: _Values

    def value(self, pair: int) -> Extended:
        """The bound of a pair, by its number."""
        return self.table.value(self.numbers[pair])

    @property
    def values(self) -> tuple[Extended, ...]:
        """The bounds of all pairs, in order."""
        return tuple(map(self.table.value, self.numbers))


def least_family(graph: PairGraph, budget: Budget) -> Family:
    """The least fixpoint, component by component; a cycle whose factors multiply to more than 1 makes it unbounded."""
    offsets, targets = array("q", [0]), array("i")
    for pair in range(len(graph.pairs)):
        targets.extend(graph.targets[edge] for edge in graph.edges(pair) if graph.targets[edge] != EQUAL)
        offsets.append(len(targets))
    groups: dict[int, list[int]] = {}
    for pair, component in enumerate(components(offsets, targets)):
        groups.setdefault(component, []).append(pair)
    values = _Values(graph.table)
    family = Family(
        numbers=array("i", [_IS_ONE]) * len(graph.pairs), best=array("i", [NO_EDGE]) * len(graph.pairs), table=values
    )
    for done, component in enumerate(sorted(groups)):
        if done % 4096 == 0:
            budget.check(f"bounds of {done:,} groups of pairs")
        _settle(graph, groups[component], family, values, budget)
    return family


def _settle(graph: PairGraph, group: Sequence[int], family: Family, values: _Values, budget: Budget) -> None:
    """Rounds of improvement; more rounds than pairs are needed only where some cycle gains for ever."""
    numbers, best = family.numbers, family.best
    if len(group) == 1 and group[0] not in (graph.targets[edge] for edge in graph.edges(group[0])):
        _improve(graph, group[0], numbers, best, values)
        return
    for _ in range(len(group) + 1):
        budget.check("some bounds of pairs of states were found")
        if not any([_improve(graph, pair, numbers, best, values) for pair in group]):
            break
        if any(numbers[pair] == _INFINITE for pair in group):
            break
    else:
        for pair in group:
            numbers[pair] = _UNBOUNDED
    # Every pair of the group leads to every other with a factor that is not 0.
    worst = _INFINITE if any(numbers[pair] == _INFINITE for pair in group) else _UNBOUNDED
    if any(numbers[pair] == worst for pair in group):
        for pair in group:
            numbers[pair] = worst


def _improve(graph: PairGraph, pair: int, numbers: array[int], best: array[int], values: _Values) -> bool:
    """Whether the bound of a pair had to be raised."""
    before = found = numbers[pair]
    for edge in graph.edges(pair):
        candidate = _gain(graph, edge, numbers, values)
        if candidate != found and values.is_larger(candidate, found):
            found, best[pair] = candidate, edge
    numbers[pair] = found
    return found != before


def _gain(graph: PairGraph, edge: int, numbers: Sequence[int], values: _Values) -> int:
    """The number of factor * E(target)."""
    target, factor = graph.targets[edge], graph.factors[edge]
    if factor == INFINITE:
        return _INFINITE
    return values.times(factor, _IS_ONE if target == EQUAL else numbers[target])


class _Values:
    """Numbers for the values that products of factors take, so that products and comparisons are mostly remembered."""

    def __init__(self, factors: Sequence[Fraction]) -> None:
        self._factors = factors
        self._numbers: dict[Fraction, int] = {Fraction(1): _IS_ONE}
        self._values: list[Fraction] = [Fraction(1)]
        self._products: dict[tuple[int, int], int] = {}

    def times(self, factor: int, number: int) -> int:
        if number < 0:
            return number
        product = self._products.get((factor, number))
        if product is None:
            value = self._factors[factor] * self._values[number]
            product = self._numbers.setdefault(value, len(self._values))
            if product == len(self._values):
                self._values.append(value)
            self._products[factor, number] = product
        return product

    def is_larger(self, number: int, other: int) -> bool:
        if number < 0 or other < 0:
            return number < other and number < 0
        return self._values[number] > self._values[other]

    def value(self, number: int) -> Extended:
        if number < 0:
            return "inf" if number == _INFINITE else "unbounded"
        return self._values[number]


class Levels:
    """E_k, the least family for words of at most k letters; E_0 = 1."""

    def __init__(self, graph: PairGraph, budget: Budget) -> None:
        self._graph = graph
        self._budget = budget
        self._table = _Values(graph.table)
        count = len(graph.pairs)
        self._levels = [self._family(array("i", [_IS_ONE]) * count, array("i", [NO_EDGE]) * count)]
        self._is_settled = False

    def level(self, k: int) -> tuple[Family, int]:
        """E_k, and the smallest j with E_j = E_k that is known."""
        while len(self._levels) <= k and not self._is_settled:
            self._budget.check(f"words of {len(self._levels) - 1} letters")
            before = self._levels[-1].numbers
            numbers, best = before[:], array("i", [NO_EDGE]) * len(before)
            for pair in range(len(before)):
                self._raise(pair, before, numbers, best)
            if numbers == before:
                self._is_settled = True
            else:
                self._levels.append(self._family(numbers, best))
        j = min(k, len(self._levels) - 1)
        return self._levels[j], j

    def path(self, pair: int, k: int) -> list[int]:
        """The edges of a word of at most k letters whose ratio is E_k of the pair."""
        _, k = self.level(k)
        edges: list[int] = []
        while k > 0 and pair != EQUAL:
            edge = self._levels[k].best[pair]
            if edge != NO_EDGE:
                edges.append(edge)
                pair = self._graph.targets[edge]
                if self._graph.factors[edge] == INFINITE:
                    break
            k -= 1
        return edges

    def _family(self, numbers: array[int], best: array[int]) -> Family:
        return Family(numbers=numbers, best=best, table=self._table)

    def _raise(self, pair: int, before: array[int], numbers: array[int], best: array[int]) -> None:
        """One more letter for a pair; `best` stays `NO_EDGE` where one letter less does as well."""
        found = before[pair]
        for edge in self._graph.edges(pair):
            candidate = _gain(self._graph, edge, before, self._table)
            if candidate != found and self._table.is_larger(candidate, found):
                found, best[pair] = candidate, edge
        numbers[pair] = found


def best_path(graph: PairGraph, family: Family, pair: int) -> list[int]:
    """The edges of a word whose ratio is the finite bound of the pair."""
    edges: list[int] = []
    while pair != EQUAL and family.best[pair] != NO_EDGE:
        edges.append(family.best[pair])
        pair = graph.targets[edges[-1]]
    return edges
