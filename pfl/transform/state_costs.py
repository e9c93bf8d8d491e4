"""Costs of transitions as costs of states, for formats that know no others."""

from __future__ import annotations

from array import array
from fractions import Fraction

from pfl.ir.markov_chain import MarkovChain


def with_costs_of_states(chain: MarkovChain) -> MarkovChain:
    """The chain with all costs paid when a state is left, by whatever transition, as bounds on costs need it.

    A transition that costs more than another of its state leads through a state of its own.
    """
    assert chain.costs is not None
    offsets, targets, weights, costs = array("q", [0]), array("i"), array("i"), array("i")
    table, cost_table = [*chain.weight_table, Fraction(1)], [*chain.cost_table, Fraction(0)]
    names, paying = list(chain.names), dict[tuple[int, int], int]()
    for state in range(chain.size):
        is_mixed = len({chain.cost_table[chain.costs[edge]] for edge in chain.row(state)}) > 1
        for edge in chain.row(state):
            target, cost = chain.targets[edge], chain.costs[edge]
            if is_mixed and chain.cost_table[cost]:
                target = paying.setdefault((target, cost), chain.size + len(paying))
                cost = len(cost_table) - 1
            targets.append(target)
            weights.append(chain.weights[edge])
            costs.append(cost)
        offsets.append(len(targets))
    for target, cost in paying:
        targets.append(target)
        weights.append(len(table) - 1)
        costs.append(cost)
        offsets.append(len(targets))
        if chain.names:
            names.append(f"before {chain.names[target]}")
    return MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=table,
        costs=costs,
        cost_table=cost_table,
        names=names,
    )
