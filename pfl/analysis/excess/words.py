"""Words that make up an excess, and prefixes of such words with what they add up to."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.ratio.integer_system import Word
from pfl.base.struct import struct


@struct
class WordSet:
    """Words of which none begins another, each with a positive excess, the larger ones first.

    `out_of` is the number of words of the whole set where these are only some of it; None where they are all.
    """

    words: tuple[Word, ...]
    out_of: int | Literal["inf"] | None


_Link: TypeAlias = "tuple[_Link | None, int]"
"""A word from its end: what comes before the last letter, and that letter."""


class Prefix:
    """A prefix of words with the excess that they add up to; of two, the one with the larger excess comes first."""

    __slots__ = ("depth", "is_last", "link", "node", "value", "weight")

    def __init__(
        self, value: Fraction, link: _Link | None, depth: int, *, node: int, weight: Fraction, is_last: bool
    ) -> None:
        """The direction of the prefix is that of `node`, its factor `weight`; if it `is_last`, no letter follows."""
        self.value = value
        self.link = link
        self.depth = depth
        self.node = node
        self.weight = weight
        self.is_last = is_last

    @property
    def word(self) -> Word:
        """Its letters."""
        letters: list[int] = []
        link = self.link
        while link is not None:
            link, letter = link
            letters.append(letter)
        return tuple(reversed(letters))

    def __lt__(self, other: Prefix) -> bool:
        return (other.value, self.depth) < (self.value, other.depth)
