"""Random mechanisms with noise, and the multiple of eps that a find looks for: the least one is what `compute epsilon`
gives, the claim holds there and fails a little below."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from pfl import Computed, Found, NoneFound, Options, Proved, Refuted, check_text
from pfl.base.enclosure import Enclosure
from pfl.base.exact_text import fraction_text
from pfl.base.rational_function import RationalFunction

RATES = ("1/eps", "2/eps", "3/eps", "1/(2*eps)")
CUTS = (Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2))


def mechanism(random: Random) -> str:
    """One sample told in two or three bins, or two samples that are compared with each other or with numbers."""
    rates = random.sample(RATES, 2)
    mean = random.choice(["x", "2*x", "x/2"])
    low, high = sorted(random.sample(CUTS, 2))
    first = f"let s ~ laplace({mean}, {rates[0]});"
    second = f"let t ~ laplace({random.choice(['x', '1 - x', '0'])}, {rates[1]});"
    low_text, high_text = fraction_text(low), fraction_text(high)
    body = random.choice(
        [
            f"{first} return if s < {low_text} then 0 else 1;",
            f"{first} return if s < {low_text} then 0 else if s < {high_text} then 1 else 2;",
            f"{first} {second} return if s < t then 0 else 1;",
            f"{first} {second} return if s < {low_text} then 0 else if t < {high_text} then 1 else 2;",
            f"{first} return if s < {low_text} or s >= {high_text} then 0 else 1;",
        ]
    )
    return f"mechanism told(x: 0..1) -> 0..2 {{ {body} }}"


def results(*lines: str) -> dict[str, object]:
    found = check_text("\n".join(lines), Options(timeout=60.0))
    assert [each for each in found.diagnostics if each.severity == "error"] == []
    return {result.claim.name: result.verdict for result in found.results}


def check_seed(seed: int) -> None:
    random = Random(seed)
    factor, beside = random.choice([1, 2, Fraction(1, 3)]), random.choice([0, 0, Fraction(1, 7)])
    epsilon = f"{fraction_text(Fraction(factor))}*c*eps + {fraction_text(Fraction(beside))}*eps"
    model = (
        "param eps in (0, inf);",
        "param c in [0, 40];",
        mechanism(random),
        "adjacency other(a: 0..1, b: 0..1) = a != b;",
    )
    verdicts = results(
        *model,
        "compute smallest: epsilon told { adjacent other; }",
        f"find some: c such that privacy told {{ adjacent other; epsilon {epsilon}; }}",
        f"find least: c such that privacy told {{ adjacent other; epsilon {epsilon}; minimise c; }}",
    )
    computed, some, least = verdicts["smallest"], verdicts["some"], verdicts["least"]
    assert isinstance(computed, Computed)
    value = computed.value
    if value is None and computed.bound is not None and computed.bound.ratio == 1:
        value = Fraction(0)  # the numbers do not depend on eps
    if value == "inf" or (computed.bound is not None and computed.bound.ratio == "inf"):
        assert isinstance(some, NoneFound)
        assert isinstance(least, NoneFound)
        return
    exact = value.evaluate({"eps": Fraction(1)}) if isinstance(value, RationalFunction) else value
    needed = (exact.low if isinstance(exact, Enclosure) else exact) - beside
    assert isinstance(needed, Fraction)
    smallest = max(Fraction(0), needed / factor)
    assert isinstance(some, Found)
    assert isinstance(least, Found)
    assert some.values[0][1] >= smallest
    best = least.values[0][1]
    assert best >= smallest
    assert least.best_possible is not None
    assert least.best_possible <= best <= smallest + Fraction(1, 400) * max(smallest, Fraction(1))
    if not isinstance(exact, Enclosure):
        assert best == least.best_possible == smallest
    below = (smallest * factor + beside) * Fraction(999, 1000)
    checked = results(
        *model,
        f"check there: privacy told {{ adjacent other; epsilon {fraction_text(best * factor + beside)}*eps; }}",
        f"check below: privacy told {{ adjacent other; epsilon {fraction_text(below)}*eps; }}",
    )
    assert isinstance(checked["there"], Proved)
    if smallest:
        assert isinstance(checked["below"], Refuted)


@pytest.mark.parametrize("seed", range(12))
def test_the_least_is_the_smallest_multiple(seed: int) -> None:
    check_seed(seed)
