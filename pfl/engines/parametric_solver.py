"""Z3's nlsat behind the interface that the analysis of parameters asks for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.points import Found, mended
from pfl.base.budget import Budget
from pfl.engines.encode_parameters import parameter_symbols, space_script
from pfl.engines.solver_outcome import Near, Satisfiable, Unsatisfiable
from pfl.ir.parameters import ParameterSpace

PATIENCE = 20.0
"""Seconds for one question, where no other limit is set."""


@dataclass(slots=True)
class Nlsat:
    """Decides spaces of several parameters; `proofs` counts the proofs of emptiness that rest on Z3 alone."""

    proofs: int = 0

    def __call__(self, space: ParameterSpace, budget: Budget) -> Found:
        """A point of the space, mended to be exact; None if Z3 finds it empty; or unknown."""
        from pfl.engines import z3

        remaining = budget.remaining()
        outcome = z3.solve(space_script(space), PATIENCE if remaining is None else min(PATIENCE, remaining))
        match outcome:
            case Unsatisfiable():
                self.proofs += 1
                return None
            case Satisfiable(model):
                near = {name: _near(model.get(symbol.name)) for name, symbol in parameter_symbols(space).items()}
                return mended(space, near, budget) or "unknown"
            case _:
                return "unknown"


def _near(value: object) -> Fraction:
    """The value, a rational near it, or 0 where it could not be read."""
    match value:
        case Near(low, high):
            return (low + high) / 2
        case Fraction():
            return value
        case _:
            return Fraction(0)
