"""What has to be shown: no word has more mass from the left start than c times its mass from the right start.
Source: docs/theory/ratio-engine.md.

What a search for a larger ratio comes back with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, Protocol, TypeAlias

from pfl.analysis.ratio.integer_system import (
    Integers,
    IntegerSystem,
    Word,
    constant,
    primitive,
    primitive_pair,
    reached_part,
)
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem

_LETTERS_BETWEEN_REDUCTIONS = 12
"""A common factor of long vectors takes longer to find than a few letters to follow."""


@struct(eq=False)
class Obligation:
    """mass(left, w) <= c * mass(right, w) for every word w of at most a given length, or of every length.

    `left` and `right` are integer vectors on the states of `part`, both scaled by the same number.
    """

    part: IntegerSystem
    left: Integers
    right: Integers

    def follow(self, word: Word) -> tuple[Integers, Integers]:
        """(left M_w, right M_w) up to a common scale, for letters given by their position in `part`."""
        left, right = self.left, self.right
        for count, position in enumerate(word, start=1):
            left, right = self.part.step(left, position), self.part.step(right, position)
            if count % _LETTERS_BETWEEN_REDUCTIONS == 0 or count == len(word):
                left, right = primitive_pair(left, right)
        return left, right

    def step(self, left: Integers, right: Integers, position: int) -> tuple[Integers, Integers]:
        """Both vectors after one more letter, up to a common scale."""
        return primitive_pair(self.part.step(left, position), self.part.step(right, position))


def obligation(
    system: LabelledSystem, left: Sequence[Number], right: Sequence[Number], part: IntegerSystem | None = None
) -> Obligation:
    """The obligation of two start vectors; `part` must hold every state that they reach."""
    part = part or reached_part(system, (left, right))
    exact_left = [constant(left[state]) for state in part.states]
    exact_right = [constant(right[state]) for state in part.states]
    scale = lcm(*(entry.denominator for entry in (*exact_left, *exact_right)))
    whole = primitive_pair(
        [int(entry * scale) for entry in exact_left],
        [int(entry * scale) for entry in exact_right],
    )
    return Obligation(part=part, left=whole[0], right=whole[1])


def signed(left: Sequence[int], right: Sequence[int], bound: Fraction) -> Integers:
    """The direction of left - bound * right, in the shortest integers."""
    p, q = bound.numerator, bound.denominator
    return primitive([q * a - p * b for a, b in zip(left, right)])


def ratio_of(left: Sequence[int], right: Sequence[int]) -> Fraction | None:
    """The quotient of the two sums, None for a positive one over 0; 0 for 0 over 0."""
    numerator, denominator = sum(left), sum(right)
    if denominator:
        return Fraction(numerator, denominator)
    return None if numerator else Fraction(0)


@struct
class Witness:
    """A word and its exact ratio, None for a positive mass over none."""

    word: Word
    ratio: Fraction | None

    def exceeds(self, bound: Fraction) -> bool:
        """Whether the ratio is above a bound; a positive mass over none always is."""
        return self.ratio is None or self.ratio > bound


class Proof(Protocol):
    """Why no word has a ratio above a bound."""

    @property
    def is_exhaustive(self) -> bool:
        """Whether every prefix was looked at, rather than covered by others."""

    def certificate(self) -> dict[str, Any]:
        """The proof as docs/reference/certificates.md says."""


@struct
class Settled:
    """No word has a ratio above `bound`; `best` is the best word found, None where none is above what it began with.

    The ratio of `best` is `bound` where lengths are bounded.
    """

    bound: Fraction
    best: Witness | None
    proof: Proof


@struct
class Exceeded:
    """A word whose ratio is above what is allowed."""

    witness: Witness


@struct
class Unsettled:
    """The search was given up; `reason` says how far it came. No word above `bound` was found."""

    bound: Fraction
    best: Witness | None
    reason: str


@struct
class Unbounded:
    """Ratios grow without bound with the length; `witness` is the best word that was looked at."""

    witness: Witness


IsTooLarge: TypeAlias = Callable[[Fraction], bool]
"""Whether a ratio is more than what is allowed."""
