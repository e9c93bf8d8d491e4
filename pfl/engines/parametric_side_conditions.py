"""What must hold for all parameter values so that a claim means something: assumptions that can be met, no negative
probability, no pole, logarithms of positive numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.contradiction import contradictory_assumptions
from pfl.analysis.polynomial.points import Point, Solver, find_point
from pfl.analysis.polynomial.real_roots import Root
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text
from pfl.base.rational_function import RationalFunction
from pfl.engines.parametric_obligations import matrix_entries
from pfl.ir.claims import Comparison, Indistinguishability
from pfl.ir.parameters import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A number of a claim, and a condition on its parameters that must hold nowhere."""

    number: RationalFunction
    code: Code
    condition: Condition


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
        for fault in faults(comparison):
            key = (comparison.nonzero, fault.condition.polynomial, fault.condition.relation)
            if key in checked:
                continue
            checked.add(key)
            budget.check(f"{len(checked)} side conditions")
            found = find_point(space.restricted(fault.condition), budget, solver)
            if found == "unknown":
                doubtful = doubtful or f"it could not be shown that {fault.condition.text} nowhere"
            elif found is not None:
                raise InputRejected([_improper(fault, found)])
    return doubtful


def faults(comparison: Comparison) -> Iterator[Fault]:
    """What must happen nowhere, for every number of a comparison that depends on parameters."""
    sides = (comparison.left, comparison.right)
    starts = (entry for side in sides for entry in (*side.start, side.weight))
    for number in dict.fromkeys((*matrix_entries(comparison.system), *starts)):
        if isinstance(number, RationalFunction):
            yield from _pole(number)
            negative = Condition(polynomial=number, relation="<", text=f"the probability {number} is negative")
            yield Fault(number=number, code=codes.NEGATIVE_FOR_PARAMETERS, condition=negative)
    for _, argument in comparison.epsilon.logarithms if comparison.epsilon is not None else ():
        if isinstance(argument, RationalFunction):
            yield from _pole(argument)
            bad = Condition(polynomial=argument, relation="<=", text=f"the argument of ln({argument}) is not positive")
            yield Fault(number=argument, code=codes.LOGARITHM_FOR_PARAMETERS, condition=bad)


def _pole(number: RationalFunction) -> Iterator[Fault]:
    if not number.is_polynomial:
        below = number.denominator.to_number()
        zero = Condition(polynomial=below, relation="==", text=f"the denominator of {number} is 0")
        yield Fault(number=number, code=codes.POLE_FOR_PARAMETERS, condition=zero)


def _improper(fault: Fault, point: Point) -> Diagnostic:
    names = fault.number.parameters
    values = ", ".join(f"{name} = {_value_text(point[name])}" for name in names)
    return Diagnostic(
        code=fault.code,
        message=f"{fault.condition.text} at {values}",
        help=f"narrow the interval of {' and '.join(f'`{name}`' for name in names)}, or add an `assume`",
    )


def _value_text(value: Fraction | Root) -> str:
    return fraction_text(value) if isinstance(value, Fraction) else f"{float(value):.6f}"
