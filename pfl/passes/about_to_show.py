"""Starts put off to the letter that comes next: what a run is about to show, instead of the state it shows it from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pfl.base.number import Number, summed
from pfl.model.labelled_system import LabelledSystem, SparseRow


def about_to_show(
    system: LabelledSystem, starts: Sequence[Mapping[int, Number]]
) -> tuple[LabelledSystem, tuple[dict[int, Number], ...]]:
    """A system, and starts of it, with the same masses for every word that is not empty, and for the empty one.

    A state (a, t) shows the letter a and goes on from t; a start v becomes the sum over letters a of v M_a, put on
    these states. Then mass(v', a w) = (v M_a) M_w 1 = mass(v, a w). Starts with the same distribution of all that they
    show may differ as vectors; if nothing more is shown after one letter, they are equal now. Rows of the system
    must sum to 1 over its letters, so that mass is kept.
    """
    numbers: dict[tuple[int, int], int] = {}
    moved = [
        summed(
            (numbers.setdefault((letter, target), len(numbers)), mass * weight)
            for state, mass in start.items()
            for letter, matrix in enumerate(system.matrices)
            for target, weight in matrix[state]
        )
        for start in starts
    ]
    kept = system.reached({target for _, target in numbers})
    place = {state: len(numbers) + position for position, state in enumerate(kept)}

    def row(letter: int, state: int) -> SparseRow:
        return tuple((place[target], weight) for target, weight in system.matrices[letter][state])

    def shows(letter: int, key: tuple[int, int]) -> SparseRow:
        return ((place[key[1]], Fraction(1)),) if key[0] == letter else ()

    letters = range(len(system.letters))
    put_off = LabelledSystem(
        states=(
            *(f"{system.states[target]}, after {system.letters[letter]}" for letter, target in numbers),
            *(system.states[state] for state in kept),
        ),
        letters=system.letters,
        matrices=tuple(
            (*(shows(letter, key) for key in numbers), *(row(letter, state) for state in kept)) for letter in letters
        ),
        stochastic=system.stochastic,
    )
    return put_off, tuple(moved)
