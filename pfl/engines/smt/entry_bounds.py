"""Bounds of the entries of x M_w, carried from letter to letter; facts for the linear text of a query.

Sound because every M_a is non-negative, so that x -> x M_a is monotone: docs/theory/smt-encoding.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.base.number import Number
from pfl.model.labelled_system import LabelledSystem, Matrix

Bounds: TypeAlias = Mapping[int, tuple[Fraction, Fraction]]
"""The least and largest value of the entries of a vector by state; those that are missing are 0."""
Word: TypeAlias = tuple[int, ...]

_BITS = 24
"""Significant bits to which bounds are rounded, outwards: they stay short, and the text readable."""
_MOST_WORDS = 81
_MOST_WORK = 20_000
"""Words that are kept apart at a step, and multiplications at a step, up to which more letters are remembered."""
_NOTHING = (Fraction(0), Fraction(0))


def points(vector: Sequence[Number]) -> Bounds:
    """Bounds of a vector of constants."""
    return {state: (weight, weight) for state, weight in enumerate(vector) if isinstance(weight, Fraction) and weight}


def letters_remembered(system: LabelledSystem) -> int:
    """By how many last letters bounds are kept apart; more give tighter bounds."""
    letters = len(system.letters)
    work = sum(len(row) for matrix in system.matrices for row in matrix)
    remembered, words = 0, letters
    while words <= _MOST_WORDS and words * work <= _MOST_WORK and letters > 1:
        remembered, words = remembered + 1, words * letters
    return remembered


def extended(
    known: Mapping[Word, Bounds], matrices: Mapping[int, Matrix], remembered: int, *, is_last: bool
) -> dict[Word, Bounds]:
    """Bounds of x M_a for the letters a, where x lies within one of the known bounds; by the last letters, a included.

    Words are missing after which no entry can be positive (after the last letter: after which the sum cannot).
    """
    if known and not remembered:
        known = {(): hull(known.values())}
    found: dict[Word, Bounds] = {}
    for word, bounds in known.items():
        for letter, matrix in matrices.items():
            image = _image(bounds, matrix)
            if _is_alive(image, is_last=is_last):
                key = (*word, letter)[-max(remembered, 1) :]
                found[key] = hull((found[key], image)) if key in found else image
    return found


def by_last_letter(known: Mapping[Word, Bounds]) -> dict[int, Bounds]:
    """The bounds for each last letter."""
    letters = sorted({word[-1] for word in known})
    return {letter: hull(bounds for word, bounds in known.items() if word[-1] == letter) for letter in letters}


def hull(alternatives: Iterable[Bounds]) -> Bounds:
    """Bounds that hold whichever of the alternatives does."""
    given = list(alternatives)
    states = sorted({state for bounds in given for state in bounds})
    found = {state: [bounds.get(state, _NOTHING) for bounds in given] for state in states}
    return {state: (min(low for low, _ in all_of), max(high for _, high in all_of)) for state, all_of in found.items()}


def _image(bounds: Bounds, matrix: Matrix) -> Bounds:
    """Bounds of the entries of x M_a, rounded outwards."""
    low: dict[int, Fraction] = {}
    high: dict[int, Fraction] = {}
    for state, (least, largest) in bounds.items():
        for column, weight in matrix[state]:
            assert isinstance(weight, Fraction)
            low[column] = low.get(column, Fraction(0)) + weight * least
            high[column] = high.get(column, Fraction(0)) + weight * largest
    return {state: (-_rounded_up(-low[state]), _rounded_up(high[state])) for state in low}


def _is_alive(bounds: Bounds, *, is_last: bool) -> bool:
    highs = [high for _, high in bounds.values()]
    return sum(highs, Fraction(0)) > 0 if is_last else any(high > 0 for high in highs)


def _rounded_up(value: Fraction) -> Fraction:
    """The value, or a little more, with few bits."""
    if max(abs(value.numerator), value.denominator).bit_length() <= _BITS:
        return value
    shift = abs(value.numerator).bit_length() - value.denominator.bit_length() - _BITS
    unit = Fraction(2) ** shift
    return -(-value // unit) * unit
