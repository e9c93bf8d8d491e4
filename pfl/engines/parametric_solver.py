"""The solver that the analysis of several parameters asks where it cannot decide by itself."""

from __future__ import annotations

from dataclasses import dataclass

from pfl.analysis.polynomial.points import Found
from pfl.base.budget import Budget
from pfl.ir.parameters import ParameterSpace

PATIENCE = 20.0
"""Seconds for one question, where no other limit is set."""
LITTLE_PATIENCE = 2.0
"""Seconds for one question whose answer is only for the report."""


@dataclass(slots=True)
class Nlsat:
    """Asks Z3; `proofs` counts the proofs of emptiness that rest on it alone."""

    proofs: int = 0
    patience: float = PATIENCE

    def __call__(self, space: ParameterSpace, budget: Budget) -> Found:
        """A point of the space; None if it is empty; or unknown."""
        from pfl.engines.nlsat import decide

        found = decide(space, budget, self.patience)
        self.proofs += found is None
        return found
