"""A claim over exponentials that are parameters, in the coarsest units that its own numbers need: it is the same claim
whatever units other claims need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import gcd

from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.base.struct import struct
from pfl.model.claims import Case
from pfl.model.parameters import Parameter, ParameterSpace, Space
from pfl.passes.equations import Numbers


class _NoneIsCoarser(Exception):
    """No power can be taken out of all that was looked at."""


@struct
class InUnits:
    """Cases, what their numbers were divided by, and the space of both."""

    cases: tuple[Case, ...]
    divisors: tuple[Number, ...]
    space: Space


def in_own_units(cases: Sequence[Case], divisors: Iterable[Number], space: Space, least: int = 1) -> InUnits:
    """The cases and divisors over `space`, with e^(-k x/n) in place of e^(-x/n), k the largest divisor of n/`least` for
    which all powers stay whole. Divisors about others than the space are left out."""
    names = frozenset(space.names)
    kept = tuple(each for each in divisors if names.issuperset(_polynomials_of(each)[0]))
    powers = {name: held.unit // least for name in space.names if (held := Exponential.of(name)) is not None}
    seen: set[Number] = set()

    def noted(number: Number) -> Number:
        if number not in seen:
            seen.add(number)
            for polynomial in _polynomials_of(number)[1]:
                for monomial, _ in polynomial.terms:
                    for name, power in monomial:
                        if name in powers:
                            powers[name] = gcd(powers[name], power)
            if all(power == 1 for power in powers.values()):
                raise _NoneIsCoarser
        return number

    parameters = space if isinstance(space, ParameterSpace) else None
    with suppress(_NoneIsCoarser):
        Numbers(noted, parameters)((tuple(cases), kept))
    coarse = {name: _root(name, power) for name, power in powers.items() if power > 1}
    if not coarse:
        return InUnits(cases=tuple(cases), divisors=kept, space=space)
    made: dict[Number, Number] = {}

    def changed(number: Number) -> Number:
        if not isinstance(number, RationalFunction):
            return number
        if number not in made:
            above, below = (
                _changed(polynomial, coarse, powers) for polynomial in (number.numerator, number.denominator)
            )
            made[number] = above.to_number() / below.to_number()
        return made[number]

    if isinstance(space, ParameterSpace):
        space = replace(space, parameters=tuple(_named(each, coarse) for each in space.parameters))
        parameters = space
    else:
        space = replace(space, unit=space.unit // powers[space.exponential.name])
    change = Numbers(changed, parameters)
    return InUnits(cases=change(tuple(cases)), divisors=change(kept), space=space)


def _named(parameter: Parameter, coarse: Mapping[str, str]) -> Parameter:
    return replace(parameter, name=coarse.get(parameter.name, parameter.name))


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
