"""The largest ratio by looking at every direction that prefixes can lead to, in plain integers.

Enough for mechanisms and small models, where it needs no numerical library. Two prefixes whose pairs (pi M_w, tau M_w)
have the same direction have the same future; a prefix with pi M_w <= c tau M_w has no future above c, whatever c grows
to. Source: docs/theory/ratio-engine.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.ratio.certificate import EnumerationProof
from pfl.analysis.ratio.integer_system import Integers, Word, primitive_pair
from pfl.analysis.ratio.obligation import Obligation, ratio_of
from pfl.analysis.ratio.outcome import Exceeded, Settled, Witness
from pfl.base.budget import Budget


@dataclass(slots=True, kw_only=True)
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
    cost = sum(len(row) for matrix in task.part.rows for row in matrix) * 2 + 1
    start = (task.left, task.right)
    seen = {start}
    level: list[tuple[Word, Integers, Integers]] = [((), *start)]
    depth = 0
    while level:
        following: list[tuple[Word, Integers, Integers]] = []
        for word, left, right in level:
            ratio = ratio_of(left, right)
            if ratio is None:
                return Exceeded(witness=Witness(word=word, ratio=None))
            if ratio > bound or (best is None and ratio == bound):
                best, bound = Witness(word=word, ratio=ratio), ratio
            if depth == length or not has_future(left, right, bound):
                continue
            if not allowance.spend(cost):
                return None
            for position, letter in enumerate(task.part.letters):
                pair = primitive_pair(task.part.step(left, position), task.part.step(right, position))
                if pair not in seen:
                    seen.add(pair)
                    following.append(((*word, letter), *pair))
        budget.check(f"{depth} letters")
        depth += 1
        level = following
    proof = EnumerationProof(bound=bound, length=length, directions=len(seen))
    return Settled(bound=bound, best=best, proof=proof)


def has_future(left: Integers, right: Integers, bound: Fraction) -> bool:
    """Whether some entry of left - bound * right is positive."""
    p, q = bound.numerator, bound.denominator
    return any(q * a > p * b for a, b in zip(left, right))
