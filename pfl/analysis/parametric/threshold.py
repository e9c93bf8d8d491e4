"""e^eps as something that polynomials can be compared with.

Source: docs/theory/parameters.md and docs/theory/epsilon.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pfl.analysis.polynomial.box import Chart
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import Condition


@struct
class Power:
    """A number c given by c^root = bound, positive where it is defined; c is e^eps if `exact`, else a bound of it."""

    root: int
    bound: Number
    exact: bool

    def exceeded(self, left: Number, right: Number) -> Condition:
        """The condition left > c right on non-negative masses."""
        excess = self.bound * right**self.root - left**self.root
        return Condition(polynomial=excess, relation="<", text="the ratio is larger than e^epsilon")

    def kept(self, left: Number, right: Number) -> Condition:
        """The condition left <= c right on non-negative masses."""
        excess = left**self.root - self.bound * right**self.root
        return Condition(polynomial=excess, relation="<=", text="the ratio is at most e^epsilon")

    def quotient(self, chart: Chart) -> tuple[Number, Number] | None:
        """Polynomials (P, Q) in the chart's variables with P/Q = c and Q > 0 on the chart; None where c is a root, or Q
        shows no sign."""
        return _quotient(chart.pull(self.bound)) if self.root == 1 else None


def power(epsilon: Epsilon, bits: int, *, upper: bool = False) -> Power:
    """e^eps where it is algebraic, else a number below it, or above, with relative error 2^-bits."""

    def bounded(exponent: Epsilon) -> Fraction:
        return exponent.upper_bound(bits) if upper else exponent.lower_bound(bits)

    logarithms = epsilon - Epsilon.rational(epsilon.constant)
    algebraic = logarithms.algebraic()
    if algebraic is None:
        return Power(root=1, bound=bounded(epsilon), exact=False)
    root, bound = algebraic
    if not epsilon.constant:
        return Power(root=root, bound=bound, exact=True)
    return Power(root=root, bound=bound * bounded(Epsilon.rational(epsilon.constant * root)), exact=False)


def rational_power(epsilon: Epsilon, bits: int) -> Power:
    """e^eps where it is rational or a rational function, else, without parameters, a rational below it."""
    algebraic = power(epsilon, bits)
    if algebraic.root == 1 or epsilon.parameters:
        return algebraic
    return Power(root=1, bound=epsilon.lower_bound(bits), exact=False)


def is_exceeded_at(epsilon: Epsilon, left: Fraction, right: Fraction, values: Mapping[str, Fraction]) -> bool:
    """Whether left > e^eps right at given parameter values, always decided."""
    if not right:
        return left > 0
    return epsilon.evaluate(values).compare(left / right) > 0


def _quotient(number: Number) -> tuple[Number, Number] | None:
    if isinstance(number, Fraction):
        return Fraction(number.numerator), Fraction(number.denominator)
    above, below = number.numerator.to_number(), number.denominator.to_number()
    if isinstance(below, RationalFunction) and below.signs != {1}:
        return None
    return above, below
