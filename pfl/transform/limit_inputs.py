"""A labelled system that counts the inputs of a run itself, where a length cannot: responses are letters, too.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import replace

from pfl.ir.labelled_system import LabelledSystem, Matrix, SparseRow, Vector


def limit_inputs(system: LabelledSystem, counted: frozenset[int], most: int) -> LabelledSystem:
    """The system of (most + 1) |S| states whose words with more than `most` of the `counted` letters have no mass.

    All other words keep their mass from `first_of(start, most)`.
    """
    matrices = tuple(
        _counting(matrix, most) if letter in counted else _anywhere(matrix, most)
        for letter, matrix in enumerate(system.matrices)
    )
    states = tuple(f"{state} after {count} inputs" for count in range(most + 1) for state in system.states)
    return replace(system, states=states, matrices=matrices)


def first_of(start: Vector, most: int) -> Vector:
    """A start of the system, before any input."""
    return (*start, *(0 * entry for _ in range(most) for entry in start))


def _counting(matrix: Matrix, most: int) -> Matrix:
    nothing: Matrix = ((),) * len(matrix)
    return tuple(row for count in range(most) for row in _moved(matrix, count + 1)) + nothing


def _anywhere(matrix: Matrix, most: int) -> Matrix:
    return tuple(row for count in range(most + 1) for row in _moved(matrix, count))


def _moved(matrix: Matrix, count: int) -> list[SparseRow]:
    shift = count * len(matrix)
    return [tuple((column + shift, weight) for column, weight in row) for row in matrix]
