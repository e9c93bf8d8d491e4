"""The bound that an unwinding family gives for one direction of a comparison of two runs."""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.unwinding.coupling_proof import CouplingProof, Covered, covering
from pfl.analysis.unwinding.iterate import unwinding_family
from pfl.analysis.unwinding.lifting import Lifting
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.ir.interactive import TwoRuns


def proved_by(runs: TwoRuns, lifting: Lifting, *, is_reversed: bool, budget: Budget) -> CouplingProof | None:
    """A proof with the least bound that the family gives; None where it relates too little. Raises LimitReached."""
    family = unwinding_family(runs, lifting, is_reversed=is_reversed, budget=budget)
    covered = None if family is None else covering(runs, family, is_reversed=is_reversed)
    if family is None or covered is None:
        return None
    worst = max(covered, key=lambda each: each.lifted.factor, default=None)
    how = f"unwinding by {lifting.name}, {len(family.bounds):,} ordered pairs of states, rounds: {family.rounds}"
    facts = (("proved by", how), *_worst(runs, worst))
    return CouplingProof(
        bound=Fraction(1) if worst is None else max(Fraction(1), worst.lifted.factor),
        runs=runs,
        is_reversed=is_reversed,
        family=family,
        covered=tuple(covered),
        facts=facts,
    )


def _worst(runs: TwoRuns, worst: Covered | None) -> tuple[tuple[str, str], ...]:
    """Where the balance is largest: the state before the extra point, and the point."""
    if worst is None:
        return ()
    letter = runs.letters[runs.extra_letter(worst.extra)]
    balance = str(Epsilon.ln(worst.lifted.factor))
    return ("largest balance", balance), ("worst pair", f"{letter} in {runs.system.states[worst.state]}")
