"""The pairs of states that two runs may come to after an extra point, whatever relates their moves."""

from __future__ import annotations

from pfl.analysis.unwinding.iterate import letters, reached
from pfl.ir.interactive import TwoRuns

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
