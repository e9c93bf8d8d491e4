"""What a precision means: how far the window of a sample goes, and how long polynomials are. Source:
docs/theory/gaussian.md."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt, log, sqrt
from typing import Any


class Precision:
    """Enclosures whose widths are, as a rule, some 2^-bits.

    A sample is looked at in its window alone, `reach` standard deviations to either side of its mean; `degree` is how
    many coefficients polynomials on cells have, which are half a standard deviation long. None of these numbers has to
    be right for enclosures to be true.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.reach = ceil(sqrt(2 * bits * log(2)))
        self.degree = bits // 4 + 20

    @property
    def working_bits(self) -> int:
        """Of the balls that are computed with."""
        return 2 * self.bits + 32

    def window(self, mean: Fraction, deviation: Fraction) -> tuple[Fraction, Fraction]:
        """The window of a real sample."""
        return mean - self.reach * deviation, mean + self.reach * deviation

    def whole_reach(self, deviation: Fraction) -> int:
        """How far the window of an integer sample goes to either side of its mean."""
        return ceil(self.reach * deviation)

    @cached_property
    def outside(self) -> Any:
        """A ball above the probability that a real sample is outside of its window."""
        from flint import arb

        return (arb(self.reach) / arb(2).sqrt()).erfc()

    def whole_tail(self, deviation: Fraction) -> Any:
        """A ball above the sum of e^(-k^2/(2 deviation^2)) over all k outside of the window.

        From one k to the next a term shrinks by the first ratio at least, so the sum is at most a geometric series.
        """
        from flint import arb

        first = self.whole_reach(deviation) + 1
        twice = ball(2 * deviation**2)
        ratio = (-arb(2 * first + 1) / twice).exp()
        return 2 * (-(arb(first) ** 2) / twice).exp() / (1 - ratio)

    def radius_of_convergence(self, half_width: Fraction) -> int:
        """A radius, in half cells, on which the power series of a density is bounded for its remainder.

        `half_width` is half a cell in standard deviations. Any radius above 1 gives a true bound; with h the half width
        and n the degree, that at which h R is the root of n/2 gives nearly the least.
        """
        return max(2, int(isqrt(self.degree * 8) * half_width.denominator // (4 * half_width.numerator)))


def ball(number: Fraction) -> Any:
    """The ball of a rational number."""
    from flint import arb, fmpq

    return arb(fmpq(number.numerator, number.denominator))
