"""Parameters as variables of a solver: their intervals, their conditions, and polynomials in them, without division."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from pfl.analysis.polynomial.box import Chart
from pfl.base.number import Number
from pfl.base.rational_function import Polynomial, RationalFunction
from pfl.base.struct import struct
from pfl.engines.smt.smtlib import renamed, symbol_names
from pfl.engines.smt.terms import (
    ZERO,
    Assert,
    Command,
    Comment,
    Constant,
    Declare,
    Not,
    Relation,
    Script,
    Symbol,
    Term,
    add,
    conjunction,
    disjunction,
    multiply,
)
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Symbols = Mapping[str, Symbol]


def parameter_symbols(space: ParameterSpace) -> dict[str, Symbol]:
    """A real variable for every parameter."""
    return {
        name: Symbol(symbol, "Real")
        for name, symbol in zip(space.names, symbol_names("param", "parameter", space.names))
    }


def space_commands(space: ParameterSpace, symbols: Symbols) -> Iterator[Command]:
    """Declarations of the parameters, and that they lie in the space."""
    if not space.parameters:
        return
    yield Comment("the parameters")
    for line in renamed("param.parameter", space.names):
        yield Comment(line)
    for parameter in space.parameters:
        yield Declare(symbols[parameter.name])
        yield Assert(_interval(parameter, symbols[parameter.name]))
    for alternatives in space.assumptions:
        yield Assert(disjunction(condition_term(condition, symbols) for condition in alternatives))


def space_script(space: ParameterSpace) -> Script:
    """The question whether a space has a point; the values are those of its parameters, in their order."""
    symbols = parameter_symbols(space)
    return Script(logic="QF_NRA", commands=tuple(space_commands(space, symbols)), values=tuple(symbols.values()))


def polynomial_term(number: Number, symbols: Symbols) -> Term:
    """A number without denominator as a term; raises ValueError for one that has one."""
    if isinstance(number, Fraction):
        return Constant(number)
    if not number.is_polynomial:
        raise ValueError(f"{number} has a denominator")
    (divisor,) = (coefficient for _, coefficient in number.denominator.terms)
    return multiply(Constant(1 / divisor), _term(number.numerator, symbols))


def condition_term(condition: Condition, symbols: Symbols) -> Term:
    """N/D relation 0 as N D relation 0, and D not 0: at a pole no condition holds."""
    number = condition.polynomial
    if isinstance(number, Fraction):
        return _compared(Constant(number), condition.relation)
    above = _term(number.numerator, symbols)
    if number.is_polynomial:
        return _compared(above, condition.relation)
    below = _term(number.denominator, symbols)
    if condition.relation == "==":
        return conjunction((_compared(above, "=="), Not(Relation("=", below, ZERO))))
    holds = _compared(multiply(below, above), condition.relation)
    return conjunction((holds, Not(Relation("=", below, ZERO)))) if condition.relation == "<=" else holds


@struct(kw_only=False)
class Cleared:
    """Numbers multiplied by one positive function that clears their denominators, and what must not be 0 for it."""

    numbers: tuple[Number, ...]
    factor: Number
    nonzero: tuple[Condition, ...]


def without_denominators(numbers: Iterable[Number], chart: Chart) -> Cleared:
    """Polynomials in the same proportions; rationals are left as they are.

    The factor is the least common denominator where that has one sign on the chart's box, else its square. It is not 0
    where the numbers are defined; where the box alone does not say so, `nonzero` does.
    """
    given = tuple(numbers)
    factor: Number = Fraction(1)
    for number in given:
        product = number * factor
        if isinstance(product, RationalFunction) and not product.is_polynomial:
            factor = factor * product.denominator.to_number()
    if isinstance(factor, Fraction):
        return Cleared(given, Fraction(1), ())
    signs = chart.signs(factor)
    nonzero = () if len(signs) == 1 else (Condition(polynomial=factor, relation="!=", text="a denominator is not 0"),)
    if signs <= {0, -1}:
        factor = -factor
    elif not signs <= {0, 1}:
        factor = factor * factor
    return Cleared(tuple(number * factor for number in given), factor, nonzero)


def _interval(parameter: Parameter, symbol: Symbol) -> Term:
    low, high = Constant(parameter.low), Constant(parameter.high)
    return conjunction(
        (
            Relation("<" if parameter.low_open else "<=", low, symbol),
            Relation("<" if parameter.high_open else "<=", symbol, high),
        )
    )


def _term(polynomial: Polynomial, symbols: Symbols) -> Term:
    return add(
        multiply(Constant(coefficient), *(symbols[name] for name, power in monomial for _ in range(power)))
        for monomial, coefficient in polynomial.terms
    )


def _compared(term: Term, relation: str) -> Term:
    """term relation 0."""
    match relation:
        case "<":
            return Relation("<", term, ZERO)
        case "<=":
            return Relation("<=", term, ZERO)
        case "==":
            return Relation("=", term, ZERO)
        case _:
            return Not(Relation("=", term, ZERO))
