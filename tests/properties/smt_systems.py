"""Random small labelled systems with constant numbers, and what brute force over all words says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Literal

from hypothesis import strategies as st

from pfl.base.epsilon import Epsilon
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem, Vector

Largest = Fraction | Literal["inf"]


@st.composite
def distributions(draw: st.DrawFn, size: int) -> list[Fraction]:
    """Weights of which many are 0, that sum to 1."""
    whole = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(whole)) for weight in whole]


@st.composite
def systems(draw: st.DrawFn) -> LabelledSystem:
    """An hmm, whose states emit and then move; or a system whose letter and next state are drawn together."""
    states, letters = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    rows = []
    for _ in range(states):
        if draw(st.booleans()):
            shows, moves = draw(distributions(letters)), draw(distributions(states))
            rows.append([[shown * moved for moved in moves] for shown in shows])
        else:
            joint = draw(distributions(letters * states))
            rows.append([joint[letter * states : (letter + 1) * states] for letter in range(letters)])
    lossy = draw(st.integers(0, 3)) == 0
    if lossy:
        kept = st.sampled_from((Fraction(0), Fraction(1, 2), Fraction(1)))
        for of_state in rows:
            for letter, row in enumerate(of_state):
                share = draw(kept)
                of_state[letter] = [weight * share for weight in row]
    matrices = tuple(
        tuple(tuple((column, weight) for column, weight in enumerate(row[letter]) if weight) for row in rows)
        for letter in range(letters)
    )
    return LabelledSystem(
        states=tuple(f"s{state}" for state in range(states)),
        letters=tuple("abc"[:letters]),
        matrices=matrices,
        stochastic=not lossy,
    )


@st.composite
def questions(draw: st.DrawFn, longest: int = 4) -> Compare:
    """Two starts of a random system at one length; epsilon is 0, to be replaced."""
    system = draw(systems())
    left, right = (tuple(draw(distributions(system.size))) for _ in range(2))
    comparison = Table.of_pair(
        system,
        [Side(label="left", vector=left), Side(label="right", vector=right)],
        epsilon=Epsilon(),
        one_way=draw(st.booleans()),
    )
    return Compare(goal="check", tables=(comparison,), lengths=(draw(st.integers(0, longest)),))


def largest_ratio(question: Compare) -> Largest:
    """The largest ratio over all words of the length, or of all lengths up to it where mass may be lost."""
    (comparison,) = question.comparisons
    assert question.lengths != "any"
    (length,) = question.lengths
    lengths = (length,) if comparison.system.stochastic else range(length + 1)
    starts = [(comparison.left.vector, comparison.right.vector)]
    starts += [] if comparison.table.one_way else [(comparison.right.vector, comparison.left.vector)]
    ratios = [
        _ratio(comparison.system, left, right, word)
        for left, right in starts
        for each in lengths
        for word in product(range(len(comparison.system.letters)), repeat=each)
    ]
    return (
        "inf"
        if "inf" in ratios
        else max((ratio for ratio in ratios if isinstance(ratio, Fraction)), default=Fraction(0))
    )


def _ratio(system: LabelledSystem, left: Vector, right: Vector, word: Sequence[int]) -> Largest:
    above, below = system.mass(left, word), system.mass(right, word)
    assert isinstance(above, Fraction)
    assert isinstance(below, Fraction)
    if not below:
        return "inf" if above else Fraction(0)
    return above / below


def with_epsilon(question: Compare, epsilon: Epsilon) -> Compare:
    (table,) = question.tables
    return replace(question, tables=(replace(table, epsilon=epsilon),))


def is_exceeded(epsilon: Epsilon, largest: Largest) -> bool:
    return largest == "inf" or epsilon.compare(largest) > 0


@st.composite
def epsilons(draw: st.DrawFn, largest: Largest) -> Epsilon:
    """Just at the largest ratio, a little off it, its root, or a rational number: where mistakes would show."""
    ratio = largest if isinstance(largest, Fraction) and largest else Fraction(1000)
    return draw(
        st.sampled_from(
            (
                Epsilon.ln(ratio),
                Epsilon.ln(ratio * Fraction(1001, 1000)),
                Epsilon.ln(ratio * Fraction(999, 1000)),
                Epsilon.ln(ratio**3) / 3,
                Epsilon.ln(ratio) / 2,
                Epsilon.rational(Fraction(1, 2)),
            )
        )
    )
