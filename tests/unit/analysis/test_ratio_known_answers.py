"""Ratios that were worked out independently."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from pfl.analysis.ratio.obligation import Exceeded, Settled, Unbounded, Unsettled
from pfl.analysis.ratio.prepared import Prepared
from pfl.analysis.ratio.question import Ratios
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.model.labelled_system import LabelledSystem, Vector


def system(matrices: list[list[list[Fraction]]], *, stochastic: bool = True) -> LabelledSystem:
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(len(matrices[0]))),
        letters=tuple(f"a{letter}" for letter in range(len(matrices))),
        matrices=tuple(
            tuple(tuple((column, weight) for column, weight in enumerate(row) if weight) for row in matrix)
            for matrix in matrices
        ),
        stochastic=stochastic,
    )


def hidden_markov(moves: list[list[Fraction]], shows: list[list[Fraction]]) -> LabelledSystem:
    letters, size = range(len(shows[0])), range(len(moves))
    return system([[[shows[s][a] * moves[s][t] for t in size] for s in size] for a in letters])


def unit(size: int, state: int) -> Vector:
    return tuple(Fraction(int(place == state)) for place in range(size))


FLIP, WRONG = Fraction(3, 20), Fraction(1, 4)
TWO_STATES = hidden_markov([[1 - FLIP, FLIP], [FLIP, 1 - FLIP]], [[1 - WRONG, WRONG], [WRONG, 1 - WRONG]])
"""A two-state chain that flips with 3/20 and is reported wrongly with 1/4."""


@pytest.mark.parametrize(
    ("length", "ratio"),
    [(1, Fraction(3)), (2, Fraction(81, 13)), (3, Fraction(531, 58)), (4, Fraction(27603, 2579))],
)
def test_two_states_at_a_length(length: int, ratio: Fraction) -> None:
    ratios = Ratios(budget=Budget())
    task = ratios.obligation(TWO_STATES, unit(2, 0), unit(2, 1))
    outcome = ratios.largest(task, length, Fraction(0))
    assert isinstance(outcome, Settled)
    assert outcome.bound == ratio
    assert outcome.best is not None
    assert outcome.best.word == (0,) * length


def test_two_states_at_every_length() -> None:
    ratios = Ratios(budget=Budget())
    task = ratios.obligation(TWO_STATES, unit(2, 0), unit(2, 1))
    outcome = ratios.largest_of_every_length(task, Fraction(0))
    assert isinstance(outcome, Settled)
    assert outcome.best is not None
    assert outcome.best.ratio is not None
    assert outcome.best.ratio < outcome.bound < outcome.best.ratio * (1 + Fraction(1, 10**9))
    assert abs(outcome.bound - Fraction("11.5921296115")) < Fraction(1, 10**8)


def test_two_states_below_and_above_the_largest_ratio() -> None:
    ratios = Ratios(budget=Budget())
    task = ratios.obligation(TWO_STATES, unit(2, 0), unit(2, 1))
    low, high = Fraction("11.59"), Fraction("11.6")
    assert isinstance(ratios.check_every_length(task, low, lambda ratio: ratio > low), Exceeded)
    assert isinstance(ratios.check_every_length(task, high, lambda ratio: ratio > high), Settled)


def geometric(alpha: Fraction, centre: int, most: int) -> list[Fraction]:
    """The two-sided geometric distribution around a centre, clamped to 0..most."""
    inner = (1 - alpha) / (1 + alpha)
    ends = {0: alpha**centre / (1 + alpha), most: alpha ** (most - centre) / (1 + alpha)}
    return [ends.get(value, inner * alpha ** abs(value - centre)) for value in range(most + 1)]


def above_threshold() -> tuple[LabelledSystem, Vector, Vector]:
    """Answers `bot` until a noisy query is at least a noisy threshold, both over 0..2; results of both runs, which
    differ by at most 1, are chosen by the adversary. States: the threshold, or done, for each of the two runs."""
    matrices = []
    for results in product(range(3), repeat=2):
        if abs(results[0] - results[1]) > 1:
            continue
        for is_above in (False, True):
            matrix = [[Fraction(0)] * 8 for _ in range(8)]
            for run, result in enumerate(results):
                noisy = geometric(Fraction(1, 2), result, 2)
                for threshold in range(3):
                    above = sum(noisy[threshold:], Fraction(0))
                    source = 4 * run + threshold
                    matrix[source][4 * run + 3 if is_above else source] = above if is_above else 1 - above
            matrices.append(matrix)
    done = [[Fraction(0)] * 8 for _ in range(8)]
    done[3][3] = done[7][7] = Fraction(1)
    noise = geometric(Fraction(1, 4), 1, 2)
    nothing = [Fraction(0)] * 4
    return system([*matrices, done]), (*noise, Fraction(0), *nothing), (*nothing, *noise, Fraction(0))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7])
def test_above_threshold(length: int) -> None:
    whole, left, right = above_threshold()
    ratios = Ratios(budget=Budget())
    outcome = ratios.largest(ratios.obligation(whole, left, right), length, Fraction(0))
    assert isinstance(outcome, Settled)
    assert outcome.bound == 2**length


def test_above_threshold_has_no_epsilon() -> None:
    whole, left, right = above_threshold()
    ratios = Ratios(budget=Budget())
    task = ratios.obligation(whole, left, right)
    assert isinstance(ratios.largest_of_every_length(task, Fraction(0)), Unbounded)
    bound = Fraction(10**6)
    refuted = ratios.check_every_length(task, bound, lambda ratio: ratio > bound)
    assert isinstance(refuted, Exceeded)
    word = refuted.witness.word
    assert whole.mass(left, word) > bound * whole.mass(right, word)


def test_a_letter_of_probability_zero_on_one_side() -> None:
    whole = hidden_markov(
        [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], [[WRONG, 1 - WRONG], [Fraction(0), Fraction(1)]]
    )
    ratios = Ratios(budget=Budget())
    outcome = ratios.largest(ratios.obligation(whole, unit(2, 0), unit(2, 1)), 3, Fraction(0))
    assert isinstance(outcome, Exceeded)
    assert outcome.witness.ratio is None
    back = ratios.largest(ratios.obligation(whole, unit(2, 1), unit(2, 0)), 3, Fraction(0))
    assert isinstance(back, Settled)
    assert back.bound == Fraction(64, 27)


def test_letters_that_differ_by_a_factor_are_one() -> None:
    third = Fraction(1, 3)
    whole = hidden_markov([[WRONG, 1 - WRONG], [1 - WRONG, WRONG]], [[third, 2 * third, 0 * third]] * 2)
    part = Prepared().obligation(whole, unit(2, 0), unit(2, 1)).part
    assert part.letters == (0,)
    assert part.positions == (0, 0, None)


def test_probabilities_far_apart() -> None:
    """Entries that floats cannot hold side by side are decided exactly."""
    tiny = Fraction(1, 2**700)
    shows = [[tiny, 1 - tiny], [tiny * 3, 1 - 3 * tiny], [Fraction(1, 2), Fraction(1, 2)]]
    moves = [[1 - tiny, tiny, Fraction(0)], [Fraction(0), 1 - tiny, tiny], [tiny, Fraction(0), 1 - tiny]]
    whole = hidden_markov(moves, shows)
    prepared = Prepared()
    task = prepared.obligation(whole, unit(3, 0), unit(3, 1))
    from pfl.analysis.ratio.bounded import BoundedSearch

    tools = prepared.tools(task.part)
    for length in (1, 2, 3):
        search = BoundedSearch(task, tools, length=length, bound=Fraction(0), is_too_large=None, budget=Budget())
        outcome = search.settle(None)
        words = product(range(2), repeat=length)
        expected = max(Fraction(whole.mass(unit(3, 0), word), whole.mass(unit(3, 1), word)) for word in words)
        assert isinstance(outcome, Settled)
        assert outcome.bound == expected


def test_a_deadline_is_noticed() -> None:
    ratios = Ratios(budget=Budget(deadline=0.0))
    whole, left, right = above_threshold()
    with pytest.raises(LimitReached, match="time limit"):
        ratios.largest(ratios.obligation(whole, left, right), 30, Fraction(0))


def test_a_search_that_may_keep_little_says_so() -> None:
    ratios = Ratios(budget=Budget())
    whole, left, right = above_threshold()
    outcome = ratios.largest(ratios.obligation(whole, left, right), 12, Fraction(0), most_kept=20)
    assert isinstance(outcome, Unsettled)
    assert outcome.bound > 1
    assert "prefixes" in outcome.reason
