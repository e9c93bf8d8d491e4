"""What generated code calls for exponentials and for noise without bounds.

`place` is the span that a fault points at, `places` those of a call and of its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from pfl.base.closed_form import is_closed, sign
from pfl.base.exponential import ONE, Exponential, FinerUnit
from pfl.base.number import Number, exponent_of
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.evaluation import faults
from pfl.evaluation.fragment import SideConditions
from pfl.evaluation.runtime.number_operations import LARGEST_BITS
from pfl.model.distribution import not_negative
from pfl.model.line_units import LONGEST, Logarithm, Measured, measured
from pfl.model.noise import Noise, Sample
from pfl.model.parameters import Condition


class Exponents:
    """Exponentials, whose exponents are multiples of base/units[base].

    Raises FinerUnit where one is not.
    """

    def __init__(self, units: Mapping[str, int], side_conditions: SideConditions) -> None:
        self._units = units
        self._side_conditions = side_conditions

    def exp(self, exponent: Any, place: Span) -> Number:
        """`exp(x)`, x a rational number, or a rational multiple of a parameter."""
        base, coefficient = _multiple(exponent, place)
        return exponential(self._units, base, coefficient)

    def laplace(self, mean: Any, scale: Any, places: Sequence[Span]) -> Noise:
        """`laplace(mean, scale)`."""
        base, rate = _rate(scale, places[2])
        number, unit = _measured_mean(mean, places[1])
        return Noise(kind="laplace", rate=rate, mean=number, base=base, unit=unit, place=places[0])

    def exponential(self, scale: Any, places: Sequence[Span]) -> Noise:
        """`exponential(scale)`."""
        base, rate = _rate(scale, places[1])
        return Noise(kind="exponential", rate=rate, base=base, place=places[0])

    def two_sided_geometric(self, alpha: Any, mean: Any, places: Sequence[Span]) -> Noise:
        """`two_sided_geometric(alpha, mean)`."""
        rate = self._alpha(alpha, places[1])
        return Noise(kind="two_sided_geometric", rate=rate, mean=_mean(mean, places[2]), place=places[0])

    def geometric(self, alpha: Any, places: Sequence[Span]) -> Noise:
        """`geometric(alpha)`."""
        return Noise(kind="geometric", rate=self._alpha(alpha, places[1]), place=places[0])

    def gaussian(self, mean: Any, deviation: Any, places: Sequence[Span]) -> Noise:
        """`gaussian(mean, sd)`."""
        rate = 1 / _deviation(deviation, places[2])
        return Noise(kind="gaussian", rate=rate, mean=_mean(mean, places[1]), base=ONE, place=places[0])

    def discrete_gaussian(self, mean: Any, deviation: Any, places: Sequence[Span]) -> Noise:
        """`discrete_gaussian(mean, sd)`."""
        rate = 1 / _deviation(deviation, places[2])
        return Noise(kind="discrete_gaussian", rate=rate, mean=_mean(mean, places[1]), place=places[0])

    def _alpha(self, alpha: Any, place: Span) -> Number:
        if isinstance(alpha, Sample):
            raise faults.noise_depends_on_sample(place)
        if not isinstance(alpha, RationalFunction):
            if not 0 < alpha < 1:
                raise faults.noise_parameter(place, alpha, "the parameter of geometric noise lies between 0 and 1")
            return Fraction(alpha)
        if is_closed(alpha):
            if sign(alpha) <= 0 or sign(1 - alpha) <= 0:
                raise faults.noise_parameter(place, alpha, "the parameter of geometric noise lies between 0 and 1")
            return alpha
        self._side_conditions.add(not_negative(alpha, f"the parameter {alpha} of geometric noise is at least 0"), place)
        rest = 1 - alpha
        assert isinstance(rest, RationalFunction)
        text = f"the parameter {alpha} of geometric noise is at most 1"
        if (power := exponent_of(alpha)) is not None and power[1] > 0:
            text += f", as exp(-{power[0]}) is"
        self._side_conditions.add(not_negative(rest, text), place)
        text = f"the parameter {alpha} of geometric noise is not 1, where no distribution is left"
        one = Condition(polynomial=rest.numerator.to_number(), relation="!=", text=text)
        self._side_conditions.add(one, place)
        return alpha


def exponential(units: Mapping[str, int], base: str, coefficient: Fraction) -> Number:
    """e^(coefficient * base). Raises FinerUnit."""
    if not coefficient:
        return Fraction(1)
    unit = units.get(base, 1)
    power = coefficient * unit
    if power.denominator != 1:
        raise FinerUnit(base, lcm(unit, coefficient.denominator))
    return RationalFunction.parameter(Exponential(base=base, unit=unit).name) ** -power.numerator


def _multiple(exponent: Any, place: Span) -> tuple[str, Fraction]:
    """(base, coefficient) of a multiple of a parameter, or of `ONE`."""
    if isinstance(exponent, Sample):
        raise faults.not_an_exponent(place, exponent)
    if not isinstance(exponent, RationalFunction):
        _bearable(exponent, place)
        return ONE, Fraction(exponent)
    if len(exponent.parameters) == 1 and Exponential.of(exponent.parameters[0]) is None:
        (name,) = exponent.parameters
        coefficient = exponent / RationalFunction.parameter(name)
        if isinstance(coefficient, Fraction):
            _bearable(coefficient, place)
            return name, coefficient
    raise faults.not_an_exponent(place, exponent)


def _bearable(exponent: int | Fraction, place: Span) -> None:
    """Exponents become powers of polynomials, whose length they are."""
    if max(abs(exponent.numerator), exponent.denominator) > LARGEST_BITS:
        raise faults.number_too_large(place, f"e to the power {faults.shown(exponent)}")


def _rate(scale: Any, place: Span) -> tuple[str, Fraction]:
    """(base, rate) of a scale 1/(rate * base)."""
    if isinstance(scale, Sample):
        raise faults.noise_depends_on_sample(place)
    if not isinstance(scale, RationalFunction):
        if scale <= 0:
            raise faults.noise_parameter(place, scale, "the scale of noise is above 0")
        return ONE, 1 / Fraction(scale)
    inverse = 1 / scale
    if isinstance(inverse, RationalFunction) and len(inverse.parameters) == 1:
        (name,) = inverse.parameters
        rate = inverse / RationalFunction.parameter(name)
        if isinstance(rate, Fraction) and rate > 0 and Exponential.of(name) is None:
            return name, rate
    rule = "a scale is a rational number, or one divided by a parameter: `2/eps`"
    raise faults.noise_parameter(place, scale, rule, "write a number divided by one parameter")


def logarithm(argument: Any, place: Span) -> Logarithm | Fraction:
    """`ln(x)` beside samples, x a positive rational number."""
    if not isinstance(argument, int | Fraction):
        raise faults.logarithm_of_parameter(place, argument)
    if argument <= 0:
        raise faults.logarithm_of_nonpositive(place, Fraction(argument))
    if max(Fraction(argument).numerator, Fraction(argument).denominator).bit_length() > LONGEST:
        raise faults.number_too_large(place, "the argument of this logarithm")
    return Fraction(0) if argument == 1 else Logarithm(Fraction(argument), place)


def _measured_mean(mean: Any, place: Span) -> Measured:
    found = None if isinstance(mean, Sample) else measured(mean)
    return (_mean(mean, place), None) if found is None else found


def _deviation(deviation: Any, place: Span) -> Fraction:
    """A standard deviation, which depends on no parameter."""
    if isinstance(deviation, Sample):
        raise faults.noise_depends_on_sample(place)
    if isinstance(deviation, RationalFunction) or deviation <= 0:
        rule = "the standard deviation of Gaussian noise is a rational number above 0"
        raise faults.noise_parameter(place, deviation, rule, "take Laplace noise, whose scale may be `2/eps`")
    return Fraction(deviation)


def _mean(mean: Any, place: Span) -> Fraction:
    if isinstance(mean, Sample):
        raise faults.noise_depends_on_sample(place)
    if isinstance(mean, RationalFunction):
        rule = "the mean of noise is a rational number, or a multiple of 1/eps or ln(3)/eps"
        raise faults.noise_parameter(place, mean, rule)
    return Fraction(mean)
