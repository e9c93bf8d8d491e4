"""Random mechanisms with cuts and means at multiples of ln(r)/eps, or of 1/eps: probabilities against quadrature.
`python test_logarithms_as_cuts.py SEED COUNT` searches wider.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from scipy.integrate import quad

from pfl import Options, check_text
from pfl.base.closed_form import enclosure

NEAR = 1e-7


def density(x: float, mean: float, rate: int) -> float:
    return rate / 2 * math.exp(-rate * abs(x - mean))


def up_to(x: float, mean: float, rate: int) -> float:
    tail = math.exp(-rate * abs(x - mean)) / 2
    return tail if x < mean else 1 - tail


def difference(seed: int) -> str:
    """What is wrong with the probability that s > t + c and low < s < high, in units of 1/eps; empty if nothing."""
    random = Random(seed)
    argument = random.choice([Fraction(2), Fraction(3), Fraction(5, 2), Fraction(3, 2), None])
    unit = 1.0 if argument is None else math.log(argument)
    word = "1" if argument is None else f"ln({argument})"
    first, second = random.sample([1, 2, 3], 2)
    means = [random.randint(-2, 2) for _ in range(2)]
    c, low = random.randint(-2, 2), random.randint(-3, 1)
    high = low + random.randint(1, 4)
    text = f"""
param eps in (0, inf);
mechanism m(x: bool) -> bool {{
    let s ~ laplace({means[0]}*{word}/eps, 1/({first}*eps));
    let t ~ laplace({means[1]}*{word}/eps, 1/({second}*eps));
    return s > t + {c}*{word}/eps and s < {high}*{word}/eps and {low}*{word}/eps < s;
}}
compute likely: probability m(true) {{ returns true; }}
"""
    findings = check_text(text, Options(debug=True))
    if findings.diagnostics:
        return f"{[each.message for each in findings.diagnostics]}\n{text}"
    value = findings.results[0].verdict.value  # type: ignore[union-attr]
    found = float(enclosure(value, 64).low)

    def height(x: float) -> float:
        return density(x, means[0] * unit, first) * up_to(x - c * unit, means[1] * unit, second)

    breaks = sorted({low, high, *(b for b in (means[0], means[1] + c) if low < b < high)})
    wanted = sum(quad(height, a * unit, b * unit, epsabs=1e-12)[0] for a, b in pairwise(breaks))
    return "" if abs(found - wanted) < NEAR else f"{found}, and by quadrature {wanted}\n{text}"


@pytest.mark.parametrize("seed", range(10))
def test_probabilities_by_quadrature(seed: int) -> None:
    assert not difference(seed)


if __name__ == "__main__":
    start, count = map(int, sys.argv[1:3])
    for number in range(start, start + count):
        if problem := difference(number):
            print(f"seed {number}: {problem}", flush=True)
