"""z3's nlsat behind the interface that the analysis of parameters asks for."""

from __future__ import annotations

from dataclasses import dataclass

from pfl.analysis.polynomial.points import Found, mended
from pfl.base.budget import Budget
from pfl.ir.parameters import ParameterSpace

PATIENCE = 20.0
"""Seconds for one question, where no other limit is set."""


@dataclass(slots=True)
class Nlsat:
    """Decides spaces of several parameters; counts the proofs of emptiness that rest on z3 alone."""

    proofs: int = 0

    def __call__(self, space: ParameterSpace, budget: Budget) -> Found:
        """A point of the space, mended to be exact, None if z3 finds it empty, or unknown."""
        from pfl.engines.z3 import decide_polynomials

        remaining = budget.remaining()
        found = decide_polynomials(space, PATIENCE if remaining is None else min(PATIENCE, remaining))
        if found == "unknown":
            return "unknown"
        if found is None:
            self.proofs += 1
            return None
        return mended(space, found, budget) or "unknown"
