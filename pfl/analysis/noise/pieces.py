"""Sums of q * s^a * e^(c s) * eps^i * e^(-d eps) as integers: what functions of a real sample are between breakpoints.

A piece is a map from (a, C, i, E) to a whole number, with c = C/rates, d = E/exponents and q = number/denominator; who
holds the piece holds these units. Source: docs/theory/noise.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb, gcd, lcm
from typing import TypeAlias

from pfl.base.struct import struct

Key: TypeAlias = tuple[int, int, int, int]
Piece: TypeAlias = dict[Key, int]
Constant: TypeAlias = dict[tuple[int, int], int]
"""The part of a piece that has no s: from (i, E) to a whole number."""


@struct
class Piecewise:
    """m breakpoints place/grid, rising, and m + 1 pieces with their units."""

    places: tuple[int, ...]
    pieces: tuple[Piece, ...]
    grid: int = 1
    rates: int = 1
    exponents: int = 1
    denominator: int = 1

    def lowest(self) -> Piecewise:
        """The same function in the coarsest units, without breakpoints between equal pieces: the one normal form."""
        places, pieces = [], [self.pieces[0]]
        for place, piece in zip(self.places, self.pieces[1:]):
            if piece != pieces[-1]:
                places.append(place)
                pieces.append(piece)
        grid = gcd(self.grid, *places)
        rates = gcd(self.rates, *(c for piece in pieces for _, c, _, _ in piece))
        exponents = gcd(self.exponents, *(e for piece in pieces for _, _, _, e in piece))
        common = gcd(self.denominator, *(value for piece in pieces for value in piece.values()))
        if rates != 1 or exponents != 1 or common != 1:
            pieces = [
                {(a, c // rates, i, e // exponents): value // common for (a, c, i, e), value in piece.items()}
                for piece in pieces
            ]
        return Piecewise(
            places=tuple(place // grid for place in places),
            pieces=tuple(pieces),
            grid=self.grid // grid,
            rates=self.rates // rates,
            exponents=self.exponents // exponents,
            denominator=self.denominator // common,
        )

    def in_units(self, grid: int, rates: int, exponents: int) -> Piecewise:
        """The same function in finer units, multiples of its own."""
        finer = grid // self.grid, rates // self.rates, exponents // self.exponents
        if finer == (1, 1, 1):
            return self
        pieces = self.pieces
        if finer[1:] != (1, 1):
            pieces = tuple(
                {(a, c * finer[1], i, e * finer[2]): value for (a, c, i, e), value in piece.items()}
                for piece in self.pieces
            )
        return Piecewise(
            places=tuple(place * finer[0] for place in self.places),
            pieces=pieces,
            grid=grid,
            rates=rates,
            exponents=exponents,
            denominator=self.denominator,
        )

    def aligned(self, other: Piecewise) -> tuple[Piecewise, Piecewise]:
        """Both in their coarsest common units; denominators stay."""
        grid, rates = lcm(self.grid, other.grid), lcm(self.rates, other.rates)
        exponents = lcm(self.exponents, other.exponents)
        return self.in_units(grid, rates, exponents), other.in_units(grid, rates, exponents)

    def like(self, places: Sequence[int], pieces: Sequence[Piece], denominator: int) -> Piecewise:
        """Other breakpoints and pieces in the same units."""
        return Piecewise(
            places=tuple(places),
            pieces=tuple(pieces),
            grid=self.grid,
            rates=self.rates,
            exponents=self.exponents,
            denominator=denominator,
        )


def overlaid(left: Sequence[int], right: Sequence[int]) -> tuple[list[int], list[tuple[int, int]]]:
    """The breakpoints of both, and for each interval between them which pieces of the two hold there."""
    places = sorted({*left, *right})
    pairs = [(0, 0)]
    for place in places:
        j, k = pairs[-1]
        pairs.append((j + (j < len(left) and left[j] == place), k + (k < len(right) and right[k] == place)))
    return places, pairs


def product(left: Piece, right: Piece) -> Piece:
    """left * right, of pieces in the same units; the denominators multiply."""
    made: Piece = {}
    get = made.get
    for (a, c, i, e), p in left.items():
        for (b, d, j, f), q in right.items():
            key = (a + b, c + d, i + j, e + f)
            made[key] = get(key, 0) + p * q
    return without_zeros(made)


def combined(left: Piece, p: int, right: Piece, q: int) -> Piece:
    """p * left + q * right."""
    made = {key: p * value for key, value in left.items()} if p != 1 else dict(left)
    for key, value in right.items():
        made[key] = made.get(key, 0) + q * value
    return without_zeros(made)


def without_zeros(piece: Piece) -> Piece:
    """The piece without the terms that are 0."""
    return {key: value for key, value in piece.items() if value} if 0 in piece.values() else piece


def integral_denominator(pieces: Iterable[Piece]) -> int:
    """What `antiderivative` of these pieces has to be multiplied by to be whole."""
    powers: dict[int, int] = {}
    whole = 1
    for piece in pieces:
        for a, c, _, _ in piece:
            if c:
                powers[abs(c)] = max(powers.get(abs(c), 0), a + 1)
            else:
                whole = lcm(whole, a + 1)
    return lcm(whole, *(c**power for c, power in powers.items()))


def antiderivative(piece: Piece, rates: int, factor: int) -> Piece:
    """`factor` times an antiderivative in s; the factor is a multiple of `integral_denominator`.

    That of s^a e^(cs) is e^(cs) times the sum over k <= a of (-1)^k a!/(a-k)! s^(a-k) / c^(k+1); for c = 0 it
    is s^(a+1)/(a+1).
    """
    made: Piece = {}
    for (a, c, i, e), value in piece.items():
        if not c:
            key = (a + 1, 0, i, e)
            made[key] = made.get(key, 0) + value * factor // (a + 1)
            continue
        value *= factor
        for power in range(a, -1, -1):
            value = value * rates // c
            key = (power, c, i, e)
            made[key] = made.get(key, 0) + value
            value *= -power
    return without_zeros(made)


def highest_power(pieces: Iterable[Piece]) -> int:
    """The largest power of s."""
    return max((a for piece in pieces for a, _, _, _ in piece), default=0)


def value_at(piece: Piece, place: int, grid: int, step: int, powers: int) -> Constant:
    """grid^powers times the piece at s = (place/grid) eps; `powers` is at least the largest power of s.

    `step` is exponents/(rates * grid): how many units of E the product of one unit of C and one of the place is.
    """
    made: Constant = {}
    for (a, c, i, e), value in piece.items():
        key = (i + a, e - c * place * step)
        made[key] = made.get(key, 0) + value * place**a * grid ** (powers - a)
    return made


def constants_sum(total: Constant, plus: Constant, minus: Constant) -> Constant:
    """total + plus - minus."""
    made = dict(total)
    for sign, constant in ((1, plus), (-1, minus)):
        for key, value in constant.items():
            made[key] = made.get(key, 0) + sign * value
    return {key: value for key, value in made.items() if value}


def with_constant(piece: Piece, scale: int, constant: Constant) -> Piece:
    """scale * piece + constant."""
    made = {key: value * scale for key, value in piece.items()}
    for (i, e), value in constant.items():
        key = (0, 0, i, e)
        made[key] = made.get(key, 0) + value
    return without_zeros(made)


def moved(piece: Piece, place: int, grid: int, step: int, powers: int) -> Piece:
    """grid^powers times the piece with s - (place/grid) eps in place of s, with `step` and `powers` of `value_at`."""
    made: Piece = {}
    for (a, c, i, e), value in piece.items():
        for power in range(a + 1):
            gone = a - power
            key = (power, c, i + gone, e + c * place * step)
            made[key] = made.get(key, 0) + value * comb(a, gone) * (-place) ** gone * grid ** (powers - gone)
    return without_zeros(made)
