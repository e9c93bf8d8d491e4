"""Words, chains and relations straight from their definitions; shares no code with the analyses and the engines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeAlias

from pfl.base.number import Number
from pfl.model.labelled_system import Matrix

Vector: TypeAlias = dict[int, Number]
"""Entries that are not 0."""
Letters: TypeAlias = Sequence[Matrix]
Final: TypeAlias = Sequence[Number] | None
"""What is left of a run in each state at its end; None where that is 1."""
Series: TypeAlias = tuple[Letters, Vector, Final]
"""A weighted automaton: the mass of a word is that of the start after its letters."""


def step(vector: Vector, matrix: Matrix) -> Vector:
    after: Vector = {}
    for state, weight in vector.items():
        for column, entry in matrix[state]:
            after[column] = after.get(column, Fraction(0)) + weight * entry
    return {state: weight for state, weight in after.items() if weight}


def mass(vector: Vector, final: Final = None) -> Number:
    parts = vector.values() if final is None else (weight * final[state] for state, weight in vector.items())
    return sum(parts, Fraction(0))


def sparse(start: Sequence[Number]) -> Vector:
    return {state: weight for state, weight in enumerate(start) if weight}


# --- the same of every word ----------------------------------------------------


def same_series(one: Series, other: Series, most: int | None) -> bool:
    """Whether two automata give the same mass to every word, of at most so many letters if that is not None.

    Differences of the two vectors after some letters are looked at in the order of their lengths, those alone that do
    not follow from the ones before (Schutzenberger).
    """
    size = 1 + max((len(matrix) for letters in (one[0], other[0]) for matrix in letters), default=0)
    if len(one[0]) != len(other[0]):
        return False
    basis: dict[int, Vector] = {}
    first = {**one[1], **{size + state: -weight for state, weight in other[1].items()}}
    pending = [(first, 0)]
    for vector, length in pending:
        reduced = _reduced(vector, basis)
        if not reduced:
            continue
        before = {state: weight for state, weight in vector.items() if state < size}
        behind = {state - size: weight for state, weight in vector.items() if state >= size}
        if mass(before, one[2]) + mass(behind, other[2]):
            return False
        pivot = min(reduced)
        basis[pivot] = {state: weight / reduced[pivot] for state, weight in reduced.items()}
        if most is None or length < most:
            for left, right in zip(one[0], other[0]):
                after = {size + state: weight for state, weight in step(behind, right).items()}
                pending.append(({**step(before, left), **after}, length + 1))
    return True


def _reduced(vector: Vector, basis: dict[int, Vector]) -> Vector:
    rest = dict(vector)
    for pivot in sorted(basis):
        factor = rest.get(pivot)
        if factor:
            for state, weight in basis[pivot].items():
                rest[state] = rest.get(state, Fraction(0)) - factor * weight
            rest = {state: weight for state, weight in rest.items() if weight}
    return rest


# --- words ---------------------------------------------------------------------


def largest_ratio(letters: Letters, left: Vector, right: Vector, most: int, final: Final = None) -> Number | None:
    """The largest Pr(w | left) / Pr(w | right) over words of at most so many letters, None for infinity."""
    best: Number = Fraction(1)
    pending = [(left, right, 0)]
    for one, other, length in pending:
        numerator, denominator = mass(one, final), mass(other, final)
        if not numerator:
            continue
        if not denominator:
            return None
        best = max(best, numerator / denominator)
        if length < most:
            pending += [(step(one, matrix), step(other, matrix), length + 1) for matrix in letters]
    return best


def excess(
    letters: Letters,
    inputs: Sequence[int],
    channels: Sequence[int],
    left: Vector,
    right: Vector,
    factor: Number,
    most: int,
    final: Final = None,
) -> Number:
    """The sum over what is seen of what Pr(seen | left) exceeds factor * Pr(seen | right), the worst over adversaries.

    An adversary who is asked for an input of a channel chooses one after all that he has seen, and may choose to see
    no more.
    """
    own = max(mass(left, final) - factor * mass(right, final), Fraction(0))
    if not most or not left:
        return own
    seen: Number = Fraction(0)
    chosen: dict[int, dict[int, Number]] = {}
    for number, channel, matrix in zip(inputs, channels, letters):
        after = excess(letters, inputs, channels, step(left, matrix), step(right, matrix), factor, most - 1, final)
        if number < 0:
            seen = seen + after
        else:
            of_channel = chosen.setdefault(channel, {})
            of_channel[number] = of_channel.get(number, Fraction(0)) + after
    return max(own, seen + sum((max(each.values()) for each in chosen.values()), Fraction(0)))


# --- chains --------------------------------------------------------------------


def solved(rows: Sequence[Vector], constants: Sequence[Number]) -> list[Number]:
    """x with x_s = sum of rows[s][t] x_t + constants[s], by elimination; the rows leave the states some time."""
    size = len(rows)
    table = [
        [Fraction(int(s == t)) - rows[s].get(t, Fraction(0)) for t in range(size)] + [constants[s]] for s in range(size)
    ]
    for column in range(size):
        pivot = next(row for row in range(column, size) if table[row][column])
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [entry / table[column][column] for entry in table[column]]
        for row in range(size):
            if row != column and (factor := table[row][column]):
                table[row] = [entry - factor * above for entry, above in zip(table[row], table[column])]
    return [row[-1] for row in table]


def gained(rows: Sequence[Vector], gains: Sequence[Number]) -> list[Number]:
    """The least x with x_s = sum of rows[s][t] x_t + gains[s], for gains that are not negative."""
    useful = sorted(_leading_to(rows, {state for state, gain in enumerate(gains) if gain}))
    place = {state: number for number, state in enumerate(useful)}
    known = [{place[t]: weight for t, weight in rows[s].items() if t in place} for s in useful]
    found = dict(zip(useful, solved(known, [gains[s] for s in useful])))
    return [found.get(state, Fraction(0)) for state in range(len(rows))]


def hits(rows: Sequence[Vector], start: Vector, goal: Collection[int]) -> Number:
    """The probability of coming to a goal from a start; goals are left for nothing."""
    return _weighted(start, gained(rows, [Fraction(int(state in goal)) for state in range(len(rows))]))


def hits_within(
    paid: Sequence[Vector], free: Sequence[Vector], start: Vector, goal: Collection[int], most: int
) -> Number:
    """The same with at most so many of the `paid` moves."""
    at_goal = [Fraction(int(state in goal)) for state in range(len(paid))]
    found = gained(free, at_goal)
    for _ in range(most):
        found = gained(free, [at + _weighted(row, found) for at, row in zip(at_goal, paid)])
    return _weighted(start, found)


def _weighted(row: Vector, values: Sequence[Number]) -> Number:
    return sum((weight * values[state] for state, weight in row.items()), Fraction(0))


def expected_cost(
    rows: Sequence[Vector], costs: Sequence[Number], start: Vector, goal: Collection[int]
) -> Number | None:
    """What a run costs until it comes to a goal, if each visit of a state costs so much; None for infinity."""
    reached = list(start)
    for state in reached:
        reached += [target for target in rows[state] if target not in reached]
    return _weighted(start, gained(rows, costs)) if set(reached) <= _leading_to(rows, goal) else None


def _leading_to(rows: Sequence[Vector], goal: Collection[int]) -> set[int]:
    useful = set(goal)
    while more := {s for s, row in enumerate(rows) if s not in useful and not useful.isdisjoint(row)}:
        useful |= more
    return useful


# --- relations -----------------------------------------------------------------


def is_unwinding(runs: Any, epsilons: Sequence[Any], place: Callable[[int, int], int | None]) -> bool:
    """Whether a relation is an unwinding family that covers its system, by the definition: some bijection of what both
    states come to, of which each pair is related by what its ratio leaves of the balance."""
    system = runs.system
    letters = [*system.data_moves, *(matrix for answers in system.answers for _, matrix in answers)]
    reached = list(sparse(system.start))
    for state in reached:
        reached += [t for t in dict.fromkeys(t for m in letters for t, _ in m[state]) if t not in reached]
    pairs: list[tuple[int, int]] = []

    def follows(left: Any, right: Any, balance: int) -> bool:
        one, other = dict(left), dict(right)
        for order in permutations(other):
            if len(one) != len(other):
                return False
            matched = list(zip(one, order))
            if all(pays(balance, x, y, one[x] / other[y]) for x, y in matched):
                pairs.extend(pair for pair in matched if pair not in pairs)
                return True
        return False

    def pays(balance: int, x: int, y: int, ratio: Any) -> bool:
        needed = place(x, y)
        return needed is not None and (epsilons[balance] - epsilons[needed]).compare(max(ratio, 1 / ratio)) <= 0

    def sides(extra: int, state: int) -> tuple[Any, Any]:
        point = ((state, Fraction(1)),)
        one, other = (point if at is None else system.data_moves[at][state] for at in runs.extras[extra])
        return one, other

    for state in reached:
        for extra in range(len(runs.extras)):
            if not follows(*reversed(sides(extra, state)), 0):
                return False
    for left, right in pairs:
        if not all(follows(matrix[left], matrix[right], place(left, right)) for matrix in letters):
            return False
    return True
