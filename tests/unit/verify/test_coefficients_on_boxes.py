"""The coefficients of a polynomial on a box: up to a positive factor those of its image, at every point."""

from __future__ import annotations

import random
from fractions import Fraction
from math import prod

import pytest

from pfl.verify.certificates.exact.boxes import Box, Interval, coefficients
from pfl.verify.certificates.exact.polynomials import Poly


def interval(source: random.Random) -> Interval:
    low = Fraction(source.randint(-3, 3), source.randint(1, 5))
    return Interval(low=low, high=low + Fraction(source.randint(0, 4), 3), low_open=False, high_open=True)


@pytest.mark.parametrize("seed", range(30))
def test_they_are_those_of_the_image(seed: int) -> None:
    source = random.Random(seed)
    names = source.randint(1, 3)
    terms = {
        tuple(source.randint(0, 4) for _ in range(names)): Fraction(source.randint(-5, 5) or 1, source.randint(1, 4))
        for _ in range(source.randint(1, 6))
    }
    box: Box = tuple(interval(source) for _ in range(names))
    found = coefficients(Poly(terms), box)
    degrees = [max(powers[place] for powers in terms) for place in range(names)]
    ratios = set()
    for _ in range(8):
        at = [Fraction(source.randint(0, 5), source.randint(1, 3)) for _ in range(names)]
        point = [(each.low + each.high * u) / (1 + u) for each, u in zip(box, at)]
        value = sum(prod([c, *(p**k for p, k in zip(point, powers))]) for powers, c in terms.items())
        value *= prod((1 + u) ** degree for u, degree in zip(at, degrees))
        image = sum(prod([Fraction(c), *(u**k for u, k in zip(at, powers))]) for powers, c in found.items())
        assert (value > 0, value < 0) == (image > 0, image < 0)
        if value:
            ratios.add(image / value)
    assert len(ratios) <= 1
