"""Values of the parameters at which something that was divided by is 0, taken apart into sets that can be looked at.

Source: docs/theory/side-conditions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.cells import satisfying_cells
from pfl.analysis.polynomial.elimination import definition
from pfl.analysis.polynomial.points import Point, Solver, find_point, no_solver
from pfl.base.budget import Budget
from pfl.base.exponential import Exponential
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import Condition, ParameterSpace


@struct
class Fixing:
    """A part of the space on which one parameter is a number, or a function of the others: `name` = `value`.

    `equation` says the same; with it among the assumptions, the parameter is eliminated (`elimination.reduce`).
    """

    name: str
    value: Number
    equation: Condition


@struct
class Unresolved:
    """A part of the space that no equation of one parameter describes; `text` names it."""

    text: str
    equation: Condition


Part: TypeAlias = Fixing | Unresolved


def vanishing(
    divisors: Iterable[Number], space: ParameterSpace, budget: Budget, solver: Solver = no_solver
) -> tuple[Condition, ...]:
    """That the irreducible factors of the divisors are not 0, for those factors that may be 0 somewhere in the space.

    Every divisor is a product of such factors and of what is 0 nowhere. Raises LimitReached.
    """
    found: dict[RationalFunction, None] = {}
    for divisor in dict.fromkeys(divisors):
        if isinstance(divisor, RationalFunction):
            _, factors = divisor.factors()
            found.update(dict.fromkeys(factor for factor, power in factors if power > 0))
    return tuple(
        Condition(polynomial=factor, relation="!=", text=f"{factor} != 0")
        for factor in found
        if find_point(space.restricted(_is_zero(factor)), budget, solver) is not None
    )


def parts(exceptional: Iterable[Condition], space: ParameterSpace, budget: Budget, solver: Solver) -> Iterator[Part]:
    """The parts of the space on which one of the conditions, `factor != 0` with irreducible factors, fails.

    Together they are all of it. A factor that is linear in some parameter, with a constant coefficient, gives a
    `Fixing`, and so does one that is 0 in the space at one value of some parameter alone, as p + q is at the corner
    p = q = 0. Raises LimitReached.
    """
    known: set[tuple[str, Number]] = set()
    for condition in dict.fromkeys(exceptional):
        part = _part(condition, space, budget, solver)
        if isinstance(part, Fixing):
            if (part.name, part.value) in known:
                continue
            known.add((part.name, part.value))
        if part is not None:
            yield part


def _part(condition: Condition, space: ParameterSpace, budget: Budget, solver: Solver) -> Part | None:
    """Where one condition fails; None if it does nowhere."""
    factor = condition.polynomial
    assert isinstance(factor, RationalFunction)
    equation = _is_zero(factor)
    where = space.restricted(equation)
    found = find_point(where, budget, solver)
    if found is None:
        return None
    if any(Exponential.of(name) is not None for name in factor.parameters):  # no source says what these are
        return Unresolved(text=f"{factor} = 0", equation=equation)
    fixed = definition(where, equation)
    is_number = fixed is not None and isinstance(fixed[1], Fraction)
    if not is_number and found != "unknown" and (single := _single(where, factor, found, budget, solver)):
        return single
    if fixed is None:
        return Unresolved(text=_described(where, factor), equation=equation)
    parameter, value = fixed
    return Fixing(name=parameter.name, value=value, equation=equation)


def _single(
    where: ParameterSpace, factor: RationalFunction, point: Point, budget: Budget, solver: Solver
) -> Fixing | None:
    """A part at a point of which some parameter of the factor has one rational value, as that value."""
    for name in factor.parameters:
        value = point.get(name)
        if isinstance(value, Fraction):
            difference = RationalFunction.parameter(name) - value
            other = Condition(polynomial=difference, relation="!=", text=f"{name} != {value}")
            if find_point(where.restricted(other), budget, solver) is None:
                return Fixing(name=name, value=value, equation=replace(other, relation="==", text=f"{name} == {value}"))
    return None


def _is_zero(factor: RationalFunction) -> Condition:
    return Condition(polynomial=factor, relation="==", text=f"{factor} == 0")


def _described(where: ParameterSpace, factor: RationalFunction) -> str:
    """`2*p^2 - 1 = 0, at p near 0.707107`; of several parameters the equation alone."""
    if len(where.parameters) != 1:
        return f"{factor} = 0"
    (parameter,) = where.parameters
    roots = (cell.sample for cell in satisfying_cells(where))
    near = " and ".join(f"{float(root):.6f}" for root in roots if not isinstance(root, Fraction))
    return f"{factor} = 0, at {parameter.name} near {near}"
