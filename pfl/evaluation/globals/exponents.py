"""The space of a parameter and its exponential that numbers are functions of, or of several such exponentials and
other parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from pfl.base.exponential import ONE, Exponential, FinerUnit
from pfl.base.struct import struct
from pfl.evaluation.linkage import GlobalValues
from pfl.model.parameters import Condition, ExponentialSpace, Parameter, ParameterSpace, names_in


@struct
class Held:
    """What some numbers mention: the parameters, or `ONE`, whose exponentials they hold, or that have no upper end;
    other parameters; what exponents are multiples of; and which `bare` ones of the bases stand outside of exponents."""

    bases: tuple[str, ...]
    others: tuple[str, ...]
    unit: int
    bare: tuple[str, ...] = ()
    exponentials: frozenset[Exponential] = frozenset()


def held(names: Iterable[str], values: GlobalValues) -> Held:
    """What numbers that mention some names hold."""
    mentioned = frozenset(names)
    exponentials = [each for each in map(Exponential.of, mentioned) if each is not None]
    bases = {each.base for each in exponentials} | (mentioned & values.endless.keys())
    others = {name for name in mentioned if Exponential.of(name) is None} - bases
    unit = max((each.unit for each in exponentials), default=1)
    return Held(
        bases=tuple(sorted(bases)),
        others=tuple(sorted(others)),
        unit=unit,
        bare=tuple(sorted(bases & mentioned)),
        exponentials=frozenset(exponentials),
    )


class Entangled(Exception):
    """Exponentials and parameters do not take their values independently of each other; the text says which."""


def independent_space(found: Held, values: GlobalValues) -> ParameterSpace:
    """The space of what numbers hold where each base x stands in exponents alone, and goes through (0, inf): then
    z = e^(-x/unit) goes through (0, 1), and is one parameter among the others. Assumptions about others stay.

    Raises Entangled where it is no such space, and FinerUnit where one base has several units.
    """
    exponentials = {each.base: each for each in found.exponentials}
    for each in found.exponentials:
        if each != (known := exponentials[each.base]):
            raise FinerUnit(each.base, lcm(each.unit, known.unit))
    if ONE in found.bases:
        raise Entangled("powers of e stand beside parameters")
    for base in found.bases:
        if base in found.bare:
            raise Entangled(f"`{base}` stands outside of exponents as well" if base in exponentials else _endless(base))
        space = exponential_space(base, values, exponentials[base].unit)
        if space.low or space.high is not None:
            raise Entangled(f"an exponential beside other parameters goes with (0, inf), not with {space}")
    assumed = [clause for clause in values.space.assumptions if _is_about(clause, found.bases)]
    if assumed:
        raise Entangled(f"`{assumed[0][0].text}` is assumed of what stands in exponents")
    own = tuple(
        Parameter(
            name=exponentials[base].name,
            low=Fraction(0),
            high=Fraction(1),
            low_open=True,
            high_open=exponential_space(base, values, 1).low_open,
        )
        for base in found.bases
    )
    return ParameterSpace(parameters=(*own, *values.space.parameters), assumptions=values.space.assumptions)


def _endless(base: str) -> str:
    return f"`{base}` has no upper end and stands outside of exponents"


def _is_about(clause: tuple[Condition, ...], bases: tuple[str, ...]) -> bool:
    names = {name for condition in clause for name in names_in(condition.polynomial)}
    return any(name in bases or Exponential.of(name) is not None for name in names)


def exponential_space(base: str, values: GlobalValues, unit: int) -> ExponentialSpace:
    """The values of a parameter that is not fixed, or of `ONE`."""
    if base == ONE:
        return ExponentialSpace.of_constants(unit)
    if base in values.endless:
        half_line = values.endless[base]
        return ExponentialSpace(
            base=base, low=half_line.low, high=None, low_open=half_line.low_open, high_open=True, unit=unit
        )
    parameter = next(each for each in values.space.parameters if each.name == base)
    return ExponentialSpace(
        base=base,
        low=parameter.low,
        high=parameter.high,
        low_open=parameter.low_open,
        high_open=parameter.high_open,
        unit=unit,
    )
