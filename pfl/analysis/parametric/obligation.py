"""One comparison at all points of a parameter space, and on a box, in polynomials whose coefficients show signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pfl.analysis.polynomial.box import Chart
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, common_factor
from pfl.ir.labelled_system import LabelledSystem, Matrix, Vector


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Charted:
    """An obligation in polynomials in u with integer coefficients; the masses of every word are right up to one factor
    that is positive where u > 0, the same for both sides."""

    system: LabelledSystem
    left: Vector
    right: Vector


def charted_system(system: LabelledSystem, chart: Chart) -> LabelledSystem:
    """The matrices in the chart's variables, each multiplied by a function that is positive where u > 0 and clears its
    denominators."""
    return LabelledSystem(
        states=system.states,
        letters=system.letters,
        matrices=tuple(_charted_matrix(matrix, chart) for matrix in system.matrices),
        stochastic=False,
    )


def _charted_matrix(matrix: Matrix, chart: Chart) -> Matrix:
    pulled = [[(column, chart.pull(weight)) for column, weight in row] for row in matrix]
    scale = _scale(weight for row in pulled for _, weight in row)
    return tuple(tuple((column, weight * scale) for column, weight in row if weight) for row in pulled)


def parameters_of(numbers: Iterable[Number]) -> frozenset[str]:
    """Names of the parameters that occur."""
    return frozenset(name for number in numbers if isinstance(number, RationalFunction) for name in number.names)


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
