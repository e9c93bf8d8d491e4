"""Rules that prove a polynomial non-negative from coefficients alone: those in (x, e^x - 1), and its Taylor series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Any

from pfl.analysis.exponential.normal_form import NormalForm
from pfl.base.exact_text import fraction_text

Certificate = dict[str, Any]

_SHIFTS = (0, 1, 2, 4)
"""Powers of e^t with which a Taylor series is multiplied; each gives more series that are non-negative."""

_FIRST_INDEX = 48
_MOST_TERMS = 400
"""Taylor coefficients that are computed."""


def prove_by_coefficients(normal: NormalForm, start: Fraction, base: Fraction) -> Certificate | None:
    """All coefficients are >= 0 in (t - start, y - base), where base <= e^start: non-negative from start on."""
    from flint import fmpz_poly

    shift = fmpz_poly([base.numerator, 1])
    moved = []
    for row in _moved(normal, start):
        if base.denominator != 1:
            row = _scaled(row, base.denominator, normal.rate)
        moved.append(row)
    for row in moved:
        if any(value < 0 for value in row(shift).coeffs()):
            return None
    return {"rule": "coefficients", "from": fraction_text(start), "base": fraction_text(base)}


def _moved(normal: NormalForm, start: Fraction) -> Sequence[Any]:
    """The rows in powers of t - start, all times a power of the denominator of start."""
    if not start:
        return normal.rows
    rows = [row * start.denominator ** (normal.degree - power) for power, row in enumerate(normal.rows)]
    for done in range(normal.degree):
        for power in range(normal.degree - 1, done - 1, -1):
            rows[power] += rows[power + 1] * start.numerator
    return rows


def _scaled(row: Any, factor: int, degree: int) -> Any:
    """factor^degree row(y / factor)."""
    from flint import fmpz_poly

    return fmpz_poly([value * factor ** (degree - k) for k, value in enumerate(row.coeffs())])


_FEW_TERMS = 100
"""So many are summed up one by one faster than by a product of matrices."""


class Taylor:
    """The Taylor coefficients at 0 of a polynomial, a_n = n! [t^n] g, computed as they are asked for."""

    def __init__(self, normal: NormalForm) -> None:
        self.normal = normal
        self._found: list[int] = []

    def coefficients(self, count: int) -> list[int]:
        """a_0 to a_(count - 1), or more.

        The sum of n (n-1) .. (n-i+1) S_i(n-i) over i, where S_i(m) is the sum of c k^m over the terms c t^i y^k.
        """
        if len(self._found) < count:
            self._found = self._computed(max(count, _FIRST_INDEX))
        return self._found

    def _computed(self, count: int) -> list[int]:
        normal = self.normal
        if normal.is_dense and len(normal.terms) > _FEW_TERMS:
            from flint import fmpz_mat

            rows = [[*row.coeffs(), *[0] * (normal.rate + 1 - len(row))] for row in normal.rows]
            sums = [[int(value) for value in row] for row in (fmpz_mat(rows) * _powers(normal.rate, count)).tolist()]
        else:
            sums = [[0] * count for _ in range(normal.degree + 1)]
            for (power, rate), value in normal.terms.items():
                for m in range(count):
                    sums[power][m] += value
                    value *= rate
        found = []
        for n in range(count):
            total, falling = 0, 1
            for power in range(min(n, normal.degree) + 1):
                total += falling * sums[power][n - power]
                falling *= n - power
            found.append(total)
        return found

    def first(self) -> tuple[int, int]:
        """The least n with a_n != 0, and that a_n. There are at most as many zeros as exponents allow, so this ends."""
        count = _FIRST_INDEX
        while True:
            for n, value in enumerate(self.coefficients(count)):
                if value:
                    return n, value
            count *= 2


@lru_cache(maxsize=8)
def _powers(rate: int, count: int) -> Any:
    """The matrix of k^m for k up to rate and m < count, where 0^0 = 1."""
    from flint import fmpz_mat

    return fmpz_mat([[k**m for m in range(count)] for k in range(rate + 1)])


def prove_by_taylor(taylor: Taylor) -> Certificate | None:
    """All Taylor coefficients at 0 of e^(shift t) g are >= 0: those before an index, and from it on some terms win."""
    normal = taylor.normal
    for shift in _SHIFTS:
        count = max(_FIRST_INDEX, normal.degree + 2)
        while count <= _MOST_TERMS:
            if not _are_non_negative(taylor.coefficients(count)[:count], shift):
                break
            power = max((rate, power) for power, rate in normal.terms)[1]
            for reference in {0, power}:
                if dominates_from(normal.terms, shift, count, reference):
                    return {"rule": "taylor", "shift": shift, "index": count, "power": reference}
            count *= 2
    return None


def _are_non_negative(coefficients: list[int], shift: int) -> bool:
    """Whether b_n = sum of binomial(n, j) shift^(n-j) a_j is >= 0 for every n."""
    if not shift:
        return min(coefficients) >= 0
    from flint import fmpz_poly

    count = len(coefficients)
    scales = _factorial_quotients(count)
    series = fmpz_poly([value * scale for value, scale in zip(coefficients, scales)])
    exponential = fmpz_poly([shift**n * scale for n, scale in enumerate(scales)])
    return all(value >= 0 for value in series.mul_low(exponential, count).coeffs())


@lru_cache(maxsize=16)
def _factorial_quotients(count: int) -> list[int]:
    """(count - 1)! / n! for every n < count."""
    whole = factorial(count - 1)
    found = []
    for n in range(count):
        found.append(whole)
        whole //= n + 1
    return found


def dominates_from(terms: Mapping[tuple[int, int], int], shift: int, index: int, reference: int) -> bool:
    """Whether the Taylor coefficients of e^(shift t) g are >= 0 from the index on, which exceeds every power of t.

    The summand of c t^i y^k at n + 1 is (n+1)/(n+1-i) (k + shift) times that at n. Relative to (n+1)/(n+1-reference)
    this is at least the rate below for positive ones, and at most that for negative ones, for every n >= index. With
    the summands in falling order of rates, sums from the top that are >= 0 at n are so at n + 1 (Abel).
    """
    ordered = []
    for (power, rate), value in terms.items():
        base = rate + shift
        if not base:
            continue
        falling = 1
        for step in range(power):
            falling *= index - step
        summand = value * falling * base ** (index - power)
        bound = base << 64
        if (power < reference) if value > 0 else (power > reference):
            above, below = bound * (index + 1 - reference), index + 1 - power
            bound = above // below if value > 0 else -(-above // below)
        ordered.append((-bound, -summand if summand > 0 else 1, summand))
    ordered.sort()
    total = 0
    for _, _, summand in ordered:
        total += summand
        if total < 0:
            return False
    return True
