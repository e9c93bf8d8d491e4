"""Conditioning the chain on a secret about moments, against enumeration of all paths."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import pairwise, product

import pytest

from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.model.labelled_system import Hmm, Matrix, Vector
from pfl.passes.condition import Memory, condition


def random_row(rng: random.Random, size: int) -> tuple[tuple[int, Fraction], ...]:
    weights = [rng.choice([0, 0, 1, 2, 3]) for _ in range(size)]
    if not any(weights):
        weights[rng.randrange(size)] = 1
    return tuple((column, Fraction(weight, sum(weights))) for column, weight in enumerate(weights) if weight)


def random_hmm(rng: random.Random, states: int, letters: int) -> Hmm:
    return Hmm(
        states=tuple(f"s{state}" for state in range(states)),
        letters=tuple(f"a{letter}" for letter in range(letters)),
        start=None,
        transition=tuple(random_row(rng, states) for _ in range(states)),
        emission=tuple(random_row(rng, letters) for _ in range(states)),
        silent=(Fraction(0),) * states,
    )


def entry(matrix: Matrix, row: int, column: int) -> Fraction:
    value = dict(matrix[row]).get(column, Fraction(0))
    assert isinstance(value, Fraction)
    return value


def by_paths(
    hmm: Hmm,
    start: dict[tuple[Hashable, int], Fraction],
    moments: tuple[int, ...],
    secret: Callable[[Memory], bool],
    word: tuple[int, ...],
) -> Fraction:
    """Pr(secret and word), summed over every path long enough for both."""
    total = Fraction(0)
    length = max(len(word), max(moments, default=0) + 1)
    for (world, first), probability in start.items():
        for rest in product(range(hmm.size), repeat=length - 1):
            path = (first, *rest)
            weight = probability
            for source, target in pairwise(path):
                weight *= entry(hmm.transition, source, target)
            for state, letter in zip(path, word):
                weight *= entry(hmm.emission, state, letter)
            if weight and secret((world, *(path[moment] for moment in moments))):
                total += weight
    return total


def forward(hmm: Hmm, start: Vector, word: tuple[int, ...]) -> Fraction:
    current = {state: weight for state, weight in enumerate(start) if weight}
    for letter in word:
        moved: dict[int, Fraction] = {}
        for state, weight in current.items():
            for target, probability in hmm.transition[state]:
                moved[target] = (
                    moved.get(target, Fraction(0)) + weight * entry(hmm.emission, state, letter) * probability
                )
        current = moved
    return sum(current.values(), Fraction(0))


@pytest.mark.parametrize("seed", range(40))
def test_every_word_has_the_mass_of_its_paths(seed: int) -> None:
    rng = random.Random(seed)
    hmm = random_hmm(rng, rng.randint(1, 3), rng.randint(1, 2))
    moments = tuple(sorted(rng.sample(range(4), rng.randint(0, 2))))
    worlds = ["rain", "sun"]
    start = {
        (rng.choice(worlds), state): Fraction(weight)
        for state, weight in enumerate(Fraction(rng.randint(0, 3), 7) for _ in range(hmm.size))
    }
    memories = {(world, *states) for world in worlds for states in product(range(hmm.size), repeat=len(moments))}
    chosen = {memory for memory in sorted(memories) if rng.random() < 0.5}

    def left(memory: Memory) -> bool:
        return memory in chosen

    def right(memory: Memory) -> bool:
        return memory not in chosen

    conditioned, sides = condition(hmm, start, moments, lambda _moment, state: state, (left, right), Budget()).noting(
        Divisors()
    )
    for row in conditioned.transition:
        assert sum(weight for _, weight in row) == 1
    for length in range(4):
        for word in product(range(len(hmm.letters)), repeat=length):
            for secret, side in zip((left, right), sides):
                assert forward(conditioned, side.start, word) == by_paths(hmm, start, moments, secret, word)


def test_a_secret_about_the_start_adds_no_state() -> None:
    hmm = random_hmm(random.Random(1), 3, 2)
    start: dict[tuple[Hashable, int], Fraction] = {("w", state): Fraction(1, 3) for state in range(3)}
    conditioned, (side,) = condition(
        hmm, start, (0,), lambda _moment, state: state, [lambda memory: memory[1] == 2], Budget()
    ).noting(Divisors())
    assert conditioned.size == hmm.size
    assert side.start == (0, 0, Fraction(1, 3))
    assert side.probability == Fraction(1, 3)
