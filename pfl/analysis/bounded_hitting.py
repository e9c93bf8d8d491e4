"""Probabilities of reaching a set of states within so many moves, exactly. Source: docs/theory/absorbing.md."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from fractions import Fraction

from pfl.analysis.absorbing import absorption
from pfl.analysis.chain_structure import chain_structure
from pfl.analysis.exact_field import Exact, ExactField
from pfl.analysis.hitting import Hitting
from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.ir.markov_chain import MarkovChain

Entries = list[tuple[int, Exact]]


def reach_within(chain: MarkovChain, goal: Collection[int], moves: int, budget: Budget) -> Divided[Hitting]:
    """Pr(a run comes to a state of `goal` at a cost of at most `moves`), from each state; each transition costs 0 or 1.

    h_j = 1 on goal; elsewhere h_j(s) is the sum of p h_j(t) over free transitions s -> t, and of p h_{j-1}(t) over
    those that cost 1; h_{-1} = 0. Raises LimitReached when the time is over.
    """
    field = ExactField(chain.weight_table)
    free, moving, order = _split(chain, goal, field, budget)
    is_goal = bytearray(chain.size)
    for state in goal:
        is_goal[state] = 1
    before: list[Exact] = [field.zero] * chain.size
    for done in range(moves + 1):
        values: list[Exact] = [field.zero] * chain.size
        for position, state in enumerate(order):
            if position % 4096 == 0:
                budget.check(f"{done:,} of {moves:,} moves")
            if is_goal[state]:
                values[state] = field.one
                continue
            total = field.zero
            for target, weight in free[state]:
                if values[target]:
                    total = total + weight * values[target]
            for target, weight in moving[state]:
                if before[target]:
                    total = total + weight * before[target]
            values[state] = total
        if values == before:
            break  # nothing changes any more
        before = values
    return field.divisors.of(Hitting(_values=before, _field=field, _absent=Fraction(0)))


def _split(
    chain: MarkovChain, goal: Collection[int], field: ExactField, budget: Budget
) -> tuple[list[Entries], list[Entries], Sequence[int]]:
    """The free transitions of each state and those that cost 1, the free ones without cycles; states in an order in
    which free transitions lead back. What was divided by is noted in the field."""
    assert chain.costs is not None, "moves are costs"
    ends = set(goal)
    offsets, targets = array("q", [0]), array("i")
    kept: list[list[int]] = []
    for state in range(chain.size):
        edges = [] if state in ends else [e for e in chain.row(state) if not chain.cost_table[chain.costs[e]]]
        kept.append(edges)
        targets.extend(chain.targets[edge] for edge in edges)
        offsets.append(len(targets))
    structure = chain_structure(
        MarkovChain(offsets=offsets, targets=targets, weights=targets, weight_table=chain.weight_table)
    )
    table = [field.number(weight) for weight in chain.weight_table]
    free: list[Entries] = [[(chain.targets[e], table[chain.weights[e]]) for e in edges] for edges in kept]
    moving: list[Entries] = [
        [
            (chain.targets[edge], table[chain.weights[edge]])
            for edge in chain.row(state)
            if state not in ends and chain.cost_table[chain.costs[edge]]
        ]
        for state in range(chain.size)
    ]
    for members in structure.blocks():
        if len(members) > 1 or any(target == members[0] for target, _ in free[members[0]]):
            _close(members, free, moving, field, budget)
    return free, moving, structure.order


def _close(
    members: Sequence[int],
    free: list[Entries],
    moving: list[Entries],
    field: ExactField,
    budget: Budget,
) -> None:
    """Replaces the transitions of a free component by those with which it is left."""
    place = {state: position for position, state in enumerate(members)}
    exits: dict[tuple[bool, int], int] = {}
    offsets, targets, weights = array("q", [0]), array("i"), array("i")
    table: dict[Number, int] = {}
    for state in members:
        entries = [(False, target, weight) for target, weight in free[state]]
        entries += [(True, target, weight) for target, weight in moving[state]]
        for costs, target, weight in entries:
            inside = not costs and target in place
            targets.append(place[target] if inside else len(members) + exits.setdefault((costs, target), len(exits)))
            weights.append(table.setdefault(field.result(weight), len(table)))
        offsets.append(len(targets))
    offsets.extend([len(targets)] * len(exits))
    inner = MarkovChain(offsets=offsets, targets=targets, weights=weights, weight_table=tuple(table))
    closed = absorption(inner, range(len(members)), budget).noting(field.divisors)
    named = list(exits)
    for state, row in zip(members, closed.rows):
        left = [(*named[end - len(members)], field.number(mass)) for end, mass in row.items()]
        free[state] = [(target, mass) for costs, target, mass in left if not costs]
        moving[state] = [(target, mass) for costs, target, mass in left if costs]
