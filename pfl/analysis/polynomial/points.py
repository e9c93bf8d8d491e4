"""A point that satisfies conditions on parameters, or a proof that there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.polynomial import box
from pfl.analysis.polynomial.cells import find_value
from pfl.analysis.polynomial.elimination import components, reduce
from pfl.analysis.polynomial.known_signs import simplified
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.rational_function import RationalFunction
from pfl.ir.parameters import Parameter, ParameterSpace

Point: TypeAlias = dict[str, Fraction | Root]
Found: TypeAlias = Point | Literal["unknown"] | None
Solver: TypeAlias = Callable[[ParameterSpace, Budget], Found]
"""Decides a space of several parameters where cutting boxes does not."""

_BOXES = 60
_BOXES_WITHOUT_SOLVER = 400
"""Boxes that are looked at before a solver is asked, or before giving up where there is none."""


def no_solver(_space: ParameterSpace, _budget: Budget) -> Found:
    return "unknown"


def find_point(space: ParameterSpace, budget: Budget, solver: Solver = no_solver) -> Found:
    """Values of all parameters that satisfy every assumption; None proves that there are none.

    Rational wherever the set has an interior. One parameter is decided completely, by root isolation; several by
    cutting boxes, then by the solver, and may stay unknown.
    """
    reduced = reduce(space)
    point: Point = {}
    unknown = False
    for component in components(reduced.space):
        found = _find_in_component(component, budget, solver)
        if found is None:
            return None
        if found == "unknown":
            unknown = True
        else:
            point.update(found)
    return "unknown" if unknown else with_definitions(point, reduced.definitions)


def _find_in_component(space: ParameterSpace, budget: Budget, solver: Solver) -> Found:
    match len(space.parameters):
        case 0:
            return {} if box.holds_at(space, {}) else None
        case 1:
            value = find_value(space)
            return None if value is None else {space.parameters[0].name: value}
    shorter = simplified(space)
    if shorter is None:
        return None
    found = box.search(shorter, budget, _BOXES_WITHOUT_SOLVER if solver is no_solver else _BOXES)
    return solver(shorter, budget) if found == "unknown" else _as_point(found)


def _as_point(found: Mapping[str, Fraction] | None) -> Found:
    return None if found is None else dict(found)


def with_definitions(point: Point, definitions: Mapping[str, Fraction | RationalFunction]) -> Found:
    """The point with the eliminated parameters; unknown where they depend on an algebraic value."""
    rational = {name: value for name, value in point.items() if isinstance(value, Fraction)}
    for name, number in definitions.items():
        value = number.evaluate(rational) if isinstance(number, RationalFunction) else number
        if not isinstance(value, Fraction):
            return "unknown"
        point[name] = value
    return point


def mended(space: ParameterSpace, near: Mapping[str, Fraction], budget: Budget) -> Point | None:
    """A point of the space near values that a solver gave, rational if one is found; None if none is found.

    First the values rounded to few digits, then exactly; then every parameter but one is kept, and the one left is
    solved for.
    """
    for digits in (1, 2, 3, 5, 8, 13, 21):
        rounded = {name: value.limit_denominator(10**digits) for name, value in near.items()}
        if box.holds_at(space, rounded):
            return dict(rounded)
    if box.holds_at(space, near):
        return dict(near)
    for free in near:
        for digits in (2, 4, 8):
            fixed = {name: value.limit_denominator(10**digits) for name, value in near.items() if name != free}
            found = find_point(restricted_to(space, fixed), budget)
            if isinstance(found, dict):
                return found
    return None


def restricted_to(space: ParameterSpace, values: Mapping[str, Fraction]) -> ParameterSpace:
    """The space with some parameters held at given values."""
    parameters = tuple(
        Parameter(name=p.name, low=values[p.name], high=values[p.name], low_open=False, high_open=False)
        if p.name in values and p.contains(values[p.name])
        else p
        for p in space.parameters
    )
    return ParameterSpace(parameters=parameters, assumptions=space.assumptions)
