"""Epsilons that hold multiples which a `find` looks for: `c*eps + eps/2`, c being the name that is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.exponential import Exponential
from pfl.base.number import exponent_of


def products(names: Iterable[str]) -> tuple[Exponential, ...]:
    """Those of the names that are exponentials of a product c*x, sorted."""
    held = map(Exponential.of, sorted(names))
    return tuple(each for each in held if each is not None and each.factors is not None)


def has_multiple(epsilon: Epsilon) -> bool:
    """Whether an epsilon holds a multiple that is looked for."""
    return bool(products(epsilon.parameters))


def parted(epsilon: Epsilon) -> tuple[Epsilon, Fraction]:
    """(e, k) of an epsilon e + k*c*x, e without c."""
    rest, slope = Epsilon.rational(epsilon.constant), Fraction(0)
    for coefficient, argument in epsilon.logarithms:
        power = exponent_of(argument)
        if power is not None and "*" in power[0]:
            slope += coefficient * power[1]
        else:
            rest += Epsilon.ln(argument) * coefficient
    return rest, slope
