"""Random small automata, and the largest ratio of two runs straight from the definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from hypothesis import strategies as st

from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import Matrix, SparseRow
from pfl.model.two_runs import Adjacency

Given = tuple[str, int]


@st.composite
def _row(draw: st.DrawFn, size: int, spread: int) -> list[Fraction]:
    """A distribution over `size` places, with few of them positive."""
    places = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=spread, unique=True))
    weights = draw(st.lists(st.integers(1, 4), min_size=len(places), max_size=len(places)))
    row = [Fraction(0)] * size
    for place, weight in zip(places, weights):
        row[place] = Fraction(weight, sum(weights))
    return row


@st.composite
def _all_of(draw: st.DrawFn, size: int) -> list[Fraction]:
    weights = draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def interactive_systems(draw: st.DrawFn, *, fixes_state: bool) -> InteractiveSystem:
    """Up to three states, two data points, two queries of two responses, and bottom, which any step may lead to."""
    states = draw(st.integers(1, 3))
    size = states + 1
    spread = 1 if fixes_state else 2
    # Where every state can give every response and no data point leads to bottom, ratios are often finite.
    is_alike = draw(st.booleans())
    within = states if is_alike else size
    data = draw(st.integers(1, 2))
    queries = draw(st.integers(1, 2))
    moves = tuple(
        (*(_sparse(draw(_row(within, spread))) for _ in range(states)), ((states, Fraction(1)),)) for _ in range(data)
    )
    answers = []
    for _ in range(queries):
        matrices: list[list[SparseRow]] = [[], []]
        for _ in range(states):
            # The last place stands for a query that is never answered.
            chosen = draw(_all_of(3)) if is_alike else draw(_row(3, 3))
            for response in range(2):
                behind = _sparse(draw(_row(within, spread)))
                matrices[response].append(
                    tuple((column, weight * chosen[response]) for column, weight in behind if chosen[response])
                )
        answers.append(tuple((name, (*matrix, ())) for name, matrix in zip(("no", "yes"), matrices)))
    return InteractiveSystem(
        states=(*(f"s{n}" for n in range(states)), "(silent for ever)"),
        start=tuple(_padded(draw(_row(states, spread)), size)),
        data=tuple("ab"[:data]),
        data_moves=moves,
        queries=tuple("yz"[:queries]),
        answers=tuple(answers),
    )


def _sparse(row: Sequence[Fraction]) -> SparseRow:
    return tuple((column, weight) for column, weight in enumerate(row) if weight)


def _padded(row: Sequence[Fraction], size: int) -> list[Fraction]:
    return [*row, *[Fraction(0)] * (size - len(row))]


def largest_ratio(system: InteractiveSystem, adjacency: Adjacency, inputs: int) -> Fraction | None:
    """The largest Pr(what is seen | one run) / Pr(.. | the other) over all runs of at most so many inputs, None if
    infinite: every two input sequences that differ in one data point, every sequence of queries and responses."""
    alphabet: list[Given] = [("data", d) for d in range(len(system.data))]
    alphabet += [("query", q) for q in range(len(system.queries))]
    largest: Fraction | None = Fraction(1)
    for length in range(inputs + 1):
        for sequence in product(alphabet, repeat=length):
            for other in _neighbours(system, sequence, adjacency):
                for seen in _seen(system, sequence):
                    left, right = _probability(system, sequence, seen), _probability(system, other, seen)
                    for one, two in ((left, right), (right, left)):
                        if one and not two:
                            return None
                        if two and largest is not None:
                            largest = max(largest, one / two)
    return largest


def _neighbours(system: InteractiveSystem, sequence: Sequence[Given], adjacency: Adjacency) -> Iterator[list[Given]]:
    for place, (kind, _) in enumerate(sequence):
        if kind != "data":
            continue
        rest = [*sequence[:place]], [*sequence[place + 1 :]]
        if adjacency == "insert":
            yield [*rest[0], *rest[1]]
        else:
            yield from ([*rest[0], ("data", d), *rest[1]] for d in range(len(system.data)))


def _seen(system: InteractiveSystem, sequence: Sequence[Given]) -> Iterator[list[tuple[int, int | None]]]:
    """Every sequence of queries and responses that such inputs can begin with: None for a response not yet there."""
    asked = [number for kind, number in sequence if kind == "query"]
    for count in range(len(asked) + 1):
        for responses in product(*(range(len(system.answers[query])) for query in asked[:count])):
            seen: list[tuple[int, int | None]] = list(zip(asked, responses))
            yield seen
            if count < len(asked):
                yield [*seen, (asked[count], None)]


def _probability(
    system: InteractiveSystem, sequence: Sequence[Given], seen: Sequence[tuple[int, int | None]]
) -> Fraction:
    """The probability that what the examiner sees begins with `seen`; runs that are silent for ever take no input."""
    mass: list[Fraction] = [Fraction(entry) for entry in system.start]  # type: ignore[arg-type]
    waiting = list(seen)
    for kind, number in sequence:
        if not waiting:
            break
        if kind == "data":
            mass = _step(system, mass, system.data_moves[number])
            continue
        query, response = waiting.pop(0)
        assert query == number
        if response is None:
            return sum(mass[: system.bottom], Fraction(0))
        mass = _step(system, mass, system.answers[query][response][1])
    return sum(mass, Fraction(0)) if not waiting else Fraction(0)


def _step(system: InteractiveSystem, mass: Sequence[Fraction], matrix: Matrix) -> list[Fraction]:
    result = [Fraction(0)] * system.size
    for weight, row in zip(mass, matrix):
        for column, entry in row:
            assert isinstance(entry, Fraction)
            result[column] += weight * entry
    return result
