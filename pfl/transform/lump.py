"""States that no word can tell apart, merged. Source: docs/theory/lumping.md."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem, SparseRow


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lumping:
    """A smaller system with the same masses: state s of the original is state block[s] of `system`."""

    system: LabelledSystem
    block: tuple[int, ...]

    def start(self, mixture: Mapping[int, Number]) -> tuple[tuple[int, Number], ...]:
        """States with their weights, as blocks with theirs, in order."""
        return tuple(sorted(_row_to_blocks(tuple(mixture.items()), self.block)))


def lump(system: LabelledSystem, budget: Budget) -> Lumping:
    """The coarsest lumping: states of a block have, for every letter, equal weight into every block.

    Then mass(e_s, w) = mass(e_t, w) for all words w and states s, t of a block. A block is called after its first
    state, and blocks are in the order of these. Refines until nothing splits: at most |S| rounds, each linear in
    the entries.
    """
    block = [0] * system.size
    count = 1
    while True:
        budget.check(f"merging {system.size:,} states into at least {count:,}")
        numbers: dict[Hashable, int] = {}
        refined = [
            numbers.setdefault((block[s], _signature(system, s, block)), len(numbers)) for s in range(system.size)
        ]
        if len(numbers) == count:
            return Lumping(system=_quotient(system, block, count), block=tuple(block))
        block, count = refined, len(numbers)


def _signature(system: LabelledSystem, state: int, block: Sequence[int]) -> Hashable:
    return tuple(
        (letter, frozenset(_row_to_blocks(row, block)))
        for letter, matrix in enumerate(system.matrices)
        if (row := matrix[state])
    )


def _row_to_blocks(row: SparseRow, block: Sequence[int]) -> list[tuple[int, Number]]:
    total: dict[int, Number] = {}
    for target, weight in row:
        into = block[target]
        total[into] = total[into] + weight if into in total else weight
    return sorted((into, weight) for into, weight in total.items()) if len(total) > 1 else list(total.items())


def _quotient(system: LabelledSystem, block: Sequence[int], count: int) -> LabelledSystem:
    first = [-1] * count
    for state in reversed(range(system.size)):
        first[block[state]] = state
    return LabelledSystem(
        states=tuple(system.states[state] for state in first),
        letters=system.letters,
        matrices=tuple(
            tuple(tuple(sorted(_row_to_blocks(matrix[state], block))) for state in first) for matrix in system.matrices
        ),
        stochastic=system.stochastic,
        inputs=system.inputs,
    )
