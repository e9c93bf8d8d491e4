"""What a search for a larger ratio comes back with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from pfl.analysis.ratio.integer_system import Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A word and its exact ratio, None for a positive mass over none."""

    word: Word
    ratio: Fraction | None

    def exceeds(self, bound: Fraction) -> bool:
        return self.ratio is None or self.ratio > bound


class Proof(Protocol):
    """Why no word has a ratio above a bound."""

    @property
    def is_exhaustive(self) -> bool:
        """Whether every prefix was looked at, rather than covered by others."""

    def certificate(self) -> dict[str, Any]:
        """The proof as docs/reference/certificates.md says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """No word has a ratio above `bound`; `best` is the best word found, None where none is above what it began with.

    The ratio of `best` is `bound` where lengths are bounded.
    """

    bound: Fraction
    best: Witness | None
    proof: Proof


@dataclass(frozen=True, slots=True, kw_only=True)
class Exceeded:
    """A word whose ratio is above what is allowed."""

    witness: Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """The search was given up; `reason` says how far it came. No word above `bound` was found."""

    bound: Fraction
    best: Witness | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbounded:
    """Ratios grow without bound with the length; `witness` is the best word that was looked at."""

    witness: Witness


IsTooLarge: TypeAlias = Callable[[Fraction], bool]
"""Whether a ratio is more than what is allowed."""
