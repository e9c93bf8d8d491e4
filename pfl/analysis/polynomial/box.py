"""Signs of polynomials on boxes of parameters, by Bernstein coefficients, and the search by cutting boxes in two.

Source: docs/theory/parameters.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from typing import Literal, TypeAlias

from pfl.analysis.polynomial.real_roots import simplest_between
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Box: TypeAlias = tuple[Parameter, ...]
Signs: TypeAlias = frozenset[int]
"""The signs that a number may have on a box: a superset of those it has."""

_ANY: Signs = frozenset((-1, 0, 1))

_NEAR_CORNERS = 64
_MOST_COEFFICIENTS = 1 << 14
"""Bernstein coefficients that are looked at: a product of n parameters has 2^n."""


@struct(kw_only=False)
class Chart:
    """The box as the orthant u > 0, by p = (low + high u)/(1 + u) for every parameter, u named like p.

    The coefficients in u of a polynomial in p, multiplied by (1 + u)^degree, are its Bernstein coefficients on the box
    but for positive factors: one sign in all coefficients is that sign on the box.
    """

    box: Box
    images: Mapping[str, Number]

    @staticmethod
    def of(box: Box) -> Chart:
        """The chart of a box, with one image a parameter."""
        images: dict[str, Number] = {}
        for parameter in box:
            u = RationalFunction.parameter(parameter.name)
            images[parameter.name] = (parameter.low + parameter.high * u) / (1 + u)
        return Chart(box, images)

    def extended(self, definitions: Mapping[str, Number]) -> Chart:
        """The chart with further parameters, given as functions of those of the box."""
        return Chart(self.box, {**self.images, **{name: self.pull(number) for name, number in definitions.items()}})

    def pull(self, number: Number) -> Number:
        """The number as a function of u."""
        return number.evaluate(self.images) if isinstance(number, RationalFunction) else number

    def signs(self, number: Number) -> Signs:
        """The signs of a number on the box, its closed faces included; raises nothing, knows no poles."""
        return _ANY if _coefficients(number) > _MOST_COEFFICIENTS else self.pulled_signs(self.pull(number))

    def pulled_signs(self, number: Number) -> Signs:
        """The same of a number that is already a function of u."""
        if isinstance(number, Fraction):
            return frozenset(((number > 0) - (number < 0),))
        above, below = number.numerator, number.denominator
        if len(number.signs) > 1 or any(coefficient < 0 for _, coefficient in below.terms):
            return _ANY
        (sign,) = number.signs
        degrees = {
            name: max(dict(monomial).get(name, 0) for monomial, _ in (*below.terms, *above.terms))
            for name in number.names
        }
        ends: list[list[int | None]] = []
        for parameter in self.box:
            closed = [0] * (not parameter.low_open) + [degrees.get(parameter.name, 0)] * (not parameter.high_open)
            ends.append(list(closed) or [None])
        monomials = [dict(monomial) for monomial, _ in above.terms]
        names = [parameter.name for parameter in self.box]
        strict = all(
            any(
                all(end is None or monomial.get(name, 0) == end for name, end in zip(names, face))
                for monomial in monomials
            )
            for face in product(*ends)
        )
        return frozenset((sign,)) if strict else frozenset((sign, 0))


def _coefficients(number: Number) -> int:
    """How many Bernstein coefficients the larger part of a number may have."""
    if not isinstance(number, RationalFunction) or len(number.names) < 2:
        return 1
    found = 1
    for name in number.names:
        parts = (number.numerator, number.denominator)
        found *= 1 + max(dict(monomial).get(name, 0) for part in parts for monomial, _ in part.terms)
    return found


def status(condition: Condition, chart: Chart) -> bool | None:
    """Whether the condition holds everywhere on the box (True), nowhere (False), or this is not known (None)."""
    outcomes = {condition.holds(Fraction(sign)) for sign in chart.signs(condition.polynomial)}
    return outcomes.pop() if len(outcomes) == 1 else None


def holds_at(space: ParameterSpace, values: Mapping[str, Fraction]) -> bool:
    """Whether rational values of all parameters lie in the space; at a pole no condition holds."""
    return all(parameter.contains(values[parameter.name]) for parameter in space.parameters) and all(
        any(_condition_holds(condition, values) for condition in alternatives) for alternatives in space.assumptions
    )


def _condition_holds(condition: Condition, values: Mapping[str, Fraction]) -> bool:
    polynomial = condition.polynomial
    if isinstance(polynomial, RationalFunction):
        try:
            value = polynomial.evaluate(values)
        except ZeroDivisionError:
            return False
        if isinstance(value, RationalFunction):
            raise ValueError(f"no value is given to {', '.join(value.parameters)}")
        return condition.holds(value)
    return condition.holds(polynomial)


def is_outside(space: ParameterSpace, box: Box) -> bool:
    """Whether some assumption shows by its signs that no point of the box lies in the space."""
    return _undecided(space.assumptions, Chart.of(box)) is None


def search(space: ParameterSpace, budget: Budget, boxes: int) -> dict[str, Fraction] | Literal["unknown"] | None:
    """A rational point of the space, None if it is proved to be empty, or unknown after looking at `boxes` boxes.

    Boxes are cut across the widest parameter, breadth first; the left half keeps the cut. A box where some assumption
    fails everywhere is dropped; a box where all hold everywhere, or whose simplest point satisfies them, ends it.
    Corners are tried last, since an edge may be all that a condition with `<=` leaves.
    """
    pending: deque[tuple[Box, tuple[tuple[Condition, ...], ...]]] = deque([(space.parameters, space.assumptions)])
    for _ in range(boxes):
        if not pending:
            return None
        budget.check("the parameters were cut into some boxes")
        box, clauses = pending.popleft()
        open_clauses = _undecided(clauses, Chart.of(box))
        if open_clauses is None:
            continue
        point = {parameter.name: _sample(parameter) for parameter in box}
        if holds_at(space, point):
            return point
        pending.extend((half, open_clauses) for half in halves(box))
    if not pending:
        return None
    last = chain(_corners(space.parameters), _near_corners(space.parameters))
    return next((point for point in last if holds_at(space, point)), "unknown")


def _corners(box: Box) -> Iterator[dict[str, Fraction]]:
    for ends in islice(product(*((parameter.low, parameter.high) for parameter in box)), 256):
        yield {parameter.name: end for parameter, end in zip(box, ends)}


def _near_corners(box: Box) -> Iterator[dict[str, Fraction]]:
    """Points inside, close to corners: the two outermost ones, and some between, always the same."""
    from random import Random

    ends = [[p.low + (p.high - p.low) * share for share in (Fraction(1, 1024), Fraction(1023, 1024))] for p in box]
    choices = Random(len(box))
    numbers = [[0] * len(box), [1] * len(box), *([choices.randrange(2) for _ in box] for _ in range(_NEAR_CORNERS))]
    for chosen in numbers:
        yield {parameter.name: both[number] for parameter, both, number in zip(box, ends, chosen)}


def _undecided(clauses: Sequence[tuple[Condition, ...]], chart: Chart) -> tuple[tuple[Condition, ...], ...] | None:
    """What is left to be shown on the box; None if some clause fails everywhere on it."""
    remaining = []
    for alternatives in clauses:
        known = [(condition, status(condition, chart)) for condition in alternatives]
        if any(outcome is True for _, outcome in known):
            continue
        kept = tuple(condition for condition, outcome in known if outcome is None)
        if not kept:
            return None
        remaining.append(kept)
    return tuple(remaining)


def _sample(parameter: Parameter) -> Fraction:
    return simplest_between(parameter.low, parameter.high) if parameter.low < parameter.high else parameter.low


def halves(box: Box) -> tuple[Box, Box]:
    """The box cut in the middle of its widest parameter; the cut belongs to the first half."""
    widest = max(range(len(box)), key=lambda index: box[index].high - box[index].low)
    whole = box[widest]
    middle = (whole.low + whole.high) / 2
    left = Parameter(name=whole.name, low=whole.low, high=middle, low_open=whole.low_open, high_open=False)
    right = Parameter(name=whole.name, low=middle, high=whole.high, low_open=True, high_open=whole.high_open)
    return (*box[:widest], left, *box[widest + 1 :]), (*box[:widest], right, *box[widest + 1 :])
