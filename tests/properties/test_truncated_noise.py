"""Noise that is clamped at bounds comes to noise without bounds as these grow: words are no further off than the tails
that are cut."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from noisy_answers import words_of

from pfl.driver import compile_text

BOUNDS = (2, 4, 7)
Sample = tuple[Fraction, int, int]
"""alpha, and the mean c + s q for an input q of 0 or 1."""


def program(samples: list[Sample], comparisons: list[str], bound: int | None) -> str:
    drawn = []
    for number, (alpha, c, s) in enumerate(samples):
        mean = f"{c} + {s}*q"
        noise = (
            f"two_sided_geometric({alpha}, {mean})"
            if bound is None
            else f"truncated_geometric({alpha}, {mean}, -{bound}, {bound})"
        )
        drawn.append(f"    let x{number} ~ {noise};\n")
    shown = [f"    emit if {comparison} then yes else no;\n" for comparison in comparisons]
    return (
        "import std.noise { truncated_geometric };\n"
        f"mechanism m(q: 0..1) emits {{no, yes}} {{\n{''.join(drawn)}{''.join(shown)}}}\n"
        "adjacency other(a: 0..1, b: 0..1) = a != b;\ncheck words: privacy m { adjacent other; epsilon 1; }\n"
    )


@pytest.mark.parametrize("seed", range(12))
def test_clamped_noise_is_no_further_off_than_what_is_cut(seed: int) -> None:
    source = Random(seed)
    alphas = [Fraction(1, 2), Fraction(1, 3), Fraction(2, 5), Fraction(3, 4)]
    count = source.choice([2, 2, 3])
    samples = [(source.choice(alphas), source.randint(-1, 1), source.randint(-1, 1)) for _ in range(count)]
    comparisons = []
    for _ in range(source.randint(1, 3)):
        left, right = source.sample(range(count), 2)
        relation = source.choice(["<", "<=", ">", ">=", "==", "!="])
        other = source.choice([f"x{right}", f"x{right} + 1", f"x{right} - 2", str(source.randint(-2, 2))])
        comparisons.append(f"x{left} {relation} {other}")
    exact = words_of(compile_text(program(samples, comparisons, None)).claims[0].cases[0].question)
    for bound in BOUNDS:
        near = words_of(compile_text(program(samples, comparisons, bound)).claims[0].cases[0].question)
        for q in (0, 1):
            cut = sum(2 * alpha ** (bound - abs(c + s * q) + 1) / (1 + alpha) for alpha, c, s in samples)
            for word in exact[q].keys() | near[q].keys():
                one, other = (each[q].get(word, Fraction(0)) for each in (exact, near))
                assert isinstance(one, Fraction)
                assert isinstance(other, Fraction)
                assert abs(one - other) <= cut, (word, bound)
