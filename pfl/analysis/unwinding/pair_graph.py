"""Pairs of states, and how much an examiner may gain on the way from one pair to the next.

Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.unwinding.moves import Moves
from pfl.base.budget import Budget
from pfl.base.struct import struct

Pair: TypeAlias = tuple[int, int]
Compared: TypeAlias = dict[tuple[int, int], tuple[int, int]]
"""Of two shapes: (position behind left, behind right) -> (number of the largest factor, the answer that has it)."""

EQUAL = -1
"""The target of an edge to a pair of equal states, which nothing tells apart."""
INFINITE = 0
"""The number of an infinite factor: an answer that one of the two states cannot give."""
_ONE = 1
"""The number of the factor 1."""

_PAIRS_BETWEEN_CHECKS = 4096


@struct(eq=False)
class PairGraph:
    """The pairs that are reached from given ones, in compressed rows.

    The edges of pair i are `offsets[i] .. offsets[i + 1] - 1`: `targets` is the pair they lead to or `EQUAL`, `factors`
    indexes `table` (entry `INFINITE` stands for infinity), `inputs` and `answers` say by which input and response, -1
    for none: of several edges to one target only one with the largest factor is kept.
    """

    pairs: tuple[Pair, ...]
    number: dict[Pair, int]
    offsets: array[int]
    targets: array[int]
    factors: array[int]
    inputs: array[int]
    answers: array[int]
    table: tuple[Fraction, ...]

    def edges(self, pair: int) -> range:
        """The numbers of the edges that leave a pair."""
        return range(self.offsets[pair], self.offsets[pair + 1])


def pair_graph(moves: Moves, starts: Iterable[Pair], budget: Budget, *, symmetric: bool = False) -> PairGraph:
    """The pairs reached from `starts` by one input for both states, and the same response.

    The factor of an edge is the probability of the response in the first state over that in the second; symmetric, the
    larger of that and its inverse. An accepted query is infinitely more likely where the other run never takes it.
    Raises LimitReached.
    """
    return _Building(moves, budget, symmetric=symmetric).run(starts)


class _Building:
    def __init__(self, moves: Moves, budget: Budget, *, symmetric: bool) -> None:
        self._moves = moves
        self._budget = budget
        self._symmetric = symmetric
        self._compared: dict[Pair, Compared] = {}
        self._numbers: dict[Fraction, int] = {Fraction(1): _ONE}
        self._factors: list[Fraction] = [Fraction(0), Fraction(1)]

    def run(self, starts: Iterable[Pair]) -> PairGraph:
        number: dict[Pair, int] = {}
        for pair in starts:
            if pair[0] != pair[1]:
                number.setdefault(pair, len(number))
        pairs = list(number)
        offsets, targets, factors = array("q", [0]), array("i"), array("i")
        inputs, answers = array("i"), array("i")
        for position, pair in enumerate(pairs):
            if position % _PAIRS_BETWEEN_CHECKS == 0:
                self._budget.check(f"{position:,} pairs of states")
                self._budget.progress(f"{position:,} pairs of states, {len(pairs):,} found")
            best: dict[int, tuple[int, int, int]] = {}
            for given, answer, (left, right), factor in self._edges(pair):
                if left == right:
                    target = EQUAL
                else:
                    target = number.setdefault((left, right), len(pairs))
                    if target == len(pairs):
                        pairs.append((left, right))
                known = best.get(target)
                if known is None or self._is_larger(factor, known[0]):
                    best[target] = (factor, given, answer)
            for target, (factor, given, answer) in best.items():
                targets.append(target)
                factors.append(factor)
                inputs.append(given)
                answers.append(answer)
            offsets.append(len(targets))
        return PairGraph(
            pairs=tuple(pairs),
            number=number,
            offsets=offsets,
            targets=targets,
            factors=factors,
            inputs=inputs,
            answers=answers,
            table=tuple(self._factors),
        )

    def _edges(self, pair: Pair) -> Iterator[tuple[int, int, Pair, int]]:
        """(input, answer, next pair, factor) for every way on."""
        moves, (left, right) = self._moves, pair
        for given, row in enumerate(moves.data):
            yield given, -1, (row[left], row[right]), _ONE
        for query, (shapes, behind) in enumerate(zip(moves.shapes, moves.behind)):
            given = len(moves.data) + query
            if query < moves.asked and moves.waits[left] != moves.waits[right]:
                if moves.waits[left] or self._symmetric:
                    yield given, -1, (left, left), INFINITE
                continue
            after_left, after_right = behind[left], behind[right]
            for (i, j), (factor, answer) in self._shapes(shapes[left], shapes[right]).items():
                yield given, answer, (after_left[i], after_right[j]) if j >= 0 else (left, left), factor

    def _shapes(self, left: int, right: int) -> Compared:
        """The answers of two states compared, once a pair of shapes."""
        known = self._compared.get((left, right))
        if known is not None:
            return known
        found: Compared = {}
        ours = {answer: (position, mass) for answer, position, mass in self._moves.table[left]}
        theirs = {answer: (position, mass) for answer, position, mass in self._moves.table[right]}
        for answer in ours.keys() | theirs.keys() if self._symmetric else ours:
            if answer not in ours or answer not in theirs:
                found[-1, -1] = (INFINITE, answer)
                continue
            (i, mine), (j, other) = ours[answer], theirs[answer]
            ratio = mine / other
            factor = self._factor(max(ratio, 1 / ratio) if self._symmetric else ratio)
            if (i, j) not in found or self._is_larger(factor, found[i, j][0]):
                found[i, j] = (factor, answer)
        self._compared[left, right] = found
        return found

    def _factor(self, ratio: Fraction) -> int:
        number = self._numbers.setdefault(ratio, len(self._factors))
        if number == len(self._factors):
            self._factors.append(ratio)
        return number

    def _is_larger(self, factor: int, other: int) -> bool:
        if INFINITE in (factor, other):
            return other != INFINITE
        return factor != other and self._factors[factor] > self._factors[other]
