"""Likelihoods against brute force over paths, and the laws they obey."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfl.analysis.likelihood import backward, forward, likelihood, posterior
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divisors
from pfl.base.rational_function import RationalFunction
from pfl.model.labelled_system import LabelledSystem, Vector


@st.composite
def distributions(draw: st.DrawFn, size: int) -> tuple[Fraction, ...]:
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def systems(draw: st.DrawFn) -> tuple[LabelledSystem, Vector]:
    """A random system in the form of an hmm, zeros included, with a start distribution."""
    size, letters = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    moves = [draw(distributions(size)) for _ in range(size)]
    sends = [draw(distributions(letters)) for _ in range(size)]
    matrices = tuple(
        tuple(
            tuple((t, sends[s][a] * moves[s][t]) for t in range(size) if sends[s][a] * moves[s][t]) for s in range(size)
        )
        for a in range(letters)
    )
    system = LabelledSystem(
        states=tuple(f"s{s}" for s in range(size)), letters=tuple(f"a{a}" for a in range(letters)), matrices=matrices
    )
    return system, draw(distributions(size))


def dense(system: LabelledSystem, letter: int, s: int, t: int) -> Fraction:
    entry = dict(system.matrices[letter][s]).get(t, Fraction(0))
    assert isinstance(entry, Fraction)
    return entry


def by_paths(
    system: LabelledSystem, start: Vector, word: tuple[int | None, ...], hidden: tuple[int, int] | None
) -> Fraction:
    """The probability of the word, with `hidden` = (moment, state) also of that state, summed over all paths."""
    total = Fraction(0)
    for path in product(range(system.size), repeat=len(word) + 1):
        if hidden is not None and path[hidden[0]] != hidden[1]:
            continue
        weight = start[path[0]]
        assert isinstance(weight, Fraction)
        for position, letter in enumerate(word):
            choices = range(len(system.letters)) if letter is None else (letter,)
            weight *= sum(dense(system, a, path[position], path[position + 1]) for a in choices)
        total += weight
    return total


@given(systems(), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_the_likelihoods_of_all_words_of_a_length_sum_to_one(model: tuple[LabelledSystem, Vector], length: int) -> None:
    system, start = model
    words = product(range(len(system.letters)), repeat=length)
    assert sum(likelihood(system, start, word) for word in words) == 1


@given(systems(), st.data())
@settings(max_examples=60, deadline=None)
def test_likelihood_and_posterior_equal_sums_over_paths(
    model: tuple[LabelledSystem, Vector], data: st.DataObject
) -> None:
    system, start = model
    letters = st.one_of(st.none(), st.integers(0, len(system.letters) - 1))
    word = tuple(data.draw(st.lists(letters, max_size=4)))
    total = by_paths(system, start, word, None)
    assert likelihood(system, start, word) == total
    posteriors = posterior(system, start, word).noting(Divisors())
    if total == 0:
        assert posteriors is None
        return
    assert posteriors is not None
    assert len(posteriors) == len(word)
    for moment, vector in enumerate(posteriors):
        assert sum(vector) == 1
        for state in range(system.size):
            assert vector[state] * total == by_paths(system, start, word, (moment, state))


@given(systems(), st.data())
@settings(max_examples=40, deadline=None)
def test_forward_and_backward_meet_at_every_moment(model: tuple[LabelledSystem, Vector], data: st.DataObject) -> None:
    system, start = model
    word = tuple(data.draw(st.lists(st.integers(0, len(system.letters) - 1), max_size=5)))
    alphas, betas = forward(system, start, word), backward(system, word)
    products = {sum(a * b for a, b in zip(alpha, beta)) for alpha, beta in zip(alphas, betas)}
    assert products == {system.mass(start, word)}


def test_a_missing_letter_is_the_sum_of_all_letters() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    system = LabelledSystem(states=("s",), letters=("a", "b"), matrices=((((0, third),),), (((0, 1 - third),),)))
    assert likelihood(system, (half,), (None,)) == half
    assert likelihood(system, (Fraction(1),), (0, None, 1)) == Fraction(2, 9)


def test_likelihoods_may_hold_parameters() -> None:
    p = RationalFunction.parameter("p")
    system = LabelledSystem(states=("s",), letters=("a", "b"), matrices=((((0, p),),), (((0, 1 - p),),)))
    assert likelihood(system, (Fraction(1),), (0, 1)) == p * (1 - p)


@pytest.mark.parametrize("word", [(), (0,), (0, 0, 0)])
def test_the_posterior_has_one_vector_a_letter(word: tuple[int, ...]) -> None:
    system = LabelledSystem(states=("s",), letters=("a",), matrices=((((0, Fraction(1)),),),))
    assert posterior(system, (Fraction(1),), word).noting(Divisors()) == ((Fraction(1),),) * len(word)


def test_the_time_limit_holds_at_every_observation() -> None:
    stay = (((0, Fraction(1)),),)
    system = LabelledSystem(states=("s",), letters=("a",), matrices=(stay,))
    for compute in (likelihood, posterior):
        with pytest.raises(LimitReached, match="after 0 of 3 observations"):
            compute(system, (Fraction(1),), (0, 0, None), Budget(deadline=0.0))
