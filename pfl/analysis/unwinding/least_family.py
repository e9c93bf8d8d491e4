"""The least family of bounds on pairs of states: exact largest ratios where the graph has directed factors.

E(i) is the largest of 1 and, over the edges of pair i, of factor * E(target). Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.components import components
from pfl.analysis.unwinding.pair_graph import EQUAL, INFINITE, PairGraph
from pfl.base.budget import Budget

Extended: TypeAlias = Fraction | Literal["unbounded", "inf"]
"""A ratio; `inf` where a finite word has an infinite one, `unbounded` where ratios grow for ever."""

NO_EDGE = -1
_ONE = Fraction(1)


def rank(value: Extended) -> tuple[int, Fraction]:
    """What values are ordered by."""
    if isinstance(value, Fraction):
        return 0, value
    return (1, _ONE) if value == "unbounded" else (2, _ONE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """`values[i]` bounds pair i; where it is finite and more than 1, `best[i]` is the edge that attains it."""

    values: Sequence[Extended]
    best: array[int]


def least_family(graph: PairGraph, budget: Budget) -> Family:
    """The least fixpoint, component by component; a cycle whose factors multiply to more than 1 makes it unbounded."""
    offsets, targets = array("q", [0]), array("i")
    for pair in range(len(graph.pairs)):
        targets.extend(graph.targets[edge] for edge in graph.edges(pair) if graph.targets[edge] != EQUAL)
        offsets.append(len(targets))
    groups: dict[int, list[int]] = {}
    for pair, component in enumerate(components(offsets, targets)):
        groups.setdefault(component, []).append(pair)
    family = Family(values=[_ONE] * len(graph.pairs), best=array("i", [NO_EDGE]) * len(graph.pairs))
    for done, component in enumerate(sorted(groups)):
        if done % 4096 == 0:
            budget.check(f"bounds of {done:,} groups of pairs")
        _settle(graph, groups[component], family, budget)
    return family


def _settle(graph: PairGraph, group: Sequence[int], family: Family, budget: Budget) -> None:
    """Rounds of improvement; more rounds than pairs are needed only where some cycle gains for ever."""
    values = family.values
    assert isinstance(values, list)
    for _ in range(len(group) + 1):
        budget.check("bounds of pairs of states")
        if not any([_improve(graph, pair, values, family.best) for pair in group]):
            break
        if any(values[pair] == "inf" for pair in group):
            break
    else:
        for pair in group:
            values[pair] = "unbounded"
    worst = max((values[pair] for pair in group), key=rank)
    if not isinstance(worst, Fraction):
        # Every pair of the group leads to every other with a factor that is not 0.
        for pair in group:
            values[pair] = worst


def _improve(graph: PairGraph, pair: int, values: list[Extended], best: array[int]) -> bool:
    """Whether the bound of a pair had to be raised."""
    before = found = rank(values[pair])
    for edge in graph.edges(pair):
        candidate = _gain(graph, edge, values)
        if candidate > found:
            found, best[pair] = candidate, edge
    if found == before:
        return False
    values[pair] = _value(found)
    return True


def _gain(graph: PairGraph, edge: int, values: Sequence[Extended]) -> tuple[int, Fraction]:
    """The rank of factor * E(target)."""
    target, factor = graph.targets[edge], graph.factors[edge]
    if factor == INFINITE:
        return 2, _ONE
    if target == EQUAL:
        return 0, graph.table[factor]
    value = values[target]
    return (0, graph.table[factor] * value) if isinstance(value, Fraction) else rank(value)


def _value(ranked: tuple[int, Fraction]) -> Extended:
    match ranked:
        case (0, value):
            return value
        case (1, _):
            return "unbounded"
        case _:
            return "inf"


class Levels:
    """E_k, the least family for words of at most k letters; E_0 = 1."""

    def __init__(self, graph: PairGraph, budget: Budget) -> None:
        self._graph = graph
        self._budget = budget
        self._values: list[list[Extended]] = [[_ONE] * len(graph.pairs)]
        self._best: list[array[int]] = [array("i", [NO_EDGE]) * len(graph.pairs)]
        self._is_settled = False

    def level(self, k: int) -> tuple[Sequence[Extended], int]:
        """E_k, and the smallest j with E_j = E_k that is known."""
        while len(self._values) <= k and not self._is_settled:
            self._budget.check(f"words of {len(self._values) - 1} letters")
            before = self._values[-1]
            values, best = before[:], array("i", [NO_EDGE]) * len(before)
            changed = [_raised(self._graph, pair, before, values, best) for pair in range(len(before))]
            if any(changed):
                self._values.append(values)
                self._best.append(best)
            else:
                self._is_settled = True
        j = min(k, len(self._values) - 1)
        return self._values[j], j

    def path(self, pair: int, k: int) -> list[int]:
        """The edges of a word of at most k letters whose ratio is E_k of the pair."""
        _, k = self.level(k)
        edges: list[int] = []
        while k > 0 and pair != EQUAL:
            edge = self._best[k][pair]
            if edge != NO_EDGE:
                edges.append(edge)
                pair = self._graph.targets[edge]
                if self._graph.factors[edge] == INFINITE:
                    break
            k -= 1
        return edges


def _raised(
    graph: PairGraph, pair: int, before: Sequence[Extended], values: list[Extended], best: array[int]
) -> bool:
    """One more letter for a pair; whether that gains anything. `best` stays `NO_EDGE` where one letter less does."""
    found = rank(before[pair])
    for edge in graph.edges(pair):
        candidate = _gain(graph, edge, before)
        if candidate > found:
            found, best[pair] = candidate, edge
    if best[pair] == NO_EDGE:
        return False
    values[pair] = _value(found)
    return True


def best_path(graph: PairGraph, family: Family, pair: int) -> list[int]:
    """The edges of a word whose ratio is the finite bound of the pair."""
    edges: list[int] = []
    while pair != EQUAL and family.best[pair] != NO_EDGE:
        edges.append(family.best[pair])
        pair = graph.targets[edges[-1]]
    return edges
