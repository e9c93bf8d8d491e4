"""The proof of a check as a certificate, as docs/reference/certificates.md says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pfl.analysis.exponential.functions import Functions
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.analysis.ratio.certificate import with_digest
from pfl.base.exact_text import fraction_text
from pfl.engines.exponential.obligations import Pair

MOST_SIGNS = 100_000
"""That a certificate holds; a proof of more has none."""


class Signs:
    """The signs that were decided, each for the words that it is about."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._shown: list[dict[str, Any]] = []
        self._count = 0

    def add(self, pair: Pair, root: int, function: ExponentialPolynomial, proof: Mapping[str, Any]) -> None:
        """c Q^root - P^root has the sign of the function, which is not negative as the proof shows."""
        self._count += 1
        if self._count > MOST_SIGNS:
            return
        direction = pair.task.direction
        terms = [[power, rate, str(value)] for (power, rate), value in sorted(function.terms.items())]
        self._shown.append(
            {
                "comparison": direction.number,
                "reversed": direction.is_reversed,
                "word": list(pair.word),
                "root": root,
                "function": terms,
                "proof": dict(proof),
            }
        )

    def certificate(self) -> tuple[dict[str, Any], ...]:
        """All of them; nothing where they are too many."""
        if self._count > MOST_SIGNS:
            return ()
        space = self._functions.space
        high = "inf" if space.high is None else fraction_text(space.high)
        interval: dict[str, Any] = {"low": fraction_text(space.low), "high": high}
        interval |= {"low_open": space.low_open, "high_open": space.high_open}
        content = {"parameter": space.base, "unit": space.unit, "interval": interval, "signs": self._shown}
        return (with_digest("exponential", content),)
