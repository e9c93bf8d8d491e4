"""Random Markov chains, and what is asked of them computed in the plainest way there is."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence
from fractions import Fraction

from hypothesis import strategies as st

from pfl.base.number import Number
from pfl.model.markov_chain import MarkovChain

Rows = list[dict[int, Fraction]]
"""The transitions of each state; a state without any is absorbing."""


@st.composite
def chains(draw: st.DrawFn, largest: int = 9, degree: int = 4) -> Rows:
    """Every shape occurs: loops, closed components, unreachable states, states without successor."""
    size = draw(st.integers(1, largest))
    rows: Rows = []
    for _ in range(size):
        weights = draw(st.dictionaries(st.integers(0, size - 1), st.integers(1, 5), max_size=degree))
        total = sum(weights.values())
        rows.append({target: Fraction(weight, total) for target, weight in weights.items()})
    return rows


def acyclic(rows: Rows) -> Rows:
    """The chain with its transitions to later states alone, scaled to sum to 1 again."""
    forward = [{target: w for target, w in row.items() if target > state} for state, row in enumerate(rows)]
    return [{target: w / sum(row.values()) for target, w in row.items()} for row in forward]


def packed(rows: Sequence[dict[int, Number]] | Rows, costs: Sequence[Sequence[Fraction]] | None = None) -> MarkovChain:
    """The chain in compressed rows; `costs[s]` are those of the transitions of s, in their order."""
    table: dict[Number, int] = {}
    cost_table: dict[Fraction, int] = {}
    offsets, targets, weights, spent = array("q", [0]), array("i"), array("i"), array("i")
    for state, row in enumerate(rows):
        for place, (target, weight) in enumerate(row.items()):
            targets.append(target)
            weights.append(table.setdefault(weight, len(table)))
            if costs is not None:
                spent.append(cost_table.setdefault(costs[state][place], len(cost_table)))
        offsets.append(len(targets))
    return MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=tuple(table),
        costs=None if costs is None else spent,
        cost_table=tuple(cost_table),
    )


def solved(matrix: list[list[Fraction]]) -> list[Fraction]:
    """The solution of a square system, its right side in the last column, by Gauss and Jordan."""
    size = len(matrix)
    for column in range(size):
        pivot = next(row for row in range(column, size) if matrix[row][column])
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        scale = matrix[column][column]
        matrix[column] = [entry / scale for entry in matrix[column]]
        for row in range(size):
            if row != column and matrix[row][column]:
                factor = matrix[row][column]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[column])]
    return [row[-1] for row in matrix]


def reaching(rows: Rows, goal: Collection[int]) -> set[int]:
    """The states from which the goal can be reached."""
    can = set(goal)
    while more := {state for state, row in enumerate(rows) if can & set(row)} - can:
        can |= more
    return can


def probabilities(rows: Rows, goal: Collection[int]) -> list[Fraction]:
    """The least solution of h = P h, h(goal) = 1: 0 where the goal cannot be reached, the rest by elimination."""
    unknown = sorted(reaching(rows, goal) - set(goal))
    place = {state: position for position, state in enumerate(unknown)}
    matrix = [[Fraction(int(i == j)) for j in range(len(unknown))] + [Fraction(0)] for i in range(len(unknown))]
    for state in unknown:
        for target, weight in rows[state].items():
            if target in goal:
                matrix[place[state]][-1] += weight
            elif target in place:
                matrix[place[state]][place[target]] -= weight
    values = dict(zip(unknown, solved(matrix)))
    return [Fraction(1) if state in goal else values.get(state, Fraction(0)) for state in range(len(rows))]


def mean_costs(rows: Rows, goal: Collection[int], costs: Sequence[Sequence[Fraction]]) -> list[Fraction | float]:
    """The expected cost until the goal, infinite where it is missed with positive probability."""
    hit = probabilities(rows, goal)
    unknown = [state for state in range(len(rows)) if hit[state] == 1 and state not in goal]
    place = {state: position for position, state in enumerate(unknown)}
    matrix = [[Fraction(int(i == j)) for j in range(len(unknown))] + [Fraction(0)] for i in range(len(unknown))]
    for state in unknown:
        for (target, weight), cost in zip(rows[state].items(), costs[state]):
            matrix[place[state]][-1] += weight * cost
            if target in place:
                matrix[place[state]][place[target]] -= weight
    values = dict(zip(unknown, solved(matrix)))
    return [Fraction(0) if state in goal else values.get(state, math.inf) for state in range(len(rows))]


def haddad_monmege(length: int) -> Rows:
    """From state 0 to the right (1..length) with 7/10, or to the left (length + 1..2 length); there 1/2 on, 1/2 back.

    The last state of each side is absorbing. Source: Haddad and Monmege, Interval iteration for MDPs and IMDPs.
    """
    half, rows = Fraction(1, 2), [{1: Fraction(7, 10), length + 1: Fraction(3, 10)}]
    for first in (1, length + 1):
        rows += [{state + 1: half, 0: half} for state in range(first, first + length - 1)]
        rows.append({})
    return rows
