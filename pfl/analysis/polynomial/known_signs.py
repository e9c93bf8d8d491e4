"""Conditions made simpler by what other conditions say of the signs of their factors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.polynomial.box import Chart, Signs
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.ir.parameters import Condition, ParameterSpace

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
