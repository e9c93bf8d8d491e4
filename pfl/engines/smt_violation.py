"""From a solver's assignment to a violation that has been replayed exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pfl.analysis.parametric.threshold import is_exceeded_at, power
from pfl.analysis.polynomial.points import Point, find_point, mended
from pfl.analysis.polynomial.real_roots import Root
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import value_at
from pfl.engines.answer import ExactRoot, Violation
from pfl.engines.bounded_obligation import BoundedObligation
from pfl.engines.parametric_solver import Nlsat

_BITS = 256
"""Precision of e^eps in the search for parameter values, where it is not algebraic."""


def violation_at(
    obligation: BoundedObligation, word: Sequence[int], near: Mapping[str, Fraction], budget: Budget
) -> Violation | None:
    """The violation at a word, with exact parameter values of which `near` are a guess; None if the word shows none.

    With constants the masses of the word decide. With parameters, values near the guess are looked for at which the
    word's ratio exceeds e^eps: rational where there are such, else algebraic.
    """
    left, right = masses(obligation, word)
    if not obligation.space.parameters:
        return _violation(obligation, word, {}) if _is_exceeded(obligation, left, right, {}) else None
    point = _violating_point(obligation, left, right, near, budget)
    return None if point is None else _violation(obligation, word, point)


def masses(obligation: BoundedObligation, word: Sequence[int]) -> tuple[Number, Number]:
    """(mass(left, word), mass(right, word)), multiplied out, as functions of the parameters."""
    system = obligation.system
    return system.mass(obligation.left, word), system.mass(obligation.right, word)


def cut_to_length(obligation: BoundedObligation, violation: Violation, lengths: Sequence[int]) -> Violation:
    """The violation's first prefix, among those of the given lengths, that is a violation too."""
    values = {name: value for name, value in violation.parameters.items() if isinstance(value, Fraction)}
    (word,) = violation.words
    if len(values) < len(violation.parameters):
        return violation
    for length in sorted(length for length in lengths if length < len(word)):
        if _is_exceeded(obligation, *masses(obligation, word[:length]), values):
            return _violation(obligation, word[:length], values)
    return violation


def _is_exceeded(obligation: BoundedObligation, left: Number, right: Number, values: Mapping[str, Fraction]) -> bool:
    epsilon = obligation.source.epsilon
    assert epsilon is not None
    return is_exceeded_at(epsilon, value_at(left, values), value_at(right, values), values)


def _violating_point(
    obligation: BoundedObligation, left: Number, right: Number, near: Mapping[str, Fraction], budget: Budget
) -> Point | None:
    epsilon = obligation.source.epsilon
    assert epsilon is not None
    bound = power(epsilon, _BITS)
    space = obligation.space.restricted(bound.exceeded(left, right))
    guess = {p.name: near.get(p.name, (p.low + p.high) / 2) for p in space.parameters}
    point = mended(space, guess, budget) or find_point(space, budget, Nlsat())
    if not isinstance(point, dict):
        return None
    values = {name: value for name, value in point.items() if isinstance(value, Fraction)}
    if len(values) < len(point):
        # The condition on an algebraic point was decided exactly; it is the claim's own if the bound is exact.
        return point if bound.exact else None
    return point if _is_exceeded(obligation, left, right, values) else None


def _violation(obligation: BoundedObligation, word: Sequence[int], point: Mapping[str, Fraction | Root]) -> Violation:
    return Violation(
        comparison=obligation.comparison,
        reversed=obligation.reversed,
        words=(tuple(word),),
        parameters={
            name: value
            if isinstance(value, Fraction)
            else ExactRoot(polynomial=value.equation(name), value=float(value), root=value)
            for name, value in sorted(point.items())
        },
    )
