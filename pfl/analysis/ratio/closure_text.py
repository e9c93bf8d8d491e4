"""Closure certificates of vectors that are known by their entries; the format is docs/reference/certificates.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from pfl.analysis.ratio.certificate import sealed
from pfl.base.exact_text import fraction_text

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
