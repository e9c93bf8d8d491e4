"""The rules by which a certificate proves an exponential polynomial non-negative, repeated in integers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import factorial, gcd, lcm
from typing import Any

from pfl.analysis.exponential.certificate_bounds import is_at_least_exponential, is_at_most_exponential
from pfl.analysis.exponential.certificate_reading import TooLarge, Wrong, entries, mapping, rational, whole
from pfl.base.struct import struct

Terms = dict[tuple[int, int], int]

_MOST_SCALE_BITS = 1 << 15
"""Of the powers of the common factor of exponents."""

_MOST_WORK = 1 << 37
"""Additions for moving all rows of a polynomial once, times the binary digits of what is added."""

_MOST_TAYLOR = 8_000_000
"""Summands of all Taylor coefficients."""

_MOST_INDEX = 1 << 12
_MOST_TERMS_NEAR_ZERO = 600
_MOST_DIGITS = 10_000


@struct(kw_only=False)
class Claim:
    """sum of c t^i y^k >= 0 with y = e^t, for low <= t <= high; neither t nor y divides, exponents k have no common
    factor."""

    terms: Terms
    degree: int
    rate: int
    low: Fraction
    high: Fraction | None

    @classmethod
    def of(cls, terms: Terms, low: Fraction, high: Fraction | None) -> Claim:
        """The claim about g(x) on [low, high], with t = x times the common factor of the exponents."""
        least_power, least_rate = min(power for power, _ in terms), min(rate for _, rate in terms)
        degree = max(power for power, _ in terms) - least_power
        scale = gcd(*(rate - least_rate for _, rate in terms)) or 1
        if degree * scale.bit_length() > _MOST_SCALE_BITS:
            raise TooLarge("the exponents are too large to check")
        found = {
            (power - least_power, (rate - least_rate) // scale): value * scale ** (degree - power + least_power)
            for (power, rate), value in terms.items()
        }
        highest = max(rate for _, rate in found)
        return cls(found, degree, highest, low * scale, None if high is None else high * scale)

    def limit(self, digits: int, other_digits: int = 0) -> None:
        """Refuse to move rows if that takes too long; so many binary digits come with each power of y, and of t."""
        size = self.rate + self.degree + 1
        most = max(value.bit_length() for value in self.terms.values())
        if (self.degree + 1) * size**2 * (most + self.rate * digits + self.degree * other_digits) > _MOST_WORK:
            raise TooLarge("the exponents, or the numbers of a rule, are too large to check")

    def rows(self) -> list[list[int]]:
        """The coefficients of y^k in the coefficient of t^i, lowest first."""
        self.limit(1)
        rows = [[0] * (self.rate + 1) for _ in range(self.degree + 1)]
        for (power, rate), value in self.terms.items():
            rows[power][rate] = value
        return rows


def coefficients(claim: Claim, certificate: Mapping[str, Any]) -> None:
    """In (t - from, y - base), with from <= low and base <= e^from, no coefficient is negative."""
    start, base = rational(certificate.get("from"), _MOST_DIGITS), rational(certificate.get("base"), _MOST_DIGITS)
    if not (0 <= start <= claim.low and is_at_most_exponential(base, start)):
        raise Wrong("the point of expansion does not lie below the interval")
    claim.limit(_digits(base), _digits(start))
    rows = claim.rows()
    _scale_rows(rows, start.denominator)
    _move_rows(rows, [start.numerator])
    for row in rows:
        scaled = [value * base.denominator ** (claim.rate - rate) for rate, value in enumerate(row)]
        if min(_shifted(scaled, base.numerator)) < 0:
            raise Wrong("a coefficient is negative")


def taylor(claim: Claim, certificate: Mapping[str, Any]) -> None:
    """No Taylor coefficient at 0 of e^(shift t) g is negative: none before an index, and from it on a sum of summands
    in falling order of growth keeps its sign."""
    shift = whole(certificate.get("shift"), 0, 1 << 10)
    index = whole(certificate.get("index"), claim.degree + 1, _MOST_INDEX)
    reference = whole(certificate.get("power"), 0, claim.degree)
    moved = {(power, rate + shift): value for (power, rate), value in claim.terms.items()}
    if min(_taylor_coefficients(moved, index)) < 0:
        raise Wrong("a Taylor coefficient is negative")
    summands = []
    for (power, rate), value in moved.items():
        growth = Fraction(rate)
        if (power < reference) if value > 0 else (power > reference):
            growth *= Fraction(index + 1 - reference, index + 1 - power)
        size = factorial(index) // factorial(index - power) * rate ** (index - power)
        summands.append((growth, value * size))
    _check_partial_sums(summands, "Taylor coefficients after the index may be negative")


def _check_partial_sums(summands: list[tuple[Fraction, int]], otherwise: str) -> None:
    """In falling order of growth, positive ones first among equals, all sums from the first are >= 0."""
    total = 0
    for _, value in sorted(summands, key=lambda each: (-each[0], each[1] < 0)):
        total += value
        if total < 0:
            raise Wrong(otherwise)


def _taylor_coefficients(terms: Terms, count: int) -> list[int]:
    """n! times the coefficient of t^n, for every n < count."""
    if len(terms) * count > _MOST_TAYLOR:
        raise Wrong("there are too many Taylor coefficients to check")
    found = [0] * count
    for (power, rate), value in terms.items():
        exponential = value
        falling = factorial(power) if power < count else 0
        for n in range(power, count):
            found[n] += falling * exponential
            exponential *= rate
            falling = falling * (n + 1) // (n + 1 - power)
    return found


def stretches(claim: Claim, certificate: Mapping[str, Any]) -> None:
    """A stretch from 0, cells that follow each other without a gap, and a tail cover the interval."""
    reached = claim.low
    if "start" in certificate:
        reached = max(reached, _start(claim, mapping(certificate["start"])))
    cells = entries(certificate.get("cells", []))
    rows = claim.rows() if cells else []
    for cell in cells:
        low, high = _cell(claim, rows, entries(cell))
        if low > reached:
            raise Wrong("the cells leave a gap")
        reached = max(reached, high)
    if claim.high is None:
        if _tail(claim, mapping(certificate.get("tail"))) > reached:
            raise Wrong("the cells do not reach the tail")
    elif reached < claim.high:
        raise Wrong("the cells do not reach the end of the interval")


def _start(claim: Claim, written: Mapping[str, Any]) -> Fraction:
    """g >= 0 on [0, to]: its Taylor polynomial, less a bound of what follows, divided by a power of t, is >= 0."""
    end = rational(written.get("to"), _MOST_DIGITS)
    count = whole(written.get("terms"), claim.degree + 1, _MOST_TERMS_NEAR_ZERO)
    if count**3 * _digits(end) > _MOST_WORK:
        raise Wrong("the end of the first stretch has too many digits to check")
    if end <= 0 or 2 * claim.rate * end > count + 1 - claim.degree:
        raise Wrong("the first stretch is too long for its Taylor polynomial")
    rest = Fraction(0)
    for (power, rate), value in claim.terms.items():
        if value < 0:
            rest += Fraction(-2 * value * rate ** (count - power), factorial(count - power))
    known = _taylor_coefficients(claim.terms, count)
    scale = factorial(count)
    polynomial = [scale // factorial(n) * value for n, value in enumerate(known)]
    polynomial.append(-(scale * rest.numerator // rest.denominator) - 1 if rest else 0)
    while len(polynomial) > 1 and not polynomial[0]:
        polynomial.pop(0)
    degree = len(polynomial) - 1
    above, below = end.numerator, end.denominator
    scaled = [value * above**n * below ** (degree - n) for n, value in enumerate(polynomial)]
    if min(_bernstein(scaled, degree)) < 0:
        raise Wrong("the Taylor polynomial of the first stretch is not seen to be positive")
    return end


def _tail(claim: Claim, written: Mapping[str, Any]) -> Fraction:
    """g >= 0 from a number on: there, sums in falling order of growth are >= 0, and stay so."""
    start = rational(written.get("from"), _MOST_DIGITS)
    bounds = [rational(each, _MOST_DIGITS) for each in entries(written.get("base"))]
    reference = whole(written.get("power"), 0, claim.degree)
    if start <= 0 or len(bounds) != 2:
        raise Wrong("the tail does not start at a positive number, or lacks bounds")
    if not (bounds[0] > 0 and is_at_most_exponential(bounds[0], start) and is_at_least_exponential(bounds[1], start)):
        raise Wrong("the bounds of e^t at the start of the tail are wrong")
    common = lcm(bounds[0].denominator, bounds[1].denominator)
    digits = claim.rate * (common.bit_length() + int(bounds[1]).bit_length()) + claim.degree * _digits(start)
    if digits > 1 << 22:
        raise TooLarge("the exponents are too large to check")
    ends = [int(bound * common) for bound in bounds]
    summands = []
    for (power, rate), value in claim.terms.items():
        growth = Fraction(rate)
        if (power < reference) if value > 0 else (power > reference):
            growth += Fraction(power - reference) / start
        size = ends[0 if value > 0 else 1] ** rate * common ** (claim.rate - rate)
        size *= start.numerator**power * start.denominator ** (claim.degree - power)
        summands.append((growth, value * size))
    _check_partial_sums(summands, "the leading terms of the tail do not outweigh the others")
    return start


def _cell(claim: Claim, rows: list[list[int]], written: Any) -> tuple[Fraction, Fraction]:
    """g >= 0 from low to high: with t = line(y) + width d, 0 <= d <= 1, all Bernstein coefficients are >= 0.

    ln y - slope y is concave in y, at most c - 1 where slope >= e^-c, and least at an end of the cell.
    """
    if len(written) != 7:
        raise Wrong("a cell is not seven numbers")
    low, high, below, beside, above, slope = (rational(each, _MOST_DIGITS) for each in written[:6])
    bits = whole(written[6], 1, 1 << 10)
    if not 0 <= low <= high:
        raise Wrong("a cell has no positive length")
    if claim.rate == 0:
        _check_rational_cell(claim, rows, low, high)
        return low, high
    middle = (low + high) / 2
    if not (slope > 0 and 0 < below <= above and is_at_least_exponential(slope, -middle)):
        raise Wrong("the slope of a cell is wrong")
    if not (
        is_at_most_exponential(below, low)
        and is_at_least_exponential(beside, low)
        and is_at_least_exponential(above, high)
    ):
        raise Wrong("the bounds of e^t at the ends of a cell are wrong")
    unit = 1 << bits
    least = min(low - slope * beside, high - slope * above)
    first, last = ((least + slope * y) * unit // 1 for y in (below, above))
    width = -((least - middle + 1) * unit // 1) + 1
    common = lcm(below.denominator, above.denominator)
    claim.limit(_digits(below) + _digits(above), 2 * bits + _digits(middle))
    moved = []
    for row in rows:
        scaled = [value * common ** (claim.rate - rate) for rate, value in enumerate(row)]
        at_below = _shifted(scaled, int(below * common))
        step = int((above - below) * common)
        moved.append([value * step**rate for rate, value in enumerate(at_below)])
    _scale_rows(moved, unit)
    _move_rows(moved, [first, last - first])
    lowest = [0] * (claim.rate + claim.degree + 1)
    for power, row in enumerate(moved):
        values = _bernstein(row, claim.rate + claim.degree)
        for place, value in enumerate(values):
            if not power or value < 0:
                lowest[place] += value * width**power
    if min(lowest) < 0:
        raise Wrong("a cell is not seen to be positive")
    return low, high


def _check_rational_cell(claim: Claim, rows: list[list[int]], low: Fraction, high: Fraction) -> None:
    """The same for a polynomial in t alone."""
    claim.limit(0, _digits(low) + _digits(high))
    common = lcm(low.denominator, high.denominator)
    scaled = [row[0] * common ** (claim.degree - power) for power, row in enumerate(rows)]
    step = int((high - low) * common)
    moved = [value * step**power for power, value in enumerate(_shifted(scaled, int(low * common)))]
    if min(_bernstein(moved, claim.degree)) < 0:
        raise Wrong("a cell is not seen to be positive")


def _digits(number: Fraction) -> int:
    """Binary digits of a rational."""
    return number.numerator.bit_length() + number.denominator.bit_length()


def _scale_rows(rows: list[list[int]], unit: int) -> None:
    """Make t a multiple of 1/unit: t^i times unit^(degree - i)."""
    degree = len(rows) - 1
    for power in range(degree):
        factor = unit ** (degree - power)
        rows[power] = [value * factor for value in rows[power]]


def _move_rows(rows: list[list[int]], line: list[int]) -> None:
    """The coefficients of powers of t - line instead of t, where line is a polynomial in what the rows are in."""
    degree = len(rows) - 1
    if not any(line):
        return
    for done in range(degree):
        for power in range(degree - 1, done - 1, -1):
            rows[power] = _sum(rows[power], rows[power + 1], line)


def _sum(row: list[int], other: list[int], line: list[int]) -> list[int]:
    """row + line other."""
    total = row + [0] * max(0, len(other) + len(line) - 1 - len(row))
    for offset, factor in enumerate(line):
        for place, value in enumerate(other):
            total[place + offset] += factor * value
    return total


def _shifted(polynomial: list[int], offset: int) -> list[int]:
    """The coefficients of p(offset + u), lowest first."""
    found = list(polynomial)
    if offset:
        for done in range(len(found) - 1):
            for place in range(len(found) - 2, done - 1, -1):
                found[place] += offset * found[place + 1]
    return found


def _bernstein(polynomial: list[int], degree: int) -> list[int]:
    """Coefficients of (1 + u)^degree p(u/(1 + u)): Bernstein coefficients on [0, 1] times positive numbers."""
    padded = [0] * (degree + 1 - len(polynomial)) + polynomial[::-1]
    return _shifted(padded, 1)
