"""Where a claim fails, or a number is attained: two sides, words, and their exact probabilities.

Engines make none: `pfl.verify` does, from what the system itself gives.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pfl.analysis.polynomial.algebraic import ExactRoot, ParameterValue, exceeds_at
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.closed_form import compare, enclosure, is_closed, power_of_e, together
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.struct import struct

_BITS = (128, 512, 2048, 8192)
_WIDTH = Fraction(1, 10**18)
"""Relative width to which an excess is enclosed where e^epsilon is irrational, if the last precision allows it."""


@struct
class Witness:
    """Two sides, and what the adversary sees, whose exact probabilities differ by too much.

    `left` is the side that is too likely. `words` is what is seen, in the letters of the system: one word, or a set of
    words of which none begins with another where an additive delta is allowed; the probabilities are those of seeing
    one of them, functions of the parameter whose value is irrational if one is. The masses are replayed on the system
    itself (`pfl.verify.replay`). Where letters are more than what is seen, `inputs` and `observations` are the parts of
    each word that are given and seen. `epsilon` is what is claimed of this pair at these values, None where that is
    computed. `out_of` is how many words the set has of which only some were replayed, None where it is all of them.
    """

    heading: str
    left: str
    right: str
    prior: str
    bindings: tuple[tuple[str, str], ...]
    parameters: tuple[tuple[str, ParameterValue], ...]
    words: tuple[tuple[str, ...], ...]
    probability_left: Number
    probability_right: Number
    inputs: tuple[tuple[str, ...], ...] = ()
    observations: tuple[tuple[str, ...], ...] = ()
    epsilon: Epsilon | None = None
    out_of: int | Literal["inf"] | None = None

    @property
    def ratio(self) -> Number | Literal["inf"]:
        """Left over right; `inf` where right is impossible."""
        return self.probability_left / self.probability_right if self.probability_right else "inf"

    @property
    def root(self) -> Root | None:
        """The parameter value that is irrational, if there is one; the probabilities are then functions of it."""
        return next((value.root for _, value in self.parameters if isinstance(value, ExactRoot)), None)

    def excess(self, epsilon: Epsilon) -> Number | Enclosure | None:
        """left - e^epsilon * right, enclosed where e^epsilon is irrational; None where that is too large to write out,
        or the probabilities are functions of an irrational value as well."""
        factor = epsilon.exact_exponential()
        if factor is not None:
            return self.excess_at(factor)
        left, right = self.probability_left, self.probability_right
        if not right:
            return left
        if self.holds_powers_of_e and not epsilon.logarithms:
            left, right, power = together(left, right, power_of_e(epsilon.constant))
            return left - power * right
        if epsilon.parameters or not all(isinstance(each, Fraction) or is_closed(each) for each in (left, right)):
            return None
        for bits in _BITS:
            above, below = enclosure(left, bits), enclosure(right, bits)
            try:
                low = above.low - epsilon.upper_bound(bits) * below.high
                high = above.high - epsilon.lower_bound(bits) * below.low
            except LimitReached:
                return None
            if high - low <= abs(low) * _WIDTH:
                break
        return _rounded_outward(low, high)

    @property
    def holds_powers_of_e(self) -> bool:
        """Whether a probability is no rational number, but one in powers of e."""
        return is_closed(self.probability_left) or is_closed(self.probability_right)

    def excess_at(self, factor: Number) -> Number:
        """left - factor * right."""
        return self.probability_left - factor * self.probability_right

    def exceeds(self, epsilon: Epsilon, delta: Number) -> bool:
        """Whether left > e^epsilon * right + delta, decided exactly; raises Undecidable at an irrational value where
        it cannot be."""
        left, right, root = self.probability_left, self.probability_right, self.root
        if root is not None:
            return exceeds_at(left, right, epsilon, delta, root)
        left, delta = together(left, delta)
        excess = left - delta
        if not isinstance(excess, Fraction) or not isinstance(right, Fraction):
            return compare(excess, right, epsilon) > 0
        return epsilon.compare(excess / right) > 0 if right else excess > 0

    def reaches(self, epsilon: Epsilon, delta: Number) -> bool:
        """Whether left >= e^epsilon * right + delta, for values of the parameters that are rational."""
        left, delta = together(self.probability_left, delta)
        excess, right = left - delta, self.probability_right
        if not isinstance(excess, Fraction) or not isinstance(right, Fraction):
            return compare(excess, right, epsilon) >= 0
        return epsilon.compare(excess / right) >= 0 if right else excess >= 0


def _rounded_outward(low: Fraction, high: Fraction) -> Enclosure:
    """A near interval around one that may have long ends."""
    unit = Fraction(1)
    while unit > abs(high) * _WIDTH and high:
        unit /= 10
    return Enclosure(low // unit * unit, -(-high // unit) * unit)
