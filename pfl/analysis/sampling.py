"""Exact sampling: outcomes are drawn with exactly their rational probabilities, by whole random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from random import Random
from typing import TypeVar

Outcome = TypeVar("Outcome")


def draw(weighted: Sequence[tuple[Outcome, Fraction]], source: Random) -> Outcome | None:
    """One of the outcomes; None with the probability that is missing to 1.

    The probabilities are not negative and sum to at most 1.
    """
    unit = lcm(*(weight.denominator for _, weight in weighted))
    left = source.randrange(unit)
    for outcome, weight in weighted:
        left -= weight.numerator * (unit // weight.denominator)
        if left < 0:
            return outcome
    return None
