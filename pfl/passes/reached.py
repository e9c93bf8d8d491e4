"""The part of a labelled system that two starts reach: words from there are those of the whole."""

from __future__ import annotations

from dataclasses import field

from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Vector, sparse


@struct(eq=False, frozen=False, kw_only=False)
class ReachedParts:
    """Parts of systems, one object for the same states. A part has the letters of the whole, in their order."""

    _parts: dict[tuple[LabelledSystem, tuple[int, ...]], LabelledSystem] = field(default_factory=dict)
    _reached: dict[tuple[LabelledSystem, frozenset[int]], tuple[int, ...]] = field(default_factory=dict)

    def of(self, system: LabelledSystem, left: Vector, right: Vector) -> tuple[LabelledSystem, Vector, Vector]:
        """The part that two starts reach, and the starts in it."""
        support = frozenset(state for side in (left, right) for state, _ in sparse(side))
        if (system, support) not in self._reached:
            self._reached[system, support] = system.reached(support)
        states = self._reached[system, support]
        if len(states) == system.size:
            return system, left, right
        if (system, states) not in self._parts:
            self._parts[system, states] = system.part(states)
        return (
            self._parts[system, states],
            tuple(left[state] for state in states),
            tuple(right[state] for state in states),
        )
