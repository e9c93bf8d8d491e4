"""What a search for a larger ratio comes back with."""

from __future__ import annotations

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
    """No word has a ratio above `bound`; `best`, where it is given, has exactly that ratio."""

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


Outcome: TypeAlias = Settled | Exceeded
