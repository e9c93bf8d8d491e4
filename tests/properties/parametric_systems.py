"""Random labelled systems with one or two parameters, and what brute force says of them at given values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction, value_at
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Matrix
from pfl.model.parameters import Condition, Parameter, ParameterSpace

Values = dict[str, Fraction]


@st.composite
def distributions(draw: st.DrawFn, size: int, names: Sequence[str]) -> list[Number]:
    """Weights that sum to 1, mixed of constant ones by the parameters, so never negative on [0, 1]."""
    mixed: list[Number] = list(_constant(draw, size))
    for name in names:
        if draw(st.booleans()):
            share = RationalFunction.parameter(name)
            other = _constant(draw, size)
            mixed = [a * (1 - share) + b * share for a, b in zip(mixed, other)]
    return mixed


def _constant(draw: st.DrawFn, size: int) -> list[Fraction]:
    whole = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(whole)) for weight in whole]


@st.composite
def parameters(draw: st.DrawFn, names: Sequence[str]) -> tuple[Parameter, ...]:
    """One interval a name, inside [0, 1]."""
    found = []
    for name in names:
        low, high = sorted(draw(st.lists(st.integers(0, 4), min_size=2, max_size=2, unique=True)))
        low_open, high_open = draw(st.booleans()), draw(st.booleans())
        found.append(
            Parameter(name=name, low=Fraction(low, 4), high=Fraction(high, 4), low_open=low_open, high_open=high_open)
        )
    return tuple(found)


@st.composite
def questions(draw: st.DrawFn, names: Sequence[str] = ("p",), depth: int = 3) -> Compare:
    """A check with epsilon 0, to be replaced, on two joint starts of a random hmm."""
    states, letters = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    moves = [draw(distributions(states, names)) for _ in range(states)]
    shows = [draw(distributions(letters, names)) for _ in range(states)]
    matrices = tuple(_matrix(moves, shows, letter) for letter in range(letters))
    system = LabelledSystem(
        states=tuple(f"s{state}" for state in range(states)),
        letters=tuple(f"l{letter}" for letter in range(letters)),
        matrices=matrices,
    )
    sides = []
    for label in ("left", "right"):
        weight = sum(draw(distributions(2, names))[:1], Fraction(0))
        if not weight:
            weight = Fraction(1)
        start = tuple(entry * weight for entry in draw(distributions(states, names)))
        sides.append(Side(label=label, vector=start, weight=weight))
    space = ParameterSpace(parameters=draw(parameters(names)))
    if draw(st.booleans()):
        cut = RationalFunction.parameter(names[0]) - Fraction(draw(st.integers(1, 7)), 8)
        condition = Condition(polynomial=cut, relation=draw(st.sampled_from(["<", "<=", "!="])), text="cut")
        space = space.restricted(condition)
    return Compare(
        goal="check",
        tables=(Table.of_pair(system, [sides[0], sides[1]], epsilon=Epsilon()),),
        lengths=(draw(st.integers(1, depth)),),
        parameters=space,
    )


def _matrix(moves: list[list[Number]], shows: list[list[Number]], letter: int) -> Matrix:
    return tuple(
        tuple((column, shown[letter] * weight) for column, weight in enumerate(move) if shown[letter] * weight)
        for move, shown in zip(moves, shows)
    )


def sample_points(space: ParameterSpace, steps: int = 16) -> Iterator[Values]:
    """A grid on the box, its ends where they belong to it and points near them where not, inside the assumptions."""
    grids = []
    for parameter in space.parameters:
        width = parameter.high - parameter.low
        inner = [parameter.low + width * Fraction(step, steps) for step in range(steps + 1)]
        near = [parameter.low + width / 1000, parameter.high - width / 1000]
        grids.append([value for value in inner + near if parameter.contains(value)])
    for values in product(*grids):
        point = dict(zip(space.names, values))
        if all(
            any(condition.holds(value_at(condition.polynomial, point)) for condition in alternatives)
            for alternatives in space.assumptions
        ):
            yield point


def ratios_at(question: Compare, point: Values) -> Iterator[tuple[Fraction, Fraction]]:
    """(Pr(w | left), Pr(w | right)) for every word of the length and both directions; nothing where a side has none."""
    (comparison,) = question.comparisons
    (length,) = question.lengths
    weights = [value_at(side.weight, point) for side in (comparison.left, comparison.right)]
    if not all(weights):
        return
    starts = [
        [value_at(entry, point) / weight for entry in side.vector]
        for side, weight in zip((comparison.left, comparison.right), weights)
    ]
    system = comparison.system
    matrices = [
        [[(column, value_at(weight, point)) for column, weight in row] for row in matrix] for matrix in system.matrices
    ]
    for word in product(range(len(system.letters)), repeat=length):
        left, right = (_mass(matrices, start, word) for start in starts)
        yield left, right
        yield right, left


def _mass(matrices: list[list[list[tuple[int, Fraction]]]], start: Sequence[Fraction], word: Sequence[int]) -> Fraction:
    current = list(start)
    for letter in word:
        following = [Fraction(0)] * len(current)
        for weight, row in zip(current, matrices[letter]):
            for column, entry in row:
                following[column] += weight * entry
        current = following
    return sum(current, Fraction(0))
