"""A probabilistic labelled transition system, transition by transition: automata in table form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pfl.ir.labelled_system import SparseRow, Vector

ActionKind: TypeAlias = Literal["data", "query", "output", "hidden"]


@dataclass(frozen=True, slots=True)
class Action:
    """An action: an input that the examiner does not see (`data`) or gives (`query`), a response, or a hidden step."""

    kind: ActionKind
    name: str

    @property
    def is_input(self) -> bool:
        return self.kind in ("data", "query")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plts:
    """L = (S, I, O, ->) with a start distribution: `transitions[s]` maps the actions enabled in s to distributions.

    Transition determinism holds by construction. Output determinism: an enabled output or hidden action is the only
    enabled action. Quasi-input enabling: a state with one input has all.
    Source: Tschantz, Kaynar, Datta, section 3; docs/theory/noninterference.md.
    """

    states: tuple[str, ...]
    start: Vector
    actions: tuple[Action, ...]
    transitions: tuple[Mapping[Action, SparseRow], ...]

    @property
    def inputs(self) -> tuple[Action, ...]:
        return tuple(action for action in self.actions if action.is_input)

    def output(self, state: int) -> Action | None:
        """The output or hidden action of a state, if it has one."""
        return next((action for action in self.transitions[state] if not action.is_input), None)

    def accepts(self, state: int) -> bool:
        """Whether the state takes inputs."""
        return any(action.is_input for action in self.transitions[state])
