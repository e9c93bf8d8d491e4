"""What must hold for all values of the parameters so that a model means something: weights >= 0, divisors != 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pfl.base.number import Number
from pfl.base.source import Span
from pfl.ir.distribution import DistributionValue
from pfl.ir.parameters import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class SideCondition:
    """A condition on the parameters, and the place in the source that needs it."""

    condition: Condition
    place: Span


@dataclass(slots=True)
class SideConditions:
    """Collects side conditions while expressions are evaluated: each once, for the first place that needs it."""

    _found: dict[tuple[Number, str], SideCondition] = field(default_factory=dict)

    def add(self, condition: Condition, place: Span) -> None:
        key = condition.polynomial, condition.relation
        self._found.setdefault(key, SideCondition(condition=condition, place=place))

    def add_weights(self, distribution: DistributionValue, place: Span) -> None:
        """That no weight of a distribution is negative."""
        for condition in distribution.conditions:
            self.add(condition, place)

    def rollback(self, length: int) -> None:
        """Forget all but the first `length` conditions."""
        for key in list(self._found)[length:]:
            del self._found[key]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[SideCondition]:
        return iter(self._found.values())
