"""Markov chains in fractions: plain Gaussian elimination, after the graph has said which states never get anywhere."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Literal, TypeVar

State = TypeVar("State", bound=Hashable)
Moves = Mapping[State, Iterable[tuple[Fraction, State]]]
"""Where each state goes; a state without an entry, or with none that is positive, stays for ever."""
Extended = Fraction | Literal["inf"]


def solve(rows: list[list[Fraction]], right: list[list[Fraction]]) -> list[list[Fraction]]:
    """X with rows X = right, by elimination; the matrix must be regular."""
    size = len(rows)
    joined = [[*row, *sides] for row, sides in zip(rows, right)]
    for column in range(size):
        pivot = next(line for line in range(column, size) if joined[line][column])
        joined[column], joined[pivot] = joined[pivot], joined[column]
        scale = joined[column][column]
        joined[column] = [entry / scale for entry in joined[column]]
        for line in range(size):
            factor = joined[line][column]
            if line != column and factor:
                joined[line] = [a - factor * b for a, b in zip(joined[line], joined[column])]
    return [row[size:] for row in joined]


def can_reach(moves: Moves[State], goal: set[State]) -> set[State]:
    """The states from which the goal is reached with positive probability."""
    found = set(goal)
    grown = True
    while grown:
        grown = False
        for state, row in moves.items():
            if state not in found and any(weight and target in found for weight, target in row):
                found.add(state)
                grown = True
    return found


def absorbed(moves: Moves[State], exits: list[State]) -> dict[State, dict[State, Fraction]]:
    """For each state the probability of ending in each exit, those that are not 0; what is missing to 1 never ends."""
    ends = set(exits)
    open_states = [state for state in moves if state not in ends]
    alive = [state for state in can_reach({s: list(moves[s]) for s in open_states}, ends) if state not in ends]
    place = {state: number for number, state in enumerate(alive)}
    rows = [[Fraction(int(i == j)) for j in range(len(alive))] for i in range(len(alive))]
    right = [[Fraction(0)] * len(exits) for _ in alive]
    for state in alive:
        for weight, target in moves[state]:
            if target in ends:
                right[place[state]][exits.index(target)] += weight
            elif target in place:
                rows[place[state]][place[target]] -= weight
    solved = solve(rows, right)
    result: dict[State, dict[State, Fraction]] = {state: {} for state in open_states}
    for state in alive:
        result[state] = {exit_: value for exit_, value in zip(exits, solved[place[state]]) if value}
    return result | {exit_: {exit_: Fraction(1)} for exit_ in exits}


def reaching(moves: Moves[State], goal: set[State], start: Mapping[State, Fraction]) -> Fraction:
    """The probability that a run from the start ever comes to the goal."""
    found = absorbed(moves, sorted(goal, key=repr))
    return sum(
        (weight * sum(found.get(state, {}).values(), Fraction(0)) for state, weight in start.items()), Fraction(0)
    )


def expected(
    moves: Moves[State], goal: set[State], start: Mapping[State, Fraction], cost: Mapping[State, Fraction]
) -> Extended:
    """The expected cost of the states that are left until the goal; inf where the goal is missed at times."""
    if reaching(moves, goal, start) != sum(start.values()):
        return "inf"
    seen = {state for state, weight in start.items() if weight}
    todo = list(seen)
    while todo:
        state = todo.pop()
        if state in goal:
            continue
        for weight, target in moves.get(state, ()):
            if weight and target not in seen:
                seen.add(target)
                todo.append(target)
    inner = [state for state in seen if state not in goal]
    place = {state: number for number, state in enumerate(inner)}
    rows = [[Fraction(int(i == j)) for j in range(len(inner))] for i in range(len(inner))]
    for state in inner:
        for weight, target in moves[state]:
            if weight and target in place:
                rows[place[state]][place[target]] -= weight
    solved = solve(rows, [[cost[state]] for state in inner])
    return sum((weight * solved[place[s]][0] for s, weight in start.items() if s in place), Fraction(0))
