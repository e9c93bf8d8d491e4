"""Conditioning the chain on a secret about moments, against enumeration of all paths."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest

from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.labelled_system import Hmm, LabelledSystem, Matrix, SparseRow, Vector
from pfl.model.validation.validation import system_faults
from pfl.passes.condition import Memory, condition
from pfl.passes.lump import lump
from pfl.passes.observe import observe
from pfl.passes.substitute import folded, number_at, without_final_weights


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

    conditioned, sides = condition(hmm, start, moments, lambda _moment, state: state, (left, right), Budget())
    for row in conditioned.transition:
        assert sum(weight for _, weight in row) == 1
    for length in range(4):
        for word in product(range(len(hmm.letters)), repeat=length):
            for secret, side in zip((left, right), sides):
                assert forward(conditioned, side.start, word) == by_paths(hmm, start, moments, secret, word)


P = RationalFunction.parameter("p")
VALUES = (Fraction(0), Fraction(1, 3), Fraction(1))


def mixed(first: SparseRow, second: SparseRow) -> SparseRow:
    """(1 - p) of one row and p of the other."""
    weights: dict[int, Number] = {}
    for row, share in ((first, 1 - P), (second, P)):
        for column, weight in row:
            weights[column] = weights.get(column, Fraction(0)) + share * weight
    return tuple(sorted(weights.items()))


def row_at(row: SparseRow, value: Fraction) -> SparseRow:
    found = ((column, number_at(weight, {"p": value})) for column, weight in row)
    return tuple((column, weight) for column, weight in found if weight)


def hmm_at(hmm: Hmm, value: Fraction) -> Hmm:
    return replace(
        hmm,
        transition=tuple(row_at(row, value) for row in hmm.transition),
        emission=tuple(row_at(row, value) for row in hmm.emission),
        silent=tuple(number_at(number, {"p": value}) for number in hmm.silent),
    )


def hmm_with_parameter(rng: random.Random, states: int, letters: int) -> Hmm:
    """States may be silent."""
    first, second = random_hmm(rng, states, letters), random_hmm(rng, states, letters)
    silence = [rng.choice([Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1)]) for _ in range(states)]
    emission = [mixed(a, b) for a, b in zip(first.emission, second.emission)]
    return replace(
        first,
        transition=tuple(mixed(a, b) for a, b in zip(first.transition, second.transition)),
        emission=tuple(
            tuple((letter, weight * (1 - silent)) for letter, weight in row if silent < 1)
            for row, silent in zip(emission, silence)
        ),
        silent=tuple(silence),
    )


@pytest.mark.parametrize("seed", range(60))
def test_with_parameters_nothing_is_divided_and_every_value_is_right(seed: int) -> None:
    """Also where a secret becomes impossible from some state on, or altogether."""
    rng = random.Random(seed)
    hmm = hmm_with_parameter(rng, rng.randint(1, 3), rng.randint(1, 2))
    moments = tuple(sorted(rng.sample(range(3), rng.randint(1, 2))))
    start: dict[tuple[Hashable, int], Number] = {("w", state): Fraction(1, hmm.size) for state in range(hmm.size)}
    memories = sorted(("w", *states) for states in product(range(hmm.size), repeat=len(moments)))
    chosen = {memory for memory in memories if rng.random() < 0.5}
    secrets: list[Callable[[Memory], bool]] = [lambda memory: memory in chosen, lambda memory: memory not in chosen]

    def observed(model: Hmm) -> tuple[LabelledSystem, tuple[Vector, ...], list[Number]]:
        conditioned, sides = condition(model, start, moments, lambda _moment, state: state, secrets, Budget())
        seen = observe(conditioned, [side.start for side in sides], Budget()).noting(divisors)
        assert list(system_faults(seen.system)) == []
        return seen.system, seen.starts, [side.probability for side in sides]

    divisors = Divisors()  # of the closure of silence
    system, starts, masses = observed(hmm)
    for value in VALUES:
        if any(number_at(divisor, {"p": value}) == 0 for divisor in divisors):
            continue
        there, starts_there, masses_there = observed(hmm_at(hmm, value))
        assert there.final is None
        assert [number_at(mass, {"p": value}) for mass in masses] == masses_there
        fixed = fixed_at(system, value)
        for word in (word for length in range(4) for word in product(there.letters, repeat=length)):
            here = tuple(system.letters.index(letter) for letter in word if letter in system.letters)
            for begun, begun_there in zip(starts, starts_there):
                expected = there.mass(begun_there, [there.letters.index(letter) for letter in word])
                assert len(here) == len(word)
                assert fixed.mass(tuple(number_at(entry, {"p": value}) for entry in begun), here) == expected


def fixed_at(system: LabelledSystem, value: Fraction) -> LabelledSystem:
    """The system at a value, final weights and all."""
    return replace(
        system,
        matrices=tuple(tuple(row_at(row, value) for row in matrix) for matrix in system.matrices),
        final=None if system.final is None else tuple(number_at(weight, {"p": value}) for weight in system.final),
    )


@pytest.mark.parametrize("seed", range(40))
def test_final_weights_that_are_constants_are_folded_into_the_rows(seed: int) -> None:
    rng = random.Random(seed)
    hmm = hmm_with_parameter(rng, 3, 2)
    start: dict[tuple[Hashable, int], Number] = {("w", state): Fraction(1, 3) for state in range(3)}
    conditioned, (side,) = condition(
        hmm, start, (2,), lambda _moment, state: state, [lambda memory: memory[1] == 0], Budget()
    )
    observed = observe(conditioned, [side.start], Budget()).noting(Divisors())
    system = fixed_at(observed.system, VALUES[seed % 3])
    if system.final is None:
        return
    begun = tuple(number_at(entry, {"p": VALUES[seed % 3]}) for entry in observed.starts[0])
    plain = without_final_weights(system)
    assert plain.final is None
    assert list(system_faults(plain)) == []
    after = folded(begun, system.final)
    for word in product(range(len(system.letters)), repeat=3):
        assert plain.mass(after, word) == system.mass(begun, word)


@pytest.mark.parametrize("seed", range(40))
def test_states_that_are_merged_have_one_final_weight(seed: int) -> None:
    """Each state comes twice, so that there is something to merge."""
    rng = random.Random(seed)
    hmm = hmm_with_parameter(rng, 2, 2)
    start: dict[tuple[Hashable, int], Number] = {("w", state): Fraction(1, 2) for state in range(2)}
    conditioned, (side,) = condition(
        hmm, start, (1,), lambda _moment, state: state, [lambda memory: memory[1] == 0], Budget()
    )
    observed = observe(conditioned, [side.start], Budget()).noting(Divisors())
    system, size = observed.system, observed.system.size
    doubled = replace(
        system,
        states=tuple(f"{state}{copy}" for copy in "ab" for state in system.states),
        matrices=tuple(
            tuple(
                tuple((column + copy * size, weight / 2) for copy in range(2) for column, weight in row)
                for _ in range(2)
                for row in matrix
            )
            for matrix in system.matrices
        ),
        final=None if system.final is None else system.final * 2,
    )
    lumped = lump(doubled, Budget())
    assert lumped.system.size <= size
    assert list(system_faults(lumped.system)) == []
    begun = lumped.system.vector(lumped.start({state: w for state, w in enumerate(observed.starts[0]) if w}))
    for word in product(range(len(system.letters)), repeat=2):
        assert lumped.system.mass(begun, word) == system.mass(observed.starts[0], word)


def test_a_secret_about_the_start_adds_no_state() -> None:
    hmm = random_hmm(random.Random(1), 3, 2)
    start: dict[tuple[Hashable, int], Fraction] = {("w", state): Fraction(1, 3) for state in range(3)}
    conditioned, (side,) = condition(
        hmm, start, (0,), lambda _moment, state: state, [lambda memory: memory[1] == 2], Budget()
    )
    assert conditioned.size == hmm.size
    assert side.start == (0, 0, Fraction(1, 3))
    assert side.probability == Fraction(1, 3)
