"""Questions about interactive systems that are no comparison of two runs: relations that an author wrote down, and
whether one system does what another says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from pfl.base.epsilon import Epsilon
from pfl.model.interactive import InteractiveSystem
from pfl.model.measure import Scope
from pfl.model.parameters import ParameterSpace
from pfl.model.two_runs import TwoRuns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Balance:
    """One relation of a family: what is left to give away, and the arguments that say which (`j = 2`)."""

    label: str
    epsilon: Epsilon


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RelationCheck:
    """`check unwinding A by R`: whether the family named R is an unwinding family that covers A within `epsilon`.

    `balances` ascend. `related[left, right]` is the place of the smallest balance by which two states are related, of
    all pairs that runs can come to; equal states are related by balance 0 in any case. `left` is the run without the
    extra point, or with the second.
    """

    name: str
    runs: TwoRuns
    epsilon: Epsilon
    balances: tuple[Balance, ...]
    related: Mapping[tuple[int, int], int]
    parameters: ParameterSpace = field(default_factory=ParameterSpace)

    @property
    def systems(self) -> tuple[InteractiveSystem, ...]:
        return (self.runs.system,)

    @property
    def own_mentioned(self) -> frozenset[str]:
        """The parameters that are mentioned beside the numbers of the system."""
        return frozenset[str]().union(*(epsilon.parameters for epsilon in self.epsilons))

    @property
    def scope(self) -> Scope:
        return "any", "input"

    @property
    def epsilons(self) -> tuple[Epsilon, ...]:
        """What can be given away: epsilon at the start, then the balances, and at last nothing, by equal states."""
        return (self.epsilon, *(balance.epsilon for balance in self.balances), Epsilon.rational(Fraction(0)))

    def place(self, left: int, right: int) -> int | None:
        """The place in `epsilons` of the smallest balance by which two states are related; None where they are not."""
        if left == right:
            return len(self.balances) + 1
        place = self.related.get((left, right))
        return None if place is None else place + 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Implementation:
    """`check implements A of B`: whether both make every word equally likely, hidden steps closed."""

    concrete: InteractiveSystem
    abstract: InteractiveSystem
    names: tuple[str, str]
    parameters: ParameterSpace = field(default_factory=ParameterSpace)

    @property
    def systems(self) -> tuple[InteractiveSystem, ...]:
        return self.concrete, self.abstract

    @property
    def own_mentioned(self) -> frozenset[str]:
        return frozenset()

    @property
    def scope(self) -> Scope:
        return None, ""


InteractiveQuestion: TypeAlias = RelationCheck | Implementation
