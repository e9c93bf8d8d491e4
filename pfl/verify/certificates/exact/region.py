"""Where the parameters of a claim may lie, and signs of polynomials there, shown by rational arithmetic alone.

Only what is easy to see of the assumptions is used: a sign that is shown on more than the space is one on the space.
The rules, and why they are right: docs/theory/certificates.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.verify.certificates.exact.boxes import Box, Interval, coefficients, fails, halves, is_strict
from pfl.verify.certificates.exact.one_parameter import has_no_root, is_never_positive, whole
from pfl.verify.certificates.exact.polynomials import Poly, Quotient, read_quotient

MOST_BOXES = 200
"""Boxes that are looked at for one sign in several parameters."""

_SHARES = 40
"""How near to the lower ends of all intervals an interior point is looked for."""

MOST_COEFFICIENTS = 20_000
"""Coefficients on a box, of one polynomial, that are computed."""


@struct(eq=False)
class Region:
    """Boxes that hold the space once parameters are put in that equations determine, and what else is known there.

    `nonzero` are polynomials that are 0 nowhere in the space. Of each of the `clauses` one polynomial is below 0, or at
    most 0 where it comes with True. If `is_full`, near every point of the space there are others of it at which a given
    polynomial is not 0, unless it is 0 everywhere.
    """

    names: tuple[str, ...]
    boxes: tuple[Box, ...]
    definitions: tuple[tuple[int, Poly], ...]
    nonzero: tuple[Poly, ...]
    clauses: tuple[tuple[tuple[Poly, bool], ...], ...]
    is_full: bool
    budget: Budget

    @staticmethod
    def of(space: ParameterSpace, budget: Budget) -> Region:
        """The region of a space of parameters."""
        return _Reading(space, budget).region()

    def read(self, number: Number) -> Quotient:
        """A number of the claim, with what equations say put in. Raises ValueError where it has another parameter."""
        raw = read_quotient(number, self.names)
        return Quotient(above=self._put_in(raw.above), below=self._put_in(raw.below))

    def reduced(self, polynomial: Poly) -> Poly:
        """A polynomial of a certificate, with what equations say put in."""
        return self._put_in(polynomial)

    def _put_in(self, polynomial: Poly) -> Poly:
        for place, value in self.definitions:
            if polynomial.mentions(place):
                polynomial = polynomial.with_value(place, value)
        return polynomial

    def is_never_positive(self, polynomial: Poly) -> bool:
        """Whether it is shown that the polynomial is at most 0 in the whole region; False says nothing.

        Raises LimitReached by the budget.
        """
        value = polynomial.value
        if value is not None:
            return value <= 0 or not self.boxes
        place = _only_parameter(polynomial)
        if place is not None:
            shortest = _univariate(polynomial, place)
            return all(is_never_positive(shortest, *_ends(box[place])) for box in self.boxes)
        return self._on_all_boxes(polynomial, lambda box: max(coefficients(polynomial, box).values()) <= 0)

    def has_no_root(self, polynomial: Poly) -> bool:
        """Whether it is shown that the polynomial is 0 nowhere in the region; False says nothing. Raises
        LimitReached."""
        value = polynomial.value
        if value is not None:
            return value != 0 or not self.boxes
        for factor in self.nonzero:
            while (quotient := polynomial.over(factor)) is not None:
                polynomial = quotient
        if polynomial.value is not None:
            return True
        place = _only_parameter(polynomial)
        if place is None:
            return self._on_all_boxes(polynomial, lambda box: is_strict(polynomial, box))
        shortest = _univariate(polynomial, place)
        return all(
            has_no_root(shortest, *_ends(box[place]), low_open=box[place].low_open, high_open=box[place].high_open)
            for box in self.boxes
        )

    def is_empty_under(self, polynomials: Sequence[Poly]) -> bool:
        """Whether it is shown that at no point of the space all of some polynomials are at most 0; False says nothing.

        Raises LimitReached.
        """
        conditions = [self._without_positive(self.reduced(polynomial)) for polynomial in polynomials]
        under = replace(self, clauses=(*self.clauses, *(((each, True),) for each in conditions)))
        mentioned = [polynomial for clause in under.clauses for polynomial, _ in clause]
        used = [place for place in range(len(self.names)) if any(each.mentions(place) for each in mentioned)]
        pending = list(self.boxes)
        for _ in range(MOST_BOXES):
            if not pending:
                return True
            self.budget.check("it was shown of a part of the parameters that nothing is there")
            box = pending.pop()
            if not under._is_outside(box):
                if not used:
                    return False
                pending += halves(box, used)
        return not pending

    def _without_positive(self, polynomial: Poly) -> Poly:
        """The polynomial divided by those that the assumptions say are positive, as far as they divide it."""
        for clause in self.clauses:
            below, or_zero = clause[0]
            if len(clause) == 1 and not or_zero and below.value is None:
                while not polynomial.is_zero and (quotient := polynomial.over(-below)) is not None:
                    polynomial = quotient
        return polynomial

    def _on_all_boxes(self, polynomial: Poly, shows: Callable[[Box], bool]) -> bool:
        """Whether something is shown on every box, or on every part of it after cuts."""
        size = 1
        for place in range(len(self.names)):
            size *= polynomial.degree(place) + 1
        if size > MOST_COEFFICIENTS:
            return False
        used = [place for place in range(len(self.names)) if polynomial.mentions(place)]
        pending = list(self.boxes)
        for _ in range(MOST_BOXES):
            if not pending:
                return True
            self.budget.check("a sign was shown on a part of the parameters")
            box = pending.pop()
            if self._is_outside(box) or shows(box):
                continue
            pending += halves(box, used)
        return not pending

    def _is_outside(self, box: Box) -> bool:
        """Whether some assumption fails on the whole box."""
        return any(all(fails(polynomial, box, or_zero) for polynomial, or_zero in clause) for clause in self.clauses)


def _only_parameter(polynomial: Poly) -> int | None:
    """The place of the one parameter that a polynomial depends on; None for several."""
    used = {place for powers in polynomial.terms for place, power in enumerate(powers) if power}
    return used.pop() if len(used) == 1 else None


def _univariate(polynomial: Poly, place: int) -> tuple[int, ...]:
    return whole(polynomial.along(place))


def _ends(interval: Interval) -> tuple[Fraction, Fraction]:
    return interval.low, interval.high


class _Reading:
    """A space on its way to a region: equations put in, then intervals made smaller."""

    def __init__(self, space: ParameterSpace, budget: Budget) -> None:
        self._names = space.names
        self._budget = budget
        self._definitions: list[tuple[int, Poly]] = []
        self._intervals: dict[int, list[Interval]] = {
            place: [_interval_of(parameter)] for place, parameter in enumerate(space.parameters)
        }
        self._clauses = [[self._read(condition) for condition in clause] for clause in space.assumptions]

    def _read(self, condition: Condition) -> tuple[Poly, str] | None:
        """The polynomial and the relation of a condition; None where it is one on a quotient, which is not used."""
        quotient = read_quotient(condition.polynomial, self._names)
        scale = quotient.below.value
        if scale is None:
            return None
        above = quotient.above
        return (above if scale > 0 else -above), condition.relation

    def region(self) -> Region:
        while (found := self._equation()) is not None:
            self._define(*found)
        clauses: list[tuple[tuple[Poly, bool], ...]] = []
        nonzero: list[Poly] = []
        is_known = True
        for clause in self._clauses:
            if None in clause:
                is_known = False
                continue
            kept = [each for each in clause if each is not None]
            if len(kept) == 1 and self._narrowed(*kept[0]):
                continue
            if len(kept) == 1 and kept[0][1] == "!=":
                nonzero.append(kept[0][0])
            elif not all(relation in ("<", "<=") for _, relation in kept):
                is_known = False
            else:
                clauses.append(tuple((polynomial, relation == "<=") for polynomial, relation in kept))
        places = range(len(self._names))
        lists = [[each for each in self._intervals[place] if not each.is_empty] for place in places]
        return Region(
            names=self._names,
            boxes=tuple(product(*lists)),
            definitions=tuple(self._definitions),
            nonzero=tuple(nonzero),
            clauses=tuple(clauses),
            is_full=is_known and self._is_full(clauses, lists),
            budget=self._budget,
        )

    def _is_full(self, clauses: Sequence[tuple[tuple[Poly, bool], ...]], lists: Sequence[Sequence[Interval]]) -> bool:
        """Whether the space is boxes with an interior, cut by linear conditions that leave an interior point: it is
        convex then, and its points are limits of inner ones. Points at which some polynomial is 0 make no difference.
        """
        defined = {place for place, _ in self._definitions}
        free = [place for place in range(len(self._names)) if place not in defined]
        if any(each.low == each.high for place in free for each in lists[place]):
            return False
        if not clauses:
            return True
        linear = [clause[0][0] for clause in clauses if len(clause) == 1 and _is_linear(clause[0][0])]
        if len(linear) < len(clauses) or any(len(lists[place]) != 1 for place in free):
            return False
        for share in range(2, _SHARES):
            point = {place: _between(lists[place][0], share) for place in free}
            if all(_value(polynomial, point) < 0 for polynomial in linear):
                return True
        return False

    def _equation(self) -> tuple[int, Poly] | None:
        """A parameter with a single value, or one that an equation determines."""
        for place, (interval, *_) in self._intervals.items():
            if interval.low == interval.high and not any(place == known for known, _ in self._definitions):
                return place, Poly.constant(interval.low, len(self._names))
        for clause in self._clauses:
            if len(clause) == 1 and clause[0] is not None and clause[0][1] == "==":
                for place in range(len(self._names)):
                    solved = _solved(clause[0][0], place)
                    if solved is not None:
                        return place, solved
        return None

    def _define(self, place: int, value: Poly) -> None:
        """Puts a parameter in everywhere; its interval becomes two conditions on what it is."""
        self._definitions = [
            *((known, number.with_value(place, value)) for known, number in self._definitions),
            (place, value),
        ]
        size = len(self._names)
        for clause in self._clauses:
            clause[:] = [each if each is None else (each[0].with_value(place, value), each[1]) for each in clause]
        for interval in self._intervals[place]:
            low, high = Poly.constant(interval.low, size) - value, value - Poly.constant(interval.high, size)
            self._clauses += [
                [(low, "<" if interval.low_open else "<=")],
                [(high, "<" if interval.high_open else "<=")],
            ]
        zero = Fraction(0)
        self._intervals[place] = [Interval(low=zero, high=zero, low_open=False, high_open=False)]

    def _narrowed(self, polynomial: Poly, relation: str) -> bool:
        """Makes the intervals of a parameter smaller by a condition that is linear in it alone."""
        value = polynomial.value
        if value is not None:
            return True  # it says nothing, or that the space is empty
        place = _only_parameter(polynomial)
        if place is None or polynomial.degree(place) != 1:
            return False
        coefficients = dict((powers[place], coefficient) for powers, coefficient in polynomial.terms.items())
        end = -coefficients.get(0, Fraction(0)) / coefficients[1]
        known = self._intervals[place]
        if relation == "!=":
            below = [each.below(end, is_open=True) for each in known]
            self._intervals[place] = [*below, *(each.above(end, is_open=True) for each in known)]
        elif coefficients[1] > 0:
            self._intervals[place] = [each.below(end, is_open=relation == "<") for each in known]
        else:
            self._intervals[place] = [each.above(end, is_open=relation == "<") for each in known]
        return relation != "=="


def _is_linear(polynomial: Poly) -> bool:
    return all(sum(powers) <= 1 for powers in polynomial.terms)


def _between(interval: Interval, share: int) -> Fraction:
    return interval.low + (interval.high - interval.low) / share


def _value(polynomial: Poly, point: dict[int, Fraction]) -> Fraction:
    """The value of a linear polynomial in the parameters of a point."""
    total = Fraction(0)
    for powers, coefficient in polynomial.terms.items():
        place = next((place for place, power in enumerate(powers) if power), None)
        total += coefficient if place is None else coefficient * point[place]
    return total


def _solved(polynomial: Poly, place: int) -> Poly | None:
    """What a parameter is where a polynomial is 0, if it occurs linearly, with a constant coefficient."""
    if polynomial.degree(place) != 1:
        return None
    slope = [(powers, coefficient) for powers, coefficient in polynomial.terms.items() if powers[place]]
    if len(slope) != 1 or sum(slope[0][0]) != 1:
        return None
    rest = {powers: coefficient / -slope[0][1] for powers, coefficient in polynomial.terms.items() if not powers[place]}
    return Poly(rest)


def _interval_of(parameter: Parameter) -> Interval:
    return Interval(low=parameter.low, high=parameter.high, low_open=parameter.low_open, high_open=parameter.high_open)
