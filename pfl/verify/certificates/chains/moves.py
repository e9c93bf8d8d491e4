"""The probability of a goal within so many moves, by sending mass forward, move by move."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.base.budget import Budget
from pfl.model.markov_chain import MarkovChain
from pfl.verify.certificates.exact.numbers import Exact


def goal_mass(
    chain: MarkovChain,
    start: Sequence[tuple[int, Exact]],
    weights: Sequence[Exact],
    goal: frozenset[int],
    moves: int,
    zero: Exact,
    budget: Budget,
) -> Exact | None:
    """What comes to the goal at a cost of at most `moves`, where transitions cost 0 or 1.

    None where transitions that cost nothing form a cycle. Raises LimitReached.
    """
    order = _free_order(chain, goal)
    if order is None:
        return None
    assert chain.costs is not None, "moves are costs"
    place = {state: number for number, state in enumerate(order)}
    arrived = zero
    mass: dict[int, Exact] = {}
    for state, weight in start:
        mass[state] = mass[state] + weight if state in mass else weight
    for done in range(moves + 1):
        budget.check(f"{done:,} of {moves:,} moves were followed")
        following: dict[int, Exact] = {}
        waiting = sorted(mass, key=place.__getitem__, reverse=True)
        while waiting:
            state = waiting.pop()
            share = mass.pop(state)
            if state in goal:
                arrived = arrived + share
                continue
            for edge in chain.row(state):
                target, sent = chain.targets[edge], share * weights[chain.weights[edge]]
                if chain.cost_table[chain.costs[edge]]:
                    following[target] = following[target] + sent if target in following else sent
                elif target in mass:
                    mass[target] = mass[target] + sent
                else:
                    mass[target] = sent
                    _insert(waiting, target, place)
        mass = following
    return arrived


def _insert(waiting: list[int], state: int, place: dict[int, int]) -> None:
    """Puts a state where its turn comes; the last is the next."""
    position = len(waiting)
    while position and place[waiting[position - 1]] < place[state]:
        position -= 1
    waiting.insert(position, state)


def _free_order(chain: MarkovChain, goal: frozenset[int]) -> list[int] | None:
    """The states in an order in which transitions that cost nothing lead on; None where they form a cycle."""
    assert chain.costs is not None
    free: list[list[int]] = []
    entering = [0] * chain.size
    for state in range(chain.size):
        edges = [] if state in goal else [e for e in chain.row(state) if not chain.cost_table[chain.costs[e]]]
        free.append([chain.targets[edge] for edge in edges])
        for target in free[-1]:
            entering[target] += 1
    order = [state for state in range(chain.size) if not entering[state]]
    for state in order:
        for target in free[state]:
            entering[target] -= 1
            if not entering[target]:
                order.append(target)
    return order if len(order) == chain.size else None
