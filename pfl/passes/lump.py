"""States that no word can tell apart, merged. Source: docs/theory/lumping.md."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem


@struct(eq=False)
class Lumping:
    """A smaller system with the same masses: state s of the original is state block[s] of `system`."""

    system: LabelledSystem
    block: tuple[int, ...]

    def start(self, mixture: Mapping[int, Number]) -> tuple[tuple[int, Number], ...]:
        """States with their weights, as blocks with theirs, in order."""
        return _into_blocks(mixture.items(), self.block)


def lump(system: LabelledSystem, budget: Budget) -> Lumping:
    """The coarsest lumping: states of a block have equal final weights and, for every letter, equal weight into every
    block.

    Then mass(e_s, w) = mass(e_t, w) for all words w and states s, t of a block. A block is called after its first
    state, and blocks are in the order of these.
    """
    partition = _Partition(system)
    while partition.changed:
        budget.check(f"merging {system.size:,} states into at least {len(partition.members):,}")
        partition.refine()
    numbers: dict[int, int] = {}
    block = tuple(numbers.setdefault(number, len(numbers)) for number in partition.block)
    return Lumping(system=_quotient(system, block, len(numbers)), block=block)


class _Partition:
    """Blocks that are split until they are stable.

    The states of a block agreed when they were last looked at. Only states that lead to one whose block has got a new
    number since then can have come to differ: so only these are looked at again, with one of the rest to compare. Of
    the parts of a block the largest keeps its number.
    """

    def __init__(self, system: LabelledSystem) -> None:
        self._known: dict[Number, int] = {}
        self._numbers: list[Number] = []
        self._rows: list[list[tuple[int, list[tuple[int, int]]]]] = [[] for _ in system.states]
        self._before: list[list[int]] = [[] for _ in system.states]
        for letter, matrix in enumerate(system.matrices):
            for state, row in enumerate(matrix):
                if row:
                    self._rows[state].append((letter, [(target, self._number(weight)) for target, weight in row]))
                    for target, _ in row:
                        self._before[target].append(state)
        alike: dict[Number, set[int]] = {}
        for state in range(system.size):
            alike.setdefault(Fraction(1) if system.final is None else system.final[state], set()).add(state)
        self.members = list(alike.values())
        self.block = [0] * system.size
        for number, members in enumerate(self.members):
            for state in members:
                self.block[state] = number
        self.changed: Iterable[int] = range(system.size)

    def refine(self) -> None:
        """Splits the blocks of the states that lead to changed ones."""
        touched: dict[int, set[int]] = {}
        for target in self.changed:
            for state in self._before[target]:
                touched.setdefault(self.block[state], set()).add(state)
        changed: list[int] = []
        splits = [(number, self._parts(number, states)) for number, states in sorted(touched.items())]
        for number, parts in splits:
            largest = max(parts, key=len)
            for part in parts:
                if part is not largest:
                    self._separate(number, part)
                    changed += part
        self.changed = changed

    def _parts(self, number: int, touched: set[int]) -> list[set[int]]:
        """The states of a block by their signatures; all of this round are taken before any number changes."""
        untouched = self.members[number] - touched
        parts: dict[Hashable, set[int]] = {}
        if untouched:
            parts[self._signature(next(iter(untouched)))] = untouched
        for state in sorted(touched):
            parts.setdefault(self._signature(state), set()).add(state)
        return list(parts.values())

    def _separate(self, number: int, part: set[int]) -> None:
        self.members[number] = self.members[number] - part
        for state in part:
            self.block[state] = len(self.members)
        self.members.append(part)

    def _number(self, weight: Number) -> int:
        """A number that says which weights are equal, so that each is hashed once."""
        number = self._known.setdefault(weight, len(self._numbers))
        if number == len(self._numbers):
            self._numbers.append(weight)
        return number

    def _signature(self, state: int) -> Hashable:
        return tuple((letter, self._weights(row)) for letter, row in self._rows[state])

    def _weights(self, row: Sequence[tuple[int, int]]) -> Hashable:
        """The total weight into each block, by their numbers; for one block as it is, for more in order."""
        total: dict[int, list[int]] = {}
        for target, weight in row:
            total.setdefault(self.block[target], []).append(weight)
        return tuple(
            (block, weights[0] if len(weights) == 1 else self._number(self._sum(weights)))
            for block, weights in sorted(total.items())
        )

    def _sum(self, weights: Sequence[int]) -> Number:
        return sum((self._numbers[weight] for weight in weights), Fraction(0))


def _into_blocks(entries: Iterable[tuple[int, Number]], block: Sequence[int]) -> tuple[tuple[int, Number], ...]:
    """The total weight into each block, blocks in order."""
    if not entries:
        return ()
    total = summed((block[state], weight) for state, weight in entries)
    return tuple(sorted(total.items())) if len(total) > 1 else tuple(total.items())


def _quotient(system: LabelledSystem, block: Sequence[int], count: int) -> LabelledSystem:
    first = [-1] * count
    for state in reversed(range(system.size)):
        first[block[state]] = state
    return replace(
        system,
        states=tuple(system.states[state] for state in first),
        matrices=tuple(tuple(_into_blocks(matrix[state], block) for state in first) for matrix in system.matrices),
        final=None if system.final is None else tuple(system.final[state] for state in first),
    )
