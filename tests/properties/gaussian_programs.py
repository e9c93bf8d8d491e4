"""Random mechanisms with Gaussian noise, and how likely their words are by a plain meaning: the program is run on
values of its samples, which are summed over, or integrated by panels between the places where a comparison may change.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from scipy.stats import norm

from pfl.base.struct import struct

LETTERS = ("a", "b", "c")
Word = tuple[str, ...]


@struct
class GaussianProgram:
    """Samples, in the order in which they are drawn, and what is done with them; `inputs` are the values of `q`."""

    is_discrete: bool
    means: tuple[str, ...]
    deviations: tuple[Fraction, ...]
    body: tuple[object, ...]
    inputs: tuple[int, ...] = (0, 1)

    def text(self, claims: str = "") -> str:
        noise, kind = ("discrete_gaussian", "int") if self.is_discrete else ("gaussian", "real")
        draws = "\n".join(
            f"    var x{n} ~ {noise}({mean}, {deviation});"
            for n, (mean, deviation) in enumerate(zip(self.means, self.deviations))
        )
        return (
            f"mechanism m(q: 0..1) emits {{{', '.join(LETTERS)}}} {{\n{draws}\n    var top: {kind} = x0;\n"
            + "\n".join(f"    {line}" for line in _lines(self.body))
            + "\n}\nadjacency any(a: 0..1, b: 0..1) = true;\n"
            + claims
        )

    def mean(self, number: int, q: int) -> int:
        return int(eval(self.means[number], {"q": q}))

    def run(self, values: Sequence[float]) -> Word:
        """What the program shows where its samples have these values."""
        shown: list[str] = []
        _run(self.body, [*values], [values[0]], shown)
        return tuple(shown)

    def words(self, q: int) -> dict[Word, float]:
        """How likely each word is, by numbers."""
        found: dict[Word, float] = defaultdict(float)
        points = self._whole_points(q) if self.is_discrete else self._panels(q, ())
        for values, weight in points:
            found[self.run(values)] += weight
        return {word: weight for word, weight in found.items() if weight > 0}

    def _whole_points(self, q: int) -> Iterator[tuple[Sequence[float], float]]:
        weights = []
        for number, deviation in enumerate(self.deviations):
            mean, reach = self.mean(number, q), math.ceil(6 * deviation)
            at = {
                k: math.exp(-((k - mean) ** 2) / (2 * float(deviation) ** 2))
                for k in range(mean - reach, mean + reach + 1)
            }
            total = sum(at.values())
            weights.append([(k, weight / total) for k, weight in at.items()])
        for chosen in product(*weights):
            yield [k for k, _ in chosen], math.prod(weight for _, weight in chosen)

    def _panels(self, q: int, before: tuple[float, ...]) -> Iterator[tuple[Sequence[float], float]]:
        """Values of the samples with weights: the last is between two places where a comparison changes."""
        number = len(before)
        mean, deviation = float(self.mean(number, q)), float(self.deviations[number])
        is_last = number == len(self.means) - 1
        ends = sorted({end for end in self._kinks(before) if abs(end - mean) < 6 * deviation})
        ends = [mean - 6 * deviation, *ends, mean + 6 * deviation]
        if is_last:
            for low, high in pairwise(ends):
                yield (
                    (*before, (low + high) / 2),
                    float(norm.cdf(high, mean, deviation) - norm.cdf(low, mean, deviation)),
                )
            return
        points, weights = np.polynomial.legendre.leggauss(5)
        for low, high in pairwise(ends):
            parts = max(1, math.ceil((high - low) / deviation))
            for part in range(parts):
                start, width = low + (high - low) * part / parts, (high - low) / parts
                for point, weight in zip(points, weights):
                    value = start + width * (point + 1) / 2
                    likely = float(norm.pdf(value, mean, deviation)) * width / 2 * weight
                    for values, rest in self._panels(q, (*before, value)):
                        yield values, likely * rest

    def _kinks(self, before: tuple[float, ...]) -> list[float]:
        own = {float(c) for c in _constants(self.body)} | {0.0}
        steps = {a - b for a in own for b in own} | own | {-c for c in own}
        return [base + step for base in (0.0, *before) for step in steps]


def _lines(body: Sequence[object]) -> list[str]:
    found: list[str] = []
    for statement in body:
        match statement:
            case ("emit", letter):
                found.append(f"emit {letter};")
            case ("take", number):
                found.append(f"top = x{number};")
            case ("if", left, right, bound, then, otherwise):
                found += [
                    f"if {_compared(left, right)} <= {bound} {{",
                    *(f"    {line}" for line in _lines(then)),
                    "} else {",
                ]
                found += [*(f"    {line}" for line in _lines(otherwise)), "}"]
    return found


def _compared(left: object, right: object) -> str:
    return str(left) if right is None else f"{left} - {right}"


def _run(body: Sequence[object], values: Sequence[float], top: list[float], shown: list[str]) -> None:
    def value(name: object) -> float:
        return top[0] if name == "top" else values[int(str(name)[1:])]

    for statement in body:
        match statement:
            case ("emit", letter):
                shown.append(str(letter))
            case ("take", number):
                top[0] = values[int(str(number))]
            case ("if", left, right, bound, then, otherwise):
                difference = value(left) - (0 if right is None else value(right))
                _run(then if difference <= bound else otherwise, values, top, shown)


def _constants(body: Sequence[object]) -> Iterator[Fraction]:
    for statement in body:
        match statement:
            case ("if", _, _, bound, then, otherwise):
                yield bound
                yield from _constants(then)
                yield from _constants(otherwise)


def gaussian_program(seed: int, most_samples: int = 3) -> GaussianProgram:
    """A random program."""
    chance = random.Random(seed)
    is_discrete = chance.random() < 0.5
    count = chance.choice([1, most_samples, most_samples])
    deviations = [Fraction(1), Fraction(2), Fraction(1, 2), Fraction(4, 3)]
    bounds = [Fraction(n) for n in range(-2, 4)] if is_discrete else [Fraction(n, 2) for n in range(-3, 5)]
    names: list[Callable[[], str]] = [lambda: f"x{chance.randrange(count)}", lambda: "top"]

    def body(depth: int) -> tuple[object, ...]:
        made: list[object] = []
        for _ in range(chance.randint(1, 2)):
            kind = chance.random()
            if kind < 0.25 or depth == 0:
                made.append(("emit", chance.choice(LETTERS)))
            elif kind < 0.45:
                made.append(("take", chance.randrange(count)))
            else:
                left, right = chance.choice(names)(), chance.choice([None, chance.choice(names)()])
                if left == right:
                    right = None
                made.append(("if", left, right, chance.choice(bounds), body(depth - 1), body(depth - 1)))
        return tuple(made)

    return GaussianProgram(
        is_discrete=is_discrete,
        means=tuple(chance.choice(["0", "q", "1 - q", "2*q", "1"]) for _ in range(count)),
        deviations=tuple(chance.choice(deviations) for _ in range(count)),
        body=(*body(3), ("emit", "a")),
    )
