"""Automata whose queries and responses need not take turns: a query may get no response, or several.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.frontend.lower.automata import Automaton
from pfl.frontend.lower.automaton_table import AutomatonTable
from pfl.ir.claims import Comparison, Lengths
from pfl.ir.labelled_system import LabelledSystem
from pfl.transform.limit_inputs import first_of, limit_inputs

Goal: TypeAlias = Literal["check", "epsilon", "delta"]

NO_TURNS_REMARK = "a query may get no response or several, so each response is an observation of its own"
INTERLEAVED_REMARK = "responses may follow data points; a proof holds even for an observer who sees where among them"


def refuse_clauses_of_turns(automaton: Automaton, goal: Goal, lengths: Lengths, delta: Number | None) -> None:
    """Raises LimitReached for clauses that want one response a query, of an automaton that does not give it."""
    assert isinstance(automaton.model, AutomatonTable), "handlers respond once to every query"
    if delta != 0:
        clause = "an additive delta"
    elif goal == "epsilon" and lengths != "any" and len(lengths) > 1:
        clause = "a list of lengths"
    else:
        return
    found = automaton.model.takes_no_turns(clause, automaton.budget)
    reason = f"{clause} is judged only where every query gets one response before the next input: {found.message}"
    raise LimitReached(f"{reason}; leave it out, or change the table", found)


def limited(
    comparison: Comparison, most: int, systems: dict[LabelledSystem, LabelledSystem], budget: Budget
) -> Comparison:
    """The comparison on words with at most so many inputs. Raises LimitReached."""
    system = comparison.system
    if system not in systems:
        if (most + 1) * system.size > budget.max_states:
            raise LimitReached(f"counting {most:,} inputs takes more states than allowed; try a larger --max-states")
        exchanges = system.exchanges or ()
        inputs = frozenset(letter for letter, each in enumerate(exchanges) if each.given is not None)
        systems[system] = limit_inputs(system, inputs, most)
    left, right = (replace(side, start=first_of(side.start, most)) for side in (comparison.left, comparison.right))
    return replace(comparison, system=systems[system], left=left, right=right, limited=True)
