"""Numbers made of integrals of formulas, as rational enclosures. Source: docs/theory/gaussian.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from pfl.analysis.enclosed.integer_values import IntegerValues, Stretch
from pfl.analysis.enclosed.precision import Precision, ball
from pfl.analysis.enclosed.real_values import Grid, RealValues
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.enclosure import Enclosure
from pfl.model.enclosed.formulas import (
    Combination,
    Cut,
    Density,
    IntegralSum,
    Node,
    One,
    Product,
    UpTo,
    functions_in,
)

MOST_CELLS = 100_000
"""Of the line, or integers, that a function is enclosed on."""

_Values = TypeVar("_Values", RealValues, IntegerValues)


class Evaluation:
    """What the formulas of a list of nodes are worth at a precision, each worked out once.

    A run draws `draws` samples at most. Every sample is looked at in its window alone, so what is computed for an event
    is at most its probability, and less by the probability that some sample lies outside of its window at most: that is
    added to each enclosure. Raises LimitReached where the time is over, or where more cells are needed than are gone
    through.
    """

    def __init__(self, nodes: Sequence[Node], draws: int, bits: int, budget: Budget) -> None:
        self._nodes = nodes
        self._budget = budget
        self._precision = Precision(bits)
        self._totals: dict[int, Any] = {}
        self._real: dict[tuple[object, int], RealValues] = {}
        self._whole: dict[tuple[object, int], IntegerValues] = {}
        self._grids: dict[tuple[Fraction, ...], Grid] = {}
        self._stretches: dict[tuple[int, int], Stretch] = {}
        with self._working():
            self._missing = self._outside() * draws

    def probability(self, number: IntegralSum) -> Enclosure:
        """An enclosure of the probability of an event, which is not 0 if `number` has terms."""
        if not number.integrals:
            exact = sum((coefficient for _, coefficient in number.terms), Fraction(0))
            return Enclosure(exact, exact)
        with self._working():
            inside = self._value(number)
            low = _rational(inside.lower())
            return Enclosure(max(low, Fraction(0)), min(_rational((inside + self._missing).upper()), Fraction(1)))

    def _working(self) -> Any:
        from flint import ctx

        return ctx.workprec(self._precision.working_bits)

    def _outside(self) -> Any:
        """A ball above the probability that a sample is outside of its window, for each sample of the formulas."""
        from flint import arb

        largest = arb(0)
        densities = {(node.deviation, node.is_discrete) for node in self._nodes if isinstance(node, Density)}
        for deviation, is_discrete in densities:
            # Of integers the sum of all e^(-k^2/(2 deviation^2)) is above 1, which is the term of k = 0.
            outside = self._precision.whole_tail(deviation) if is_discrete else self._precision.outside
            largest = largest.max(outside)
        return largest

    def _value(self, number: IntegralSum) -> Any:
        from flint import arb

        total = arb(0)
        for product, coefficient in number.terms:
            factor = ball(coefficient)
            for integral in product:
                factor *= self._total(integral)
            total += factor
        return total

    def _total(self, integral: int) -> Any:
        if integral not in self._totals:
            self._budget.check(f"{len(self._totals)} integrals of Gaussian noise")
            reached = self._reached(integral)
            densities = [node for node in reached if isinstance(node, Density)]
            ends = [
                end for node in reached if isinstance(node, Cut) for end in (node.low, node.high) if end is not None
            ]
            if densities[0].is_discrete:
                stretch = self._stretch(densities, ends)
                whole = self._evaluated(integral, stretch, self._whole, IntegerValues, _mass_function)
                self._totals[integral] = whole.total()
            else:
                grid = self._grid(densities, ends)
                real = self._evaluated(integral, grid, self._real, RealValues, _density)
                self._totals[integral] = real.total()
        return self._totals[integral]

    def _reached(self, function: int) -> list[Node]:
        """The nodes that a formula is made of."""
        seen, pending = {function}, [function]
        while pending:
            for part in functions_in(self._nodes[pending.pop()]):
                if part not in seen:
                    seen.add(part)
                    pending.append(part)
        return [self._nodes[place] for place in sorted(seen)]

    def _grid(self, densities: Sequence[Density], cut_ends: Sequence[Fraction]) -> Grid:
        """Cells of half a standard deviation at most in the window of each density, cut where functions are."""
        found = set(cut_ends)
        for density in densities:
            low, high = self._precision.window(density.mean, density.deviation)
            step = density.deviation / 2
            found.update(low + step * count for count in range(4 * self._precision.reach))
            found.add(high)
            _require_few(len(found), "cells of the line")
        ends = tuple(sorted(found))
        return self._grids.setdefault(ends, Grid(ends=ends, precision=self._precision))

    def _stretch(self, densities: Sequence[Density], cut_ends: Sequence[Fraction]) -> Stretch:
        ends = [int(end) for end in cut_ends]
        for density in densities:
            reach = self._precision.whole_reach(density.deviation)
            ends += [int(density.mean) - reach, int(density.mean) + reach]
        low, high = min(ends), max(ends)
        _require_few(high - low, "integers")
        return self._stretches.setdefault((low, high), Stretch(low=low, high=high, precision=self._precision))

    def _evaluated(
        self,
        function: int,
        where: Any,
        known: dict[tuple[object, int], _Values],
        kind: type[_Values],
        density: Callable[[Any, Density], _Values],
    ) -> _Values:
        key = (id(where), function)
        if key in known:
            return known[key]
        self._budget.check("some functions of Gaussian noise were enclosed")

        def of(part: int) -> _Values:
            return self._evaluated(part, where, known, kind, density)

        made: Any
        match self._nodes[function]:
            case Density() as node:
                made = density(where, node)
            case One():
                made = kind.one(where)
            case Cut(function=inner, low=low, high=high):
                made = of(inner).cut(low, high)
            case Product(factors=(first, *others)):
                made = of(first)
                for factor in others:
                    made = made.times(of(factor))
            case Combination(summands=summands):
                made = kind.one(where).cut(Fraction(1), Fraction(0))
                for part, coefficient in summands:
                    made = made.plus(of(part), self._value(coefficient))
            case UpTo(function=inner):
                made = of(inner).up_to()
        known[key] = made
        return known[key]


def _density(grid: Grid, node: Density) -> RealValues:
    return RealValues.density(grid, node.mean, node.deviation)


def _mass_function(stretch: Stretch, node: Density) -> IntegerValues:
    return IntegerValues.density(stretch, int(node.mean), node.deviation)


def _require_few(count: int, what: str) -> None:
    if count > MOST_CELLS:
        raise LimitReached(
            f"Gaussian noise needs more than {MOST_CELLS:,} {what}: its deviations or ends lie far apart"
        )


def _rational(end: Any) -> Fraction:
    """An end of a ball, which is a dyadic number."""
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
