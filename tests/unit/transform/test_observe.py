"""From an hmm to its labelled system, silent emissions included."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.model.labelled_system import Hmm
from pfl.passes.observe import observe


def random_row(rng: random.Random, size: int) -> tuple[tuple[int, Fraction], ...]:
    weights = [rng.choice([0, 1, 1, 2]) for _ in range(size)]
    if not any(weights):
        weights[rng.randrange(size)] = 1
    return tuple((column, Fraction(weight, sum(weights))) for column, weight in enumerate(weights) if weight)


def random_hmm(rng: random.Random, states: int, letters: int, *, silent: bool) -> Hmm:
    emissions, silences = [], []
    for _ in range(states):
        row = dict(random_row(rng, letters + 1 if silent else letters))
        silences.append(row.pop(letters, Fraction(0)))
        emissions.append(tuple(sorted(row.items())))
    return Hmm(
        states=tuple(f"s{state}" for state in range(states)),
        letters=tuple(f"a{letter}" for letter in range(letters)),
        start=None,
        transition=tuple(random_row(rng, states) for _ in range(states)),
        emission=tuple(emissions),
        silent=tuple(silences),
    )


def bounds(hmm: Hmm, start: tuple[Fraction, ...], word: tuple[int, ...], moves: int) -> tuple[float, float]:
    """Pr(the first observations are `word`) from below and above, by following `moves` moves in floats."""
    held = {(state, 0): float(weight) for state, weight in enumerate(start) if weight}
    done = 0.0
    for _ in range(moves):
        moved: dict[tuple[int, int], float] = {}
        for (state, seen), weight in held.items():
            emitted = dict(hmm.emission[state])
            for target, probability in hmm.transition[state]:
                quiet = weight * float(hmm.silent[state]) * float(probability)
                if quiet:
                    moved[target, seen] = moved.get((target, seen), 0.0) + quiet
                loud = weight * float(emitted.get(word[seen], 0)) * float(probability)
                if loud and seen + 1 == len(word):
                    done += loud
                elif loud:
                    moved[target, seen + 1] = moved.get((target, seen + 1), 0.0) + loud
        held = moved
    return done, done + sum(held.values())


@pytest.mark.parametrize("seed", range(30))
def test_masses_agree_with_following_moves(seed: int) -> None:
    rng = random.Random(seed)
    hmm = random_hmm(rng, rng.randint(1, 4), rng.randint(1, 3), silent=True)
    start = tuple(dict(random_row(rng, hmm.size)).get(state, Fraction(0)) for state in range(hmm.size))
    observed = observe(hmm, [start], Budget()).noting(Divisors())
    system = observed.system
    for row in range(system.size):
        assert sum(weight for matrix in system.matrices for _, weight in matrix[row]) == 1
    for word in product(range(len(hmm.letters)), repeat=2):
        low, high = bounds(hmm, start, word, 200)
        mass = system.mass(observed.starts[0], word)
        assert isinstance(mass, Fraction)
        assert low - 1e-9 <= mass
        if "never" not in system.letters:
            assert mass <= high + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_without_silence_the_words_of_a_length_sum_to_one(seed: int) -> None:
    rng = random.Random(seed)
    hmm = random_hmm(rng, 3, 2, silent=False)
    start = (Fraction(1, 3),) * 3
    observed = observe(hmm, [start], Budget()).noting(Divisors())
    words = product(range(2), repeat=3)
    assert sum(observed.system.mass(observed.starts[0], word) for word in words) == 1


def test_a_state_that_stays_silent_for_ever_shows_never() -> None:
    half, one = Fraction(1, 2), Fraction(1)
    hmm = Hmm(
        states=("talks", "mute"),
        letters=("word",),
        start=None,
        transition=(((0, half), (1, half)), ((1, one),)),
        emission=(((0, one),), ()),
        silent=(Fraction(0), one),
    )
    observed = observe(hmm, [(one, Fraction(0))], Budget()).noting(Divisors())
    assert observed.system.letters == ("word", "never")
    word, never = 0, 1
    assert observed.system.mass(observed.starts[0], (word, word)) == half
    assert observed.system.mass(observed.starts[0], (word, never, never)) == half
    assert observed.system.mass(observed.starts[0], (word, never, word)) == 0


def test_states_that_no_start_reaches_are_left_out() -> None:
    one = Fraction(1)
    hmm = Hmm(
        states=("here", "elsewhere"),
        letters=("a",),
        start=None,
        transition=(((0, one),), ((0, one),)),
        emission=(((0, one),), ((0, one),)),
        silent=(Fraction(0), Fraction(0)),
    )
    assert observe(hmm, [(one, Fraction(0))], Budget()).noting(Divisors()).system.states == ("here",)
