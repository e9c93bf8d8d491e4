"""The states of an hmm, as values and as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from pfl.base.number import Number
from pfl.ir.distribution import DistributionValue
from pfl.ir.hmm import Hmm
from pfl.ir.labelled_system import SparseRow, Vector
from pfl.ir.values import SILENT, Value, show

State: TypeAlias = tuple[Value, ...]
"""The values of the state variables in order; of a table, the name of the state alone."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachedHmm:
    """The part of a model that some starts reach: `states[i]` are the values of state i of `hmm`, `letters[a]` is the
    value of letter a."""

    hmm: Hmm
    states: tuple[State, ...]
    letters: tuple[Value, ...]

    @cached_property
    def index(self) -> Mapping[State, int]:
        """The number of each state."""
        return {state: position for position, state in enumerate(self.states)}

    def vector(self, weights: Mapping[State, Number]) -> Vector:
        """A distribution over states as a vector of |S| entries."""
        return tuple(weights.get(state, Fraction(0)) for state in self.states)


def reached(
    names: Iterable[str],
    states: tuple[State, ...],
    moves: Iterable[Mapping[int, Number]],
    emissions: Iterable[DistributionValue],
    declared: Iterable[Value],
) -> ReachedHmm:
    """The hmm of states, their rows and what they emit; letters that are declared come first, in their order."""
    letters: dict[Value, int] = {}
    for letter in declared:
        letters.setdefault(letter, len(letters))
    rows: list[SparseRow] = []
    silent: list[Number] = []
    for emission in emissions:
        row = {letters.setdefault(value, len(letters)): p for value, p in emission.items() if value is not SILENT}
        rows.append(tuple(sorted(row.items())))
        silent.append(emission.weight(SILENT))
    hmm = Hmm(
        states=tuple(names),
        letters=tuple(map(show, letters)),
        start=None,
        transition=tuple(tuple(sorted(row.items())) for row in moves),
        emission=tuple(rows),
        silent=tuple(silent),
    )
    return ReachedHmm(hmm=hmm, states=states, letters=tuple(letters))
