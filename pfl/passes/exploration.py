"""How much of a program is explored: a small one as a whole, else what a claim is about, or what nearly all runs keep
to. Source: docs/theory/exploration.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.explore.explore import explore
from pfl.model.program import Costs, Program, Step
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import Value
from pfl.passes.run_chain import RunChain, run_chain

Starts = Sequence[Mapping[str, Value]]

SMALL = 20_000
"""States up to which a system is explored as a whole, with all its faults, where a part would do."""
_PARTS = (64, 512, 4096)
"""States of the parts that are tried, one after the other."""
_LITTLE = Fraction(1, 2**40)
"""The probability of leaving a part with which no larger one is tried."""
_MOST = Fraction(1, 1000)
"""The probability of leaving a part that still tells something."""
_LARGE = 100_000
"""States up to which a system that may have no end of them is explored as a whole all the same, since then its numbers
are exact; one that has an end is explored up to the limit."""
_SEVERAL = 8
"""Values of a variable, by which it grows."""


def explored(
    program: Program, starts: Starts, budget: Budget, costs: Costs | None = None, shown: int | None = None
) -> TransitionGraph:
    """The graph; of a large one, if no more than `shown` outputs are asked about, what runs reach with so many.

    Raises what `explore` raises, NoiseMet among it.
    """
    if not shown:
        return explore(program, starts, budget, costs, tells_noise=True)
    try:
        return explore(program, starts, limited(budget), costs, tells_noise=True)
    except LimitReached:
        return explore(program, starts, budget, costs, tells_noise=True, shown=shown)


def explored_in_part(program: Program, starts: Starts, budget: Budget, step: Step | None = None) -> TransitionGraph:
    """The graph, of states between steps if `step` is given; of one that is large, or without end, the states that runs
    from each start leave with next to no probability, if there are such. Raises what `explore` raises, NoiseMet among
    it."""
    try:
        return explore(program, starts, limited(budget), tells_noise=True, step=step)
    except LimitReached:
        part = _part(program, starts, budget, step)
    if part is None:
        return explore(program, starts, budget, tells_noise=True, step=step)
    try:
        enough = limited(budget, _LARGE) if _grows(part) else budget
        return explore(program, starts, enough, tells_noise=True, step=step)
    except LimitReached:
        return part


def _grows(graph: TransitionGraph) -> bool:
    """Whether a variable takes several values, and has a type without end of them."""
    values: dict[str, set[int]] = {slot.identifier: set() for slot in graph.program.slots if slot.is_endless}
    for state in range(graph.size):
        for identifier, value in graph.values(state).items():
            if identifier in values and isinstance(value, int):
                values[identifier].add(value)
    return any(len(each) >= _SEVERAL for each in values.values())


def _part(program: Program, starts: Starts, budget: Budget, step: Step | None) -> TransitionGraph | None:
    """The smallest part that runs hardly ever leave, or the largest one; None where they leave it too often to tell
    much, and where probabilities depend on parameters. How often is enclosed by floats, which are not the answer."""
    part: TransitionGraph | None = None
    for most in _PARTS:
        try:
            graph = explore(program, starts, budget, most=most, step=step)
        except LimitReached:  # more states are found than are explored
            break
        if not all(isinstance(weight, Fraction) for weight in graph.weight_table):
            break
        left = _most_left(run_chain(graph), budget)
        part = graph if left <= _MOST else part
        if left <= _LITTLE:
            break
    return part


def _most_left(runs: RunChain, budget: Budget) -> Fraction:
    """At least the largest probability, over the starts, of coming to states that were not explored."""
    if runs.left is None:
        return Fraction(0)
    from pfl.analysis.chains.float_hitting import float_reach_probabilities  # needed with large systems only

    hitting = float_reach_probabilities(runs.chain, frozenset({runs.left}), budget)
    if hitting is None:
        return Fraction(1)
    found = [hitting.mean(((start, Fraction(1)),)) for start in runs.starts]
    return max(each.high if isinstance(each, Enclosure) else Fraction(each) for each in found)


def limited(budget: Budget, most: int | None = None) -> Budget:
    """The budget, with so many states at most; if nothing is said, those of a small system."""
    return replace(budget, max_states=min(SMALL if most is None else most, budget.max_states))
