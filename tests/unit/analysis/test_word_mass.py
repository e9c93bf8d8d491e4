"""Masses of words in whole numbers are those of the labelled system itself."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from pfl.analysis.word_mass import mass_of_words
from pfl.base.rational_function import RationalFunction
from pfl.model.labelled_system import LabelledSystem, Matrix, Vector


def random_matrix(source: random.Random, size: int, largest: int) -> Matrix:
    return tuple(
        tuple(
            (column, Fraction(source.randint(1, 9), source.randint(1, largest)))
            for column in range(size)
            if source.random() < 0.7
        )
        for _ in range(size)
    )


def random_system(seed: int, *, largest: int = 60) -> tuple[LabelledSystem, Vector]:
    source = random.Random(seed)
    size, letters = source.randint(1, 4), source.randint(1, 3)
    system = LabelledSystem(
        states=tuple(f"s{state}" for state in range(size)),
        letters=tuple(f"a{letter}" for letter in range(letters)),
        matrices=tuple(random_matrix(source, size, largest) for _ in range(letters)),
        stochastic=False,
        final=tuple(Fraction(source.randint(0, 3), 7) for _ in range(size)) if source.random() < 0.4 else None,
    )
    return system, tuple(Fraction(source.randint(0, 5), source.randint(1, largest)) for _ in range(size))


def summed(system: LabelledSystem, start: Vector, words: list[tuple[int, ...]]) -> object:
    return sum((system.mass(start, word) for word in words), Fraction(0))


@pytest.mark.parametrize("seed", range(60))
def test_agrees_with_the_system(seed: int) -> None:
    system, start = random_system(seed)
    source = random.Random(seed)
    words = [
        tuple(source.choices(range(len(system.letters)), k=source.choice([0, 1, 2, 5, 16, 17, 40])))
        for _ in range(source.randint(1, 4))
    ]
    assert mass_of_words(system, start, words) == summed(system, start, words)


@pytest.mark.parametrize("seed", range(10))
def test_denominators_that_are_too_long_together_are_not_shared(seed: int) -> None:
    system, start = random_system(seed, largest=2**3000)
    words = [(0, 0, 0), (0, 0, len(system.letters) - 1, 0)]
    assert mass_of_words(system, start, words) == summed(system, start, words)


def test_numbers_that_depend_on_parameters_begin_anywhere() -> None:
    p, half = RationalFunction.parameter("p"), Fraction(1, 2)
    system = LabelledSystem(
        states=("a", "b"), letters=("x", "y"), matrices=((((0, half), (1, half)), ((1, half),)), ((), ((0, p),)))
    )
    for start in ((Fraction(1), Fraction(1, 3)), (p, Fraction(0))):
        for word in ((0, 0, 1), (1, 0), (0,)):
            assert mass_of_words(system, start, [word]) == system.mass(start, word)


def test_no_words_have_no_mass() -> None:
    system, start = random_system(0)
    assert mass_of_words(system, start, []) == 0
