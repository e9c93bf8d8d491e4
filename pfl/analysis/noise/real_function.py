"""Functions of one real sample for every eps > 0 at once, and their exact integrals. Source: docs/theory/noise.md.

A sample t is measured by s = eps * t; the means and ends b stand for b * eps.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from math import lcm
from typing import ClassVar, final

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.pieces import (
    Constant,
    Piece,
    Piecewise,
    antiderivative,
    combined,
    constants_sum,
    highest_power,
    integral_denominator,
    moved,
    overlaid,
    product,
    value_at,
    with_constant,
)
from pfl.analysis.noise.sample_function import SampleFunction


@final
class RealFunction(SampleFunction):
    """Breakpoints b_0 < .. < b_(m-1), and on each of the m + 1 intervals between b_j * eps a sum of
    q * s^a * e^(c s) * eps^i * e^(-d eps): q, c, d rational, a, i >= 0 whole.

    Kept as whole numbers: b = place/grid, c = C/rates, d = E/exponents, q = number/denominator, in lowest terms, no
    two neighbouring pieces equal. The value at a breakpoint itself means nothing.
    """

    __slots__ = ("_hash", "_held")
    is_real: ClassVar[bool] = True

    def __init__(self, held: Piecewise) -> None:
        self._held = held.lowest()
        self._hash: int | None = None

    @staticmethod
    def laplace(mean: Fraction | int, rate: Fraction | int) -> RealFunction:
        """The density (k/2) e^(-k |s - b eps|) of Laplace noise of scale 1/(k eps) around b.

        Raises ValueError unless the rate k is positive.
        """
        mean, rate = Fraction(mean), Fraction(rate)
        if rate <= 0:
            raise ValueError(f"the rate {rate} of a sample is not positive")
        c, d = rate.numerator, mean * rate
        pieces: tuple[Piece, ...] = (
            {(0, c, 0, d.numerator): rate.numerator},
            {(0, -c, 0, -d.numerator): rate.numerator},
        )
        return RealFunction(
            Piecewise(
                places=(mean.numerator,),
                pieces=pieces,
                grid=mean.denominator,
                rates=rate.denominator,
                exponents=d.denominator,
                denominator=2 * rate.denominator,
            )
        )

    @staticmethod
    def exponential(mean: Fraction | int, rate: Fraction | int) -> RealFunction:
        """The density k e^(-k (s - b eps)) for s >= b eps: exponential noise of scale 1/(k eps) that starts at b.

        Raises ValueError unless the rate k is positive.
        """
        return RealFunction.laplace(mean, rate).restricted(mean, None).scaled(2)

    @staticmethod
    def everywhere(weight: Weight | int) -> RealFunction:
        """The function that is this weight everywhere; raises ValueError where it depends on parameters."""
        if not _is_plain(weight):
            raise ValueError(f"a function of a real sample has rational coefficients, unlike {weight}")
        terms = {key: q for key, q in ExponentialSum.of(weight).terms.items() if isinstance(q, Fraction)}
        exponents = lcm(*(d.denominator for _, d in terms))
        denominator = lcm(*(q.denominator for q in terms.values()))
        piece = {(0, 0, i, int(d * exponents)): int(q * denominator) for (i, d), q in terms.items()}
        return RealFunction(Piecewise(places=(), pieces=(piece,), exponents=exponents, denominator=denominator))

    @property
    def breakpoints(self) -> tuple[Fraction, ...]:
        """The b_j, rising."""
        return tuple(Fraction(place, self._held.grid) for place in self._held.places)

    @property
    def pieces(self) -> tuple[dict[tuple[int, Fraction, int, Fraction], Fraction], ...]:
        """The pieces from left to right, one more than breakpoints: from (a, c, i, d) to q."""
        held = self._held
        return tuple(
            {
                (a, Fraction(c, held.rates), i, Fraction(e, held.exponents)): Fraction(value, held.denominator)
                for (a, c, i, e), value in piece.items()
            }
            for piece in held.pieces
        )

    def __mul__(self, other: RealFunction) -> RealFunction:
        left, right = self._held.aligned(other._held)
        places, pairs = overlaid(left.places, right.places)
        pieces = [product(left.pieces[j], right.pieces[k]) for j, k in pairs]
        return RealFunction(left.like(places, pieces, left.denominator * right.denominator))

    def __add__(self, other: RealFunction) -> RealFunction:
        left, right = self._held.aligned(other._held)
        denominator = lcm(left.denominator, right.denominator)
        p, q = denominator // left.denominator, denominator // right.denominator
        places, pairs = overlaid(left.places, right.places)
        pieces = [combined(left.pieces[j], p, right.pieces[k], q) for j, k in pairs]
        return RealFunction(left.like(places, pieces, denominator))

    def __bool__(self) -> bool:
        return any(self._held.pieces)

    def accepts(self, weight: Weight) -> bool:
        """Weights with rational coefficients."""
        return _is_plain(weight)

    def constant(self, weight: Weight) -> RealFunction:
        return RealFunction.everywhere(weight)

    def scaled(self, weight: Weight | int) -> RealFunction:
        if not isinstance(weight, int | Fraction):
            return self * RealFunction.everywhere(weight)
        factor, held = Fraction(weight), self._held
        if not factor:
            return RealFunction.everywhere(0)
        pieces = [{key: value * factor.numerator for key, value in piece.items()} for piece in held.pieces]
        return RealFunction(held.like(held.places, pieces, held.denominator * factor.denominator))

    def shifted(self, by: Fraction | int) -> RealFunction:
        by = Fraction(by)
        if not by:
            return self
        place, grid = by.numerator, by.denominator
        held = self._held
        fine = held.in_units(lcm(held.grid, grid), held.rates, lcm(held.exponents, held.rates * grid))
        powers, step = highest_power(fine.pieces), fine.exponents // (fine.rates * grid)
        pieces = [moved(piece, place, grid, step, powers) for piece in fine.pieces]
        offset = place * (fine.grid // grid)
        places = [each + offset for each in fine.places]
        return RealFunction(fine.like(places, pieces, fine.denominator * grid**powers))

    def restricted(self, low: Fraction | int | None, high: Fraction | int | None) -> RealFunction:
        ends = [Fraction(end) for end in (low, high) if end is not None]
        if len(ends) == 2 and ends[0] >= ends[1]:
            return RealFunction.everywhere(0)
        held = self._held
        fine = held.in_units(lcm(held.grid, *(end.denominator for end in ends)), held.rates, held.exponents)
        places, pieces = list(fine.places), list(fine.pieces)
        if low is not None:
            place = int(low * fine.grid)
            cut = bisect_right(places, place)
            places, pieces = [place, *places[cut:]], [{}, *pieces[cut:]]
        if high is not None:
            place = int(high * fine.grid)
            cut = bisect_left(places, place)
            places, pieces = [*places[:cut], place], [*pieces[: cut + 1], {}]
        return RealFunction(fine.like(places, pieces, fine.denominator))

    def just_before(self) -> RealFunction:
        return self

    def integrated(self) -> tuple[RealFunction, ExponentialSum | None]:
        held = self._held
        if any(c <= 0 for _, c, _, _ in held.pieces[0]):
            raise ValueError("the function has no integral from the left: it does not decay there")
        fine = held.in_units(held.grid, held.rates, lcm(held.exponents, held.rates * held.grid))
        factor = integral_denominator(fine.pieces)
        parts = [antiderivative(piece, fine.rates, factor) for piece in fine.pieces]
        powers, step = highest_power(parts), fine.exponents // (fine.rates * fine.grid)
        scale: int = fine.grid**powers
        denominator = fine.denominator * factor * scale
        constant: Constant = {}
        pieces = [with_constant(parts[0], scale, constant)]
        for place, left, right in zip(fine.places, parts, parts[1:]):
            ends = (value_at(part, place, fine.grid, step, powers) for part in (left, right))
            constant = constants_sum(constant, *ends)
            pieces.append(with_constant(right, scale, constant))
        total: ExponentialSum | None = None
        if all(c < 0 for _, c, _, _ in fine.pieces[-1]):
            total = ExponentialSum(
                {(i, Fraction(e, fine.exponents)): Fraction(q, denominator) for (i, e), q in constant.items()}
            )
        return RealFunction(fine.like(fine.places, pieces, denominator)), total

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self._held == other._held if isinstance(other, RealFunction) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            held = self._held
            pieces = tuple(frozenset(piece.items()) for piece in held.pieces)
            self._hash = hash((held.places, held.grid, held.rates, held.exponents, held.denominator, pieces))
        return self._hash

    def __reduce__(self) -> tuple[type[RealFunction], tuple[Piecewise]]:
        return RealFunction, (self._held,)

    def __repr__(self) -> str:
        return f"RealFunction(breakpoints={self.breakpoints}, pieces={self.pieces})"


def _is_plain(weight: Weight | int) -> bool:
    """Whether all its coefficients are rational."""
    return all(isinstance(q, Fraction) for q in ExponentialSum.of(weight).terms.values())
