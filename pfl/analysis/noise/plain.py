"""The probability that comparisons among samples hold, by numbers and by definition: a second route that shares nothing
with the exact one. Source: docs/theory/noise.md.

The line is divided into cells [K/N, (K+1)/N), N the least common denominator of all means, ends and distances; an
integer sample has one point a cell. Whether x < y + c then depends on the cells of x and y alone, or, where they are
so far apart as c says, on where in their cells x and y lie. All cells of any weight are gone through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, permutations
from math import lcm, prod
from typing import Literal, TypeAlias

from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.real_function import RealFunction
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.base.enclosure import exp
from pfl.base.struct import struct

Kind: TypeAlias = Literal["laplace", "exponential", "two_sided_geometric", "geometric"]


@struct
class PlainSample:
    """A sample and the closed interval that it is cut to. One-sided kinds begin at `mean`.

    Of a real sample mean and ends are in units of eps, and `spread` is the rate k of the scale 1/(k eps); of an integer
    `spread` is alpha.
    """

    kind: Kind
    mean: Fraction
    spread: Fraction
    low: Fraction | None = None
    high: Fraction | None = None

    @property
    def is_real(self) -> bool:
        """Whether its values are real numbers."""
        return self.kind in ("laplace", "exponential")

    @property
    def function(self) -> SampleFunction:
        """The function that the exact route has of it."""
        return self._uncut.restricted(self.low, self.high)

    @property
    def _uncut(self) -> SampleFunction:
        match self.kind:
            case "laplace":
                return RealFunction.laplace(self.mean, self.spread)
            case "exponential":
                return RealFunction.exponential(self.mean, self.spread)
            case "two_sided_geometric":
                return IntegerFunction.two_sided_geometric(self.spread, int(self.mean))
            case "geometric":
                return IntegerFunction.geometric(self.spread, int(self.mean))


@struct
class Comparison:
    """left relation right + distance, of samples by their positions."""

    left: int
    right: int
    relation: Literal["<", "<=", "==", "!="]
    distance: Fraction = Fraction(0)


@struct(kw_only=False)
class _Cell:
    """A cell K of a sample: its points, f in [0, 1), have its weight times e^(slope * f), or times
    e^(slope * (f - 1)) where the slope is positive."""

    place: int
    slope: Fraction
    weight: int


@struct(kw_only=False)
class _Order:
    """x - y is less than so many cells, or as many, if `tie` allows that: None is where it depends on the points."""

    left: int
    right: int
    cells: int
    tie: bool | None


def probability(
    samples: Sequence[PlainSample], comparisons: Sequence[Comparison], eps: Fraction = Fraction(1), bits: int = 80
) -> Fraction:
    """The probability that all comparisons hold and all samples lie in their intervals, wrong by about 2^-bits.

    All samples are real, or all integers, which do not depend on eps. The time is that of all combinations of the cells
    of all samples but one: some hundred cells a sample without ends, more if eps or the rates are small.
    """
    places = [comparison.distance for comparison in comparisons]
    for sample in samples:
        places += [each for each in (sample.mean, sample.low, sample.high) if each is not None]
    grid = lcm(*(place.denominator for place in places)) if all(s.is_real for s in samples) else 1
    precision = bits + 24
    cells = [_cells(sample, eps, grid, precision) for sample in samples]
    points = _Points(precision)
    total = sum(_summed(cells, orders, points) for orders in _orders(comparisons, grid, samples))
    return Fraction(total, 1 << precision)


def _orders(
    comparisons: Sequence[Comparison], grid: int, samples: Sequence[PlainSample]
) -> Iterator[tuple[_Order, ...]]:
    """Disjoint conjunctions that the comparisons come to; != is < or >."""
    if not comparisons:
        yield ()
        return
    first = comparisons[0]
    x, y, c = first.left, first.right, first.distance * grid
    ways: dict[str, list[tuple[_Order, ...]]]
    if x == y:
        ways = {"<": [()] * (c > 0), "<=": [()] * (c >= 0), "==": [()] * (c == 0), "!=": [()] * (c != 0)}
    elif samples[x].is_real:
        less = (_Order(x, y, int(c), None),)
        ways = {"<": [less], "<=": [less], "==": [], "!=": [()]}
    else:
        below, up_to = _Order(x, y, int(c), False), _Order(x, y, int(c), True)
        above, down_to = _Order(y, x, -int(c), False), _Order(y, x, -int(c), True)
        ways = {"<": [(below,)], "<=": [(up_to,)], "==": [(up_to, down_to)], "!=": [(below,), (above,)]}
    for rest in _orders(comparisons[1:], grid, samples):
        for way in ways[first.relation]:
            yield (*way, *rest)


def _cells(sample: PlainSample, eps: Fraction, grid: int, precision: int) -> list[_Cell]:
    """All cells of a weight that can be seen, from left to right; weights in units of 2^-precision."""
    rate = sample.spread * eps / grid
    mean, one = int(sample.mean * grid), 1 << precision
    if sample.is_real:
        decay = exp(-rate, precision + 8).low
        height = rate if sample.kind == "exponential" else rate / 2
    else:
        rate, decay = Fraction(0), sample.spread
        height = 1 - decay if sample.kind == "geometric" else (1 - decay) / (1 + decay)
    powers = [height * one]
    # Rounded to `precision` more bits than are kept, or the fractions would grow.
    while powers[-1] >= 1:
        powers.append(Fraction(round(powers[-1] * decay * one), one))
    right = [_Cell(mean + k, -rate, round(weight)) for k, weight in enumerate(powers)]
    # The points of a cell [K, K+1) weigh most at its right end, from which an integer is one place further away.
    left = [_Cell(mean - k, rate, round(powers[k - sample.is_real])) for k in range(1, len(powers))]
    cells = right if sample.kind in ("exponential", "geometric") else left[::-1] + right
    first = cells[0].place if sample.low is None else int(sample.low * grid)
    last = cells[-1].place if sample.high is None else int(sample.high * grid) - sample.is_real
    return [cell for cell in cells if first <= cell.place <= last]


def _summed(cells: Sequence[Sequence[_Cell]], orders: Sequence[_Order], points: _Points) -> int:
    """The weight of all combinations of cells that the orders allow."""
    precision = points.precision
    *others, last = cells
    end = len(others)
    among = [order for order in orders if end not in (order.left, order.right)]
    of_last = [order for order in orders if end in (order.left, order.right)]
    sums = _sums(last)
    at = {cell.place: cell for cell in last}
    first_place, last_place = (last[0].place, last[-1].place) if last else (0, -1)

    def rest(chosen: list[_Cell], weight: int) -> int:
        """The sum over the cells of the last sample: those in the middle at once, those where points count apart."""
        low, high = first_place, last_place
        special: set[int] = set()
        for order in of_last:
            if order.left == end:
                edge = chosen[order.right].place + order.cells
                high = min(high, edge)
            else:
                edge = chosen[order.left].place - order.cells
                low = max(low, edge)
            special.add(edge)
        total = 0
        for place in special:
            if low <= place <= high and place in at:
                total += at[place].weight * points.share([*chosen, at[place]], orders) >> precision
        stretch_low, stretch_high = low + (low in special), high - (high in special)
        for slope, running in sums.items():
            # Far away and not in any cell: only the slope of the last sample counts.
            amount = running(stretch_low, stretch_high)
            if amount:
                total += amount * points.share([*chosen, _Cell(_NOWHERE, slope, 0)], among) >> precision
        return total * weight >> precision

    def over(chosen: list[_Cell], weight: int) -> int:
        if len(chosen) == end:
            return rest(chosen, weight)
        new = len(chosen)
        total = 0
        known = [order for order in among if new in (order.left, order.right) and max(order.left, order.right) == new]
        for cell in others[new]:
            now = [*chosen, cell]
            if all(now[order.right].place + order.cells >= now[order.left].place for order in known):
                next_weight = weight * cell.weight >> precision
                if next_weight:
                    total += over(now, next_weight)
        return total

    return over([], 1 << precision)


_NOWHERE = 1 << 200


class _Running:
    """Sums of the weights of cells from one place to another."""

    def __init__(self, cells: Sequence[_Cell]) -> None:
        self._first = cells[0].place
        self._sums = [0, *accumulate(cell.weight for cell in cells)]

    def __call__(self, low: int, high: int) -> int:
        start, stop = max(low - self._first, 0), min(high + 1 - self._first, len(self._sums) - 1)
        return self._sums[stop] - self._sums[start] if start < stop else 0


def _sums(cells: Sequence[_Cell]) -> Mapping[Fraction, _Running]:
    """By slope: the cells of one slope are next to each other."""
    slopes = dict.fromkeys(cell.slope for cell in cells)
    return {slope: _Running([cell for cell in cells if cell.slope == slope]) for slope in slopes}


class _Points:
    """The share of the points of a combination of cells that are in the order that is asked for."""

    def __init__(self, precision: int) -> None:
        self.precision = precision
        self._shares: dict[tuple[object, ...], int] = {}
        self._integrals: dict[tuple[Fraction, ...], int] = {}

    def share(self, cells: Sequence[_Cell], orders: Sequence[_Order]) -> int:
        """In units of 2^-precision; cells further apart than an order says are as it asks."""
        asked: list[tuple[int, int]] = []
        for order in orders:
            gap = cells[order.right].place + order.cells - cells[order.left].place
            if gap < 0 or (gap == 0 and order.tie is False):
                return 0
            if gap == 0 and order.tie is None:
                asked.append((order.left, order.right))
        slopes = tuple(cell.slope for cell in cells)
        key = (slopes, frozenset(asked))
        if key not in self._shares:
            # Samples whose place in their cell is not asked for are integrated on their own.
            named = sorted({index for pair in asked for index in pair})
            free = [self._integral((slopes[index],)) for index in range(len(cells)) if index not in named]
            ordered = sum(
                self._integral(tuple(slopes[index] for index in order))
                for order in permutations(named)
                if all(order.index(x) < order.index(y) for x, y in asked)
            )
            product = prod(free) * ordered
            self._shares[key] = product >> (self.precision * len(free))
        return self._shares[key]

    def _integral(self, slopes: tuple[Fraction, ...]) -> int:
        """The integral of the relative weights of points over 0 < f_1 < .. < f_n < 1, by power series."""
        if slopes not in self._integrals:
            one = 1 << self.precision
            series = [one]
            for slope in slopes:
                series = _integrated(_times_exponential(series, slope, self.precision))
            least = exp(-sum((max(slope, Fraction(0)) for slope in slopes), Fraction(0)), self.precision).low
            self._integrals[slopes] = round(sum(series) * least)
        return self._integrals[slopes]


def _times_exponential(series: Sequence[int], slope: Fraction, precision: int) -> list[int]:
    """The power series times that of e^(slope f), as far as its terms can be seen at f = 1."""
    one = 1 << precision
    factor, k = [Fraction(one)], 0
    while abs(factor[-1]) >= Fraction(1, 16):
        k += 1
        factor.append(Fraction(round(factor[-1] * slope / k * 256), 256))
    whole = [round(each) for each in factor]
    made = [0] * (len(series) + len(whole) - 1)
    for i, p in enumerate(series):
        for j, q in enumerate(whole):
            made[i + j] += p * q
    return [each >> precision for each in made]


def _integrated(series: Sequence[int]) -> list[int]:
    """The integral from 0 to f."""
    return [0, *(each // (power + 1) for power, each in enumerate(series))]
