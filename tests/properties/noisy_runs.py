"""The runs of mechanisms with noise, by their own reading: an oracle that shares no code with the compiler.

The line is cut into cells, at every place where a mean, a shift or a bound can lie. How two samples compare then
depends on their cells, and, in one cell, on the order of their places inside. All cells of any weight and all orders
are an array, in which each comparison is a mask; a run is a mask, and its probability the sum of the weights there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import exp, log
from typing import Any, TypeAlias

import numpy as np
from noisy_mechanisms import FUNCTIONS, Block, Noisy, Tree

_FAR = 31.0
"""Cells of weight below e^-31 are left out."""

Seen: TypeAlias = tuple[str, ...]


class Misused(Exception):
    """Samples are added to each other."""


class Failed(Exception):
    """An assertion does not hold."""


class _Returned(Exception):
    """The run has ended with a result."""


@dataclass(frozen=True)
class Sum:
    """A number to which samples, by number, are added with coefficients 1 or -1."""

    parts: tuple[tuple[int, int], ...]
    shift: Fraction

    def plus(self, other: Sum) -> Sum:
        """The sum."""
        found = dict(self.parts)
        for sample, factor in other.parts:
            found[sample] = found.get(sample, 0) + factor
        parts = tuple(sorted((sample, factor) for sample, factor in found.items() if factor))
        return Sum(parts, self.shift + other.shift)

    def negative(self) -> Sum:
        """Minus it."""
        return Sum(tuple((sample, -factor) for sample, factor in self.parts), -self.shift)


@dataclass
class Outcome:
    """What was shown in some run, its probability, what it cost, and what went wrong in it."""

    seen: Seen
    probability: float
    cost: Fraction
    wrong: str = ""


class Runs:
    """All runs of a mechanism from one input, at one value of its parameter."""

    def __init__(self, noisy: Noisy, q: int, value: Fraction, grid: int) -> None:
        self.noisy, self.q, self.value, self.grid = noisy, q, float(value), grid

    def all(self) -> list[Outcome]:
        """One for each way in which comparisons and draws come out."""
        found = []
        decisions: list[bool] | None = []
        while decisions is not None:
            run = _Run(self, decisions)
            wrong = ""
            try:
                run.block(self.noisy.body, run.names)
                raise AssertionError("no result")
            except _Returned as returned:
                run.seen.append(str(returned.args[0]).lower())
            except Failed:
                wrong = "assert"
            except Misused:
                wrong = "misused"
            found.append(Outcome(tuple(run.seen), run.probability(), run.cost, wrong))
            while run.decided and not run.decided[-1]:
                run.decided.pop()
            decisions = [*run.decided[:-1], False] if run.decided else None
        return found

    def cells(self, kind: str, mean: Fraction, rate: Fraction) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of a sample: its cells, their weights, and how steep its density is in each."""
        if not self.noisy.is_real:
            alpha = self.value ** int(rate)
            reach = int(_FAR / -log(alpha)) + 1
            places = np.arange(0 if kind == "geometric" else -reach, reach + 1)
            factor = 1 - alpha if kind == "geometric" else (1 - alpha) / (1 + alpha)
            return places + int(mean), factor * alpha ** np.abs(places), np.zeros(len(places))
        steep = float(rate) * self.value / self.grid
        reach = int(_FAR / steep) + 1
        places = np.arange(0 if kind == "exponential" else -reach, reach)
        near = np.where(places >= 0, places, -places - 1)
        half = 1.0 if kind == "exponential" else 0.5
        weights = half * (np.exp(-steep * near) - np.exp(-steep * (near + 1)))
        return places + int(mean * self.grid), weights, np.where(places >= 0, -steep, steep)


class _Run:
    """One of them."""

    def __init__(self, runs: Runs, decisions: list[bool]) -> None:
        self.runs = runs
        self.decided = decisions
        self.asked = 0
        self.names: dict[str, Any] = {"q": Sum((), Fraction(runs.q))}
        self.samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.bounds: list[tuple[tuple[tuple[int, int], ...], Fraction, bool]] = []
        self.weight = 1.0
        self.seen: list[str] = []
        self.cost = Fraction(0)

    def chosen(self) -> bool:
        """How the next choice comes out."""
        if self.asked == len(self.decided):
            self.decided.append(True)
        self.asked += 1
        return self.decided[self.asked - 1]

    def at_most(self, left: Sum, strict: bool) -> bool:
        """Whether left <= 0, or left < 0."""
        parts, bound = left.parts, -left.shift
        if not parts:
            return bound > 0 or (bound == 0 and not strict)
        if all(abs(factor) == 2 for _, factor in parts):  # what is compared with its own negative
            parts, bound = tuple((sample, factor // 2) for sample, factor in parts), bound / 2
            left = Sum(parts, -bound)
        if sorted(factor for _, factor in parts) not in ([-1], [1], [-1, 1]):
            raise Misused
        this, other = (parts, bound, strict), (left.negative().parts, -bound, not strict)
        for known_parts, known, is_strict in self.bounds:
            if known_parts == parts and (known < bound or (known == bound and is_strict >= strict)):
                return True
            if known_parts == other[0] and (known < -bound or (known == -bound and is_strict >= other[2])):
                return False
        holds = self.chosen()
        self.bounds.append(this if holds else other)
        return holds

    def probability(self) -> float:
        """Of the run."""
        runs = self.runs
        used = sorted({sample for parts, _, _ in self.bounds for sample, _ in parts})
        samples = [self.samples[number] for number in used]
        count = len(samples)
        orders = list(permutations(range(count))) if runs.noisy.is_real else [tuple(range(count))]
        scale = count + 1 if runs.noisy.is_real else 1
        total = 0.0
        for order in orders:
            at = []
            for number, (places, _, _) in enumerate(samples):
                rank = order.index(number) + 1 if runs.noisy.is_real else 0
                shape = [1] * count
                shape[number] = len(places)
                at.append((places * scale + rank).reshape(shape))
            mask: Any = np.ones((), dtype=bool)
            for parts, bound, strict in self.bounds:
                value = sum(factor * at[used.index(number)] for number, factor in parts)
                limit = bound * runs.grid * scale
                assert limit.denominator == 1
                mask = mask & (value < int(limit) if strict else value <= int(limit))
            if not mask.any():
                continue
            weights: Any = np.ones((), dtype=float)
            for number, (_, weight, _) in enumerate(samples):
                shape = [1] * count
                shape[number] = len(weight)
                weights = weights * weight.reshape(shape)
            if runs.noisy.is_real:
                weights = weights * _order_weights(order, [steep for _, _, steep in samples])
            total += float((weights * mask).sum())
        return total * self.weight

    # What a program means.

    def block(self, block: Block, names: dict[str, Any]) -> None:
        """Runs statements."""
        for statement in block:
            self.statement(statement, names)

    def statement(self, statement: Tree, names: dict[str, Any]) -> None:
        """Runs one."""
        match statement:
            case ("let" | "var", name, e):
                names[name] = self.value(e, names)
            case ("typed", name, _, e):
                names[name] = self.value(e, names)
            case ("draw" | "vardraw", name, d):
                names[name] = self.drawn(d, names)
            case ("set", place, e):
                self.put(place, self.value(e, names), names)
            case ("redraw", place, d):
                self.put(place, self.drawn(d, names), names)
            case ("emit", e):
                self.seen.append(str(self.value(e, names).shift))
            case ("tick", e):
                self.cost += self.value(e, names).shift
            case ("assert", e):
                if not self.value(e, names):
                    raise Failed
            case ("return", e):
                raise _Returned(self.value(e, names))
            case ("release", d):
                raise _Returned(self.drawn(d, names))
            case ("when", c, a, b):
                self.block(a if self.value(c, names) else b, names)
            case ("match", e, a, b):
                self.block(a if self.value(e, names).shift == 0 else b, names)
            case ("for", name, count, inner):
                for turn in range(count):
                    names[name] = Sum((), Fraction(turn))
                    self.block(inner, names)
            case _:
                raise AssertionError(statement)

    def put(self, place: Tree, value: Any, names: dict[str, Any]) -> None:
        """Assigns."""
        match place:
            case ("name", name):
                names[name] = value
            case ("at", name, index):
                kept = list(names[name])
                kept[int(self.value(index, names).shift)] = value
                names[name] = kept

    def drawn(self, d: Tree, names: dict[str, Any]) -> Any:
        """Draws."""
        match d:
            case ("bernoulli", weight):
                holds = self.chosen()
                self.weight *= float(weight if holds else 1 - weight)
                return holds
            case ("helper", name, given):
                try:
                    self.block(self.runs.noisy.helpers[name], {"m": self.value(given, names)})
                except _Returned as returned:
                    return returned.args[0]
        kind, rate = d[0], d[-1]
        mean = self.value(d[1], names).shift if len(d) == 3 else Fraction(0)
        self.samples.append(self.runs.cells(kind, mean, Fraction(rate)))
        return Sum(((len(self.samples) - 1, 1),), Fraction(0))

    def value(self, tree: Tree, names: dict[str, Any]) -> Any:
        """The value of an expression."""
        match tree:
            case ("number", number):
                return Sum((), Fraction(number))
            case ("name", name):
                return names[name]
            case ("neg", e):
                return self.value(e, names).negative()
            case ("+", a, b):
                return self.value(a, names).plus(self.value(b, names))
            case ("-", a, b):
                return self.value(a, names).plus(self.value(b, names).negative())
            case ("max" | "min" as which, a, b):
                x, y = self.value(a, names), self.value(b, names)
                # Of numbers and samples that are equal, the first: which can be gone on with depends on it.
                difference = x.plus(y.negative()) if which == "max" else y.plus(x.negative())
                return y if self.at_most(difference, True) else x
            case ("abs", e):
                x = self.value(e, names)
                return x if self.at_most(x.negative(), False) else x.negative()
            case ("if", c, a, b):
                return self.value(a if self.value(c, names) else b, names)
            case ("call", name, *given):
                parameters, _, body = FUNCTIONS[name]
                return self.value(body, {p: self.value(e, names) for p, e in zip(parameters, given)})
            case ("at", name, index):
                return names[name][int(self.value(index, names).shift)]
            case ("part", name, part):
                return names[name][1 if part in ("second", 1) else 0]
            case ("pair" | "tuple" | "array", *parts):
                return [self.value(part, names) for part in parts]
            case ("not", e):
                return not self.value(e, names)
            case ("and", a, b):
                return self.value(a, names) and self.value(b, names)
            case ("or", a, b):
                return self.value(a, names) or self.value(b, names)
            case ("=>", a, b):
                return not self.value(a, names) or self.value(b, names)
            case ("<" | "<=" | ">" | ">=" | "==" | "!=" as operator, a, b):
                return self.compared(operator, self.value(a, names), self.value(b, names))
        raise AssertionError(tree)

    def compared(self, operator: str, x: Any, y: Any) -> bool:
        """x operator y."""
        if isinstance(x, bool):
            return (x == y) == (operator == "==")
        less, more = x.plus(y.negative()), y.plus(x.negative())
        match operator:
            case "<":
                return self.at_most(less, True)
            case "<=":
                return self.at_most(less, False)
            case ">":
                return self.at_most(more, True)
            case ">=":
                return self.at_most(more, False)
            case "==":
                return self.at_most(less, False) and self.at_most(more, False)
            case _:
                return not (self.at_most(less, False) and self.at_most(more, False))


_KNOWN: dict[tuple[float, ...], float] = {}


def _order_weights(order: tuple[int, ...], steeps: list[np.ndarray]) -> Any:
    """How likely samples, whose places in their cells have densities of these slopes, are in that order there."""
    count = len(order)
    found: Any = np.zeros([1] * count)
    signs = [sorted(set(steep.tolist())) for steep in steeps]

    def fill(number: int, chosen: tuple[float, ...], mask: Any) -> None:
        nonlocal found
        if number == count:
            share = _share(tuple(chosen[each] for each in order))
            found = found + mask * share
            return
        for slope in signs[number]:
            shape = [1] * count
            shape[number] = len(steeps[number])
            fill(number + 1, (*chosen, slope), mask & (steeps[number] == slope).reshape(shape))

    fill(0, (), np.ones([1] * count, dtype=bool))
    return found


def _share(slopes: tuple[float, ...]) -> float:
    """The integral of the densities over 0 < f_1 < .. < f_n < 1."""
    if slopes not in _KNOWN:
        chebyshev = np.polynomial.Chebyshev
        inner = chebyshev([1.0], domain=[0, 1])
        for slope in slopes:
            # s e^(s f)/(e^s - 1), with the larger end at 1
            top = max(slope, 0.0)
            area = 1.0 if slope == 0 else (exp(slope - top) - exp(-top)) / slope
            density = chebyshev.interpolate(
                lambda f, inner=inner, slope=slope, top=top, area=area: inner(f) * np.exp(slope * f - top) / area,
                60,
                domain=[0, 1],
            )
            inner = density.integ(lbnd=0)
        _KNOWN[slopes] = float(inner(1.0))
    return _KNOWN[slopes]


def summed(outcomes: list[Outcome]) -> dict[Seen, float]:
    """The probability of what is shown."""
    found: dict[Seen, float] = {}
    for outcome in outcomes:
        found[outcome.seen] = found.get(outcome.seen, 0.0) + outcome.probability
    return found
