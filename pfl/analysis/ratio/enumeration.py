"""The largest ratio by looking at every direction that prefixes can lead to, in plain integers.

Enough for mechanisms and small models, where it needs no numerical library. Two prefixes whose pairs (pi M_w, tau M_w)
have the same direction have the same future; a prefix with pi M_w <= c tau M_w has no future above c, whatever c grows
to. Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import TypeAlias

from pfl.analysis.ratio.certificate import EnumerationProof
from pfl.analysis.ratio.integer_system import Matrix, Word
from pfl.analysis.ratio.obligation import Exceeded, Obligation, Settled, Witness
from pfl.base.budget import Budget
from pfl.base.struct import struct

_Pair: TypeAlias = tuple[tuple[int, int, int], ...]
"""(state, entry of pi M_w, entry of tau M_w) where not both are 0, states ascending, up to a common scale."""


@struct(frozen=False)
class Allowance:
    """How many multiplications a search may still spend before a stronger method takes over."""

    left: int

    def spend(self, amount: int) -> bool:
        """Whether it was still there."""
        self.left -= amount
        return self.left >= 0


def enumerate_ratios(
    task: Obligation, length: int | None, bound: Fraction, allowance: Allowance, budget: Budget
) -> Settled | Exceeded | None:
    """The largest ratio above `bound`, over words of at most `length` letters (None: of every length).

    `Exceeded` only for a positive mass over none; None once the allowance is spent.
    """
    best: Witness | None = None
    start = tuple((state, a, b) for state, (a, b) in enumerate(zip(task.left, task.right)) if a or b)
    seen = {start}
    level: list[tuple[Word, _Pair]] = [((), start)]
    depth = 0
    while level:
        following: list[tuple[Word, _Pair]] = []
        for word, pair in level:
            ratio = _ratio(pair)
            if ratio is None:
                return Exceeded(witness=Witness(word=word, ratio=None))
            if ratio > bound or (best is None and ratio == bound):
                best, bound = Witness(word=word, ratio=ratio), ratio
            if depth == length or not _has_future(pair, bound):
                continue
            for letter, matrix in zip(task.part.letters, task.part.rows):
                if not allowance.spend(_cost(pair, matrix)):
                    return None
                after = _step(pair, matrix)
                if after not in seen:
                    seen.add(after)
                    following.append(((*word, letter), after))
            budget.check(f"{depth} letters, with {len(seen):,} directions of prefixes")
        depth += 1
        budget.progress(f"{depth} letters, {len(following):,} prefixes open")
        level = following
    proof = EnumerationProof(bound=bound, length=length, directions=len(seen))
    return Settled(bound=bound, best=best, proof=proof)


def _cost(pair: _Pair, matrix: Matrix) -> int:
    """Multiplications of a step, long numbers counting more."""
    longest = max((a | b).bit_length() for _, a, b in pair)
    return (1 + longest // 256) * (1 + sum(len(matrix[state]) for state, _, _ in pair))


def _step(pair: _Pair, matrix: Matrix) -> _Pair:
    """Both vectors times the matrix, divided by what all entries have in common."""
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    for state, a, b in pair:
        for column, weight in matrix[state]:
            left[column] = left.get(column, 0) + a * weight
            right[column] = right.get(column, 0) + b * weight
    content = gcd(*left.values(), *right.values()) or 1
    return tuple((state, left[state] // content, right[state] // content) for state in sorted(left))


def _ratio(pair: _Pair) -> Fraction | None:
    """The quotient of the masses, None for a positive one over 0; 0 for 0 over 0."""
    numerator, denominator = sum(a for _, a, _ in pair), sum(b for _, _, b in pair)
    if denominator:
        return Fraction(numerator, denominator)
    return None if numerator else Fraction(0)


def _has_future(pair: _Pair, bound: Fraction) -> bool:
    """Whether some entry of left - bound * right is positive."""
    p, q = bound.numerator, bound.denominator
    return any(q * a > p * b for _, a, b in pair)
