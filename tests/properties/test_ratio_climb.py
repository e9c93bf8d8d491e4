"""Words that are changed for the better: of the same length, never worse, and often the best of all."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
from ratio_systems import random_case

from pfl.analysis.ratio.climb import Climb
from pfl.analysis.ratio.obligation import obligation, ratio_of
from pfl.base.budget import Budget


@pytest.mark.parametrize("seed", range(60))
def test_a_word_never_gets_worse(seed: int) -> None:
    case, source = random_case(seed, most_states=4), random.Random(seed)
    task = obligation(case.system, case.left, case.right)
    length, count = source.randint(0, 7), len(task.part.letters)
    climb = Climb(task)
    for _ in range(5):
        word = tuple(source.choices(range(count), k=length)) if count else ()
        better = climb.improved(word, Budget())
        assert len(better) == len(word)
        before, after = ratio_of(*task.follow(word)), ratio_of(*task.follow(better))
        assert after is None or (before is not None and after >= before)


@pytest.mark.parametrize("seed", range(40))
def test_a_word_that_may_be_changed_as_a_whole_becomes_the_best(seed: int) -> None:
    case = random_case(seed, most_letters=2)
    task = obligation(case.system, case.left, case.right)
    count = len(task.part.letters)
    if count < 2:
        return
    climb = Climb(task)
    words = list(product(range(count), repeat=climb.width))
    ratios = [ratio_of(*task.follow(word)) for word in words]
    found = ratio_of(*task.follow(climb.improved(words[0], Budget())))
    finite = [each for each in ratios if each is not None]
    if len(finite) < len(ratios):
        assert found is None
    else:
        assert found is not None
        assert found * (1 + Fraction(1, 10**8)) >= max(finite)
