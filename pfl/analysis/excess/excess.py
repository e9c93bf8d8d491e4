"""The largest additive slack delta that a pair of starts needs at a bound c.

V_0(x) = max(0, x 1); V_k(x) = max(V_0(x), sum over letters that answer no input of V_{k-1}(x M_a) + sum over channels
of the largest over inputs of the sum over their answers of V_{k-1}(x M_a)). delta = V_k(pi - c tau): the words of one
length are outcomes, of whole runs the limit. Prefixes of equal direction are one. Source: docs/theory/excess.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from math import log2
from typing import TYPE_CHECKING, Literal, TypeAlias

from pfl.analysis.components import components
from pfl.analysis.excess.directions import Directions, Edge
from pfl.analysis.excess.linear import solved
from pfl.analysis.excess.words import Prefix, WordSet
from pfl.analysis.ratio.integer_system import Word
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.model.labelled_system import LabelledSystem

if TYPE_CHECKING:
    from pfl.analysis.excess.between import Between

_Policy: TypeAlias = dict[int, tuple[Edge, ...] | None]
"""By which edges nodes go on; None where one stops, and its own mass counts."""

_MOST_WORDS = 100_000
_FIRST_LOOK = 16
_CLOSE = Fraction(1, 10**18)
"""An interval as narrow as this is taken for the delta of whole runs."""
WIDTH = Fraction(1, 10**9)
"""The same where directions are without end: between bounds that are found by nearby directions."""
MANY = 4_096
"""Directions after which these bounds are looked for."""
_NEGLIGIBLE = Fraction(1, 10**6)
"""The part of delta that may be missing where only infinitely many words make up all of it."""


class Excess:
    """The delta of one start vector, between `at_least` and `at_most`; `words` are a set of words that shows `delta`,
    which is less than `at_least` where more is known than words were found for."""

    def __init__(
        self,
        system: LabelledSystem,
        left: Sequence[Number],
        right: Sequence[Number],
        bound: Fraction,
        length: int | None,
        budget: Budget,
    ) -> None:
        """For the words of at most `length` letters, None for whole runs; `settle` looks at them."""
        self._question = (system, left, right, bound)
        self._graph = Directions(system, left, right, bound)
        self._length = length
        self._budget = budget
        self._values: list[Mapping[int, Fraction]] = []
        """V by letters read, of the nodes that so many lead to; one entry for all of them where length is None."""
        self._policy: _Policy = {}
        """How the nodes on a cycle attain the limit, once it is known."""
        self._by_words = False
        self._is_open = False
        """Whether `_values` ends at edges that lead back to a node of no larger index."""
        self.delta = self.at_least = self.at_most = Fraction(0)
        self.between: Between | None = None
        """Bounds on whole runs whose directions are without end, where they were asked for."""
        self.upper: Mapping[int, Fraction] = {}
        """For whole runs, numbers that are at least V of those nodes from which `at_most` was found."""

    @property
    def graph(self) -> Directions:
        """The directions that were looked at."""
        return self._graph

    @property
    def length(self) -> int | None:
        """How many letters had to be looked at; None for whole runs."""
        return self._length

    def settle(self, doubt: Fraction | None, *, by_words: bool = False) -> Excess:
        """Itself, with `at_least` and `at_most` equal, or both on one side of `doubt`: at_least > doubt or
        at_most <= doubt; with `by_words` delta > doubt or at_most <= doubt.

        For whole runs they may also differ by 10^-18, or by WIDTH where the directions are many. Raises LimitReached
        where that takes too long or has no finite form; what is known by then stays.
        """
        start = self._graph.start
        self._by_words = by_words
        if start is not None:
            self.at_most = self._graph.weight * self._graph.most(start)
            if self._length is None:
                self._settle_whole_runs(start, doubt)
            else:
                self._settle_length(start, self._length, doubt)
        return self

    def _settle_between(self, doubt: Fraction | None) -> bool:
        """Whether bounds that nearby directions give each other settle it; they are kept where they are nearer."""
        from pfl.analysis.excess.between import excess_between  # needs numpy, which few questions do

        for found in excess_between(*self._question, doubt=doubt, width=WIDTH, budget=self._budget):
            self.at_least = max(self.at_least, found.lower)
            if found.upper < self.at_most:
                self.at_most, self.between = found.upper, found
            if self._is_clear(doubt, WIDTH):
                return True
            if doubt is not None and found.lower > doubt:
                break
        return False

    def words(self, more_than: Fraction) -> tuple[Word, ...]:
        """Words, none of which begins another, whose excesses add up to more than that; it must be below `delta`.

        The larger excesses come first.
        """
        total, found = Fraction(0), []
        waiting = self._whole()
        while total <= more_than:
            prefix = heappop(waiting)
            followers = self._followers(prefix)
            if followers is None:
                total += prefix.value
                found.append(prefix.word)
            for follower in followers or ():
                heappush(waiting, follower)
            if len(found) + len(waiting) > _MOST_WORDS:
                raise LimitReached(f"more than {_MOST_WORDS} words are needed to exceed delta; try a smaller delta")
        return tuple(found)

    def word_set(self, most: int, most_letters: int) -> WordSet:
        """The words whose excesses add up to `delta`; some of them, where they are more, or have more letters in all.

        Every descent takes the largest share first, so that a large set need not be gone through level by level; where
        runs need not end, it comes to no direction twice.
        """
        found: list[Prefix] = []
        total, letters = Fraction(0), 0
        enough = self.delta if self._length is not None else self.delta * (1 - _NEGLIGIBLE)
        waiting = self._whole() if self.delta else []
        steps = 0
        while waiting and total < enough and len(found) < most and letters < most_letters and steps < _MOST_WORDS:
            prefix: Prefix | None = heappop(waiting)
            visited: set[int] = set()
            while prefix is not None:
                steps += 1
                self._budget.check(f"{len(found)} words that make up the excess")
                visited.add(prefix.node)
                followers = self._followers(prefix)
                if followers is None:
                    total, letters = total + prefix.value, letters + prefix.depth
                    found.append(prefix)
                    break
                open_ones = [each for each in followers if self._length is not None or each.node not in visited]
                prefix = min(open_ones, default=None)
                for follower in followers:
                    if follower is not prefix:
                        heappush(waiting, follower)
        words = tuple(prefix.word for prefix in sorted(found))
        is_part = bool(waiting) or self.at_least > self.delta
        return WordSet(words=words, out_of=self._number_of_words() if is_part else None)

    def _whole(self) -> list[Prefix]:
        """The empty word, whose value is all of `delta`."""
        assert self._graph.start is not None
        weight = self._graph.weight
        return [Prefix(self.delta, None, 0, node=self._graph.start, weight=weight, is_last=False)]

    def _followers(self, prefix: Prefix) -> list[Prefix] | None:
        """The longer prefixes whose values add up to that of one; None where it is the prefix's own mass."""
        node = prefix.node
        edges = None if prefix.is_last else self._best_edges(node, prefix.depth)
        if edges is None:
            return None
        found = []
        for edge in edges:
            weight = prefix.weight * edge.weight
            value = weight * self._value(node, edge, prefix.depth + 1)
            if value:
                is_last, link = self._leads_back(node, edge), (prefix.link, edge.letter)
                found.append(Prefix(value, link, prefix.depth + 1, node=edge.node, weight=weight, is_last=is_last))
        return found

    def _number_of_words(self) -> int | Literal["inf"]:
        """How many words make up the excess."""
        if self._length is None:
            return "inf"
        assert self._graph.start is not None
        following: dict[int, int] = {}
        for level in range(self._length, -1, -1):
            counts: dict[int, int] = {}
            for node in self._values[level]:
                edges = self._best_edges(node, level)
                if edges is None:
                    counts[node] = 1
                else:
                    counts[node] = sum(following[e.node] for e in edges if self._value(node, e, level + 1))
            following = counts
        return following[self._graph.start]

    # --- words of one length --------------------------------------------------

    def _settle_length(self, start: int, length: int, doubt: Fraction | None) -> None:
        levels = [[start]]
        looked_at = _FIRST_LOOK
        while len(levels) <= length:
            if doubt is not None and len(self._graph) >= 2 * looked_at:
                looked_at = len(self._graph)
                self.at_most = self._graph.weight * self._by_letters(levels, self._graph.most)[0][start]
                self._take(start, self._by_letters(levels, self._graph.own))
                if self._is_clear(doubt):
                    self._length = len(levels) - 1
                    return
            self._budget.check(f"{len(levels) - 1} of {length} letters, {len(self._graph):,} directions")
            levels.append(list(dict.fromkeys(e.node for node in levels[-1] for e in self._graph.expanded(node).edges)))
        self._take(start, self._by_letters(levels, self._graph.own))
        self.at_most = self.delta

    def _by_letters(self, levels: Sequence[Sequence[int]], last: Callable[[int], int]) -> list[Mapping[int, Fraction]]:
        """V by letters read, when it is `last` after all of them."""
        values: list[Mapping[int, Fraction]] = [{node: Fraction(last(node)) for node in levels[-1]}]
        for nodes in reversed(levels[:-1]):
            values.append(self._best_of(nodes, values[-1]))
        return values[::-1]

    # --- whole runs -----------------------------------------------------------

    def _settle_whole_runs(self, start: int, doubt: Fraction | None) -> None:
        """Expand what may add most; look at the bounds whenever there are twice as many directions."""
        waiting = [(0.0, start, 0.0)]
        found, looked_at, is_tried = {start}, _FIRST_LOOK, False
        while waiting:
            _, node, reach = heappop(waiting)
            for edge in self._graph.expanded(node).edges:
                if edge.node not in found:
                    found.add(edge.node)
                    # More than `most` nothing can be, `own` it is at least; logarithms, as numbers have many digits.
                    gap = self._graph.most(edge.node) - self._graph.own(edge.node)
                    if gap:
                        share = reach + log2(edge.weight.numerator) - log2(edge.weight.denominator)
                        heappush(waiting, (-(share + log2(gap)), edge.node, share))
            self._budget.check(f"{len(found):,} directions")
            if len(found) >= 2 * looked_at or not waiting:
                looked_at = len(found)
                self.upper = self._forward(self._graph.most)
                self._at_most(self._graph.weight * self.upper[start])
                self._is_open = True
                self._take(start, [self._forward(self._graph.own)])
                if self._is_clear(doubt):
                    return
                if waiting and not is_tried and looked_at >= MANY:
                    is_tried = True
                    if self._settle_between(doubt):
                        return
        limits, self._policy = self._limits()
        self.upper = limits
        self._is_open = False
        self._take(start, [limits])
        self._at_most(self.delta)

    def _forward(self, last: Callable[[int], int]) -> dict[int, Fraction]:
        """V of all directions, when it is `last` of those that are not expanded and those that edges lead back to."""
        values: dict[int, Fraction] = {}
        for node in reversed(range(len(self._graph))):
            if self._graph.known(node) is None:
                values[node] = Fraction(last(node))
            else:
                values[node] = self._larger(node, lambda edge: values.get(edge.node, last(edge.node)))
        return values

    def _leads_back(self, node: int, edge: Edge) -> bool:
        return self._is_open and edge.node <= node

    def _limits(self) -> tuple[dict[int, Fraction], _Policy]:
        """The limit of V_k, component by component of the graph of directions, and how nodes on cycles attain it."""
        offsets, targets = array("q", [0]), array("q")
        for node in range(len(self._graph)):
            targets.extend(edge.node for edge in self._graph.expanded(node).edges)
            offsets.append(len(targets))
        groups: dict[int, list[int]] = {}
        for node, component in enumerate(components(offsets, targets)):
            groups.setdefault(component, []).append(node)
        values: dict[int, Fraction] = {}
        policy: _Policy = {}
        for component in sorted(groups):
            group = groups[component]
            inside = set(group)
            if any(edge.node in inside for node in group for edge in self._graph.expanded(node).edges):
                policy.update(self._limit(group, values))
            else:
                values.update(self._best_of(group, values))
        return values, policy

    def _limit(self, group: Sequence[int], values: dict[int, Fraction]) -> _Policy:
        """Puts the limit on a strongly connected group into `values`: the least solution of V = max(V_0, the best of
        A V + b). It is found by policy iteration: first every node counts its own mass alone; while going on is worth
        more at some nodes, they do.
        """
        policy: _Policy = dict.fromkeys(group)
        values.update((node, Fraction(self._graph.own(node))) for node in group)
        while True:
            self._budget.check(f"{len(group):,} directions that come back to each other")
            better: _Policy = {}
            for node in group:
                edges, following = self._best(node, lambda edge: values[edge.node])
                if following > values[node]:
                    better[node] = edges
            if not better:
                return policy
            policy.update(better)
            values.update(self._values_of(policy, values))

    def _values_of(self, policy: _Policy, known: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """V = A V + b on the nodes that go on by their edges; the others are known."""
        moving = {node: place for place, node in enumerate(n for n, edges in policy.items() if edges is not None)}
        matrix = [[Fraction(0)] * len(moving) for _ in moving]
        outside = [Fraction(0)] * len(moving)
        for node, place in moving.items():
            for edge in policy[node] or ():
                if edge.node in moving:
                    matrix[place][moving[edge.node]] += edge.weight
                else:
                    outside[place] += edge.weight * known[edge.node]
        values = solved(matrix, outside)
        assert values is not None, (
            "a node goes on only where that is worth more, so its runs leave the group in the end"
        )
        return dict(zip(moving, values))

    # --- both -----------------------------------------------------------------

    def _take(self, start: int, values: list[Mapping[int, Fraction]]) -> None:
        self._values = values
        self.delta = self._graph.weight * values[0][start]
        self.at_least = max(self.at_least, self.delta)

    def _at_most(self, bound: Fraction) -> None:
        if bound <= self.at_most:
            self.at_most, self.between = bound, None

    def _is_clear(self, doubt: Fraction | None, width: Fraction = _CLOSE) -> bool:
        if doubt is None:
            return self.at_most - self.at_least <= width
        return (self.delta if self._by_words else self.at_least) > doubt or self.at_most <= doubt

    def _best_of(self, nodes: Iterable[int], following: Mapping[int, Fraction]) -> dict[int, Fraction]:
        return {node: self._larger(node, lambda edge: following[edge.node]) for node in nodes}

    def _larger(self, index: int, following: Callable[[Edge], Fraction | int]) -> Fraction:
        """The own mass of a node, or what follows where that is more."""
        return max(Fraction(self._graph.own(index)), self._best(index, following)[1])

    def _best(self, index: int, following: Callable[[Edge], Fraction | int]) -> tuple[tuple[Edge, ...], Fraction]:
        """The edges of the best inputs, one on each channel, with those that answer none, and the sum over them."""

        def total(edges: Sequence[Edge]) -> Fraction:
            return sum((edge.weight * following(edge) for edge in edges), Fraction(0))

        node = self._graph.expanded(index)
        chosen, value = node.unasked, total(node.unasked)
        for answers in node.channels:
            best, edges = max(((total(edges), edges) for edges in answers), key=lambda found: found[0])
            chosen, value = (*chosen, *edges), value + best
        return chosen, value

    def _best_edges(self, index: int, level: int) -> tuple[Edge, ...] | None:
        """The edges by which the value of a node is made up; None where it is the node's own mass."""
        own = self._graph.own(index)
        if self._graph.known(index) is None or level == self._length:
            return None
        if self._values[0 if self._length is None else level][index] == own:
            return None
        if index in self._policy:
            return self._policy[index]
        return self._best(index, lambda edge: self._value(index, edge, level + 1))[0]

    def _value(self, node: int, edge: Edge, level: int) -> Fraction:
        """V of where an edge of a node leads, after `level` letters."""
        if self._leads_back(node, edge):
            return Fraction(self._graph.own(edge.node))
        return self._values[0 if self._length is None else level][edge.node]
