"""Proofs as plain JSON-ready objects; the format is docs/reference/certificates.md, the checker `pfl.verify`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pfl.analysis.ratio.covering import Covering, Kept
from pfl.analysis.ratio.integer_system import IntegerSystem
from pfl.base.exact_text import fraction_text

FORMAT = "pfl-certificate-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumerationProof:
    """Prefixes of at most `length` letters (None: any) lead to at most `directions` directions, none above `bound`."""

    bound: Fraction
    length: int | None
    directions: int

    @property
    def is_exhaustive(self) -> bool:
        return True

    def certificate(self) -> dict[str, Any]:
        return sealed("exhaustive", bound=self.bound, length=self.length, content={"vectors": self.directions})


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontProof:
    """Vectors of a finished search, which cover the start and, after every letter, each other.

    `coverings` has one entry a kept vector and letter (by position), and the one of the start at (-1, -1).
    """

    bound: Fraction
    length: int | None
    part: IntegerSystem
    kept: tuple[Kept, ...]
    coverings: Mapping[tuple[int, int], Covering]

    @property
    def is_exhaustive(self) -> bool:
        return False

    def certificate(self) -> dict[str, Any]:
        vectors, steps = [], []
        for index, kept in enumerate(self.kept):
            word = [self.part.letters[position] for position in kept.word]
            vectors.append({"word": word} if self.length is None else {"word": word, "level": kept.level})
            steps.append(
                [
                    {} if position is None else _combination(self.coverings[index, position])
                    for position in self.part.positions
                ]
            )
        content = {"vectors": vectors, "start": _combination(self.coverings[-1, -1]), "steps": steps}
        return sealed("closure", bound=self.bound, length=self.length, content=content)


def sealed(kind: str, *, bound: Fraction, length: int | None, content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate of a bound on ratios, with its digest; `length` None for every length."""
    shown = {"bound": fraction_text(bound), "length": "any" if length is None else length}
    return with_digest(kind, {**shown, **content})


def with_digest(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate with its digest."""
    certificate: dict[str, Any] = {"format": FORMAT, "kind": kind, **content}
    text = json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    certificate["digest"] = hashlib.sha256(text.encode()).hexdigest()
    return certificate


def _combination(covering: Covering) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if covering.tested:
        result["tested"] = True
    if covering.terms:
        result["of"] = [[index, fraction_text(multiplier)] for index, multiplier in covering.terms]
    if covering.futures:
        result["futures"] = covering.futures
    return result
