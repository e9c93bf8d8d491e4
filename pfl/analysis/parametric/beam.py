"""Words that are likely to have a large ratio, found with floats; whoever uses one computes its ratio exactly."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from typing import TypeAlias

from pfl.analysis.parametric.obligation import Obligation
from pfl.analysis.parametric.prefixes import Word
from pfl.base.number import Number
from pfl.base.rational_function import value_at

Floats: TypeAlias = tuple[float, ...]
FloatMatrix: TypeAlias = list[list[tuple[int, float]]]

_WIDTH = 12


def promising_word(obligation: Obligation, values: Mapping[str, Fraction], length: int) -> Word:
    """A word of a length whose ratio at the parameter values is the largest that a beam search finds.

    Kept are the prefixes with the largest ratio of masses, and as many with the largest ratio in one state, which is as
    much as any continuation can reach.
    """

    def at(number: Number) -> float:
        return float(value_at(number, values))

    matrices: list[FloatMatrix] = [
        [[(column, at(weight)) for column, weight in row] for row in matrix] for matrix in obligation.system.matrices
    ]
    start = (tuple(map(at, obligation.left)), tuple(map(at, obligation.right)))
    beam: list[tuple[Word, Floats, Floats]] = [((), *start)]
    for _ in range(length):
        longer = []
        for word, left, right in beam:
            for letter, matrix in enumerate(matrices):
                over, under = _step(left, matrix), _step(right, matrix)
                scale = sum(over)
                if scale > 0:
                    over, under = tuple(x / scale for x in over), tuple(x / scale for x in under)
                    longer.append(((*word, letter), over, under))
        by_mass = sorted(longer, key=lambda entry: -_ratio(sum(entry[1]), sum(entry[2])))
        by_state = sorted(longer, key=lambda entry: -max(map(_ratio, entry[1], entry[2])))
        beam = list({entry[0]: entry for entry in by_mass[:_WIDTH] + by_state[:_WIDTH]}.values())
        if not beam:
            return ()
    return max(beam, key=lambda entry: _ratio(sum(entry[1]), sum(entry[2])))[0]


def _ratio(over: float, under: float) -> float:
    return over / under if under > 0 else inf if over > 0 else 0.0


def _step(vector: Floats, matrix: FloatMatrix) -> Floats:
    result = [0.0] * len(vector)
    for weight, row in zip(vector, matrix):
        if weight:
            for column, entry in row:
                result[column] += weight * entry
    return tuple(result)
