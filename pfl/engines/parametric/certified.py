"""Certificates for comparisons at all values of parameters: which words lead to vectors that cover all others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from pfl.analysis.parametric.obligation import at_most_zero, charted_system, primitive_pair
from pfl.analysis.parametric.prefixes import Word, is_covered
from pfl.analysis.polynomial.written import written
from pfl.analysis.ratio.certificate import with_digest
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.parametric.check import Claimed
from pfl.engines.parametric.obligations import Task
from pfl.model.compare import Compare
from pfl.model.labelled_system import Vector

MOST_VECTORS = 2_000
"""Vectors of one certificate; a proof of more is not written down."""
_FEW = 12
"""How many of the first, and of the last, kept vectors a new one is compared with."""


class NoCertificate(Exception):
    """Why a proof is not written down, in words."""


def certificates(
    question: Compare, claims: Sequence[Claimed], depth: int | None, budget: Budget
) -> tuple[dict[str, Any], ...]:
    """One certificate a direction of the question, once all claims were proved at `depth` letters.

    Raises NoCertificate, and LimitReached by the budget.
    """
    found = {}
    for claimed in claims:
        shown = _Recording(claimed, depth, question.parameters.names, budget).certificate()
        found.update(dict.fromkeys(claimed.task.stands_for, shown))
    required = [(direction.number, direction.is_reversed) for direction in question.directions]
    if len(found) < len(required):
        raise NoCertificate("some comparison is about no values of the parameters, and nothing is certified of it")
    return tuple(found[each] for each in required)


class _Recording:
    """The search for words of one obligation again, on all values at once, in which what covers what is noted."""

    def __init__(self, claimed: Claimed, depth: int | None, names: Sequence[str], budget: Budget) -> None:
        task: Task = claimed.task
        chart = task.setting.chart(task.setting.space.parameters)
        quotient = claimed.bound.quotient(chart)
        if quotient is None:
            raise NoCertificate("certificates bound ratios by quotients of polynomials, and its e^epsilon is none")
        self._quotient = quotient
        self._charted = task.obligation.on(chart, charted_system(task.obligation.system, chart))
        self._bound, self._depth, self._names, self._budget = claimed.bound.bound, depth, names, budget
        self._kept: list[Vector] = []
        self._words: list[Word] = []
        self._seen: dict[tuple[Vector, Vector], int | None] = {}

    def certificate(self) -> dict[str, Any]:
        letters = range(len(self._charted.system.letters))
        steps: list[list[int | None]] = []
        sides: deque[tuple[Vector, Vector]] = deque()
        start = primitive_pair(self._charted.left, self._charted.right)
        self._place((), start, sides)
        while sides:
            left, right = sides.popleft()
            word = self._words[len(steps)]
            if len(word) == self._depth:
                break
            self._budget.check(f"writing down the proof: {len(steps):,} vectors")
            row = []
            for letter in letters:
                system = self._charted.system
                pair = primitive_pair(system.step(left, letter), system.step(right, letter))
                row.append(self._place((*word, letter), pair, sides))
            steps.append(row)
        bound = self._bound
        parts: tuple[Number, Number] = (bound, Fraction(1))
        if isinstance(bound, RationalFunction):
            parts = (bound.numerator.to_number(), bound.denominator.to_number())
        return with_digest(
            "parametric",
            {
                "parameters": list(self._names),
                "bound": [written(part, self._names) for part in parts],
                "length": "any" if self._depth is None else self._depth,
                "vectors": [list(word) for word in self._words],
                "steps": steps,
            },
        )

    def _place(self, word: Word, pair: tuple[Vector, Vector], sides: deque[tuple[Vector, Vector]]) -> int | None:
        """The number of the vector that covers that of a word, which may be a new one; None where nothing in it, nor
        anything that follows, is positive."""
        if pair in self._seen:
            return self._seen[pair]
        above, below = self._quotient
        vector = tuple(below * left - above * right for left, right in zip(*pair))
        number = None if all(map(at_most_zero, vector)) else self._covering(vector)
        if number == len(self._kept):
            if number >= MOST_VECTORS:
                raise NoCertificate(f"its certificate would have more than {MOST_VECTORS:,} vectors")
            self._kept.append(vector)
            self._words.append(word)
            sides.append(pair)
        self._seen[pair] = number
        return number

    def _covering(self, vector: Vector) -> int:
        """The number of a kept vector that covers one; that of the next where none does."""
        return next((number for number in self._compared() if is_covered(vector, self._kept[number])), len(self._kept))

    def _compared(self) -> Iterator[int]:
        count = len(self._kept)
        yield from range(min(_FEW, count))
        yield from range(max(_FEW, count - _FEW), count)
