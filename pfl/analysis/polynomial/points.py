"""A point that satisfies conditions on parameters, or a proof that there is none.
Source: docs/theory/parameters.md.

Conditions made simpler by what other conditions say of the signs of their factors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.analysis.polynomial import box
from pfl.analysis.polynomial.box import Chart, Signs
from pfl.analysis.polynomial.cells import find_value
from pfl.analysis.polynomial.elimination import components, reduce
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Factors: TypeAlias = tuple[tuple[RationalFunction, int], ...]

_ALL = (-1, 0, 1)


def simplified(space: ParameterSpace) -> ParameterSpace | None:
    """The same set with shorter conditions; None if two conditions on one polynomial contradict each other.

    A condition that stands alone in its clause, on one irreducible factor, says which signs the factor has. Where that
    is one sign other than 0, every other condition can be divided by the factor. So `p q (p - 2) <= 0` under `0 < p`
    and `0 < q` becomes `p - 2 <= 0`.
    """
    while True:
        known = _known(space)
        if any(not signs for signs in known.values()):
            return None
        reduced = tuple(
            clause for clause in (_reduced_clause(clause, known) for clause in space.assumptions) if clause is not None
        )
        if any(not clause for clause in reduced):
            return None
        shorter = ParameterSpace(parameters=space.parameters, assumptions=tuple(dict.fromkeys(reduced)))
        if shorter.assumptions == space.assumptions:
            return shorter
        space = shorter


def _known(space: ParameterSpace) -> dict[RationalFunction, Signs]:
    """For irreducible polynomials, the signs that the box and the clauses of one condition leave."""
    chart = Chart.of(space.parameters)
    known: dict[RationalFunction, Signs] = {}
    for clause in space.assumptions:
        for condition in clause:
            if not isinstance(condition.polynomial, RationalFunction):
                continue
            constant, factors = condition.polynomial.factors()
            for factor, _ in factors:
                if factor not in known:
                    known[factor] = chart.signs(factor)
            if len(clause) == 1 and len(factors) == 1 and factors[0][1] == 1:
                unit = 1 if constant > 0 else -1
                known[factors[0][0]] &= {sign for sign in _ALL if condition.holds(Fraction(unit * sign))}
    return known


def _reduced_clause(
    clause: tuple[Condition, ...], known: dict[RationalFunction, Signs]
) -> tuple[Condition, ...] | None:
    """The clause with its conditions reduced; None where one of them holds everywhere."""
    kept = []
    for condition in clause:
        reduced = _reduced(condition, known, alone=len(clause) == 1)
        if not isinstance(reduced.polynomial, Fraction):
            kept.append(reduced)
        elif reduced.holds(reduced.polynomial):
            return None
    return tuple(kept)


def _reduced(condition: Condition, known: dict[RationalFunction, Signs], *, alone: bool) -> Condition:
    """The condition without the factors of a known sign other than 0; what makes a sign known stays as it is."""
    if not isinstance(condition.polynomial, RationalFunction):
        return condition
    constant, factors = condition.polynomial.factors()
    if alone and len(factors) == 1 and factors[0][1] == 1:
        return condition
    reduced: Number = Fraction(1 if constant > 0 else -1)
    for factor, power in factors:
        signs = known[factor]
        if signs == {1} or signs == {-1}:
            reduced = reduced * (min(signs) if power % 2 else 1)
        else:
            reduced = reduced * factor**power
    return replace(condition, polynomial=reduced)


Point: TypeAlias = dict[str, Fraction | Root]
Found: TypeAlias = Point | Literal["unknown"] | None
Solver: TypeAlias = Callable[[ParameterSpace, Budget], Found]
"""Decides a space of several parameters where cutting boxes does not."""

_BOXES = 60
_BOXES_WITHOUT_SOLVER = 400
"""Boxes that are looked at before a solver is asked, or before giving up where there is none."""


def no_solver(_space: ParameterSpace, _budget: Budget) -> Found:
    """The solver where there is none: it knows nothing."""
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
