"""Random exponential polynomials with roots that are touched, near to each other or at an end; their values by arb."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from pfl.analysis.exponential.polynomial import POSITIVE, ExponentialPolynomial, Interval

X = ExponentialPolynomial({(1, 0): 1})
Y = ExponentialPolynomial({(0, 1): 1})
ONE = ExponentialPolynomial({(0, 0): 1})
NOTHING = ExponentialPolynomial({})


def ball(g: ExponentialPolynomial, x: Fraction, bits: int = 160) -> Any:
    """g(x), term by term; arb decides what is positive."""
    with ctx.workprec(bits):
        point, total = arb(fmpq(x.numerator, x.denominator)), arb(0)
        for (power, rate), value in g.terms.items():
            total += value * point**power * (rate * point).exp()
        return total


def sign(g: ExponentialPolynomial, x: Fraction) -> int:
    """The sign of g(x); 0 where 3,000 bits do not tell."""
    for bits in (160, 3000):
        value = ball(g, x, bits)
        if value > 0 or value < 0:
            return 1 if value > 0 else -1
    return 0


def power(g: ExponentialPolynomial, exponent: int) -> ExponentialPolynomial:
    """g to a power."""
    product = ONE
    for _ in range(exponent):
        product = product * g
    return product


def some_terms(chance: random.Random, degree: int, rate: int, count: int, size: int) -> ExponentialPolynomial:
    """A sum of a few terms."""
    exponents = [(chance.randint(0, degree), chance.randint(-rate // 2, rate)) for _ in range(count)]
    return ExponentialPolynomial({each: chance.randint(-size, size) for each in exponents})


def exponential(x: Fraction, digits: int) -> Fraction:
    """e^x, rounded to decimals."""
    return Fraction(str(round(math.exp(x), digits)))


def crossing(chance: random.Random, near: Fraction) -> ExponentialPolynomial:
    """A polynomial with a root near a number, simple or almost double."""
    value = exponential(near, chance.choice([0, 1, 3, 7]))
    return chance.choice(
        [X - ONE * near, Y - ONE * value, X * Y - ONE * round(near * value, 3), Y - X * round(value / near, 3)]
    )


def cases(seed: int) -> tuple[ExponentialPolynomial, Interval, list[Fraction]]:
    """A polynomial, an interval, and points of it at which to look."""
    chance = random.Random(seed)
    near = Fraction(chance.randint(1, 40), chance.randint(1, 10))
    looked_at = [near, near + Fraction(1, 10**4), near - Fraction(1, 10**4)]
    match chance.randrange(8):
        case 0:
            g = some_terms(chance, 2, 4, chance.randint(1, 5), 9)
        case 1:
            g = some_terms(chance, 6, 30, chance.randint(3, 60), 1000)
        case 2:
            g = power(some_terms(chance, 2, 4, chance.randint(1, 5), 9), 2)
        case 3:
            g = power(crossing(chance, near), 2)
        case 4:  # two roots, 10^-6 apart or more
            other = near + Fraction(1, 10 ** chance.choice([1, 3, 6]))
            g = (Y - ONE * exponential(near, 12)) * (Y - ONE * exponential(other, 12))
            looked_at = [(near + other) / 2]
        case 5:  # a large power of x against one of e^x
            rate = chance.randint(1, 3)
            large = ExponentialPolynomial({(chance.randint(0, 20), chance.randint(-2, rate)): chance.randint(1, 9)})
            g = power(Y, rate) * chance.randint(1, 9) - large + some_terms(chance, 3, 2, 1, 5)
        case 6:
            g = ONE * chance.choice([1, -1])
            for _ in range(chance.randint(1, 4)):
                near = Fraction(chance.randint(1, 40), chance.randint(1, 10))
                g = g * crossing(chance, near)
                looked_at.append(near)
        case _:  # almost touched, or crossed twice with little between
            g = power(some_terms(chance, 1, 3, 3, 5), 2)
            g = g + ONE * Fraction(chance.choice([1, 1, 1, -1]), 10 ** chance.randint(1, 6))
    if chance.random() < 0.4:
        g = g * some_terms(chance, 1, 2, 2, 5)
    if chance.random() < 0.15:
        g = -g
    interval = _interval(chance)
    if interval.high is not None and chance.random() < 0.3:
        g = g * (X - ONE * chance.choice([interval.low, interval.high]))
    return g, interval, [x for x in [*looked_at, *_points(chance, interval)] if x in interval]


def _interval(chance: random.Random) -> Interval:
    low = Fraction(chance.randint(0, 12), chance.randint(1, 4))
    high = low + Fraction(chance.randint(1, 12), chance.randint(1, 6))
    first, second = chance.random() < 0.5, chance.random() < 0.5
    bounded = Interval(low=low, high=high, low_open=first, high_open=second)
    return chance.choice([POSITIVE, POSITIVE, bounded, Interval(low=low, low_open=first)])


def _points(chance: random.Random, interval: Interval) -> Iterator[Fraction]:
    for _ in range(60):
        part = Fraction(chance.randint(1, 10**6), 10**6)
        if interval.high is None:
            yield interval.low + part * Fraction(2) ** chance.randint(-6, 6)
        else:
            yield interval.low + part * (interval.high - interval.low)


Piece = dict[tuple[int, int, int, int], Fraction]
"""Terms s^a e^(c s / M) eps^i e^(d eps / M) of a density or a distribution function in s, by (a, c, i, d)."""

M = 4


def laplace(rate: int, mean: int) -> tuple[int, Piece, Piece]:
    """The density of a Laplace sample, times 1/eps, at s = eps t: its mean, and what holds below and above that."""
    half = Fraction(rate, 2 * M)
    return mean, {(0, rate, 0, -rate * mean): half}, {(0, -rate, 0, rate * mean): half}


def below(rate: int, mean: int) -> tuple[int, Piece, Piece]:
    """The probability that a Laplace sample is at most s."""
    one, half = Fraction(1), Fraction(1, 2)
    return mean, {(0, rate, 0, -rate * mean): half}, {(0, 0, 0, 0): one, (0, -rate, 0, rate * mean): -half}


def above(rate: int, mean: int) -> tuple[int, Piece, Piece]:
    """The probability that it is more than s."""
    one, half = Fraction(1), Fraction(1, 2)
    return mean, {(0, 0, 0, 0): one, (0, rate, 0, -rate * mean): -half}, {(0, -rate, 0, rate * mean): half}


def integral(functions: Sequence[tuple[int, Piece, Piece]]) -> ExponentialPolynomial:
    """The integral of a product over all s, in x = eps/M."""
    total: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    ends = [None, *sorted({mean for mean, _, _ in functions}), None]
    for low, high in pairwise(ends):
        product: Piece = {(0, 0, 0, 0): Fraction(1)}
        for mean, left, right in functions:
            product = _product(product, left if high is not None and high <= mean else right)
        for exponents, value in product.items():
            for end, factor in ((high, value), (low, -value)):
                if end is not None:
                    _add_antiderivative(total, exponents, factor, Fraction(end))
    return ExponentialPolynomial.of({(i, d): value * M**i for (i, d), value in total.items() if value})


def _product(first: Piece, second: Piece) -> Piece:
    total: Piece = defaultdict(Fraction)
    for exponents, value in first.items():
        for other, factor in second.items():
            a, c, i, d = (left + right for left, right in zip(exponents, other))
            total[a, c, i, d] += value * factor
    return total


def _add_antiderivative(
    total: dict[tuple[int, int], Fraction], exponents: tuple[int, int, int, int], value: Fraction, end: Fraction
) -> None:
    """At s = end eps."""
    a, c, i, d = exponents
    if not c:
        total[i + a + 1, d] += value * end ** (a + 1) / (a + 1)
        return
    rate = Fraction(c, M)
    value /= rate
    for done in range(a + 1):
        total[i + a - done, d + c * int(end)] += value * end ** (a - done)
        value *= -(a - done) / rate


def above_threshold(answers: Sequence[int], threshold: int = 2, noise: int = 1) -> list[ExponentialPolynomial]:
    """The probabilities of the words of Above Threshold, with Laplace noise of rates threshold eps/M, noise eps/M."""
    found = []
    for place in range(len(answers) + 1):
        functions = [laplace(threshold, 0), *(below(noise, answer) for answer in answers[:place])]
        if place < len(answers):
            functions.append(above(noise, answers[place]))
        found.append(integral(functions))
    return found


def noisy_max(answers: Sequence[int], noise: int = 2) -> list[ExponentialPolynomial]:
    """The probabilities that each of the answers is largest with Laplace noise."""
    return [
        integral([laplace(noise, answer), *(below(noise, other) for i, other in enumerate(answers) if i != place)])
        for place, answer in enumerate(answers)
    ]
