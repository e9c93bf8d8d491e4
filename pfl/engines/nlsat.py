"""A point of a parameter space by Z3's nlsat, mended to be exact. Loads Z3, so it is imported on first need."""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.polynomial.points import Found, mended
from pfl.base.budget import Budget
from pfl.engines import z3
from pfl.engines.encode_parameters import parameter_symbols, space_script
from pfl.engines.solver_outcome import Near, Satisfiable, Unsatisfiable
from pfl.ir.parameters import ParameterSpace


def decide(space: ParameterSpace, budget: Budget, patience: float) -> Found:
    """A point of the space; None if Z3 finds it empty; unknown after `patience` seconds, or where no point is exact."""
    remaining = budget.remaining()
    outcome = z3.solve(space_script(space), patience if remaining is None else min(patience, remaining))
    match outcome:
        case Unsatisfiable():
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
