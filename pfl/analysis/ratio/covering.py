"""What a search keeps, and why it could drop the rest.

Source: docs/theory/domination.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.ratio.integer_system import Integers, Word
from pfl.base.struct import struct

Terms: TypeAlias = tuple[tuple[int, Fraction], ...]


@struct
class Covering:
    """Why a vector needs no look of its own: less sum y_i u_i (`terms`: index of the kept vector, y_i) it has no future
    after `futures` letters; or, `tested`, each word of the letters that remain has been looked at."""

    terms: Terms = ()
    futures: int = 0
    tested: bool = False


@struct
class Kept:
    """A vector that is looked at: the direction after `word`, letters by their position."""

    word: Word
    vector: Integers

    @property
    def level(self) -> int:
        """The number of letters after which it is met."""
        return len(self.word)


@struct
class Raised:
    """A vector that is looked at instead of one that it is above, met after `level` letters."""

    vector: Integers
    level: int
