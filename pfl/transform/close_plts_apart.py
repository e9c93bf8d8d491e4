"""The interactive system of an automaton whose queries and responses need not take turns.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.labelled_system import Matrix, SparseRow
from pfl.ir.plts import Action, Plts
from pfl.transform.hidden_steps import HiddenSteps, hidden_steps
from pfl.transform.interactive import BOTTOM


def close_plts_apart(plts: Plts, budget: Budget) -> Divided[InteractiveSystem]:
    """The reachable states that wait for an input or are about to respond; each response is a letter of its own.

    A state without any action shows nothing more and takes no input, like bottom. Raises LimitReached.
    """
    return hidden_steps(plts, budget).then(lambda hidden: _closed(plts, hidden))


def _closed(plts: Plts, hidden: HiddenSteps) -> InteractiveSystem:
    def settled(row: Iterable[tuple[int, Number]]) -> dict[int, Number]:
        """Where the steps of a row, and the hidden ones behind them, come to rest."""
        found: dict[int, Number] = {}
        for target, weight in row:
            for end, mass in hidden.ends(target).items():
                rest = end if end != hidden.bottom and plts.transitions[end] else hidden.bottom
                found[rest] = found.get(rest, Fraction(0)) + weight * mass
        return found

    start = settled((state, weight) for state, weight in enumerate(plts.start) if weight)
    moves: dict[tuple[int, Action], dict[int, Number]] = {}
    states = [state for state in start if state != hidden.bottom]
    known = {*states, hidden.bottom}
    for state in states:
        for action, row in plts.transitions[state].items():
            moves[state, action] = settled(row)
            states += [end for end in moves[state, action] if end not in known]
            known.update(moves[state, action])
    number = {state: place for place, state in enumerate((*states, hidden.bottom))}
    bottom = len(states)

    def matrix(action: Action, otherwise: Callable[[int], SparseRow]) -> Matrix:
        rows = (moves.get((state, action)) for state in states)
        found = [
            otherwise(place) if row is None else tuple(sorted((number[end], mass) for end, mass in row.items()))
            for place, row in enumerate(rows)
        ]
        return (*found, otherwise(bottom))

    data, queries, outputs = (
        [action for action in plts.actions if action.kind == kind] for kind in ("data", "query", "output")
    )
    first = {number[state]: weight for state, weight in start.items()}
    return InteractiveSystem(
        states=(*(plts.states[state] for state in states), BOTTOM),
        start=tuple(first.get(place, Fraction(0)) for place in range(bottom + 1)),
        data=tuple(action.name for action in data),
        data_moves=tuple(matrix(action, lambda _: ((bottom, Fraction(1)),)) for action in data),
        queries=(*(action.name for action in queries), ""),
        answers=(
            *((("", matrix(action, lambda _: ())),) for action in queries),
            tuple((action.name, matrix(action, lambda _: ())) for action in outputs),
        ),
        responding=frozenset(number[state] for state in states if plts.output(state) is not None),
    )
