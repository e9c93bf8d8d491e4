"""How much of a program is explored: a small one as a whole, else what a claim is about, or what nearly all runs keep
to. Source: docs/theory/exploration.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.chains.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.explore.explore import SMALL, explore
from pfl.model.program import Costs, Program
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import Value
from pfl.passes.run_chain import run_chain

Starts = Sequence[Mapping[str, Value]]

_PARTS = (64, 512, 4096)
"""States of the parts that are tried, one after the other."""
_LITTLE = Fraction(1, 2**40)
"""The probability of leaving a part with which no larger one is tried."""
_MOST = Fraction(1, 1000)
"""The probability of leaving a part that still tells something."""
_LARGE = 100_000
"""States up to which a system is explored as a whole all the same, where a part would do: its numbers are exact."""


def explored(
    program: Program, starts: Starts, budget: Budget, costs: Costs | None = None, shown: int | None = None
) -> TransitionGraph:
    """The graph; of a large one, if no more than `shown` outputs are asked about, what runs reach with so many.

    Raises what `explore` raises, NoiseMet among it.
    """
    if not shown:
        return explore(program, starts, budget, costs, tells_noise=True)
    try:
        return explore(program, starts, _limited(budget, SMALL), costs, tells_noise=True)
    except LimitReached:
        return explore(program, starts, budget, costs, tells_noise=True, shown=shown)


def told_of_part(name: str, states: int) -> str:
    """What is said where so many states alone were explored."""
    return (
        f"`{name}` has very many states, or no end of them: a run that leaves the first {states:,} may end in any way"
    )


def explored_in_part(program: Program, starts: Starts, budget: Budget) -> TransitionGraph:
    """The graph; of one that is large, or without end, the states that runs from each start leave with next to no
    probability, if there are such. Raises what `explore` raises, NoiseMet among it."""
    try:
        return explore(program, starts, _limited(budget, SMALL), tells_noise=True)
    except LimitReached:
        part = _part(program, starts, budget)
    if part is None:
        return explore(program, starts, budget, tells_noise=True)
    try:
        return explore(program, starts, _limited(budget, _LARGE), tells_noise=True)
    except LimitReached:
        return part


def _part(program: Program, starts: Starts, budget: Budget) -> TransitionGraph | None:
    """The smallest part that runs hardly ever leave, or the largest one; None where they leave it too often to tell
    much, and where probabilities depend on parameters."""
    part: TransitionGraph | None = None
    for most in _PARTS:
        try:
            graph = explore(program, starts, budget, most=most)
        except LimitReached:  # more states are found than are explored
            break
        if not all(isinstance(weight, Fraction) for weight in graph.weight_table):
            break
        runs = run_chain(graph)
        rows = absorption(runs.chain, list(dict.fromkeys(runs.starts)), budget).noting(Divisors()).rows
        left = [row.get(runs.left, Fraction(0)) for row in rows if runs.left is not None]
        part = graph if all(_is_at_most(mass, _MOST) for mass in left) else part
        if all(_is_at_most(mass, _LITTLE) for mass in left):
            break
    return part


def _is_at_most(mass: Number, most: Fraction) -> bool:
    return isinstance(mass, Fraction) and mass <= most


def _limited(budget: Budget, most: int) -> Budget:
    return replace(budget, max_states=min(most, budget.max_states))
