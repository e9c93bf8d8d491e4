"""What is worked out once for a system and used by every obligation about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pfl.analysis.ratio.integer_system import IntegerSystem, reached_part
from pfl.analysis.ratio.obligation import Obligation, obligation
from pfl.base.number import Number
from pfl.ir.labelled_system import LabelledSystem

if TYPE_CHECKING:
    from pfl.analysis.ratio.domination import CoverMemory
    from pfl.analysis.ratio.exact_steps import ExactSteps
    from pfl.analysis.ratio.futures import Futures


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tools:
    """Futures, exact matrices and learnt columns of one part of a system."""

    futures: Futures
    steps: ExactSteps
    memory: CoverMemory


@dataclass(slots=True, kw_only=True, eq=False)
class Prepared:
    """Parts of systems by what is reached, and their tools, made when first needed."""

    _parts: dict[tuple[int, frozenset[int]], IntegerSystem] = field(default_factory=dict)
    _systems: list[LabelledSystem] = field(default_factory=list)
    _tools: dict[int, Tools] = field(default_factory=dict)

    def obligation(self, system: LabelledSystem, left: Sequence[Number], right: Sequence[Number]) -> Obligation:
        """The obligation on the part of the system that the two starts reach."""
        support = frozenset(state for state, (a, b) in enumerate(zip(left, right)) if a or b)
        key = (id(system), support)
        if key not in self._parts:
            self._systems.append(system)  # keeps the identity in the key alive
            self._parts[key] = reached_part(system, (left, right))
        return obligation(system, left, right, self._parts[key])

    def tools(self, part: IntegerSystem) -> Tools:
        """The tools of a part; imports the numerical libraries."""
        from pfl.analysis.ratio.domination import CoverMemory
        from pfl.analysis.ratio.exact_steps import ExactSteps
        from pfl.analysis.ratio.futures import futures_of

        if id(part) not in self._tools:
            futures = futures_of(part)
            self._tools[id(part)] = Tools(futures=futures, steps=ExactSteps(part), memory=CoverMemory(futures))
        return self._tools[id(part)]
