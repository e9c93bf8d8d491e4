"""Fix parameters of a question to exact values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.multiples import products
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import Condition, ExponentialSpace, ParameterSpace

Values = Mapping[str, Fraction]
Images = Mapping[str, Number]
"""What names of parameters and exponentials stand for."""

_LONGEST = 40
"""Characters of a value that are told of."""


class ImpossibleValues(Exception):
    """The values lie outside the parameters' space, or make a secret or a denominator 0; the text says which."""


def substitute(question: Compare, values: Values) -> Compare:
    """The question at the given values of some parameters; the others stay, and their space shrinks to what is left.
    Of a question with exponents, the one value is that of their parameter, or of the factor of it in epsilons.

    Where a side's weight becomes constant, its start is divided by it, as for every question without parameters.
    Raises `ImpossibleValues`.
    """
    space, images = _exponents(question, values)
    systems: dict[LabelledSystem, LabelledSystem] = {}
    tables = []
    for table in question.tables:
        if table.system not in systems:
            systems[table.system] = _system(table.system, images)
        tables.append(_table(table, systems[table.system], images))
    return replace(
        question,
        tables=tuple(tables),
        delta=None if question.delta is None else number_at(question.delta, images),
        parameters=_space(question.parameters, values),
        exponents=space,
    )


def _exponents(question: Compare, values: Values) -> tuple[ExponentialSpace | None, Images]:
    """The space of exponents that is left, and what names stand for."""
    space = question.exponents
    if space is None or not values:
        return space, values
    ((name, value),) = values.items()
    if name != space.base:
        epsilons = [table.epsilon for table in question.tables if table.epsilon is not None]
        return space.with_factor(products({name for epsilon in epsilons for name in epsilon.parameters}), value)
    if not space.contains(value):
        raise ImpossibleValues(f"{brief_value(value)} lies outside {space}")
    return space.at(value), space.images(value)


def brief_value(value: Fraction) -> str:
    """A value for a message."""
    text = fraction_text(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def number_at(number: Number, values: Images) -> Number:
    """The number at the given values; raises `ImpossibleValues` at a pole."""
    if isinstance(number, Fraction):
        return number
    try:
        return number.evaluate(values)
    except ZeroDivisionError as error:
        raise ImpossibleValues(str(error)) from error


def epsilon_at(epsilon: Epsilon, values: Images) -> Epsilon:
    """The epsilon at the given values; raises `ImpossibleValues` where it is the logarithm of no positive number."""
    result = Epsilon.rational(epsilon.constant)
    for coefficient, argument in epsilon.logarithms:
        value = number_at(argument, values)
        if isinstance(value, Fraction) and value <= 0:
            raise ImpossibleValues(f"ln({argument}) is not a real number")
        result = result + Epsilon.ln(value) * coefficient
    return result


def _system(system: LabelledSystem, values: Images) -> LabelledSystem:
    matrices = tuple(
        tuple(
            tuple((column, weight) for column, entry in row if (weight := number_at(entry, values)) != 0)
            for row in matrix
        )
        for matrix in system.matrices
    )
    final = None if system.final is None else tuple(number_at(weight, values) for weight in system.final)
    return replace(system, matrices=matrices, final=final)


def _table(table: Table, system: LabelledSystem, values: Images) -> Table:
    sides = tuple(_side(side, values) for side in table.sides)
    if system.final is not None and all(isinstance(weight, Fraction) for weight in system.final):
        sides = tuple(replace(side, vector=folded(side.vector, system.final)) for side in sides)
        system = without_final_weights(system)
    return replace(
        table,
        compared=system,
        sides=sides,
        epsilon=None if table.epsilon is None else epsilon_at(table.epsilon, values),
        counts=None,
    )


def without_final_weights(system: LabelledSystem) -> LabelledSystem:
    """The system with M_a(s, t) f(t) / f(s) instead of M_a, on the states s where f(s) is not 0; see `folded`.

    Sound where f is constant, and for values of parameters at which no f(s) becomes 0.

    Where f is 0 it is 0 for ever after, since sum_a M_a f = f: no word has any mass from there. With v f instead of a
    start v every word keeps its mass.
    """
    final = system.final
    assert final is not None
    kept = [state for state, weight in enumerate(final) if weight]
    left = frozenset(kept)
    scaled = tuple(
        tuple(
            tuple((column, weight * final[column] / (final[state] or 1)) for column, weight in row if column in left)
            for state, row in enumerate(matrix)
        )
        for matrix in system.matrices
    )
    return replace(system, matrices=scaled, final=None).part(kept)


def folded(vector: Vector, final: Vector) -> Vector:
    """The start v f in the states of the system without the final weights f."""
    return tuple(entry * weight for entry, weight in zip(vector, final) if weight)


def _side(side: Side, values: Images) -> Side:
    conditions = [_condition(condition, values) for condition in side.nonzero]
    nonzero = tuple(condition for condition in conditions if condition is not None)
    weight = number_at(side.weight, values)
    vector: Vector = tuple(number_at(entry, values) for entry in side.vector)
    if isinstance(weight, RationalFunction):
        return replace(side, vector=vector, weight=weight, nonzero=nonzero)
    if weight == 0:
        raise ImpossibleValues(f"`{side.label}` has probability 0")
    return replace(side, vector=tuple(entry / weight for entry in vector), weight=Fraction(1), nonzero=nonzero)


def _condition(condition: Condition, values: Images) -> Condition | None:
    """The condition at the values, None where it now always holds; raises `ImpossibleValues` where it never does."""
    polynomial = number_at(condition.polynomial, values)
    if isinstance(polynomial, RationalFunction):
        return replace(condition, polynomial=polynomial)
    if not condition.holds(polynomial):
        raise ImpossibleValues(f"`{condition.text}` does not hold")
    return None


def _space(space: ParameterSpace, values: Values) -> ParameterSpace:
    for parameter in space.parameters:
        if parameter.name in values and not parameter.contains(values[parameter.name]):
            raise ImpossibleValues(f"{brief_value(values[parameter.name])} lies outside {parameter}")
    clauses = [_clause(alternatives, values) for alternatives in space.assumptions]
    return ParameterSpace(
        parameters=tuple(parameter for parameter in space.parameters if parameter.name not in values),
        assumptions=tuple(clause for clause in clauses if clause),
    )


def _clause(alternatives: tuple[Condition, ...], values: Values) -> tuple[Condition, ...]:
    """What remains of a disjunction: nothing where one of its conditions holds; raises where none can."""
    remaining = []
    for condition in alternatives:
        polynomial = number_at(condition.polynomial, values)
        if isinstance(polynomial, RationalFunction):
            remaining.append(replace(condition, polynomial=polynomial))
        elif condition.holds(polynomial):
            return ()
    if not remaining:
        raise ImpossibleValues(f"`{' or '.join(condition.text for condition in alternatives)}` does not hold")
    return tuple(remaining)
