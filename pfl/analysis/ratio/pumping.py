"""Words that can be repeated to make the ratio as large as one likes: no epsilon works for every length.

Words u, v and vectors 0 <= a <= pi M_u, a not 0, and b >= tau M_u with a M_v >= lambda a and b M_v <= rho b, where
lambda > rho, give mass(pi, u v^n) >= lambda^n a 1 and mass(tau, u v^n) <= rho^n b 1. Source: docs/theory/no-epsilon.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat

from pfl.analysis.components import components
from pfl.analysis.ratio.float_rows import Floats, float_rows
from pfl.analysis.ratio.integer_system import Integers, Word
from pfl.analysis.ratio.obligation import Obligation
from pfl.base.budget import Budget

_MOST_CYCLES = 120
_MOST_STATES = 200
_MARGIN = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Pump:
    """Words u, v (letters by position) such that the ratio of u v^n grows without bound."""

    first: Word
    cycle: Word


def find_pump(task: Obligation, known: Word, budget: Budget) -> Pump | None:
    """A pump, if one of the cycles that are tried is one: all short words, and what a known good word repeats."""
    if task.part.size > _MOST_STATES:
        return None
    for first in dict.fromkeys([(), known[: len(known) // 4], known[: len(known) // 2]]):
        for cycle in _cycles(len(task.part.letters), known):
            budget.check("a search for words that can be repeated")
            found = _pumped(task, first, cycle)
            if found is not None:
                return found
    return None


def _cycles(letters: int, known: Word) -> Iterator[Word]:
    middle = len(known) // 2
    yield from dict.fromkeys(known[middle : middle + length] for length in (1, 2, 3, 4) if middle)
    short = (word for length in (1, 2, 3) for word in product(range(letters), repeat=length))
    yield from islice(short, _MOST_CYCLES)


def _pumped(task: Obligation, first: Word, cycle: Word) -> Pump | None:
    """u = first cycle^m, v = cycle, checked exactly for m large enough that mass has spread as far as it does."""
    matrix = _product(task, cycle)
    scaled = _scaled(matrix)
    left, right = task.follow(first)
    if not any(left):
        return None
    lefts, rights = _spread(scaled, left), _spread(scaled, right)
    part, rate = _fastest_part(scaled, lefts)
    if rate <= _radius(scaled[np.ix_(rights, rights)]) * (1 + _MARGIN):
        return None
    word = first
    for _ in range(task.part.size):
        if all(left[state] for state in part):
            break
        word = (*word, *cycle)
        left, right = task.follow(word)
    else:
        return None
    growth = _growth(matrix, scaled, part)
    slower = _radius(scaled[np.ix_(rights, rights)]) * max(abs(entry) for entry in map(int, matrix.entries()))
    bound = (growth + Fraction(slower)) / 2
    if growth > bound and _stays_below(matrix, right, rights, bound):
        return Pump(first=word, cycle=cycle)
    return None


def _product(task: Obligation, cycle: Word) -> fmpz_mat:
    size = task.part.size
    result = fmpz_mat([[int(row == column) for column in range(size)] for row in range(size)])
    for position in cycle:
        dense = [[0] * size for _ in range(size)]
        for state, row in enumerate(task.part.rows[position]):
            for column, weight in row:
                dense[state][column] = weight
        result = result * fmpz_mat(dense)
    return result


def _scaled(matrix: fmpz_mat) -> Floats:
    entries = tuple(map(int, matrix.entries()))
    if not any(entries):
        return np.zeros((matrix.nrows(), matrix.ncols()))
    rows = float_rows([entries])
    values = rows.values[0].reshape(matrix.nrows(), matrix.ncols())
    return np.asarray(values / values.max())


def _spread(matrix: Floats, start: Sequence[int]) -> list[int]:
    """The states that repeated steps reach from the support of a vector."""
    reached = np.array([bool(entry) for entry in start])
    for _ in range(len(start)):
        reached = reached | (matrix[reached] > 0).any(axis=0)
    return [int(state) for state in np.flatnonzero(reached)]


def _radius(matrix: Floats) -> float:
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))


def _fastest_part(matrix: Floats, states: list[int]) -> tuple[list[int], float]:
    """The strongly connected part among the states with the largest spectral radius."""
    index = {state: place for place, state in enumerate(states)}
    targets, offsets = array("q"), array("q", [0])
    for state in states:
        targets.extend(index[int(target)] for target in np.flatnonzero(matrix[state]) if int(target) in index)
        offsets.append(len(targets))
    groups: dict[int, list[int]] = {}
    for state, component in zip(states, components(offsets, targets)):
        groups.setdefault(component, []).append(state)
    return max(((group, _radius(matrix[np.ix_(group, group)])) for group in groups.values()), key=lambda pair: pair[1])


def _growth(matrix: fmpz_mat, scaled: Floats, part: list[int]) -> Fraction:
    """A lambda with a M >= lambda a for some a > 0 on a part: min (a M)_j / a_j (Collatz and Wielandt)."""
    values, vectors = np.linalg.eig(scaled[np.ix_(part, part)].T)
    shape = np.abs(vectors[:, int(np.argmax(values.real))])
    whole = [max(1, int(entry * 2**48)) for entry in shape / shape.max()]
    images = [sum(weight * int(matrix[state, target]) for weight, state in zip(whole, part)) for target in part]
    return min(Fraction(image, weight) for image, weight in zip(images, whole))


def _stays_below(matrix: fmpz_mat, start: Integers, states: list[int], rate: Fraction) -> bool:
    """Whether some b >= start has b M <= rate b: b = start (I - M / rate)^-1, where that is not negative."""
    if not states:
        return True
    rho = fmpq(rate.numerator, rate.denominator)
    system = fmpq_mat([[rho * (i == j) - int(matrix[j, i]) for j in states] for i in states])
    wanted = fmpq_mat([[rho * start[state]] for state in states])
    try:
        solution = system.solve(wanted)
    except ZeroDivisionError:
        return False
    return all(entry >= 0 for entry in solution.entries())
