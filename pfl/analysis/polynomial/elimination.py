"""Fewer parameters: equations that are linear in one of them are solved for it, and unrelated ones are set apart.

Parameters of which inequalities leave one value alone: `param p in [0, 1]; assume p <= 0;`.

Nothing says that weights are probabilities at other values, so that formulas in such a parameter mean nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TypeAlias

from pfl.analysis.polynomial.cells import satisfying_cells
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Clauses: TypeAlias = tuple[tuple[Condition, ...], ...]


@struct
class Reduced:
    """A space in fewer parameters, and the eliminated ones as functions of those; one to one with the original."""

    space: ParameterSpace
    definitions: Mapping[str, Number]

    def number(self, number: Number) -> Number:
        """A number of the original space in the parameters that are left."""
        return number.evaluate(self.definitions) if isinstance(number, RationalFunction) else number


def reduce(space: ParameterSpace, kept: Collection[str] = ()) -> Reduced:
    """The space without parameters of a single value, and without those that an equation determines.

    An equation determines p if it stands alone in its clause and p occurs in it linearly, with a constant coefficient.
    The interval of p then becomes two assumptions. Of several that an equation determines, one that is not `kept` goes.
    """
    return _reduced(space, kept, frozenset())


def reduce_others(space: ParameterSpace, names: Collection[str]) -> Reduced:
    """The same, but the parameters with such names stay in any case."""
    return _reduced(space, (), frozenset(names))


def _reduced(space: ParameterSpace, kept: Collection[str], fixed: frozenset[str]) -> Reduced:
    definitions: dict[str, Number] = {}
    while True:
        found = _definition(space, kept, fixed)
        if found is None:
            return Reduced(space=space, definitions=definitions)
        parameter, value = found
        definitions = {name: _substituted(number, parameter.name, value) for name, number in definitions.items()}
        definitions[parameter.name] = value
        others = tuple(other for other in space.parameters if other.name != parameter.name)
        clauses = (*space.assumptions, *_interval(parameter))
        space = ParameterSpace(parameters=others, assumptions=_simplified(clauses, parameter.name, value))


def components(space: ParameterSpace) -> list[ParameterSpace]:
    """The space as a product: parameters that share no assumption, directly or through others, are apart.

    Assumptions about no parameter make a component without parameters.
    """
    groups = {number: {parameter.name} for number, parameter in enumerate(space.parameters)}
    group_of = {parameter.name: number for number, parameter in enumerate(space.parameters)}
    named = [(clause, _names(clause)) for clause in space.assumptions]
    for number, (_, names) in enumerate(named, start=len(groups)):
        joined = {group_of[name] for name in names if name in group_of}
        if joined:
            groups[number] = set[str]().union(*(groups.pop(each) for each in joined))
            group_of.update(dict.fromkeys(groups[number], number))
    parameters: dict[int, list[Parameter]] = {number: [] for number in groups}
    for parameter in space.parameters:
        parameters[group_of[parameter.name]].append(parameter)
    clauses: dict[int, list[tuple[Condition, ...]]] = {number: [] for number in groups}
    for clause, names in named:
        number = next((group_of[name] for name in names if name in group_of), -1)
        if number >= 0:
            clauses[number].append(clause)
    constant = tuple(clause for clause, names in named if not names)
    parts = [ParameterSpace(assumptions=constant)] * bool(constant)
    parts += (
        ParameterSpace(parameters=tuple(parameters[number]), assumptions=tuple(clauses[number])) for number in groups
    )
    return parts


def _names(clause: Iterable[Condition]) -> set[str]:
    numbers = (condition.polynomial for condition in clause)
    return {name for number in numbers if isinstance(number, RationalFunction) for name in number.parameters}


def _definition(space: ParameterSpace, kept: Collection[str], fixed: frozenset[str]) -> tuple[Parameter, Number] | None:
    for parameter in space.parameters:
        if parameter.name in fixed:
            continue
        if parameter.low == parameter.high and not (parameter.low_open or parameter.high_open):
            return parameter, parameter.low
    for clause in space.assumptions:
        found = definition(space, clause[0], kept, fixed) if len(clause) == 1 else None
        if found is not None:
            return found
    return None


def definition(
    space: ParameterSpace, equation: Condition, kept: Collection[str] = (), fixed: Collection[str] = ()
) -> tuple[Parameter, Number] | None:
    """A parameter that occurs linearly in an equation, with a constant coefficient, and what it is then equal to; of
    several the first that is not `kept`, and none that is `fixed`."""
    polynomial = equation.polynomial
    if equation.relation != "==" or isinstance(polynomial, Fraction) or not polynomial.is_polynomial:
        return None
    for parameter in sorted(space.parameters, key=lambda each: each.name in kept):
        slope = polynomial.derivative(parameter.name)
        if parameter.name not in fixed and isinstance(slope, Fraction) and slope:
            return parameter, RationalFunction.parameter(parameter.name) - polynomial / slope
    return None


def _interval(parameter: Parameter) -> Clauses:
    itself = RationalFunction.parameter(parameter.name)
    below = Condition(
        polynomial=parameter.low - itself, relation="<" if parameter.low_open else "<=", text=str(parameter)
    )
    above = Condition(
        polynomial=itself - parameter.high, relation="<" if parameter.high_open else "<=", text=str(parameter)
    )
    return (below,), (above,)


def _simplified(clauses: Clauses, name: str, value: Number) -> Clauses:
    """The clauses with a parameter replaced; those that hold everywhere, and alternatives that never do, left out.

    A condition on a quotient does not hold where that has a pole.
    """
    kept = []
    for clause in clauses:
        replaced = [found for c in clause if (found := _replaced(c, name, value)) is not None]
        constant = [c.holds(c.polynomial) for c in replaced if isinstance(c.polynomial, Fraction)]
        if not any(constant):
            kept.append(tuple(c for c in replaced if not isinstance(c.polynomial, Fraction)))
    return tuple(kept)


def _replaced(condition: Condition, name: str, value: Number) -> Condition | None:
    """The condition with a parameter replaced; None where it then has a pole everywhere."""
    try:
        return replace(condition, polynomial=_substituted(condition.polynomial, name, value))
    except ZeroDivisionError:
        return None


def _substituted(number: Number, name: str, value: Number) -> Number:
    return number.evaluate({name: value}) if isinstance(number, RationalFunction) else number


def reduce_pinned(space: ParameterSpace, kept: Collection[str] = ()) -> Reduced:
    """The space reduced (`elimination.reduce`), also by parameters that have one rational value once that is done."""
    while True:
        reduced = reduce(space, kept)
        equations = tuple(_pinned(reduced.space))
        if not equations:
            return reduced
        space = space.restricted(*equations)


def _pinned(space: ParameterSpace) -> Iterator[Condition]:
    for component in components(space):
        if len(component.parameters) != 1 or not component.assumptions:
            continue
        cells = list(islice(satisfying_cells(component), 2))
        if len(cells) == 1 and cells[0].is_point and isinstance(cells[0].sample, Fraction):
            (parameter,), value = component.parameters, cells[0].sample
            difference = RationalFunction.parameter(parameter.name) - value
            yield Condition(polynomial=difference, relation="==", text=f"{parameter.name} == {value}")
