"""What an exploration gives: the reachable states of a program and its weighted, labelled transitions."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.coincidence import coincidences
from pfl.model.program import LabelKind, Point, Program
from pfl.model.values import UNSET, SymbolValue

State: TypeAlias = tuple[Any, ...]
"""The point, then the values of the slots that are live there, in the order of the program's slots."""

SILENT = 0
"""The label of a step that nobody sees."""

ENDED = -1
"""The point of the state in which a run has got lost in a distribution that never ends."""

TELLING = -2
"""The point of a state in which it is settled what is shown next: the labels, then the state that follows."""

ASKING = -3
"""The point of a state that is known by what was seen since a state that noise left: the labels, then the number of
that state."""

ASKED = SymbolValue("asked")
"""What stands behind the point in a state that waits for an input and is known by what was seen."""


@struct(kw_only=False)
class Label:
    """What a visible transition shows. Of an `input`, `channel` says which domain it was chosen from."""

    kind: LabelKind
    value: Any
    channel: str = ""


@struct(eq=False)
class TransitionGraph:
    """States 0..n-1 in breadth-first order from `starts`, and their transitions, in compressed rows.

    The transitions of state s are `offsets[s] .. offsets[s + 1] - 1`; of each, `targets` holds the state it goes to,
    `weights` an index into `weight_table` (exact, never 0), `labels` an index into `label_table`, 0 being silent, and
    `costs` one into `cost_table` (None where costs were not asked for). Two transitions of a state may agree
    in target and label; their weights add. The weights of a row sum to 1, except that each input of a waiting state
    has a row of weight 1 of its own. A row is empty at the end of a run. `live` are the slots that a
    state keeps, by point.
    """

    program: Program
    states: Sequence[State]
    starts: tuple[int, ...]
    offsets: array[int]
    targets: array[int]
    weights: array[int]
    labels: array[int]
    weight_table: tuple[Number, ...]
    label_table: tuple[Label | None, ...]
    live: tuple[tuple[str, ...], ...]
    costs: array[int] | None = None
    cost_table: tuple[Number, ...] = ()
    is_cut: bool = False
    """Whether runs were left: after as many outputs as are asked about, or in a last state that stands for all that
    were not explored."""
    tells_parts: bool = False
    """Whether letters stand for parts of the line in which numbers lie that are shown."""
    tells_reals: bool = False
    """Whether these are real numbers: then the parts tell what a ratio can be, and not what a delta is."""

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.states)

    def coincidences(self) -> Iterator[RationalFunction]:
        """Numbers of which one is 0 wherever two different values that are shown are equal."""
        for kind in ("emit", "return", "respond"):
            yield from coincidences(
                label.value for label in self.label_table if label is not None and label.kind == kind
            )

    def row(self, state: int) -> range:
        """The indices of the transitions that leave a state."""
        return range(self.offsets[state], self.offsets[state + 1])

    def transitions(self, state: int) -> Iterator[tuple[int, Number, Label | None]]:
        """(target, weight, label) of every transition that leaves a state; label None is a silent step."""
        for edge in self.row(state):
            yield self.targets[edge], self.weight_table[self.weights[edge]], self.label_table[self.labels[edge]]

    def values(self, state: int) -> dict[str, Any]:
        """The values of the live slots, by identifier."""
        point, *values = self.states[state]
        return dict(zip(self.live[point], values)) if point >= 0 and ASKED not in values[:1] else {}

    def has_ended(self, state: int) -> bool:
        """Whether no transition leaves the state."""
        return self.offsets[state] == self.offsets[state + 1]

    def show_state(self, state: int) -> str:
        """The state in the model's words: `best = 0, top = -1`."""
        return show_values(self.program, self.live, self.states[state])


def show_values(program: Program, live: Sequence[Sequence[str]], state: State) -> str:
    """The visible live slots of a state and their values, as the model writes them."""
    point: Point = state[0]
    if point == ENDED:
        return "never"
    if state[1:2] == (ASKED,):
        return f"after {len(state[2])}, asked"
    if point == ASKING:
        return f"after {len(state[1])}"
    if point == TELLING:
        return f"settled: {len(state[1])} more"
    named = [(program.slot(identifier), value) for identifier, value in zip(live[point], state[1:])]
    return ", ".join(
        f"{slot.name} = {slot.show(value)}" for slot, value in named if not slot.hidden and value is not UNSET
    )
