"""The states that runs may come to, and the pairs of them after an extra point, whatever relates their moves.

Source: docs/theory/unwinding.md.
"""

from __future__ import annotations

from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Matrix
from pfl.model.two_runs import TwoRuns

Pair = tuple[int, int]


def candidate_pairs(runs: TwoRuns) -> set[Pair]:
    """(without the point, or with the second; with it): after every extra point, and then by the same letters."""
    system = runs.system
    found: set[Pair] = set()
    pending: list[Pair] = []
    matrices = letters(system)

    def add(left: tuple[int, ...], right: tuple[int, ...]) -> None:
        for x in left:
            for y in right:
                if x != y and (x, y) not in found:
                    found.add((x, y))
                    pending.append((x, y))

    for state in reached(system):
        for extra in range(len(runs.extras)):
            with_point, without = (tuple(target for target, _ in row) for row in runs.sides(extra, state))
            add(without, with_point)
    while pending:
        left, right = pending.pop()
        for matrix in matrices:
            add(tuple(t for t, _ in matrix[left]), tuple(t for t, _ in matrix[right]))
    return found


def letters(system: InteractiveSystem) -> list[Matrix]:
    """The matrices of all data points, then of all responses to all queries."""
    return [*system.data_moves, *(matrix for answers in system.answers for _, matrix in answers)]


def reached(system: InteractiveSystem) -> list[int]:
    """The states that can be reached, in order of first mention."""
    found = dict.fromkeys(state for state, weight in enumerate(system.start) if weight)
    pending, matrices = list(found), letters(system)
    for state in pending:
        for matrix in matrices:
            for target, _ in matrix[state]:
                if target not in found:
                    found[target] = None
                    pending.append(target)
    return pending
