"""Whether what the expressions of a model ask of its parameters holds for all their values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.points import Point, find_point
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, LimitReached
from pfl.base.exact_text import fraction_text
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.evaluation.fragment import SideCondition
from pfl.evaluation.globals.exponents import Entangled, Held, exponential_space, held, independent_space
from pfl.evaluation.globals.global_errors import unmet_side_condition
from pfl.evaluation.linkage import GlobalValues
from pfl.model.parameters import Condition


@struct(eq=False)
class Needed:
    """The side conditions of a part of a model, as they come up; those on `sought` parameters are left to a `find`."""

    values: GlobalValues
    sought: frozenset[str] = frozenset()


def unmet_side_conditions(
    needed: Needed, budget: Budget, asked: set[SideCondition] | None = None
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each side condition that fails for some values of the parameters that satisfy all assumptions.

    Conditions on a parameter that a `find` looks for are left to it (`conditions_on`). Those that cannot be decided
    here, or not within the budget, are left to the engines, which look at the whole system. Those in `asked` are not
    asked about again, and others enter it when they are decided.
    """
    return tuple(_unmet(needed, budget, set() if asked is None else asked))


def conditions_on(values: GlobalValues, names: Collection[str]) -> tuple[Condition, ...]:
    """The side conditions that speak of the named parameters alone, which a `find` looks for: it must satisfy them."""
    found = (needed.condition for needed in values.side_conditions)
    return tuple(condition for condition in found if set(_parameters(condition)) <= set(names))


def _unmet(part: Needed, budget: Budget, asked: set[SideCondition]) -> Iterator[Diagnostic]:
    values = part.values
    for needed in values.side_conditions:
        condition = needed.condition
        names = _parameters(condition)
        if needed in asked or not part.sought.isdisjoint(names):
            continue
        exponents = held(names, values)
        if exponents.bases:
            asked.add(needed)
            place = _exponential_failure(condition, exponents, values, budget)
            if place is not None:
                yield unmet_side_condition(_code(condition), condition, needed.place, [place], may_assume=False)
            continue
        failing = values.space.relevant_to(frozenset(names)).restricted(_negated(condition))
        try:
            found = find_point(failing, budget)
        except LimitReached:
            return
        asked.add(needed)
        if found is not None and found != "unknown":
            where = _written(names, found)
            yield unmet_side_condition(_code(condition), condition, needed.place, where, may_assume=True)


def _exponential_failure(condition: Condition, exponents: Held, values: GlobalValues, budget: Budget) -> str | None:
    """Where a condition on a parameter and its exponential fails, in words; None if nowhere, or if that is not known.

    Where a polynomial only touches 0 is not looked for.
    """
    if len(exponents.bases) > 1 or exponents.others:
        return _independent_failure(condition, exponents, values, budget)
    from pfl.analysis.exponential.decide import NegativeAt  # needed with exponentials only
    from pfl.analysis.exponential.functions import Functions

    space = exponential_space(exponents.bases[0], values, exponents.unit)
    if space.low < 0:
        return None
    functions = Functions(space, budget)
    found = functions.is_at_most(condition.polynomial, Fraction(0))
    if condition.relation == "!=" and isinstance(found, NegativeAt):
        found = functions.is_at_most(Fraction(0), condition.polynomial)
    if not isinstance(found, NegativeAt):
        return None
    if condition.relation == "!=":
        return f"some {space}"
    return f"{space.base} = {fraction_text(functions.value(found.point))}"


def _independent_failure(condition: Condition, exponents: Held, values: GlobalValues, budget: Budget) -> str | None:
    try:
        space = independent_space(exponents, values)
    except Entangled:
        return None
    names = _parameters(condition)
    try:
        found = find_point(space.relevant_to(frozenset(names)).restricted(_negated(condition)), budget)
    except LimitReached:
        return None
    return None if found is None or found == "unknown" else ", ".join(_written(names, found))


def _parameters(condition: Condition) -> tuple[str, ...]:
    return condition.polynomial.parameters if isinstance(condition.polynomial, RationalFunction) else ()


def _negated(condition: Condition) -> Condition:
    """The condition that fails exactly where the given one holds."""
    match condition.relation:
        case "<":
            return replace(condition, polynomial=-condition.polynomial, relation="<=")
        case "<=":
            return replace(condition, polynomial=-condition.polynomial, relation="<")
        case "==":
            return replace(condition, relation="!=")
        case "!=":
            return replace(condition, relation="==")


def _code(condition: Condition) -> codes.Code:
    match condition.relation:
        case "<=":
            return codes.NEGATIVE_FOR_PARAMETERS
        case "<":
            return codes.LOGARITHM_FOR_PARAMETERS
        case _:
            return codes.POLE_FOR_PARAMETERS


def _written(names: Collection[str], point: Point) -> list[str]:
    values = {name: point[name] for name in names}
    return [
        f"{name} = {fraction_text(value) if isinstance(value, Fraction) else f'{float(value):.6f}'}"
        for name, value in values.items()
    ]
