"""Random mechanisms that draw noise without bounds: their probabilities against an oracle that goes through cells of
the line, and verdicts against dense evaluation over the parameter. `python test_noise_programs.py SEED COUNT` searches
wider.
"""

from __future__ import annotations

import sys

import pytest
from noisy_answers import differently_written, disagreements, noisy_of, verdict_disagreements


@pytest.mark.parametrize("seed", range(6))
def test_probabilities_of_words_results_and_costs(seed: int) -> None:
    noisy = noisy_of(seed, most_draws=2)
    assert not list(disagreements(noisy)), noisy.text()


@pytest.mark.parametrize("seed", range(200, 212))
def test_what_means_the_same_has_the_same_probabilities(seed: int) -> None:
    noisy = noisy_of(seed, most_draws=3)
    assert not list(differently_written(noisy)), noisy.text()


@pytest.mark.parametrize("seed", range(100, 103))
def test_verdicts_for_all_values_and_at_one(seed: int) -> None:
    noisy = noisy_of(seed, most_draws=2)
    assert not list(verdict_disagreements(noisy)), noisy.text()


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:3])
    for number in range(start, start + count):
        made = noisy_of(number)
        for problem in (*disagreements(made), *differently_written(made), *verdict_disagreements(made)):
            print(f"seed {number}: {problem}\n{made.text()}", flush=True)
