"""What a solver says about a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.engines.smt.terms import Script


@struct(kw_only=False)
class Near:
    """A real number that the solver knows but that is not rational: it lies in the open interval (low, high)."""

    low: Fraction
    high: Fraction


Value: TypeAlias = bool | Fraction | Near
Model: TypeAlias = Mapping[str, Value]
"""Values by name of symbol; a symbol whose value could not be read is missing."""


@struct(kw_only=False)
class Satisfiable:
    """Some assignment satisfies the script; this one, as the solver says. Nothing rests on it before it is replayed."""

    model: Model


@struct(kw_only=False)
class Unsatisfiable:
    """No assignment satisfies the script, as the solver says."""


@struct(kw_only=False)
class NoAnswer:
    """The solver did not decide; `reason` is a clause that says why, `advice` what to try."""

    reason: str
    advice: str


Outcome: TypeAlias = Satisfiable | Unsatisfiable | NoAnswer
Solver: TypeAlias = Callable[[Script, "float | None"], Outcome]
"""Solves a script within so many seconds; None for no limit."""

OUT_OF_TIME = NoAnswer(
    "it ran out of time", "try a larger --timeout, a shorter length, another --solver, or --engine exact"
)
