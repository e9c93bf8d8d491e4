"""The largest delta agrees with a recursion over all words, and its words show it."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest
from ratio_systems import Case, mass, random_case

from pfl.analysis.excess import directions as directions_module
from pfl.analysis.excess import excess as excess_module
from pfl.analysis.excess.excess import Excess
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.model.labelled_system import Vector


def brute_force(case: Case, vector: Vector, length: int) -> Fraction:
    """V_length by its definition, without merging anything."""
    own = sum(vector, Fraction(0))
    assert isinstance(own, Fraction)
    if not length:
        return max(Fraction(0), own)
    inputs = case.system.inputs or (-1,) * len(case.system.letters)
    channels = case.system.channels or (0,) * len(case.system.letters)
    unasked, sums = Fraction(0), dict[int, dict[int, Fraction]]()
    for letter, (asked, channel) in enumerate(zip(inputs, channels)):
        after = brute_force(case, case.system.step(vector, letter), length - 1)
        if asked == -1:
            unasked += after
        else:
            of_inputs = sums.setdefault(channel, {})
            of_inputs[asked] = of_inputs.get(asked, Fraction(0)) + after
    return max(Fraction(0), own, unasked + sum((max(each.values()) for each in sums.values()), Fraction(0)))


def with_inputs(case: Case, seed: int) -> Case:
    """The same system where some letters answer one of two inputs, which may be chosen on one channel or on two."""
    source = random.Random(seed)
    inputs = tuple(source.choice([-1, 0, 1]) for _ in case.system.letters)
    channels = tuple(source.choice([0, 1]) for _ in inputs) if seed % 2 else None
    return replace(case, system=replace(case.system, inputs=inputs, channels=channels, stochastic=False))


@pytest.mark.parametrize("batch", range(10))
def test_agrees_with_brute_force(batch: int) -> None:
    for seed in range(batch * 30, batch * 30 + 30):
        case, length = random_case(seed), seed % 5
        if seed % 3 == 0:
            case = with_inputs(case, seed)
        for bound in (Fraction(1), Fraction(3, 2), Fraction(7, 2)):
            excess = Excess(case.system, case.left, case.right, bound, length, Budget()).settle(None)
            start = tuple(a - bound * b for a, b in zip(case.left, case.right))
            assert excess.delta == brute_force(case, start, length), seed
            for share in (Fraction(0), Fraction(1, 2), Fraction(99, 100)):
                if excess.delta:
                    require_words(case, excess.words(excess.delta * share), bound, excess.delta * share)
            require_word_set(case, excess, bound)


def require_word_set(case: Case, excess: Excess, bound: Fraction) -> None:
    """All words of the set make up the delta; some of it are told to be out of as many as there are."""

    def sizes(words: tuple[tuple[int, ...], ...]) -> list[Fraction]:
        return [mass(case, case.left, word) - bound * mass(case, case.right, word) for word in words]

    whole = excess.word_set(10_000, 10**6)
    assert whole.out_of is None
    assert sum(sizes(whole.words)) == excess.delta
    assert sizes(whole.words) == sorted(sizes(whole.words), reverse=True)
    if whole.words:
        require_words(case, whole.words, bound, excess.delta * Fraction(99, 100))
    for most in (1, 3):
        part = excess.word_set(most, 10**6)
        assert part.out_of == (len(whole.words) if len(whole.words) > most else None)
        assert len(part.words) == min(most, len(whole.words))
        assert set(part.words) <= set(whole.words)


def require_words(case: Case, words: tuple[tuple[int, ...], ...], bound: Fraction, more_than: Fraction) -> None:
    """The words must be apart, follow one strategy, and exceed what is asked for."""
    total = Fraction(0)
    for word in words:
        assert not any(other != word and word == other[: len(word)] for other in words)
        total += mass(case, case.left, word) - bound * mass(case, case.right, word)
    assert total > more_than
    if case.system.inputs is not None:
        for word in words:
            for other in words:
                parting = next((i for i, (a, b) in enumerate(zip(word, other)) if a != b), None)
                if parting is not None:
                    one, two = word[parting], other[parting]
                    asked = {case.system.inputs[one], case.system.inputs[two]} - {-1}
                    channels = case.system.channels
                    assert len(asked) <= 1 or (channels is not None and channels[one] != channels[two])


@pytest.mark.parametrize("batch", range(10))
@pytest.mark.parametrize("first_look", [0, 2, 16])
def test_stops_where_brute_force_agrees(batch: int, first_look: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the bounds are looked at, both are on the side of the doubted delta where the truth is."""
    monkeypatch.setattr(excess_module, "_FIRST_LOOK", first_look)
    for seed in range(batch * 20, batch * 20 + 20):
        case, length, bound = random_case(seed), seed % 6, Fraction(seed % 4 + 4, 4)
        if seed % 3 == 0:
            case = with_inputs(case, seed)
        truth = brute_force(case, tuple(a - bound * b for a, b in zip(case.left, case.right)), length)
        for doubt in (Fraction(0), Fraction(1, 20), truth * Fraction(9, 10), truth, truth + Fraction(1, 50)):
            excess = Excess(case.system, case.left, case.right, bound, length, Budget()).settle(doubt)
            assert excess.delta <= truth <= excess.at_most, seed
            assert (excess.delta > doubt) == (truth > doubt), seed
            assert (excess.at_most <= doubt) == (truth <= doubt), seed
            if truth > doubt:
                require_words(case, excess.words(doubt), bound, doubt)


@pytest.mark.parametrize("batch", range(10))
@pytest.mark.parametrize("first_look", [0, 16])
def test_whole_runs_are_between_their_bounds(batch: int, first_look: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that need not end, stopped after few directions: words show the lower bound, no length passes the upper."""
    monkeypatch.setattr(excess_module, "_FIRST_LOOK", first_look)
    monkeypatch.setattr(directions_module, "_MOST_NODES", 60)
    for seed in range(batch * 20, batch * 20 + 20):
        case, bound = random_case(seed), Fraction(seed % 4 + 4, 4)
        if seed % 3 == 0:
            case = with_inputs(case, seed)
        start = tuple(a - bound * b for a, b in zip(case.left, case.right))
        for doubt in (None, Fraction(0), Fraction(1, 10), Fraction(1, 2)):
            excess = Excess(case.system, case.left, case.right, bound, None, Budget())
            with suppress(LimitReached):
                excess.settle(doubt)
            assert brute_force(case, start, 5) <= excess.at_most, seed
            assert excess.delta <= excess.at_most
            if excess.delta:
                share = excess.delta * Fraction(99, 100)
                require_words(case, excess.words(share), bound, share)
                part = excess.word_set(20, 10**6)
                require_words(case, part.words, bound, Fraction(0))
                assert len(part.words) <= 20


@pytest.mark.parametrize("batch", range(6))
def test_whole_runs_are_the_limit_of_long_ones(batch: int) -> None:
    """Runs that end: the first state moves on, or stays with probability 1/4, and the last two repeat their letter."""
    for seed in range(batch * 10, batch * 10 + 10):
        case = ending_runs(seed)
        for bound in (Fraction(1), Fraction(2)):
            limit = Excess(case.system, case.left, case.right, bound, None, Budget()).settle(None).delta
            long = Excess(case.system, case.left, case.right, bound, 9, Budget()).settle(None).delta
            assert long <= limit <= long + Fraction(1, 4**7)


@pytest.mark.parametrize("batch", range(6))
def test_whole_runs_whose_inputs_are_chosen_are_the_limit_of_long_ones(batch: int) -> None:
    """An adversary who may choose for as long as he likes, or stop; words show what he gains."""
    for seed in range(batch * 10, batch * 10 + 10):
        case = with_inputs(ending_runs(seed), seed)
        for bound in (Fraction(1), Fraction(2)):
            excess = Excess(case.system, case.left, case.right, bound, None, Budget()).settle(None)
            long = Excess(case.system, case.left, case.right, bound, 9, Budget()).settle(None).delta
            assert long <= excess.delta <= long + Fraction(1, 4**7)
            if excess.delta:
                share = excess.delta * Fraction(99, 100)
                require_words(case, excess.words(share), bound, share)


def ending_runs(seed: int) -> Case:
    """States that loop before they end in one of two final states, compared from two random starts."""
    source = random.Random(seed)
    case = random_case(seed, most_states=2, most_letters=2)
    size, letters = 4, 3

    def row(weights: list[int]) -> list[Fraction]:
        return [Fraction(3, 4) * Fraction(weight, sum(weights)) for weight in weights]

    table = [[[Fraction(0)] * size for _ in range(size)] for _ in range(letters)]
    for state in (0, 1):
        first, second = row([source.randint(1, 4) for _ in range(4)]), source.randrange(2)
        table[second][state][1 - state if source.random() < 0.5 else state] += Fraction(1, 4)
        for index, weight in enumerate(first):
            table[index % 2][state][2 + index // 2] += weight
    for state in (2, 3):
        table[2][state][state] = Fraction(1)
    matrices = tuple(
        tuple(tuple((column, weight) for column, weight in enumerate(entries) if weight) for entries in matrix)
        for matrix in table
    )
    system = replace(
        case.system,
        states=tuple("abcd"),
        letters=tuple("xyz"),
        matrices=matrices,
        stochastic=True,
        inputs=None,
    )
    left = (Fraction(source.randint(1, 9), 10), Fraction(0), Fraction(0), Fraction(0))
    right = (Fraction(source.randint(1, 9), 10), Fraction(0), Fraction(0), Fraction(0))
    return Case(
        system=system,
        left=(left[0], 1 - left[0], Fraction(0), Fraction(0)),
        right=(right[0], 1 - right[0], Fraction(0), Fraction(0)),
    )
