"""The smallest epsilon of random channels, against the library `qif`, which computes in floats (extra `oracles`)."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from pfl import check_text
from pfl.engines.answer import Computed

qif = pytest.importorskip("qif", reason="qif is not installed: pip install '.[oracles]'")


def random_channel(chance: random.Random, inputs: int, outputs: int) -> list[list[Fraction]]:
    rows = [[chance.randint(1, 9) for _ in range(outputs)] for _ in range(inputs)]
    return [[Fraction(weight, sum(row)) for weight in row] for row in rows]


def model(channel: list[list[Fraction]], adjacency: str) -> str:
    arms = ", ".join(
        f"{number} => {{ {', '.join(f'{output}: {weight}' for output, weight in enumerate(row))} }}"
        for number, row in enumerate(channel)
    )
    return f"""
    mechanism channel(x: 0..{len(channel) - 1}) -> 0..{len(channel[0]) - 1} {{ return match x {{ {arms} }}; }}
    adjacency near(a: 0..{len(channel) - 1}, b: 0..{len(channel) - 1}) = {adjacency};
    compute epsilon channel {{ adjacent near; }}
    """


@pytest.mark.parametrize("seed", range(12))
def test_the_smallest_epsilon_is_that_of_qif(seed: int) -> None:
    import numpy

    chance = random.Random(seed)
    channel = random_channel(chance, chance.randint(2, 4), chance.randint(2, 5))
    is_line = seed % 2 == 1
    findings = check_text(model(channel, "abs(a - b) == 1" if is_line else "a != b"))
    assert findings.diagnostics == ()
    (result,) = findings.results
    assert isinstance(result.verdict, Computed)
    assert result.verdict.bound is not None
    ratio = result.verdict.bound.ratio
    assert isinstance(ratio, Fraction)
    # On a line, distances are multiples of one step; between any two inputs, all are 1.
    distance = (lambda a, b: float(abs(a - b))) if is_line else (lambda a, b: float(a != b))
    floats = numpy.array([[float(weight) for weight in row] for row in channel])
    assert qif.measure.d_privacy.smallest_epsilon(floats, distance) == pytest.approx(math.log(ratio), rel=1e-9)
