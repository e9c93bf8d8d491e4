"""Broken invariants of interactive systems."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pfl.base.number import Number
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.labelled_system import Matrix


def interactive_faults(system: InteractiveSystem) -> Iterator[str]:
    """Rows of data points that do not sum to 1, of queries that sum to more, entries out of order or not positive."""
    for data, moves in zip(system.data, system.data_moves):
        yield from _matrix_faults(system, data, moves)
        for state, row in enumerate(moves):
            total = row[0][1] if len(row) == 1 else sum((weight for _, weight in row), Fraction(0))
            if total != 1:
                yield f"the weights of `{system.states[state]}` under `{data}` sum to {total}"
    for query, answers in zip(system.queries, system.answers):
        totals: list[Number] = [Fraction(0)] * system.size
        for answer, matrix in answers:
            yield from _matrix_faults(system, f"{query} -> {answer}", matrix)
            for state, row in enumerate(matrix):
                for _, weight in row:
                    totals[state] = totals[state] + weight
            if matrix[system.bottom]:
                yield f"bottom answers `{query}`"
        for state, total in enumerate(totals):
            if isinstance(total, Fraction) and total > 1:
                yield f"the answers of `{system.states[state]}` to `{query}` sum to {total}"


def _matrix_faults(system: InteractiveSystem, letter: str, matrix: Matrix) -> Iterator[str]:
    if len(matrix) != system.size:
        yield f"`{letter}` has {len(matrix)} rows for {system.size} states"
    for state, row in enumerate(matrix):
        columns = [column for column, _ in row]
        if (len(row) > 1 and columns != sorted(set(columns))) or any(not 0 <= c < system.size for c in columns):
            yield f"the columns of `{system.states[state]}` under `{letter}` are not ascending states"
        if any(isinstance(weight, Fraction) and weight.numerator <= 0 for _, weight in row):
            yield f"a weight of `{system.states[state]}` under `{letter}` is not positive"
