"""One comparison at all points of a parameter space, and on a box, in polynomials whose coefficients show signs.
Source: docs/theory/parameters.md.

The parameter values that an obligation is about, without the parameters it does not depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.polynomial.box import Box, Chart
from pfl.analysis.polynomial.elimination import Reduced, components, reduce
from pfl.analysis.polynomial.points import Found, Point, Solver, find_point, with_definitions
from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, common_factor
from pfl.base.struct import struct
from pfl.model.labelled_system import LabelledSystem, Matrix, Vector
from pfl.model.parameters import Condition, ParameterSpace


@struct
class Obligation:
    """mass(left, w) <= c mass(right, w) for the words of a system, at every point of a parameter space.

    `left` and `right` are joint start vectors, each multiplied by the other side's weight: the claim multiplied out.
    """

    system: LabelledSystem
    left: Vector
    right: Vector

    def masses(self, word: Sequence[int]) -> tuple[Number, Number]:
        """(mass(left, word), mass(right, word)) as functions of the parameters."""
        return self.system.mass(self.left, word), self.system.mass(self.right, word)

    def on(self, chart: Chart, matrices: LabelledSystem) -> Charted:
        """The obligation in the chart's variables, given its system as `charted_system` makes it."""
        sides = [[chart.pull(entry) for entry in side] for side in (self.left, self.right)]
        scale = _scale(entry for side in sides for entry in side)
        left, right = (tuple(entry * scale for entry in side) for side in sides)
        return Charted(system=matrices, left=left, right=right)


@struct
class Charted:
    """An obligation in polynomials in u with integer coefficients; the masses of every word are right up to one factor
    that is positive where u > 0, the same for both sides."""

    system: LabelledSystem
    left: Vector
    right: Vector


def charted_system(system: LabelledSystem, chart: Chart) -> LabelledSystem:
    """The matrices, and the final weights, in the chart's variables, each multiplied by a function that is positive
    where u > 0 and clears its denominators."""
    final = None if system.final is None else [chart.pull(weight) for weight in system.final]
    scale = _scale(final or ())
    return LabelledSystem(
        states=system.states,
        letters=system.letters,
        matrices=tuple(_charted_matrix(matrix, chart) for matrix in system.matrices),
        stochastic=False,
        final=None if final is None else tuple(weight * scale for weight in final),
    )


def _charted_matrix(matrix: Matrix, chart: Chart) -> Matrix:
    pulled = [[(column, chart.pull(weight)) for column, weight in row] for row in matrix]
    scale = _scale(weight for row in pulled for _, weight in row)
    return tuple(tuple((column, weight * scale) for column, weight in row if weight) for row in pulled)


def at_most_zero(number: Number) -> bool:
    """Whether a polynomial shows by its coefficients that it is <= 0 where all variables are positive."""
    return number.signs == {-1} if isinstance(number, RationalFunction) else number <= 0


def primitive_pair(left: Vector, right: Vector) -> tuple[Vector, Vector]:
    """Both vectors divided by their common factor, as far as that is certainly positive where u > 0."""
    common = common_factor((*left, *right))
    if isinstance(common, RationalFunction) and len(common.signs) > 1:
        common = Fraction(1)
    if not common or common == 1:
        return left, right
    if at_most_zero(common):
        common = -common
    return tuple(entry / common for entry in left), tuple(entry / common for entry in right)


def _scale(numbers: Iterable[Number]) -> Number:
    """A function, positive where u > 0 and the numbers are defined, that turns them into integer polynomials."""
    scale: Number = Fraction(1)
    for number in numbers:
        product = number * scale
        scale = scale * (product.denominator if isinstance(product, Fraction) else product.denominator.to_number())
    if isinstance(scale, RationalFunction) and len(scale.signs) > 1:
        return scale * scale
    return -scale if at_most_zero(scale) else scale


@struct
class Setting:
    """A parameter space as a product of the part that matters and one point of the rest.

    `space` holds the parameters that matter, those given by linear equations left out; `rest` is None where no point of
    the rest is known.
    """

    space: ParameterSpace
    reduced: Reduced
    rest: Point | None
    solver: Solver

    @staticmethod
    def of(space: ParameterSpace, names: Iterable[str], solver: Solver, budget: Budget) -> Setting | None:
        """The setting of something that depends on the named parameters; None if the space is proved to be empty."""
        reduced = reduce(space)
        wanted = set(names)
        for name in tuple(wanted):
            wanted.update(getattr(reduced.definitions.get(name), "parameters", ()))
        parts = components(reduced.space)
        related = [part for part in parts if wanted.intersection(part.names)]
        unrelated = [part for part in parts if not wanted.intersection(part.names)]
        rest: Point | None = {}
        for part in unrelated:
            found = find_point(part, budget, solver)
            if found is None:
                return None
            rest = None if found == "unknown" or rest is None else {**rest, **found}
        matters = ParameterSpace(
            parameters=tuple(parameter for part in related for parameter in part.parameters),
            assumptions=tuple(clause for part in related for clause in part.assumptions),
        )
        return Setting(space=matters, reduced=reduced, rest=rest, solver=solver)

    def number(self, number: Number) -> Number:
        """A number of the claim in the parameters of `space`."""
        return self.reduced.number(number)

    def chart(self, box: Box) -> Chart:
        """The chart of a box of `space`, which also gives the parameters that linear equations determine."""
        return Chart.of(box).extended(self.reduced.definitions)

    def search(self, budget: Budget, *conditions: Condition) -> Found:
        """A point of `space` that satisfies further conditions; None proves that there is none."""
        reduced = (replace(condition, polynomial=self.number(condition.polynomial)) for condition in conditions)
        return find_point(self.space.restricted(*reduced), budget, self.solver)

    def find(self, budget: Budget, *conditions: Condition) -> Found:
        """Values of all parameters that satisfy further conditions; None proves that there are none."""
        found = self.search(budget, *conditions)
        return found if found is None or found == "unknown" else self.completed(found)

    def completed(self, point: Point) -> Found:
        """A point of `space` with the values of all other parameters."""
        if self.rest is None:
            return "unknown"
        return with_definitions({**self.rest, **point}, self.reduced.definitions)
