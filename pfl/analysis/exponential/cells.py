"""Proofs that a polynomial is non-negative on a bounded interval, cell by cell, by Bernstein coefficients.

On a cell, t = ln y lies in a narrow strip over the y of the cell: with slope s = e^-c for c in the cell, ln y - s y is
concave, at most c - 1, and least at an end of the cell. So t = line(y) + width d with 0 <= d <= 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pfl.analysis.exponential.ends import rounded
from pfl.analysis.exponential.normal_form import NormalForm
from pfl.base.enclosure import exp
from pfl.base.exact_text import fraction_text
from pfl.base.struct import struct


@struct(kw_only=False)
class Cell:
    """The t from low to high, with dyadic rationals: below <= e^low <= beside, e^high <= above, and
    slope >= e^-((low + high)/2). Lines and widths are multiples of 2^-bits.
    """

    low: Fraction
    high: Fraction
    below: Fraction
    beside: Fraction
    above: Fraction
    slope: Fraction
    bits: int

    def written(self) -> list[str | int]:
        """The cell as JSON."""
        numbers = (self.low, self.high, self.below, self.beside, self.above, self.slope)
        return [*map(fraction_text, numbers), self.bits]


def cell_between(low: Fraction, high: Fraction) -> Cell:
    """A cell with as many digits as its width asks for."""
    width = high - low
    zeros = max(0, (width.denominator.bit_length() - width.numerator.bit_length() + 1)) if width else 64
    digits = 14 + 2 * zeros
    at_low = exp(low, digits)
    return Cell(
        low,
        high,
        rounded(at_low.low, -1, digits),
        rounded(at_low.high, 1, digits),
        rounded(exp(high, digits).high, 1, digits),
        rounded(exp(-(low + high) / 2, digits).high, 1, digits),
        digits,
    )


def is_non_negative_on(normal: NormalForm, cell: Cell) -> bool:
    """Whether the Bernstein coefficients of the polynomial over the cell prove it non-negative there."""
    if normal.rate == 0:
        return _is_non_negative_between(normal, cell.low, cell.high)
    from flint import fmpz_poly

    ends, width = _strip(cell)
    scale = _exponent(cell.below), _exponent(cell.above)
    binary = max(0, -min(scale))
    first, last = int(cell.below * (1 << binary)), int(cell.above * (1 << binary))
    line = fmpz_poly([ends[0], ends[1] - ends[0]])
    inner = fmpz_poly([first, last - first])
    rows = []
    for power, row in enumerate(normal.rows):
        shift = cell.bits * (normal.degree - power)
        values = [value << (shift + binary * (normal.rate - rate)) for rate, value in enumerate(map(int, row.coeffs()))]
        rows.append(fmpz_poly(values)(inner))
    for done in range(normal.degree):
        for power in range(normal.degree - 1, done - 1, -1):
            rows[power] += rows[power + 1] * line
    total = normal.rate + normal.degree
    lowest: list[int] = []
    factor = 1
    for row in rows:
        values = _bernstein(row, total, factor)
        if not lowest:
            lowest = values
            if min(lowest[0], lowest[-1]) < 0:
                return False
        else:
            lowest = [so_far + value if value < 0 else so_far for so_far, value in zip(lowest, values)]
        if min(lowest) < 0:
            return False
        factor *= width
    return True


def _exponent(dyadic: Fraction) -> int:
    """The largest e with dyadic a multiple of 2^e, if negative; else 0."""
    return 1 - dyadic.denominator.bit_length()


def _strip(cell: Cell) -> tuple[tuple[int, int], int]:
    """The line at both ends of the range of y, and the width, in units of 2^-bits: line <= ln y <= line + width there.

    With ln y - slope y >= least on the cell, the line is least + slope y, rounded down.
    """
    least = min(cell.low - cell.slope * cell.beside, cell.high - cell.slope * cell.above)
    middle = (cell.low + cell.high) / 2
    ends = [_floor((least + cell.slope * y) * (1 << cell.bits)) for y in (cell.below, cell.above)]
    width = -_floor(-(middle - 1 - least) * (1 << cell.bits)) + 1
    return (ends[0], ends[1]), width


def _floor(value: Fraction) -> int:
    return value.numerator // value.denominator


def _bernstein(row: Any, degree: int, factor: int) -> list[int]:
    """factor times the Bernstein coefficients on [0, 1], each times a positive number: those of
    (1 + t)^degree row(t/(1 + t)), highest first."""
    from flint import fmpz_poly

    coefficients = row.coeffs()
    reverse = fmpz_poly([0] * (degree + 1 - len(coefficients)) + coefficients[::-1])
    values = [int(value) * factor for value in reverse(fmpz_poly([1, 1])).coeffs()]
    return values + [0] * (degree + 1 - len(values))


def _is_non_negative_between(normal: NormalForm, low: Fraction, high: Fraction) -> bool:
    """The same for a polynomial in t alone, on the interval itself."""
    from flint import fmpz_poly

    common = low.denominator * high.denominator
    first, last = int(low * common), int(high * common)
    values = [int(row[0]) * common ** (normal.degree - power) for power, row in enumerate(normal.rows)]
    return min(_bernstein(fmpz_poly(values)(fmpz_poly([first, last - first])), normal.degree, 1)) >= 0
