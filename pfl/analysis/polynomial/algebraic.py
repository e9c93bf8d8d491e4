"""Exact comparisons of probabilities at a parameter value that is an irrational root of a polynomial.

Proof that they come to an end: docs/theory/replay.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.cells import sign_of
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct


@struct
class ExactRoot:
    """A real algebraic parameter value that is not rational: the `root` of `polynomial` near `value`."""

    polynomial: str
    value: float
    root: Root

    @staticmethod
    def of(name: str, value: Fraction | Root) -> Fraction | ExactRoot:
        """The value of a parameter as it is told of."""
        if isinstance(value, Fraction):
            return value
        return ExactRoot(polynomial=value.equation(name), value=float(value), root=value)


ParameterValue: TypeAlias = Number | ExactRoot
"""A function of the other parameters where a value of those is irrational."""


class Undecidable(Exception):
    """A number depends on something else than the root, has a pole there, or e^eps is too long to write out."""


def sign_at(number: Number, root: Root) -> int:
    """The sign of a number at the root; raises Undecidable where it has none."""
    if isinstance(number, RationalFunction) and len(number.parameters) != 1:
        raise Undecidable(f"{number} depends on more than one parameter")
    sign = sign_of(number, root)
    if sign is None:
        raise Undecidable(f"{number} has a pole there")
    return sign


def exceeds_at(left: Number, right: Number, epsilon: Epsilon, delta: Number, root: Root) -> bool:
    """Whether left > e^eps right + delta at the root, for left, right >= 0 there.

    With eps = q0 + l and (e^l)^n = P algebraic, it is left > delta and (left - delta)^n > e^(n q0) P right^n. For
    q0 = 0 both sides are algebraic. Otherwise e^(n q0) is transcendental, so the sides differ unless both are 0, and
    enclosures of it decide.
    """
    excess = left - delta
    if sign_at(excess, root) <= 0:
        return False
    power = Epsilon(Fraction(0), epsilon.logarithms).algebraic()
    if power is None:
        raise Undecidable(f"e^({epsilon}) is too long to write out")
    degree, factor = power
    above, below = excess**degree, factor * right**degree
    if not epsilon.constant:
        return sign_at(above - below, root) > 0
    scale = Epsilon.rational(epsilon.constant * degree)
    bits = 64
    while True:
        if sign_at(above - scale.upper_bound(bits) * below, root) > 0:
            return True
        if sign_at(above - scale.lower_bound(bits) * below, root) <= 0:
            return False
        bits *= 2


def approximation(number: Number, root: Root) -> Fraction:
    """A rational near the value of the number at the root, for display."""
    if isinstance(number, Fraction):
        return number
    near = root.within(Fraction(1, 1 << 200))
    value = number.evaluate({number.parameters[0]: (near.low + near.high) / 2})
    assert isinstance(value, Fraction)
    return value
