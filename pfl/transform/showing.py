"""An hmm whose states remember who has just shown a letter, so that a posterior can tell where letters came from.

Why it is sound: docs/theory/likelihood.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.ir.hmm import Hmm
from pfl.ir.labelled_system import LabelledSystem, SparseRow, Vector
from pfl.transform.observe import Observed, observe, reached_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """The observed system of n states of an hmm `before` they show anything, and of states that have just shown.

    `start` is the start in the system. `before[s]` is the state of the system that stands for state s of the hmm, None
    where the start does not lead there; `shown_by[v]` is the state of the hmm that showed the last letter before state
    v of the system, None where there is none.
    """

    system: LabelledSystem
    start: Vector
    before: tuple[int | None, ...]
    shown_by: tuple[int | None, ...]


def observe_showing(hmm: Hmm, start: Vector, budget: Budget) -> Divided[Showing]:
    """The system from a start of |S| entries. Raises LimitReached when the time is over.

    Each state s becomes two: it shows what s shows and then is the second one, which moves as s does and shows nothing.
    Letters have the probabilities that they have in the hmm.
    """
    size = hmm.size
    after: list[SparseRow] = [((size + state, Fraction(1)),) for state in range(size)]
    split = Hmm(
        states=(*hmm.states, *(f"{state}, shown" for state in hmm.states)),
        letters=hmm.letters,
        start=None,
        transition=(*after, *hmm.transition),
        emission=(*hmm.emission, *(() for _ in hmm.states)),
        silent=(*hmm.silent, *(Fraction(1) for _ in hmm.states)),
    )
    nothing = (Fraction(0),) * size
    reached = reached_from(hmm, [start])
    everywhere = tuple(Fraction(int(state in reached)) for state in range(size))
    closed = observe(split, [(*start, *nothing), (*everywhere, *nothing)], budget)
    return closed.then(lambda observed: _showing(observed, size))


def _showing(observed: Observed, size: int) -> Showing:
    place = {state: position for position, state in enumerate(observed.state_of) if state is not None}
    return Showing(
        system=observed.system,
        start=observed.starts[0],
        before=tuple(place.get(state) for state in range(size)),
        shown_by=tuple(None if state is None or state < size else state - size for state in observed.state_of),
    )
