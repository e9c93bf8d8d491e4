"""The least upper bound of a quotient over the values of one parameter, and whether a value attains it."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pfl.analysis.polynomial.cells import Cell, satisfying_cells, sign_of
from pfl.analysis.polynomial.real_roots import Root, univariate
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.parameters import ParameterSpace

_TIE = Fraction(1, 2**128)
"""Two irrational candidates nearer than this are not told apart; bounds stay certified."""


@struct
class Supremum:
    """sup of a quotient: it lies in [low, high], exact where they agree; `inf` where the quotient grows beyond bound.

    It is the value at `point`, or, if not `attained`, the limit there from below (`side` -1) or above (1).
    """

    low: Fraction | Literal["inf"]
    high: Fraction | Literal["inf"]
    point: Fraction | Root
    attained: bool
    side: int = 0


def supremum(above: Number, below: Number, space: ParameterSpace) -> Supremum | None:
    """sup of above/below over the space of one parameter, 0/0 left out; None if nothing is left.

    Both are >= 0 there; above > 0 = below counts as infinite. On a cell without a critical point the quotient is
    monotonic, so its supremum there is the limit at one end.
    """
    name = space.parameters[0].name
    ratio = above / below if below else None
    slope = ratio.derivative(name) if isinstance(ratio, RationalFunction) else Fraction(0)
    best: Supremum | None = None
    for cell in satisfying_cells(space, (above, below, slope)):
        if ratio is None or not sign_of(below, cell.sample):
            found = _infinite(cell) if sign_of(above, cell.sample) else None
        else:
            found = _on_cell(ratio, slope, cell, name)
        if found is not None and (best is None or _is_better(found, best)):
            best = found
    return best


def _infinite(cell: Cell) -> Supremum:
    return Supremum(low="inf", high="inf", point=cell.sample, attained=True)


def _on_cell(ratio: Number, slope: Number, cell: Cell, name: str) -> Supremum:
    direction = 0 if cell.is_point else sign_of(slope, cell.sample)
    if not direction:
        low, high = enclosed_value(ratio, cell.sample, name)
        return Supremum(low=low, high=high, point=cell.sample, attained=True)
    end = cell.high if direction > 0 else cell.low
    low, high = enclosed_value(ratio, end, name)
    return Supremum(low=low, high=high, point=end, attained=False, side=-direction)


def enclosed_value(
    ratio: Number, point: Fraction | Root, name: str
) -> tuple[Fraction, Fraction] | tuple[Literal["inf"], Literal["inf"]]:
    """The value, or the limit of a quotient that is positive around: exact, or bounds that differ by at most `_TIE`."""
    if isinstance(ratio, Fraction):
        return ratio, ratio
    above, below = ratio.numerator.to_number(), ratio.denominator.to_number()
    if sign_of(below, point) == 0:
        return "inf", "inf"
    if isinstance(point, Fraction):
        value = ratio.evaluate({name: point})
        assert isinstance(value, Fraction)
        return value, value
    while True:
        over, under = _range(above, point), _range(below, point)
        if under[0] * under[1] > 0:
            quotients = [x / y for x in over for y in under]
            if max(quotients) - min(quotients) <= _TIE:
                return min(quotients), max(quotients)
        point = point.within((point.high - point.low) / 2**24)


def _range(polynomial: Number, root: Root) -> tuple[Fraction, Fraction]:
    """An interval that holds the values of an integer polynomial on the root's interval, by Horner's rule."""
    low = high = Fraction(0)
    for coefficient in reversed(univariate(polynomial).coeffs()):
        products = [bound * end for bound in (low, high) for end in (root.low, root.high)]
        low, high = min(products) + int(coefficient), max(products) + int(coefficient)
    return low, high


def _is_better(candidate: Supremum, best: Supremum) -> bool:
    if isinstance(candidate.low, Fraction) and isinstance(best.high, Fraction) and candidate.low > best.high:
        return True
    if isinstance(candidate.high, Fraction) and (best.low == "inf" or candidate.high < best.low):
        return False
    if candidate.low == "inf" and best.high != "inf":
        return True
    return candidate.attained and not best.attained
