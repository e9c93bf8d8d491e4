"""What must hold for all parameter values so that a claim means something: assumptions that can be met, no negative
probability, no pole, logarithms of positive numbers.

The solver that the analysis of several parameters asks where it cannot decide by itself.

A point of a parameter space by Z3's nlsat, mended to be exact. Loads Z3, so it is imported on first need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from pfl.analysis.polynomial.cells import contradictory_assumptions
from pfl.analysis.polynomial.points import Found, Point, Solver, find_point, mended
from pfl.analysis.polynomial.real_roots import Root
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.codes import Code
from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.compare import Compare, Comparison
from pfl.model.labelled_system import sparse
from pfl.model.parameters import Condition, ParameterSpace


@struct
class Fault:
    """A number of a claim, and a condition on its parameters that must hold nowhere."""

    number: RationalFunction
    code: Code
    condition: Condition


def reject_improper(question: Compare, solver: Solver, budget: Budget) -> str | None:
    """Raise InputRejected for a claim that means nothing at some parameter values; what could not be decided, in words.

    Each number is looked at on the values that its comparisons are about, conditions for a denominator not to be 0
    included.
    """
    if find_point(question.parameters, budget, solver) is None:
        raise InputRejected([contradictory_assumptions(question.parameters)])
    doubtful: str | None = None
    checked: set[tuple[object, ...]] = set()
    looked: dict[tuple[Condition, ...], set[object]] = {}
    for comparison in question.comparisons:
        space = question.parameters.restricted(*comparison.nonzero)
        for fault in faults(comparison, looked.setdefault(comparison.nonzero, set())):
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


def faults(comparison: Comparison, looked: set[object]) -> Iterator[Fault]:
    """What must happen nowhere, for every number of a comparison that depends on parameters, but for numbers, vectors
    and systems that are in `looked`, which they enter."""
    for number in _not_looked_at(comparison, looked):
        if isinstance(number, RationalFunction):
            yield from _pole(number)
            negative = Condition(polynomial=number, relation="<", text=f"the probability {number} is negative")
            yield Fault(number=number, code=codes.NEGATIVE_FOR_PARAMETERS, condition=negative)
    for _, argument in comparison.epsilon.logarithms if comparison.epsilon is not None else ():
        if isinstance(argument, RationalFunction):
            yield from _pole(argument)
            bad = Condition(polynomial=argument, relation="<=", text=f"the argument of ln({argument}) is not positive")
            yield Fault(number=argument, code=codes.LOGARITHM_FOR_PARAMETERS, condition=bad)


def _not_looked_at(comparison: Comparison, looked: set[object]) -> Iterator[Number]:
    parts: list[tuple[object, Iterable[Number]]] = [(comparison.system, comparison.system.numbers)]
    parts += ((id(side.vector), (number for _, number in sparse(side.vector))) for side in comparison.sides)
    parts += ((id(side), (side.weight,)) for side in comparison.sides)
    for part, numbers in parts:
        if part in looked:
            continue
        looked.add(part)
        for number in numbers:
            if number not in looked:
                looked.add(number)
                yield number


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


def decide(space: ParameterSpace, budget: Budget, patience: float) -> Found:
    """A point of the space; None if Z3 finds it empty; unknown after `patience` seconds, or where no point is exact."""
    # What only a question that is hard to decide needs.
    from pfl.engines.smt import z3
    from pfl.engines.smt.encode_parameters import parameter_symbols, space_script
    from pfl.engines.smt.solver_outcome import Satisfiable, Unsatisfiable

    remaining = budget.remaining()
    outcome = z3.solve(space_script(space), patience if remaining is None else min(patience, remaining))
    match outcome:
        case Unsatisfiable():
            return None
        case Satisfiable(model):
            near = {name: _near(model.get(symbol.name)) for name, symbol in parameter_symbols(space).items()}
            return mended(space, near, budget) or "unknown"
        case _:
            return "unknown"


def _near(value: object) -> Fraction:
    """The value, a rational near it, or 0 where it could not be read."""
    from pfl.engines.smt.solver_outcome import Near

    match value:
        case Near(low, high):
            return (low + high) / 2
        case Fraction():
            return value
        case _:
            return Fraction(0)


PATIENCE = 20.0
"""Seconds for one question, where no other limit is set."""
LITTLE_PATIENCE = 2.0
"""Seconds for one question whose answer is only for the report."""


@struct(frozen=False, kw_only=False)
class Nlsat:
    """Asks Z3; `proofs` counts the proofs of emptiness that rest on it alone."""

    proofs: int = 0
    patience: float = PATIENCE

    def __call__(self, space: ParameterSpace, budget: Budget) -> Found:
        """A point of the space; None if it is empty; or unknown."""
        found = decide(space, budget, self.patience)
        self.proofs += found is None
        return found
