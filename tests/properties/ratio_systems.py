"""Random labelled systems, and the answers of brute force about them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from pfl.model.labelled_system import LabelledSystem, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A system with two start vectors."""

    system: LabelledSystem
    left: Vector
    right: Vector


def random_case(seed: int, *, most_states: int = 3, most_letters: int = 3) -> Case:
    """Small, often odd: zeros in rows and starts, one letter, one state, unreachable states, lost mass, two blocks."""
    source = random.Random(seed)
    size, letters = source.randint(1, most_states), source.randint(1, most_letters)
    zeros = source.choice([0.0, 0.3, 0.6])
    stochastic = source.random() < 0.7
    if source.random() < 0.25:
        one, other = (_matrices(source, size, letters, zeros, stochastic) for _ in range(2))
        system = _system([_beside(a, b) for a, b in zip(one, other)], stochastic)
        left = (*_distribution(source, size, 0.3), *[Fraction(0)] * size)
        right = (*[Fraction(0)] * size, *_distribution(source, size, 0.3))
        return Case(system=system, left=left, right=right)
    system = _system(_matrices(source, size, letters, zeros, stochastic), stochastic)
    start_zeros = source.choice([0.0, 0.4])
    return Case(
        system=system,
        left=tuple(_distribution(source, size, start_zeros)),
        right=tuple(_distribution(source, size, start_zeros)),
    )


def mass(case: Case, start: Vector, word: tuple[int, ...]) -> Fraction:
    """The mass of a word, a constant."""
    result = case.system.mass(start, word)
    assert isinstance(result, Fraction)
    return result


def words(case: Case, length: int) -> Iterator[tuple[int, ...]]:
    """All words of at most `length` letters."""
    for letters in range(length + 1):
        yield from itertools.product(range(len(case.system.letters)), repeat=letters)


def largest_ratio(case: Case, length: int) -> Fraction | None:
    """The largest mass(left, w) / mass(right, w) over all words of at most `length` letters; None for infinity."""
    best = Fraction(0)
    for word in words(case, length):
        numerator, denominator = mass(case, case.left, word), mass(case, case.right, word)
        if numerator and not denominator:
            return None
        if numerator:
            best = max(best, numerator / denominator)
    return best


def _distribution(source: random.Random, size: int, zeros: float) -> list[Fraction]:
    weights = [0 if source.random() < zeros else source.randint(1, 5) for _ in range(size)]
    if not any(weights):
        weights[source.randrange(size)] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def _matrices(
    source: random.Random, size: int, letters: int, zeros: float, stochastic: bool
) -> list[list[list[Fraction]]]:
    matrices = [[[Fraction(0)] * size for _ in range(size)] for _ in range(letters)]
    for state in range(size):
        row = _distribution(source, size * letters, zeros)
        for index, weight in enumerate(row):
            if not stochastic and source.random() < 0.3:
                weight *= source.choice([0, Fraction(1, 2)])
            matrices[index // size][state][index % size] = weight
    return matrices


def _beside(one: list[list[Fraction]], other: list[list[Fraction]]) -> list[list[Fraction]]:
    size = len(one)
    none = [Fraction(0)] * size
    return [row + none for row in one] + [none + row for row in other]


def _system(matrices: list[list[list[Fraction]]], stochastic: bool) -> LabelledSystem:
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(len(matrices[0]))),
        letters=tuple(f"a{letter}" for letter in range(len(matrices))),
        matrices=tuple(
            tuple(tuple((column, weight) for column, weight in enumerate(row) if weight) for row in matrix)
            for matrix in matrices
        ),
        stochastic=stochastic,
    )
