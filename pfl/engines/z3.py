"""The only file that knows z3: polynomial constraints over the reals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import z3

from pfl.base.exact_text import fraction_text, fraction_value
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.ir.parameters import Condition, ParameterSpace

_DIGITS = 40
"""Decimals to which an algebraic value of a model is given."""


def decide_polynomials(
    space: ParameterSpace, timeout: float | None
) -> dict[str, Fraction] | Literal["unknown"] | None:
    """What nlsat says of the existence of a point in a space: values, None for no point, or unknown.

    Values are those of the model where they are rational, else near it within 10^-40: to be checked, and mended, by the
    caller. `timeout` in seconds.
    """
    solver = z3.SolverFor("QF_NRA")
    if timeout is not None:
        solver.set("timeout", max(1, int(1000 * timeout)))
    variables = {parameter.name: z3.Real(f"v{index}") for index, parameter in enumerate(space.parameters)}
    for parameter in space.parameters:
        variable = variables[parameter.name]
        solver.add(variable > _real(parameter.low) if parameter.low_open else variable >= _real(parameter.low))
        solver.add(variable < _real(parameter.high) if parameter.high_open else variable <= _real(parameter.high))
    for alternatives in space.assumptions:
        solver.add(z3.Or([_condition(condition, variables) for condition in alternatives]))
    match solver.check():
        case z3.sat:
            model = solver.model()
            return {name: _value(model.eval(variable, model_completion=True)) for name, variable in variables.items()}
        case z3.unsat:
            return None
        case _:
            return "unknown"


def _condition(condition: Condition, variables: dict[str, Any]) -> Any:
    """N/D relation 0 as N D relation 0 and D != 0."""
    above, below = _parts(condition.polynomial, variables)
    product = above * below
    match condition.relation:
        case "<":
            holds = product < 0
        case "<=":
            holds = product <= 0
        case "==":
            holds = product == 0
        case "!=":
            holds = product != 0
    return z3.And(holds, below != 0)


def _parts(number: Number, variables: dict[str, Any]) -> tuple[Any, Any]:
    if isinstance(number, RationalFunction):
        return _polynomial(number.numerator, variables), _polynomial(number.denominator, variables)
    return _real(number), _real(Fraction(1))


def _polynomial(polynomial: Polynomial, variables: dict[str, Any]) -> Any:
    terms = []
    for monomial, coefficient in polynomial.terms:
        factors = [_real(coefficient)]
        for name, power in monomial:
            factors += [variables[name]] * power
        terms.append(z3.Product(factors))
    return z3.Sum(terms)


def _real(value: Fraction) -> Any:
    return z3.RealVal(fraction_text(value))


def _value(value: Any) -> Fraction:
    if z3.is_algebraic_value(value):
        value = value.approx(_DIGITS)
    return fraction_value(value.as_string())
