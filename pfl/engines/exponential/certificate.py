"""The proof of a check as a certificate, as docs/reference/certificates.md says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pfl.analysis.exponential.functions import Functions
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.analysis.ratio.certificate import with_digest
from pfl.base.exact_text import fraction_text, integer_text
from pfl.engines.answer import Evidence
from pfl.engines.word_pairs import Pair, Task
from pfl.model.parameters import ExponentialSpace

MOST_SIGNS = 100_000
"""That a certificate holds; a proof of more has none."""

Sign: TypeAlias = dict[str, Any]
"""A function that is negative nowhere, with the proof, and what else is said of it."""


def sign(function: ExponentialPolynomial, proof: Mapping[str, Any]) -> Sign:
    """That the function is not negative, as the proof shows."""
    terms = [[power, rate, integer_text(value)] for (power, rate), value in sorted(function.terms.items())]
    return {"function": terms, "proof": dict(proof)}


class Signs:
    """The signs that were decided, each for the words that it is about."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._shown: list[Sign] = []
        self._count = 0

    def add(self, pair: Pair, root: int, function: ExponentialPolynomial, proof: Mapping[str, Any]) -> None:
        """c Q^root - P^root has the sign of the function, which is not negative as the proof shows."""
        self._count += 1
        if self._count > MOST_SIGNS:
            return
        self._shown.append({**_named(pair.task), "word": list(pair.word), "root": root, **sign(function, proof)})

    def evidence(self, detail: str) -> Evidence:
        """All of them as one certificate, where they are not too many."""
        return _evidence(
            detail, self._count, "exponential", {**space_text(self._functions.space), "signs": self._shown}
        )


class Sums:
    """The signs that show of some directions that excesses add up to no more than is claimed."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._shown: list[dict[str, Any]] = []
        self._count = 0

    def add(self, task: Task, shown: Mapping[str, Sequence[Any]]) -> None:
        """What shows it of one direction, by the keys of the certificate."""
        self._count += sum(map(len, shown.values()))
        if self._count <= MOST_SIGNS:
            self._shown.append({**_named(task), **shown})

    def evidence(self, detail: str) -> Evidence:
        """All of them as one certificate, where they are not too many."""
        content = {**space_text(self._functions.space), "sums": self._shown}
        return _evidence(detail, self._count, "exponential-excess", content)


def _evidence(detail: str, count: int, kind: str, content: Mapping[str, Any]) -> Evidence:
    if count > MOST_SIGNS:
        reason = f"its certificate would have more than {MOST_SIGNS:,} signs"
        return Evidence(kind="exhaustive", detail=detail, uncertified=reason)
    return Evidence(kind="exhaustive", detail=detail, certificates=(with_digest(kind, content),))


def _named(task: Task) -> dict[str, Any]:
    return {"comparison": task.direction.number, "reversed": task.direction.is_reversed}


def space_text(space: ExponentialSpace) -> dict[str, Any]:
    """What a certificate says of the parameter that its functions are of."""
    high = "inf" if space.high is None else fraction_text(space.high)
    interval: dict[str, Any] = {"low": fraction_text(space.low), "high": high}
    interval |= {"low_open": space.low_open, "high_open": space.high_open}
    return {"parameter": space.base, "unit": space.unit, "interval": interval}
