"""e^eps as a number of an exponential space, or between two of them."""

from __future__ import annotations

from fractions import Fraction

from pfl.analysis.exponential.decide import NonNegative
from pfl.analysis.exponential.functions import Functions
from pfl.base.closed_form import enclosure, in_unit, is_closed, is_constant, power_of_e, unit_of
from pfl.base.epsilon import Epsilon
from pfl.base.exponential import ONE
from pfl.base.number import Number
from pfl.base.rational_function import Monomial, Polynomial, RationalFunction
from pfl.base.struct import struct

_BITS = 64


class NoExponential(Exception):
    """e^eps is no number of the space; the text says why."""


@struct
class Factor:
    """(e^eps)^root lies from `low` to `high`, numbers of the space; they are one object where it is that number."""

    root: int
    low: Number
    high: Number


def factor_of(epsilon: Epsilon, functions: Functions) -> Factor:
    """e^eps in the space of the functions. Raises NoExponential where it is too long to write out, or of no use."""
    power = (epsilon - Epsilon.rational(epsilon.constant)).algebraic()
    if power is None:
        raise NoExponential(f"e^({epsilon}) is too long to write out")
    root, factor = power
    if not epsilon.constant:
        return Factor(root=root, low=factor, high=factor)
    exponent = epsilon.constant * root
    constant = power_of_e(exponent)
    if functions.space.base == ONE:
        unit = unit_of(constant)
        assert unit is not None
        if functions.space.unit % unit == 0:
            both = factor * in_unit(constant, functions.space.unit)
            return Factor(root=root, low=both, high=both)
    bounds = Epsilon.rational(exponent)
    low, high = factor * bounds.lower_bound(_BITS), factor * bounds.upper_bound(_BITS)
    return Factor(root=root, low=low, high=high)


def factor_without_root(epsilon: Epsilon, functions: Functions) -> Factor:
    """e^eps between two numbers of the space: itself, or what is next to it where it is a root, or holds other powers
    of e. Raises NoExponential where a root is taken of what depends on the parameter."""
    found = factor_of(epsilon, functions)
    if found.root == 1:
        return found
    depending, low, high = Epsilon(), Epsilon.rational(epsilon.constant), Epsilon.rational(epsilon.constant)
    for coefficient, argument in epsilon.logarithms:
        if unit_of(argument) is None:
            depending += Epsilon.ln(argument) * coefficient
            continue
        near = enclosure(argument, _BITS)
        ends = (near.low, near.high) if coefficient > 0 else (near.high, near.low)
        low, high = (bound + Epsilon.ln(end) * coefficient for bound, end in zip((low, high), ends))
    power = depending.algebraic()
    if power is None or power[0] > 1:
        raise NoExponential(
            f"with a delta, e^({epsilon}) is a root of what depends on a parameter, which is not enclosed; claim a "
            "larger epsilon, a number plus a multiple of the parameter"
        )
    return Factor(root=1, low=power[1] * low.lower_bound(_BITS), high=power[1] * high.upper_bound(_BITS))


def number_between(number: Number, functions: Functions) -> tuple[Number, Number]:
    """Numbers of the space below and above one that may hold other powers of e: itself twice where it holds none.

    x^i z^j is not negative, so a sum of such terms is enclosed where each coefficient is. Raises NoExponential where
    other powers of e divide it.
    """
    space = functions.space
    if is_closed(number) and space.base == ONE:
        same = in_unit(number, space.unit)
        return same, same
    if isinstance(number, Fraction) or not any(map(is_constant, number.parameters)):
        return number, number
    below: Number = number.denominator.to_number()
    divisor: Number = Fraction(1)
    if len(number.denominator.terms) == 1:
        below, divisor = _parted(*number.denominator.terms[0])
    if isinstance(below, RationalFunction) and any(map(is_constant, below.parameters)):
        raise NoExponential(
            f"{number} is divided by a sum that holds powers of e beside those of `{space.base}`, which is not "
            f"enclosed; write it without, or fix `{space.base}` with --set"
        )
    coefficients: dict[Monomial, Number] = {}
    for monomial, coefficient in number.numerator.terms:
        of_space = tuple(each for each in monomial if not is_constant(each[0]))
        constant = _parted(monomial, coefficient)[1] / divisor
        coefficients[of_space] = coefficients.get(of_space, Fraction(0)) + constant
    bounds = {monomial: enclosure(coefficient, _BITS) for monomial, coefficient in coefficients.items() if coefficient}
    low = Polynomial(tuple((monomial, bound.low) for monomial, bound in bounds.items())).to_number()
    high = Polynomial(tuple((monomial, bound.high) for monomial, bound in bounds.items())).to_number()
    for signed in (below, -below):
        if isinstance(functions.is_at_most(Fraction(0), signed), NonNegative):
            low, high = low / below, high / below
            return (low, high) if signed is below else (high, low)
    raise NoExponential(f"the sign of {below}, by which {number} is divided, is not known")


def _parted(monomial: Monomial, coefficient: Fraction) -> tuple[Number, Number]:
    """A term as a product of what depends on the parameter, and of a number with powers of e."""
    depending = tuple(each for each in monomial if not is_constant(each[0]))
    constant = tuple(each for each in monomial if is_constant(each[0]))
    return Polynomial(((depending, Fraction(1)),)).to_number(), Polynomial(((constant, coefficient),)).to_number()
