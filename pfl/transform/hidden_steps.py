"""Where the hidden steps of a probabilistic labelled transition system end.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction

from pfl.analysis.absorbing import absorption
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.labelled_system import SparseRow
from pfl.ir.markov_chain import MarkovChain
from pfl.ir.plts import Plts


class HiddenSteps:
    """The closure of hidden steps from every state; `bottom` stands for never ending, and is none of the states."""

    def __init__(self, plts: Plts, budget: Budget) -> None:
        """Raises LimitReached."""
        rows = [hidden_row(plts, state) or () for state in range(len(plts.states))]
        self._ends = absorption(_chain(rows), range(len(rows)), budget).rows
        self.bottom = len(plts.states)

    def ends(self, state: int) -> dict[int, Number]:
        """The states without a hidden step that are come to, and bottom, with their probabilities."""
        ends = dict(self._ends[state])
        never = 1 - sum(ends.values(), Fraction(0))
        if never:
            ends[self.bottom] = never
        return ends


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
