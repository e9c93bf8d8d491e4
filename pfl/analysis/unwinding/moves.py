"""Interactive systems in which what is seen fixes the state: every input, with its response, leads to one state.
Source: docs/theory/unwinding.md.

The bound that an unwinding family gives for one direction of a comparison of two runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.unwinding.coupling_proof import CouplingProof, Covered, covering
from pfl.analysis.unwinding.iterate import unwinding_family
from pfl.analysis.unwinding.lifting import Lifting
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.struct import struct
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import SparseRow
from pfl.model.two_runs import TwoRuns

Shape: TypeAlias = tuple[tuple[int, int, Fraction], ...]
"""The responses to a query in one state: (answer, position of the state behind it in `behind`, probability)."""


@struct(eq=False)
class Moves:
    """`start` is the one start state; `data[d][s]` is the state after data point d.

    `shapes[q][s]` numbers the entry of `table` with the responses to query q in state s, and `behind[q][s]` are the
    different states they lead to. Many states share a shape, so that two of them are compared once. `waits[s]` tells
    whether state s takes inputs; the first `asked` queries are those that an examiner asks.
    """

    start: int
    data: tuple[Sequence[int], ...]
    shapes: tuple[Sequence[int], ...]
    behind: tuple[Sequence[tuple[int, ...]], ...]
    table: tuple[Shape, ...]
    bottom: int
    waits: tuple[bool, ...]
    asked: int


def single_moves(system: InteractiveSystem) -> Moves | None:
    """The moves of a system with constant numbers, if what is seen fixes the state; None otherwise."""
    start = [state for state, weight in enumerate(system.start) if weight]
    rows = (row for moves in system.data_moves for row in moves)
    answered = (row for answers in system.answers for _, matrix in answers for row in matrix)
    if len(start) != 1 or any(len(row) != 1 for row in rows) or any(len(row) > 1 for row in answered):
        return None
    numbers: dict[Shape, int] = {}
    shapes: list[list[int]] = []
    behind: list[list[tuple[int, ...]]] = []
    for answers in system.answers:
        shapes.append([])
        behind.append([])
        for state in range(system.size):
            positions: dict[int, int] = {}
            shape = []
            for answer, (_, matrix) in enumerate(answers):
                for target, weight in matrix[state]:
                    if not isinstance(weight, Fraction):
                        return None
                    shape.append((answer, positions.setdefault(target, len(positions)), weight))
            shapes[-1].append(numbers.setdefault(tuple(shape), len(numbers)))
            behind[-1].append(tuple(positions))
    return Moves(
        start=start[0],
        data=tuple([_only(row) for row in moves] for moves in system.data_moves),
        shapes=tuple(shapes),
        behind=tuple(behind),
        table=tuple(numbers),
        bottom=system.bottom,
        waits=tuple(system.waits(state) for state in range(system.size)),
        asked=len(system.asked),
    )


def _only(row: SparseRow) -> int:
    ((target, _),) = row
    return target


@struct
class Reached:
    """A state, the number of inputs after which it is first reached, and how: the state before, the input and, of a
    query, the response. `came` is None for the start."""

    state: int
    depth: int
    came: tuple[int, int, int | None] | None


def reached_states(moves: Moves) -> dict[int, Reached]:
    """Every state that can be reached, breadth first; inputs are numbered data points first, then queries."""
    found = {moves.start: Reached(state=moves.start, depth=0, came=None)}
    pending = [moves.start]
    for state in pending:
        for given, answer, target in _steps(moves, state):
            if target not in found:
                found[target] = Reached(state=target, depth=found[state].depth + 1, came=(state, given, answer))
                pending.append(target)
    return found


def _steps(moves: Moves, state: int) -> Sequence[tuple[int, int | None, int]]:
    steps: list[tuple[int, int | None, int]] = [(given, None, row[state]) for given, row in enumerate(moves.data)]
    for query, (shapes, behind) in enumerate(zip(moves.shapes, moves.behind)):
        for answer, position, _ in moves.table[shapes[state]]:
            steps.append((len(moves.data) + query, answer, behind[state][position]))
    return steps


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
