"""Formulas as step functions between integers, which share nothing with the balls and polynomials of the search.

A number x stands for x / UNIT. On each cell of the line, or at each integer, a function lies between two such numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt, lcm

from pfl.base.budget import Budget
from pfl.base.enclosure import exp
from pfl.base.struct import struct
from pfl.model.enclosed.formulas import Combination, Cut, Density, IntegralSum, Node, One, Product, UpTo, functions_in

BITS = 64
UNIT = 1 << BITS
REACH = 9
"""Standard deviations from the mean to either end of a window, outside of which a density is taken for 0."""

_Steps = tuple[tuple[int, int], ...]
"""What a function lies between: left of all cells, on each, and right of them."""


@struct
class Cells:
    """Cells of the line between neighbouring points, ascending; or, if `is_whole`, points that are integers themselves.

    A point p stands for p / scale.
    """

    points: tuple[int, ...]
    scale: int
    is_whole: bool

    @property
    def sides(self) -> Sequence[tuple[int, int]]:
        """The ends of each cell, equal for integers."""
        return [(point, point) for point in self.points] if self.is_whole else list(pairwise(self.points))

    @property
    def lengths(self) -> Sequence[int]:
        """How long each cell is, over the scale; 1 of integers."""
        return [end - start or 1 for start, end in self.sides]


class Steps:
    """The integrals of some formulas, with so many cells to a standard deviation. Raises LimitReached."""

    def __init__(self, nodes: Sequence[Node], draws: int, cells: int, budget: Budget) -> None:
        self._nodes, self._cells, self._budget = nodes, cells, budget
        self._integrals: dict[int, tuple[int, int]] = {}
        self._powers: dict[Fraction, tuple[int, int]] = {}
        self._densities: dict[tuple[Fraction, int], dict[int, tuple[int, int]]] = {}
        self._known: dict[Cells, dict[int, _Steps]] = {}
        deviations = {(node.deviation, node.is_discrete) for node in nodes if isinstance(node, Density)}
        tails = [_tail(deviation) if is_discrete else _above(-_HALF_SQUARE) for deviation, is_discrete in deviations]
        self._missing = draws * max(tails, default=0)

    def probability(self, number: IntegralSum) -> tuple[Fraction, Fraction]:
        """Numbers between which the probability of an event lies."""
        low, high = self._value(number)
        missing = self._missing if number.integrals else 0
        return max(Fraction(low, UNIT), Fraction(0)), min(Fraction(high + missing, UNIT), Fraction(1))

    def _value(self, number: IntegralSum) -> tuple[int, int]:
        low = high = 0
        for integrals, coefficient in number.terms:
            product = (floor(coefficient * UNIT), ceil(coefficient * UNIT))
            for integral in integrals:
                product = _times(product, self._integral(integral))
            low, high = low + product[0], high + product[1]
        return low, high

    def _integral(self, formula: int) -> tuple[int, int]:
        if formula not in self._integrals:
            reached = self._reached(formula)
            densities = [node for node in reached if isinstance(node, Density)]
            ends = [
                end for node in reached if isinstance(node, Cut) for end in (node.low, node.high) if end is not None
            ]
            cells = (
                self._whole_cells(densities, ends) if densities[0].is_discrete else self._real_cells(densities, ends)
            )
            steps = self._steps(formula, cells, self._known.setdefault(cells, {}))
            if steps[0] != (0, 0) or steps[-1] != (0, 0):
                raise ValueError("a function that does not vanish far out has no integral")
            self._integrals[formula] = _summed(steps, cells)
        return self._integrals[formula]

    def _reached(self, formula: int) -> list[Node]:
        seen, pending = {formula}, [formula]
        while pending:
            parts = functions_in(self._nodes[pending.pop()])
            pending += [part for part in parts if part not in seen]
            seen.update(parts)
        return [self._nodes[place] for place in seen]

    def _real_cells(self, densities: Sequence[Density], cuts: Sequence[Fraction]) -> Cells:
        steps = [density.deviation / self._cells for density in densities]
        means = [density.mean for density in densities]
        scale = lcm(*(number.denominator for number in (*steps, *means, *cuts)))
        found = {int(cut * scale) for cut in cuts}
        for mean, step in zip(means, steps):
            middle, width = int(mean * scale), int(step * scale)
            found.update(middle + count * width for count in range(-REACH * self._cells, REACH * self._cells + 1))
        return Cells(points=tuple(sorted(found)), scale=scale, is_whole=False)

    def _whole_cells(self, densities: Sequence[Density], cuts: Sequence[Fraction]) -> Cells:
        ends = [int(cut) for cut in cuts]
        for density in densities:
            reach = _whole_reach(density.deviation)
            ends += [int(density.mean) - reach, int(density.mean) + reach]
        return Cells(points=tuple(range(min(ends), max(ends) + 1)), scale=1, is_whole=True)

    def _steps(self, formula: int, cells: Cells, known: dict[int, _Steps]) -> _Steps:
        if formula in known:
            return known[formula]
        self._budget.check("some enclosures of Gaussian noise were confirmed")
        made: _Steps
        match self._nodes[formula]:
            case Density() as density:
                made = (
                    (0, 0),
                    *(self._whole(density, cells) if density.is_discrete else self._real(density, cells)),
                    (0, 0),
                )
            case One():
                made = ((UNIT, UNIT),) * (len(cells.sides) + 2)
            case Cut(function=inner, low=low, high=high):
                left, *within, right = self._steps(inner, cells, known)
                least = cells.points[0] if low is None else int(low * cells.scale)
                most = cells.points[-1] if high is None else int(high * cells.scale)
                kept = (
                    step if least <= start and end <= most else (0, 0)
                    for step, (start, end) in zip(within, cells.sides)
                )
                made = (left if low is None else (0, 0), *kept, right if high is None else (0, 0))
            case Product(factors=(first, *others)):
                made = self._steps(first, cells, known)
                for factor in others:
                    made = tuple(map(_times, made, self._steps(factor, cells, known)))
            case Combination(summands=summands):
                total = [(0, 0)] * (len(cells.sides) + 2)
                for part, coefficient in summands:
                    factor_ = self._value(coefficient)
                    scaled = (_times(factor_, step) for step in self._steps(part, cells, known))
                    total = [(a + c, b + d) for (a, b), (c, d) in zip(total, scaled)]
                made = tuple(total)
            case UpTo(function=inner):
                made = tuple(_rising(self._steps(inner, cells, known), cells))
        known[formula] = made
        return made

    def _real(self, density: Density, cells: Cells) -> Iterator[tuple[int, int]]:
        """On a cell on one side of the mean a density lies between its values at the ends."""
        middle, farthest = int(density.mean * cells.scale), int(REACH * density.deviation * cells.scale)
        known = self._densities.setdefault((density.deviation, cells.scale), {})
        for start, end in cells.sides:
            if abs(start - middle) > farthest or abs(end - middle) > farthest:
                yield 0, 0
                continue
            near, far = sorted((abs(start - middle), abs(end - middle)))
            for distance in (near, far):
                if distance not in known:
                    low, high = self._power(Fraction(distance) / (density.deviation * cells.scale))
                    below, above = low / (density.deviation * _ROOT_ABOVE), high / (density.deviation * _ROOT_BELOW)
                    known[distance] = floor(below), ceil(above)
            yield known[far][0], known[near][1]

    def _whole(self, density: Density, cells: Cells) -> Iterator[tuple[int, int]]:
        reach = _whole_reach(density.deviation)
        powers = [self._power(Fraction(k) / density.deviation) for k in range(reach + 1)]
        low = 2 * sum(each for each, _ in powers) - powers[0][0]
        high = 2 * sum(each for _, each in powers) - powers[0][1] + _tail(density.deviation)
        for value in cells.points:
            distance = abs(value - int(density.mean))
            if distance > reach:
                yield 0, 0
            else:
                yield powers[distance][0] * UNIT // high, -(-powers[distance][1] * UNIT // low)

    def _power(self, deviations: Fraction) -> tuple[int, int]:
        """Bounds of e^(-x^2/2)."""
        if deviations not in self._powers:
            found = exp(-(deviations**2) / 2, BITS)
            self._powers[deviations] = floor(found.low * UNIT), ceil(found.high * UNIT)
        return self._powers[deviations]


def _times(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    (a, b), (c, d) = left, right
    if a >= 0 and c >= 0:
        return a * c >> BITS, -(-b * d >> BITS)
    products = a * c, a * d, b * c, b * d
    return min(products) >> BITS, -(-max(products) >> BITS)


def _over(steps: _Steps, cells: Cells) -> Iterator[tuple[int, int]]:
    """The integral over each cell."""
    for (low, high), length in zip(steps[1:-1], cells.lengths):
        yield low * length // cells.scale, -(-high * length // cells.scale)


def _summed(steps: _Steps, cells: Cells) -> tuple[int, int]:
    parts = list(_over(steps, cells))
    return sum(low for low, _ in parts), sum(high for _, high in parts)


def _rising(steps: _Steps, cells: Cells) -> Iterator[tuple[int, int]]:
    """The integral up to each point: of reals, what it may be anywhere on the cell."""
    if steps[0] != (0, 0):
        raise ValueError("a function that does not vanish on the left has no integral up to a point")
    low = high = 0
    yield 0, 0
    for below, above in _over(steps, cells):
        if cells.is_whole:
            yield low + below, high + above
        else:
            yield low + min(below, 0), high + max(above, 0)
        low, high = low + below, high + above
    yield low, high


def _whole_reach(deviation: Fraction) -> int:
    return ceil(REACH * deviation)


def _above(exponent: Fraction) -> int:
    return ceil(exp(exponent, BITS).high * UNIT)


_HALF_SQUARE = Fraction(REACH**2, 2)
"""A real sample is outside of its window with probability at most e to the power of less this."""


def _tail(deviation: Fraction) -> int:
    """At least the sum of e^(-k^2/(2 deviation^2)) over the integers outside of a window: a geometric series."""
    first, twice = _whole_reach(deviation) + 1, 2 * deviation**2
    ratio = exp(Fraction(-(2 * first + 1)) / twice, BITS).high
    return ceil(2 * exp(Fraction(-(first**2)) / twice, BITS).high / (1 - ratio) * UNIT)


def _root_of_two_pi() -> tuple[Fraction, Fraction]:
    """Bounds of the root of 2 pi, by the formula of Machin: pi = 16 arctan(1/5) - 4 arctan(1/239)."""
    scale = 1 << (2 * BITS)
    low = 16 * _arctan(5, scale)[0] - 4 * _arctan(239, scale)[1]
    high = 16 * _arctan(5, scale)[1] - 4 * _arctan(239, scale)[0]
    return Fraction(isqrt(2 * low), 1 << BITS), Fraction(isqrt(2 * high) + 1, 1 << BITS)


def _arctan(inverse: int, scale: int) -> tuple[int, int]:
    """Bounds of arctan(1/inverse) times the scale: each term is rounded by less than 2, and all terms that are left out
    come to less than the first of them."""
    power, total, steps = scale // inverse, 0, 0
    while power:
        total += (-1) ** steps * (power // (2 * steps + 1))
        power //= inverse**2
        steps += 1
    return total - 2 * steps - 2, total + 2 * steps + 2


_ROOT_BELOW, _ROOT_ABOVE = _root_of_two_pi()
