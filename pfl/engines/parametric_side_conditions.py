"""What must hold for all parameter values so that a claim means something: assumptions that can be met, no negative
probability, no pole, logarithms of positive numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from pfl.analysis.polynomial.contradiction import contradictory_assumptions
from pfl.analysis.polynomial.points import Point, Solver, find_point
from pfl.analysis.polynomial.real_roots import Root
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.engines.parametric_obligations import matrix_entries
from pfl.ir.claims import Comparison, Indistinguishability
from pfl.ir.parameters import Condition, ParameterSpace


def reject_improper(question: Indistinguishability, solver: Solver, budget: Budget) -> str | None:
    """Raise InputRejected for a claim that means nothing at some parameter values; what could not be decided, in words.

    Each number is looked at on the values that its comparisons are about, conditions for a denominator not to be 0
    included.
    """
    if find_point(question.parameters, budget, solver) is None:
        raise InputRejected([contradictory_assumptions(question.parameters)])
    doubtful: str | None = None
    checked: set[tuple[object, ...]] = set()
    for comparison in question.comparisons:
        space = question.parameters.restricted(*comparison.nonzero)
        for number, code, condition in _faults(comparison):
            key = (comparison.nonzero, condition.polynomial, condition.relation)
            if key in checked:
                continue
            checked.add(key)
            budget.check(f"{len(checked)} side conditions")
            found = find_point(space.restricted(condition), budget, solver)
            if found == "unknown":
                doubtful = doubtful or f"it could not be shown that {condition.text} nowhere"
            elif found is not None:
                raise InputRejected([_improper(code, condition, number, found)])
    return doubtful


def _faults(comparison: Comparison) -> Iterator[tuple[Number, Code, Condition]]:
    """What must have no solution, for every number of a comparison."""
    numbers: Iterable[Number] = dict.fromkeys(
        [
            *matrix_entries(comparison.system),
            *(entry for side in (comparison.left, comparison.right) for entry in (*side.start, side.weight)),
        ]
    )
    for number in numbers:
        if isinstance(number, RationalFunction):
            yield from _pole(number)
            negative = Condition(polynomial=number, relation="<", text=f"the probability {number} is negative")
            yield number, codes.NEGATIVE_FOR_PARAMETERS, negative
    for _, argument in comparison.epsilon.logarithms if comparison.epsilon is not None else ():
        if isinstance(argument, RationalFunction):
            yield from _pole(argument)
            bad = Condition(polynomial=argument, relation="<=", text=f"the argument of ln({argument}) is not positive")
            yield argument, codes.LOGARITHM_FOR_PARAMETERS, bad


def _pole(number: RationalFunction) -> Iterator[tuple[Number, Code, Condition]]:
    if not number.is_polynomial:
        below = number.denominator.to_number()
        text = f"the denominator of {number} is 0"
        yield number, codes.POLE_FOR_PARAMETERS, Condition(polynomial=below, relation="==", text=text)


def _improper(code: Code, condition: Condition, number: Number, point: Point) -> Diagnostic:
    used = number.parameters if isinstance(number, RationalFunction) else ()
    values = ", ".join(f"{name} = {_value_text(point[name])}" for name in used)
    return Diagnostic(
        code=code,
        message=f"{condition.text} at {values}",
        help=f"narrow the interval of {' and '.join(f'`{name}`' for name in used)}, or add an `assume`",
    )


def _value_text(value: Fraction | Root) -> str:
    return fraction_text(value) if isinstance(value, Fraction) else f"{float(value):.6f}"
