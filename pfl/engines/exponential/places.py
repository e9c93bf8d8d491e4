"""Values of the parameter that are told of."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pfl.analysis.exponential.evaluation import sign_at
from pfl.analysis.exponential.functions import Functions
from pfl.analysis.exponential.polynomial import ExponentialPolynomial
from pfl.base.exponential import ONE
from pfl.model.parameters import ExponentialSpace

_SIMPLE = (1, 2, Fraction(1, 2), 4, Fraction(1, 4), 3, 5, 8, Fraction(1, 8), 10, Fraction(1, 10), 16, 20, 32, 50, 100)


def simple_place(function: ExponentialPolynomial, point: Fraction, functions: Functions) -> dict[str, Fraction]:
    """The value of the parameter, as simple as can be found, at which the function is negative as it is at `point`."""
    if functions.space.base == ONE:
        return {}
    return negative_place(function, functions) or {functions.space.base: functions.value(point)}


def negative_place(function: ExponentialPolynomial, functions: Functions) -> dict[str, Fraction] | None:
    """A simple value of the parameter at which the function is negative, if one is found by trying some."""
    space = functions.space
    for value in simple_values(space):
        if sign_at(function, value / space.unit) < 0:
            return {space.base: value}
    return None


def simple_values(space: ExponentialSpace) -> Iterator[Fraction]:
    """Simple values that the parameter may have."""
    yield from (Fraction(value) for value in _SIMPLE if space.contains(Fraction(value)))
