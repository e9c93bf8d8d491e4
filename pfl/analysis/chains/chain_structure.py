"""The structure of a Markov chain: components in topological order; transient, recurrent and absorbing states.

Source: docs/theory/absorbing.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from pfl.analysis.components import components
from pfl.base.struct import struct
from pfl.model.markov_chain import MarkovChain

StateClass: TypeAlias = Literal["transient", "recurrent", "absorbing"]

_LARGE = 20_000
"""From so many states on, loading numpy costs less than it saves."""


@struct(eq=False)
class ChainStructure:
    """`component` numbers the strongly connected components so that transitions lead to the same or a smaller number;
    `order` are the states by component, so that what a state leads to comes before it or belongs with it."""

    component: Sequence[int]
    order: Sequence[int]

    def blocks(self) -> Iterator[Sequence[int]]:
        """The components, those that lead nowhere else first."""
        order, component = self.order, self.component
        start = 0
        for position in range(1, len(order) + 1):
            if position == len(order) or component[order[position]] != component[order[start]]:
                yield order[start:position]
                start = position


def chain_structure(chain: MarkovChain) -> ChainStructure:
    """The components of a chain, in topological order."""
    if _leads_forward(chain):
        backward = range(chain.size - 1, -1, -1)
        return ChainStructure(component=backward, order=backward)
    component = components(chain.offsets, chain.targets)
    return ChainStructure(component=component, order=_sorted_by(component))


def classify(chain: MarkovChain) -> list[StateClass]:
    """The class of each state: absorbing (no transition leaves it), recurrent (in a component that cannot be left), or
    transient. A state whose only transition leads to itself is recurrent: a run stays there, and never ends."""
    found: list[StateClass] = ["transient"] * chain.size
    structure = chain_structure(chain)
    for members in structure.blocks():
        if len(members) == 1 and chain.is_absorbing(members[0]):
            found[members[0]] = "absorbing"
        elif is_closed(chain, structure, members):
            for state in members:
                found[state] = "recurrent"
    return found


def is_closed(chain: MarkovChain, structure: ChainStructure, members: Sequence[int]) -> bool:
    """Whether no transition leads out of a component."""
    component, targets = structure.component, chain.targets
    own = component[members[0]]
    return all(component[targets[edge]] == own for state in members for edge in chain.row(state))


def reachable_states(chain: MarkovChain, starts: Iterable[int]) -> set[int]:
    """The states that some start reaches, starts included."""
    offsets, targets = chain.offsets, chain.targets
    found = set(starts)
    pending = list(found)
    while pending:
        state = pending.pop()
        for target in targets[offsets[state] : offsets[state + 1]]:
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def endless_state(chain: MarkovChain, ends: Collection[int]) -> int | None:
    """A state from which no end can be reached, None if there is none; `ends` are absorbing."""
    if _always_leads_on(chain, ends):
        return None
    structure = chain_structure(chain)
    for members in structure.blocks():
        if members[0] not in ends and is_closed(chain, structure, members):
            return members[0]
    return None


def _leads_forward(chain: MarkovChain) -> bool:
    """Whether every transition leads to a later state, as in most chains without cycles that were explored."""
    if chain.size < _LARGE:
        return all(chain.targets[edge] > state for state in range(chain.size) for edge in chain.row(state))
    import numpy

    offsets, targets = as_array(chain.offsets), as_array(chain.targets)
    return bool((targets > numpy.repeat(numpy.arange(chain.size), numpy.diff(offsets))).all())


def _always_leads_on(chain: MarkovChain, ends: Collection[int]) -> bool:
    """Whether every state but the ends has a transition to a later one: going on there must come to an end."""
    if chain.size < _LARGE:
        return all(
            state in ends or any(chain.targets[edge] > state for edge in chain.row(state))
            for state in range(chain.size)
        )
    import numpy

    offsets, targets = as_array(chain.offsets), as_array(chain.targets)
    rows = numpy.repeat(numpy.arange(chain.size), numpy.diff(offsets))
    leads_on = numpy.zeros(chain.size, dtype=bool)
    leads_on[rows[targets > rows]] = True
    leads_on[list(ends)] = True
    return bool(leads_on.all())


def _sorted_by(component: Sequence[int]) -> Sequence[int]:
    if len(component) < _LARGE:
        return sorted(range(len(component)), key=component.__getitem__)
    import numpy

    order: list[int] = numpy.argsort(numpy.array(component), kind="stable").tolist()
    return order


def as_array(numbers: array[int]):  # type: ignore[no-untyped-def]  # numpy is loaded late
    """The numbers as a numpy array that shares their memory."""
    import numpy

    return numpy.frombuffer(numbers, dtype=numpy.dtype(f"i{numbers.itemsize}"))
