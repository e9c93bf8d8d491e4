"""Where the hidden steps of a probabilistic labelled transition system end.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.chains.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.model.interactive import Plts
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain


@dataclass(frozen=True, slots=True, eq=False)
class HiddenSteps:
    """The closure of hidden steps from the states that runs come to; `bottom` stands for never ending, and is none of
    the states."""

    _ends: Mapping[int, dict[int, Number]]
    bottom: int

    def ends(self, state: int) -> dict[int, Number]:
        """The states without a hidden step that are come to, and bottom, with their probabilities."""
        ends = dict(self._ends[state])
        never = 1 - sum(ends.values(), Fraction(0))
        if never:
            ends[self.bottom] = never
        return ends


def hidden_steps(plts: Plts, budget: Budget) -> Divided[HiddenSteps]:
    """The closure of the hidden steps of all states that runs come to. Raises LimitReached."""
    rows = [hidden_row(plts, state) or () for state in range(len(plts.states))]
    sources = reachable(plts)
    closed = absorption(_chain(rows), sources, budget)
    return closed.then(lambda found: HiddenSteps(dict(zip(sources, found.rows)), len(plts.states)))


def reachable(plts: Plts) -> list[int]:
    """The states that runs come to, hidden ones included."""
    found = dict.fromkeys(state for state, weight in enumerate(plts.start) if weight)
    pending = list(found)
    for state in pending:
        for row in plts.transitions[state].values():
            for target, _ in row:
                if target not in found:
                    found[target] = None
                    pending.append(target)
    return pending


def hidden_row(plts: Plts, state: int) -> SparseRow | None:
    """The targets of the hidden step of a state; None where it has none."""
    action = plts.output(state)
    return plts.transitions[state][action] if action is not None and action.kind == "hidden" else None


def _chain(rows: Sequence[SparseRow]) -> MarkovChain:
    """Hidden steps as a Markov chain whose absorbing states are those without one."""
    offsets, targets, weights = array("q", [0]), array("i"), array("i")
    table: dict[Number, int] = {}
    for row in rows:
        for target, weight in row:
            targets.append(target)
            weights.append(table.setdefault(weight, len(table)))
        offsets.append(len(targets))
    return MarkovChain(offsets=offsets, targets=targets, weights=weights, weight_table=tuple(table))
