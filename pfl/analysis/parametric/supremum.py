"""The largest ratio of one word over all parameter values, and where it is.
Source: docs/theory/parameters.md.

Words that are likely to have a large ratio, found with floats; whoever uses one computes its ratio exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Literal, TypeAlias

from pfl.analysis.parametric.obligation import Obligation, Setting
from pfl.analysis.parametric.prefixes import Word
from pfl.analysis.polynomial.box import holds_at
from pfl.analysis.polynomial.points import Point
from pfl.analysis.polynomial.real_roots import Root, simplest_between
from pfl.analysis.polynomial.supremum import Supremum, supremum
from pfl.base.budget import Budget
from pfl.base.exact_text import fraction_text
from pfl.base.exponential import approach_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.base.struct import struct
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Extended: TypeAlias = Fraction | Literal["inf"]

_ROUNDS = 8
"""Improvements of a lower bound in several parameters before it is enclosed instead."""
_PRECISION = Fraction(1, 2**30)
"""Relative width down to which a supremum in several parameters is enclosed, where it is not found exactly."""


@struct
class Candidate:
    """The supremum of a ratio lies in [low, high]; it is the value at `point`, or the limit there if not `attained`.

    `point` gives the parameters of the setting's space.
    """

    low: Extended
    high: Extended
    point: Point
    attained: bool

    @property
    def is_exact(self) -> bool:
        """Whether the ratio is known, and not only to lie in an interval."""
        return self.low == self.high

    @property
    def limit(self) -> str:
        """`p -> 0` for a limit, empty for a value."""
        if self.attained:
            return ""
        return ", ".join(approach_text(name, _point_text(value)) for name, value in sorted(self.point.items()))

    def is_better(self, other: Candidate) -> bool:
        """Whether the ratio is certainly larger, or not certainly smaller and attained where the other is not."""
        if not _at_least(other.high, self.low) or (self.low == "inf" and other.low != "inf"):
            return True
        return _at_least(self.high, other.low) and self.attained and not other.attained


def larger(first: Extended, second: Extended) -> Extended:
    """The larger of two ratios; the first where they are equal."""
    return first if _at_least(first, second) else second


def _at_least(first: Extended, second: Extended) -> bool:
    return first == "inf" or (second != "inf" and first >= second)


def largest_ratio(above: Number, below: Number, setting: Setting, floor: Fraction, budget: Budget) -> Candidate | None:
    """sup of above/below over the setting's space, 0/0 left out, where it may be at least `floor`; else None.

    Exact for at most one parameter. For several it is exact where a corner of the box or a rational point that is found
    can be proved to be largest, otherwise enclosed; `high` is `inf` where nothing better is known, and `low` is `floor`
    where no point is.
    """
    match len(setting.space.parameters):
        case 0:
            return _constant(above, below)
        case 1:
            found = supremum(above, below, setting.space)
            return None if found is None else _of_one(found, setting.space.parameters[0].name)
        case _:
            return _of_several(above, below, setting, floor, budget)


def _constant(above: Number, below: Number) -> Candidate | None:
    if not above and not below:
        return None
    ratio: Extended = value_at(above / below, {}) if below else "inf"
    return Candidate(low=ratio, high=ratio, point={}, attained=True)


def _of_one(found: Supremum, name: str) -> Candidate:
    return Candidate(low=found.low, high=found.high, point={name: found.point}, attained=found.attained)


def _of_several(above: Number, below: Number, setting: Setting, floor: Fraction, budget: Budget) -> Candidate | None:
    """Points with a larger ratio, each improved along the axes, until there is none, or little is gained."""
    best: Candidate | None = None
    low = floor
    for _ in range(_ROUNDS):
        found = setting.search(budget, _exceeds(above, below, low))
        if found is None:
            return best if best is not None and best.attained else _tie(above, below, setting, low, budget) or best
        values = _rational(found)
        if values is None:
            break
        for candidate in _ascent(above, below, values, setting.space, budget):
            if best is None or candidate.is_better(best):
                best = candidate
        if best is None or best.low == "inf":
            return best
        if best.low < low * (1 + _PRECISION):
            break
        low = best.low
    if best is None:
        return Candidate(low=floor, high="inf", point={}, attained=False)
    return _enclosed(best, above, below, setting, budget)


def _tie(above: Number, below: Number, setting: Setting, floor: Fraction, budget: Budget) -> Candidate | None:
    """A point at which the ratio is exactly `floor`, or more."""
    if not floor:
        return None
    reached = Condition(polynomial=floor * below - above, relation="<=", text="")
    found = setting.search(budget, reached, Condition(polynomial=-below, relation="<", text=""))
    if found is None or found == "unknown":
        return None
    return Candidate(low=floor, high=floor, point=found, attained=True)


def _exceeds(above: Number, below: Number, bound: Fraction) -> Condition:
    return Condition(polynomial=bound * below - above, relation="<", text="the ratio is larger")


def _rational(found: Point | Literal["unknown"]) -> dict[str, Fraction] | None:
    if found == "unknown":
        return None
    values = {name: value for name, value in found.items() if isinstance(value, Fraction)}
    return values if len(values) == len(found) else None


def _ascent(
    above: Number, below: Number, values: dict[str, Fraction], space: ParameterSpace, budget: Budget
) -> Iterator[Candidate]:
    """The ratio at a point, then at the best points along one parameter after the other, twice round."""
    here = _ratio_at(above, below, values, space)
    if here is None:
        return
    yield here
    for parameter in space.parameters * 2:
        budget.check(f"a search for the supremum in {parameter.name}")
        others = {name: value for name, value in values.items() if name != parameter.name}
        along = _best_along(above, below, parameter, others, space)
        if along is None:
            continue
        moved = _ratio_at(above, below, {**others, parameter.name: along}, space)
        if moved is not None and moved.is_better(here):
            here, values = moved, {**others, parameter.name: along}
            yield here


def _best_along(
    above: Number, below: Number, parameter: Parameter, others: dict[str, Fraction], space: ParameterSpace
) -> Fraction | None:
    """The value of one parameter, or a rational near it, that makes the ratio largest where the others are held."""

    def held(number: Number) -> Number:
        return number.evaluate(others) if isinstance(number, RationalFunction) else number

    clauses = []
    try:
        for alternatives in space.assumptions:
            clause = tuple(replace(condition, polynomial=held(condition.polynomial)) for condition in alternatives)
            clauses.append(clause)
        line = ParameterSpace(parameters=(parameter,), assumptions=tuple(clauses))
        found = supremum(held(above), held(below), line)
    except ZeroDivisionError:
        return None
    if found is None:
        return None
    point = found.point
    return point if isinstance(point, Fraction) else simplest_between(*_ends(point.within(_PRECISION)))


def _ends(root: Root) -> tuple[Fraction, Fraction]:
    return root.low, root.high


def _ratio_at(above: Number, below: Number, values: dict[str, Fraction], space: ParameterSpace) -> Candidate | None:
    """The ratio at a point, or its limit from inside the box; None where the point is not near the space."""
    attained = holds_at(space, values)
    if not attained and not _is_inside(space, values):
        return None
    try:
        over, under = value_at(above, values), value_at(below, values)
        if not under:
            quotient = above / below if below else None
            if over:
                return Candidate(low="inf", high="inf", point=dict(values), attained=attained)
            if quotient is None:
                return None
            ratio, attained = value_at(quotient, values), False
        else:
            ratio = over / under
    except ZeroDivisionError:
        return None
    return Candidate(low=ratio, high=ratio, point=dict(values), attained=attained)


def _is_inside(space: ParameterSpace, values: dict[str, Fraction]) -> bool:
    """Whether all points of the box around the point satisfy the assumptions."""
    return all(
        any(
            condition.relation != "==" and value and condition.holds(value)
            for condition in alternatives
            for value in (value_at(condition.polynomial, values),)
        )
        for alternatives in space.assumptions
    )


def _enclosed(best: Candidate, above: Number, below: Number, setting: Setting, budget: Budget) -> Candidate:
    """The candidate with the least proved upper bound among low (1 + 16^i precision), or a simpler one below that."""
    assert isinstance(best.low, Fraction)
    high: Extended = "inf"
    width = _PRECISION
    while high == "inf" and width <= 2**10:
        bound = best.low * (1 + width)
        if setting.search(budget, _exceeds(above, below, bound)) is None:
            simple = simplest_between(best.low, bound)
            is_bound = setting.search(budget, _exceeds(above, below, simple)) is None
            high = simple if is_bound else bound
        width *= 16
    return Candidate(low=best.low, high=high, point=best.point, attained=best.attained)


def _point_text(value: Fraction | Root) -> str:
    return fraction_text(value) if isinstance(value, Fraction) else f"{float(value):.6f}"


Floats: TypeAlias = tuple[float, ...]
FloatMatrix: TypeAlias = list[list[tuple[int, float]]]

_WIDTH = 12


def promising_word(obligation: Obligation, values: Mapping[str, Fraction], length: int) -> Word:
    """A word of a length whose ratio at the parameter values is the largest that a beam search finds.

    Kept are the prefixes with the largest ratio of masses, and as many with the largest ratio in one state, which is as
    much as any continuation can reach.
    """

    def at(number: Number) -> float:
        return float(value_at(number, values))

    matrices: list[FloatMatrix] = [
        [[(column, at(weight)) for column, weight in row] for row in matrix] for matrix in obligation.system.matrices
    ]
    final = [at(weight) for weight in obligation.system.final or [Fraction(1)] * obligation.system.size]

    def mass(vector: Floats) -> float:
        return sum(entry * weight for entry, weight in zip(vector, final))

    start = (tuple(map(at, obligation.left)), tuple(map(at, obligation.right)))
    beam: list[tuple[Word, Floats, Floats]] = [((), *start)]
    for _ in range(length):
        longer = []
        for word, left, right in beam:
            for letter, matrix in enumerate(matrices):
                over, under = _step(left, matrix), _step(right, matrix)
                scale = sum(over)
                if scale > 0:
                    over, under = tuple(x / scale for x in over), tuple(x / scale for x in under)
                    longer.append(((*word, letter), over, under))
        by_mass = sorted(longer, key=lambda entry: -_ratio(mass(entry[1]), mass(entry[2])))
        by_state = sorted(longer, key=lambda entry: -max(map(_ratio, entry[1], entry[2])))
        beam = list({entry[0]: entry for entry in by_mass[:_WIDTH] + by_state[:_WIDTH]}.values())
        if not beam:
            return ()
    return max(beam, key=lambda entry: _ratio(mass(entry[1]), mass(entry[2])))[0]


def _ratio(over: float, under: float) -> float:
    return over / under if under > 0 else inf if over > 0 else 0.0


def _step(vector: Floats, matrix: FloatMatrix) -> Floats:
    result = [0.0] * len(vector)
    for weight, row in zip(vector, matrix):
        if weight:
            for column, entry in row:
                result[column] += weight * entry
    return tuple(result)
