"""One parameter: the interval cut into points and open intervals on which polynomials keep their signs.

This is cylindrical decomposition in one dimension: it decides every condition on one parameter, completely. Source:
docs/theory/parameters.md.

Assumptions that no values of the parameters satisfy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from pfl.analysis.polynomial.real_roots import (
    Root,
    lower_end,
    roots_between,
    sign_at,
    simplest_between,
    univariate,
    upper_end,
)
from pfl.base import codes
from pfl.base.diagnostics import Diagnostic
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import Condition, Parameter, ParameterSpace


@struct
class Cell:
    """A point (low == high == sample) or the open interval (low, high) with a rational sample in it."""

    low: Fraction | Root
    high: Fraction | Root
    sample: Fraction | Root

    @property
    def is_point(self) -> bool:
        """Whether the cell is a single number."""
        return self.low is self.high


def cells(polynomials: Sequence[Number], parameter: Parameter) -> list[Cell]:
    """Cells of the parameter's interval, ascending; on each every polynomial has one sign.

    An end point that belongs to the interval is a cell of its own.
    """
    low, high = parameter.low, parameter.high
    ends = [Cell(low=low, high=low, sample=low)] if not parameter.low_open else []
    if low >= high:
        return ends if low == high and not parameter.high_open else []
    points: list[Fraction | Root] = [low, *roots_between(map(_product_form, polynomials), low, high), high]
    found = ends
    for index, (left, right) in enumerate(pairwise(points)):
        if index:
            found.append(Cell(low=left, high=left, sample=left))
        left, right = _apart(left, right)
        sample = simplest_between(upper_end(left), lower_end(right))
        found.append(Cell(low=left, high=right, sample=sample))
    if not parameter.high_open:
        found.append(Cell(low=high, high=high, sample=high))
    return found


def satisfying_cells(space: ParameterSpace, further: Sequence[Number] = ()) -> Iterator[Cell]:
    """The cells of a space of one parameter on which every assumption holds; `further` polynomials keep a sign too."""
    conditions = [condition for alternatives in space.assumptions for condition in alternatives]
    signs = {id(condition): _sign_function(condition.polynomial) for condition in conditions}
    for cell in cells([condition.polynomial for condition in conditions] + list(further), space.parameters[0]):
        if all(
            any(_holds(condition, signs[id(condition)](cell.sample)) for condition in alternatives)
            for alternatives in space.assumptions
        ):
            yield cell


def find_value(space: ParameterSpace) -> Fraction | Root | None:
    """A value of the one parameter that satisfies every assumption: the simplest rational found, else a root.

    None proves that there is none.
    """
    samples = [cell.sample for cell in satisfying_cells(space)]
    rational = [sample for sample in samples if isinstance(sample, Fraction)]
    if rational:
        return min(rational, key=lambda value: (value.denominator, abs(value.numerator)))
    return samples[0] if samples else None


def sign_of(number: Number, point: Fraction | Root) -> int | None:
    """The sign at a point; None at a pole, where the number has no value."""
    return _sign_function(number)(point)


def _holds(condition: Condition, sign: int | None) -> bool:
    return sign is not None and condition.holds(Fraction(sign))


def _sign_function(number: Number) -> Callable[[Fraction | Root], int | None]:
    numerator, denominator = univariate(number), _denominator(number)

    def sign(point: Fraction | Root) -> int | None:
        below = sign_at(denominator, point)
        return sign_at(numerator, point) * below if below else None

    return sign


def _denominator(number: Number) -> Any:
    below = number.denominator.to_number() if isinstance(number, RationalFunction) else Fraction(1)
    return univariate(below)


def _product_form(number: Number) -> Any:
    """Numerator times denominator: its roots are where the number changes sign, and its poles."""
    return univariate(number) * _denominator(number)


def _apart(left: Fraction | Root, right: Fraction | Root) -> tuple[Fraction | Root, Fraction | Root]:
    """The same two numbers, left < right, their intervals refined until the gap between is most of what they span."""
    while 4 * (lower_end(right) - upper_end(left)) < 3 * (upper_end(right) - lower_end(left)):
        left = left.refined() if isinstance(left, Root) else left
        right = right.refined() if isinstance(right, Root) else right
    return left, right


def contradictory_assumptions(space: ParameterSpace) -> Diagnostic:
    """No parameter value satisfies all assumptions."""
    texts = " and ".join(" or ".join(c.text for c in alternatives) for alternatives in space.assumptions)
    ranges = ", ".join(map(str, space.parameters))
    return Diagnostic(
        code=codes.CONTRADICTORY_ASSUMPTIONS,
        message=f"no values of the parameters satisfy the assumptions: {texts}",
        notes=(f"the parameters: {ranges}",),
        help="every claim would hold of nothing; weaken an `assume`, or widen a `param`",
    )
