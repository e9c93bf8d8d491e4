"""e^eps as something that polynomials can be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.box import Chart
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.ir.parameters import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """A bound of c^root for c = e^eps, equal to it if `exact`; positive where eps is defined."""

    root: int
    bound: Number
    exact: bool

    def exceeded(self, left: Number, right: Number) -> Condition:
        """The condition left^root > bound right^root on non-negative masses."""
        excess = self.bound * right**self.root - left**self.root
        return Condition(polynomial=excess, relation="<", text="the ratio is larger than e^epsilon")

    def kept(self, left: Number, right: Number) -> Condition:
        """The condition left^root <= bound right^root on non-negative masses."""
        excess = left**self.root - self.bound * right**self.root
        return Condition(polynomial=excess, relation="<=", text="the ratio is at most e^epsilon")


def power(epsilon: Epsilon, bits: int, *, upper: bool = False) -> Power:
    """A power of e^eps, exact where that is algebraic, else from below, or above, with relative error 2^-bits."""

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


def is_exceeded_at(epsilon: Epsilon, left: Fraction, right: Fraction, values: Mapping[str, Fraction]) -> bool:
    """Whether left > e^eps right at given parameter values, always decided."""
    if not right:
        return left > 0
    return epsilon.evaluate(values).compare(left / right) > 0


def quotient_below(epsilon: Epsilon, chart: Chart) -> tuple[Number, Number]:
    """Polynomials (P, Q) in the chart's variables with 0 <= P/Q <= e^eps and Q > 0 on the chart; (0, 1) at worst."""
    below = power(epsilon, 64)
    if below.root == 1:
        return positive_quotient(chart.pull(below.bound))
    if not epsilon.parameters:
        return positive_quotient(epsilon.lower_bound(64))
    return Fraction(0), Fraction(1)


def positive_quotient(number: Number) -> tuple[Number, Number]:
    """Numerator and denominator of a number that is positive on a chart; (0, 1) unless the latter has no negative
    coefficient."""
    if isinstance(number, Fraction):
        return Fraction(number.numerator), Fraction(number.denominator)
    above, below = number.numerator.to_number(), number.denominator.to_number()
    if isinstance(below, RationalFunction) and below.signs != {1}:
        return Fraction(0), Fraction(1)
    return above, below
