"""A claim over exponentials that are parameters, in the coarsest units that its own numbers need: it is the same claim
whatever units other claims need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import gcd

from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.base.struct import struct
from pfl.model.claims import Case
from pfl.model.parameters import ParameterSpace
from pfl.passes.equations import Numbers


@struct
class InUnits:
    """Cases, what their numbers were divided by, and the space of both."""

    cases: tuple[Case, ...]
    divisors: tuple[Number, ...]
    space: ParameterSpace


def in_own_units(cases: Sequence[Case], divisors: Iterable[Number], space: ParameterSpace) -> InUnits:
    """The cases and divisors over `space`, with e^(-k x/n) in place of e^(-x/n), k the largest divisor of n with which
    all powers stay whole. Divisors about others than the space are left out."""
    names = frozenset(space.names)
    kept = tuple(each for each in divisors if names.issuperset(_polynomials_of(each)[0]))
    powers = {name: held.unit for name in space.names if (held := Exponential.of(name)) is not None}

    def noted(number: Number) -> Number:
        for polynomial in _polynomials_of(number)[1]:
            for monomial, _ in polynomial.terms:
                for name, power in monomial:
                    if name in powers:
                        powers[name] = gcd(powers[name], power)
        return number

    look = Numbers(noted, space)
    look((tuple(cases), kept))
    coarse = {name: _root(name, power) for name, power in powers.items() if power > 1}
    parameters = tuple(
        replace(parameter, name=coarse.get(parameter.name, parameter.name)) for parameter in space.parameters
    )
    space = replace(space, parameters=parameters)

    def changed(number: Number) -> Number:
        if not coarse or not isinstance(number, RationalFunction):
            return number
        above, below = (_changed(polynomial, coarse, powers) for polynomial in (number.numerator, number.denominator))
        return above.to_number() / below.to_number()

    change = Numbers(changed, space)
    return InUnits(cases=change(tuple(cases)), divisors=change(kept), space=space)


def _polynomials_of(number: Number) -> tuple[tuple[str, ...], tuple[Polynomial, ...]]:
    """The names in a number, and the polynomials that it is a quotient of; none of a constant."""
    if not isinstance(number, RationalFunction):
        return (), ()
    return number.parameters, (number.numerator, number.denominator)


def _root(name: str, power: int) -> str:
    held = Exponential.of(name)
    assert held is not None, "only exponentials have units"
    return Exponential(base=held.base, unit=held.unit // power).name


def _changed(polynomial: Polynomial, coarse: Mapping[str, str], powers: Mapping[str, int]) -> Polynomial:
    """The polynomial in the names of `coarse`, with powers that are divided by those that these stand for."""
    return Polynomial(
        tuple(
            (
                tuple((coarse[name], power // powers[name]) if name in coarse else (name, power) for name, power in m),
                coefficient,
            )
            for m, coefficient in polynomial.terms
        )
    )
