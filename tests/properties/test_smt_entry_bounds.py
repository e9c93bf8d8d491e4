"""The bounds that the linear text asserts hold for every word that may still violate the claim."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from smt_systems import questions

from pfl.engines.smt.entry_bounds import Bounds, Word, by_last_letter, extended, hull, letters_remembered, points
from pfl.model.compare import Compare
from pfl.model.labelled_system import LabelledSystem


def is_within(vector: tuple[Fraction, ...], bounds: Bounds) -> bool:
    ranges = [bounds.get(state, (Fraction(0), Fraction(0))) for state in range(len(vector))]
    return all(low <= entry <= high for entry, (low, high) in zip(vector, ranges))


@settings(max_examples=150, deadline=None)
@given(questions(), st.integers(0, 3), st.fractions(0, 5, max_denominator=7))
def test_vectors_lie_within_their_bounds(question: Compare, remembered: int, c: Fraction) -> None:
    (comparison,) = question.comparisons
    system = comparison.system
    left, right = comparison.left.vector, comparison.right.vector
    signed = tuple(a - c * b for a, b in zip(left, right))
    known: list[dict[Word, Bounds]] = [{(): points(signed)}]
    matrices = dict(enumerate(system.matrices))
    length = 3
    for step in range(length):
        known.append(extended(known[-1], matrices, remembered, is_last=step + 1 == length))
    for word in product(range(len(system.letters)), repeat=length):
        vector = signed
        for step, letter in enumerate(word, start=1):
            vector = system.step(vector, letter)  # type: ignore[assignment]
            if sum(vector) <= 0 if step == length else all(entry <= 0 for entry in vector):
                break  # no violation comes of it, so nothing is claimed of it
            key = word[:step][-max(remembered, 1) :]
            assert is_within(vector, known[step][key])
            assert is_within(vector, by_last_letter(known[step])[letter])
            assert is_within(vector, hull(known[step].values()))


def with_letters(size: int) -> LabelledSystem:
    rows = tuple((((0, Fraction(1, size)),),) for _ in range(size))
    return LabelledSystem(states=("s",), letters=tuple(f"a{letter}" for letter in range(size)), matrices=rows)


def test_letters_are_remembered_as_long_as_that_is_cheap() -> None:
    assert [letters_remembered(with_letters(size)) for size in (1, 2, 3, 9, 81, 82)] == [0, 6, 4, 2, 1, 0]
    wide = replace(with_letters(2), states=("s",) * 200, matrices=((((0, Fraction(1)),) * 30,) * 200,) * 2)
    assert letters_remembered(wide) == 0
