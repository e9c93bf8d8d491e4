"""Silent steps closed: from a state, what is seen next, and in which state that leaves the run.

Silent steps form an absorbing Markov chain whose ends are the visible steps.
Source: docs/theory/exploration.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from pfl.analysis.chains.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.explore.explore import explore
from pfl.model.markov_chain import MarkovChain
from pfl.model.program import Program, Receive
from pfl.model.transition_graph import ENDED, SILENT, TransitionGraph


@struct(kw_only=False)
class Exit:
    """Where silence ends: a step with that label into a state; with label `SILENT`, the state itself, which waits for
    an input or is the end of the run."""

    label: int
    state: int


@struct(eq=False)
class Closure:
    """`rows[i]` maps exits to the probability with which the i-th source comes to them; what is missing to 1 stays
    silent for ever."""

    rows: tuple[dict[Exit, Number], ...]

    def never(self, source: int) -> Number:
        """The probability of staying silent for ever, from the source of that position."""
        return 1 - sum(self.rows[source].values(), Fraction(0))


def close_silent(graph: TransitionGraph, sources: Sequence[int], budget: Budget) -> Divided[Closure]:
    """The closure of silent steps from each of the sources. Raises LimitReached when the time is over."""
    exits: dict[Exit, int] = {}
    chain = _silent_chain(graph, exits)
    divisors = Divisors()
    absorbed = absorption(chain, sources, budget).noting(divisors)
    named = list(exits)

    def exit_of(state: int) -> Exit:
        return named[state - graph.size] if state >= graph.size else Exit(SILENT, state)

    rows = tuple(
        {exit_of(end): mass for end, mass in row.items() if end >= graph.size or graph.states[end][0] != ENDED}
        for row in absorbed.rows
    )
    return divisors.of(Closure(rows=rows))


def _silent_chain(graph: TransitionGraph, exits: dict[Exit, int]) -> MarkovChain:
    """The silent steps as a chain; visible steps lead to absorbing states of their own, which `exits` numbers."""
    targets, weights, offsets = graph.targets[:], graph.weights, graph.offsets[:]
    for edge, label in enumerate(graph.labels):
        if label != SILENT:
            targets[edge] = exits.setdefault(Exit(label, targets[edge]), graph.size + len(exits))
    if any(isinstance(node, Receive) for node in graph.program.nodes):
        targets, weights, offsets = _without_inputs(graph, targets)
    offsets.extend([offsets[-1]] * len(exits))
    return MarkovChain(offsets=offsets, targets=targets, weights=weights, weight_table=graph.weight_table)


def _without_inputs(graph: TransitionGraph, all_targets: array[int]) -> tuple[array[int], array[int], array[int]]:
    """Targets, weights and offsets without the rows of states that wait for an input."""
    targets, weights, offsets = array("i"), array("i"), array("q", [0])
    for state in range(graph.size):
        row = graph.row(state)
        if not is_waiting(graph, state):
            targets.extend(all_targets[row.start : row.stop])
            weights.extend(graph.weights[row.start : row.stop])
        offsets.append(len(targets))
    return targets, weights, offsets


def is_waiting(graph: TransitionGraph, state: int) -> bool:
    """Whether the state waits for an input from outside."""
    point = graph.states[state][0]
    return point != ENDED and isinstance(graph.program.nodes[point], Receive)


@struct
class BlockResult:
    """Where a run of a block ends: `finals` maps values of the results, in order, to probabilities. `never` is the
    probability of not ending."""

    finals: Mapping[tuple[Any, ...], Number]
    never: Number


def run_block(
    program: Program, starts: Sequence[Mapping[str, Any]], budget: Budget
) -> Divided[tuple[BlockResult, ...]]:
    """The exact distribution of the values of `program.results`, in order, for each start.

    A start maps the program's inputs to values. For a `step` block: build the program once, with the old
    state as inputs and the new state as results, and call this once for all states: `run_block(step, [{"x": v} for v in
    values], budget)`. Loops are allowed. All starts are explored together, so what they have in common is
    explored once. Programs that show or receive anything have no such distribution.
    Raises what `explore` raises.
    """
    graph = explore(program, starts, budget)
    divisors = Divisors()
    closure = close_silent(graph, graph.starts, budget).noting(divisors)
    outcomes = []
    for source, row in enumerate(closure.rows):
        ends = ((graph.values(end.state), mass) for end, mass in row.items())
        finals = summed((tuple(held[name] for name in program.results), mass) for held, mass in ends)
        outcomes.append(BlockResult(finals=finals, never=closure.never(source)))
    return divisors.of(tuple(outcomes))
