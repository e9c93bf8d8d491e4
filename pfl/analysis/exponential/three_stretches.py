"""A proof in three stretches: near 0 by a Taylor polynomial, near infinity by leading terms, between by cells."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pfl.analysis.exponential.cells import Cell, cell_between, is_non_negative_on
from pfl.analysis.exponential.coefficient_rules import Certificate, Taylor
from pfl.analysis.exponential.ends import prove_near_infinity, prove_near_zero
from pfl.analysis.exponential.evaluation import sign_of
from pfl.analysis.exponential.normal_form import NormalForm
from pfl.base.budget import Budget
from pfl.base.struct import struct

_MOST_CELLS = 3000


@struct(kw_only=False)
class Crossing:
    """The polynomial has different signs at two points."""

    point: Fraction
    inside: Fraction


@struct(kw_only=False)
class Undecided:
    """No proof was found, and no point that refutes it."""

    reason: str


def prove_by_stretches(taylor: Taylor, budget: Budget) -> Certificate | Crossing | Undecided:
    """A certificate that g >= 0 on the interval of the normal form; or a t with g(t) < 0.

    It ends on every g without a root inside the closed interval, except 0.
    """
    normal = taylor.normal
    certificate: Certificate = {"rule": "stretches"}
    start, end = normal.low, normal.high
    if start == 0:
        near = prove_near_zero(taylor, normal.high)
        if near is None:
            return _point_towards(normal, Fraction(1, 2))
        start, certificate["start"] = near
        if start == normal.high:
            return certificate
    if end is None:
        far = prove_near_infinity(taylor, start)
        if far is None:
            return _point_towards(normal, Fraction(2))
        end, certificate["tail"] = far
    if start < end and not normal.is_small:
        return Undecided(f"its exponents are too large: {normal.degree} of x and {normal.rate} steps of e^x")
    cells: list[Cell] = []
    for low, high in _doubling(start, end):
        failed = _cover(normal, low, high, cells, budget)
        if failed is not None:
            return failed
    certificate["cells"] = [cell.written() for cell in cells]
    return certificate


def _point_towards(normal: NormalForm, factor: Fraction) -> Crossing | Undecided:
    """A t with g(t) < 0 towards an end, where leading terms say so."""
    t = Fraction(1)
    for _ in range(200):
        if (normal.high is None or t < normal.high) and t > normal.low and sign_of(normal, t) < 0:
            return Crossing(t, t)
        t *= factor
    return Undecided("no bound was found beyond which its leading terms win")


def _doubling(low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """Pieces of [low, high] that are at most as long as they are away from 0."""
    while low < high:
        end = min(high, 2 * low)
        yield low, end
        low = end


def _cover(
    normal: NormalForm, low: Fraction, high: Fraction, cells: list[Cell], budget: Budget
) -> Crossing | Undecided | None:
    """Add cells that cover [low, high], on each of which g >= 0 is proved; or say why not."""
    pending = [(low, high)]
    while pending:
        low, high = pending.pop()
        budget.check(f"{len(cells)} cells are proved")
        if len(cells) + len(pending) > _MOST_CELLS:
            return Undecided(f"more than {_MOST_CELLS} cells are needed")
        cell = cell_between(low, high)
        if is_non_negative_on(normal, cell):
            cells.append(cell)
            continue
        middle = (low + high) / 2
        if sign_of(normal, middle) < 0:
            return Crossing(middle, middle)
        pending += [(middle, high), (low, middle)]
    return None
