"""Proofs as plain JSON-ready objects; the format is docs/reference/certificates.md, the checker `pfl.verify`.

Closure certificates of vectors that are known by their entries; the format is docs/reference/certificates.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from pfl.analysis.ratio.covering import Covering, Kept, Raised
from pfl.analysis.ratio.integer_system import IntegerSystem
from pfl.base.exact_text import fraction_text
from pfl.base.struct import struct

FORMAT = "pfl-certificate-1"


@struct
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


@struct
class FrontProof:
    """Vectors of a finished search, which cover the start and, after every letter, each other.

    `coverings` has one entry a kept vector and letter (by position), and the one of the start at (-1, -1).
    """

    bound: Fraction
    length: int | None
    part: IntegerSystem
    kept: tuple[Kept | Raised, ...]
    coverings: Mapping[tuple[int, int], Covering]

    @property
    def is_exhaustive(self) -> bool:
        return False

    def certificate(self) -> dict[str, Any]:
        vectors, steps = [], []
        for index, kept in enumerate(self.kept):
            shown = self._shown(kept)
            vectors.append(shown if self.length is None else {**shown, "level": kept.level})
            steps.append(
                [
                    {} if position is None else _combination(self.coverings[index, position])
                    for position in self.part.positions
                ]
            )
        content = {"vectors": vectors, "start": _combination(self.coverings[-1, -1]), "steps": steps}
        return sealed("closure", bound=self.bound, length=self.length, content=content)

    def _shown(self, kept: Kept | Raised) -> dict[str, Any]:
        if isinstance(kept, Kept):
            return {"word": [self.part.letters[position] for position in kept.word]}
        entries = zip(self.part.states, kept.vector)
        return {"entries": [[state, fraction_text(Fraction(entry))] for state, entry in entries if entry]}


def sealed(kind: str, *, bound: Fraction, length: int | None, content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate of a bound on ratios, with its digest; `length` None for every length."""
    shown = {"bound": fraction_text(bound), "length": "any" if length is None else length}
    return with_digest(kind, {**shown, **content})


def with_digest(kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate with its digest."""
    import hashlib

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


Entries = Mapping[int, Fraction]
Terms = Iterable[tuple[int, Fraction]]
"""Numbers of vectors with multipliers that are not negative."""


class ClosureText:
    """Multipliers in a certificate are for vectors in their shortest integer form, so each is scaled on the way."""

    def __init__(self, vectors: Sequence[Entries]) -> None:
        self._vectors = vectors
        self._scales = [_scale(vector) for vector in vectors]

    def covered(self, terms: Terms, vector: Entries) -> dict[str, Any]:
        """That `vector` is at most the sum of `terms`."""
        scale = _scale(vector)
        found = [[index, fraction_text(weight * scale / self._scales[index])] for index, weight in terms]
        return {"of": found} if found else {}

    def certificate(
        self, bound: Fraction, start: dict[str, Any], steps: Sequence[Sequence[dict[str, Any]]]
    ) -> dict[str, Any]:
        """The certificate for every length: how the start is covered, and each vector after each letter."""
        vectors = [
            {"entries": [[state, fraction_text(value)] for state, value in sorted(vector.items())]}
            for vector in self._vectors
        ]
        content = {"vectors": vectors, "start": start, "steps": [list(step) for step in steps]}
        return sealed("closure", bound=bound, length=None, content=content)


def _scale(vector: Entries) -> Fraction:
    """What makes the vector the shortest integer one of its direction."""
    if not vector:
        return Fraction(1)
    unit = lcm(*(entry.denominator for entry in vector.values()))
    return Fraction(unit, gcd(*(int(entry * unit) for entry in vector.values())))
