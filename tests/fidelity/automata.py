"""Interactive automata at one point, and what two runs that differ in a data point give away."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

from .cases import Extended

State = Hashable
Mass = dict[State, Fraction]
BOTTOM = ("bottom",)
"""The state of a run that takes hidden steps for ever: nothing is seen of it any more, and it takes no input."""


@dataclass(frozen=True)
class Machine:
    """States that wait for an input. A data point moves them; a query is answered, and the run is then elsewhere.

    What the answers to a query lack to 1 is the probability that it is never answered.
    """

    start: Mapping[State, Fraction]
    data: Mapping[object, Mapping[State, Mapping[State, Fraction]]]
    answers: Mapping[object, Mapping[State, Mapping[tuple[object, State], Fraction]]]

    def fed(self, mass: Mass, point: object) -> Mass:
        """After a data point."""
        moved: Mass = {}
        for state, weight in mass.items():
            row = {BOTTOM: Fraction(1)} if state == BOTTOM else self.data[point][state]
            for target, more in row.items():
                _add(moved, target, weight * more)
        return moved

    def asked(self, mass: Mass, query: object) -> dict[object, Mass]:
        """After a query, by its answers."""
        found: dict[object, Mass] = {}
        for state, weight in mass.items():
            for (answer, target), more in ({} if state == BOTTOM else self.answers[query][state]).items():
                _add(found.setdefault(answer, {}), target, weight * more)
        return found


def _add(mass: Mass, state: State, weight: Fraction) -> None:
    if weight:
        mass[state] = mass.get(state, Fraction(0)) + weight


def _total(mass: Mass) -> Fraction:
    return sum(mass.values(), Fraction(0))


def _taken(mass: Mass) -> Fraction:
    """The probability that a query is taken."""
    return _total(mass) - mass.get(BOTTOM, Fraction(0))


Adjacency = Literal["insert", "replace"]


def _extra(machine: Machine, left: Mass, right: Mass, adjacency: Adjacency) -> Iterator[tuple[Mass, Mass]]:
    """Both runs after the point in which they differ, either way round."""
    points = list(machine.data)
    if adjacency == "insert":
        for point in points:
            yield machine.fed(left, point), right
            yield left, machine.fed(right, point)
    else:
        for one, two in product(points, repeat=2):
            if one != two:
                yield machine.fed(left, one), machine.fed(right, two)


def largest_ratio(machine: Machine, adjacency: Adjacency, inputs: int) -> Extended:
    """Of all runs of at most so many inputs that differ in one point, and all that can be seen of them."""

    def quotient(left: Fraction, right: Fraction) -> Extended:
        return Fraction(1) if not left else left / right if right else "inf"

    def largest(left: Mass, right: Mass, used: bool, rest: int) -> Extended:
        if not left or not _total(left):
            return Fraction(1)
        found = [quotient(_total(left), _total(right))]
        if rest:
            found += [largest(machine.fed(left, d), machine.fed(right, d), used, rest - 1) for d in machine.data]
            if not used:
                found += [largest(*pair, True, rest - 1) for pair in _extra(machine, left, right, adjacency)]
            for query in machine.answers:
                found.append(quotient(_taken(left), _taken(right)))
                below = machine.asked(right, query)
                for answer, mass in machine.asked(left, query).items():
                    found.append(largest(mass, below.get(answer, {}), used, rest - 1))
        return "inf" if "inf" in found else max(found)  # type: ignore[type-var]

    start = {state: weight for state, weight in machine.start.items() if weight}
    return largest(start, start, False, inputs)


def least_delta(machine: Machine, adjacency: Adjacency, inputs: int, factor: Fraction) -> Fraction:
    """The least delta with which the runs are alike up to `factor`, where inputs are chosen while answers are seen."""

    def value(left: Mass, right: Mass, used: bool, rest: int) -> Fraction:
        best = max(Fraction(0), _total(left) - factor * _total(right))
        if not rest or not left:
            return best
        for point in machine.data:
            best = max(best, value(machine.fed(left, point), machine.fed(right, point), used, rest - 1))
        if not used:
            for pair in _extra(machine, left, right, adjacency):
                best = max(best, value(*pair, True, rest - 1))
        for query in machine.answers:
            best = max(best, _taken(left) - factor * _taken(right))
            below = machine.asked(right, query)
            answered = machine.asked(left, query).items()
            best = max(best, sum((value(m, below.get(a, {}), used, rest - 1) for a, m in answered), Fraction(0)))
        return best

    start = {state: weight for state, weight in machine.start.items() if weight}
    return value(start, start, False, inputs)


def are_equal(one: Machine, two: Machine) -> bool:
    """Whether all that can be seen is equally likely, under every sequence of inputs.

    Differences of what a sequence leads to span a space of at most as many dimensions as both have states; only
    sequences that lead to a new direction are followed.
    """
    basis: list[dict[object, Fraction]] = []
    todo = [(dict(one.start), dict(two.start))]
    while todo:
        left, right = todo.pop()
        if _total(left) != _total(right) or _taken(left) != _taken(right):
            return False
        vector = {(0, state): weight for state, weight in left.items()}
        vector |= {(1, state): -weight for state, weight in right.items()}
        if not _extends(basis, vector):
            continue
        todo += [(one.fed(left, point), two.fed(right, point)) for point in one.data]
        for query in one.answers:
            above, below = one.asked(left, query), two.asked(right, query)
            todo += [(above.get(answer, {}), below.get(answer, {})) for answer in above.keys() | below.keys()]
    return True


def _extends(basis: list[dict[object, Fraction]], vector: dict[object, Fraction]) -> bool:
    """Adds the vector to a basis in echelon form, unless it is a combination of what is there."""
    for known in basis:
        lead = next(iter(known))
        factor = vector.get(lead, Fraction(0)) / known[lead]
        if factor:
            for place, entry in known.items():
                vector[place] = vector.get(place, Fraction(0)) - factor * entry
    vector = {place: entry for place, entry in vector.items() if entry}
    if vector:
        basis.append(vector)
    return bool(vector)
