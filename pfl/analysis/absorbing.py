"""Absorption probabilities of finite Markov chains, exactly. Source: docs/theory/absorbing.md."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from pfl.analysis.components import components
from pfl.base.budget import Budget
from pfl.base.number import Number

Exact: TypeAlias = Any
"""A number of the field that one computation works in: flint's fmpq for constants, else a `Number`."""

_DENSE_FROM = 16
_DENSE_TO = 2_000
_SPARSE_DEGREE = 3
"""Components with at most so many transitions a state are eliminated one by one: chains and bands fill in little."""

_STATES_BETWEEN_CHECKS = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SparseChain:
    """A Markov chain in compressed rows: of the transition `edge` in offsets[s]..offsets[s + 1] - 1 of state s,
    targets[edge] is where it goes and weight_table[weights[edge]] its probability, not 0. Parallel transitions add.

    A state without transitions is absorbing; the other rows sum to 1.
    """

    offsets: array[int]
    targets: array[int]
    weights: array[int]
    weight_table: Sequence[Number]

    @property
    def size(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Absorption:
    """`rows[i]` maps absorbing states to the probability of ending there from the i-th source, those of probability 0
    left out; what is missing to 1 never ends. `nonzero` are the non-constant numbers that were divided by."""

    rows: tuple[dict[int, Number], ...]
    nonzero: tuple[Number, ...] = ()

    def never(self, source: int) -> Number:
        """The probability of never being absorbed, from the source of that position."""
        return 1 - sum(self.rows[source].values(), Fraction(0))


def absorption(chain: SparseChain, sources: Sequence[int], budget: Budget) -> Absorption:
    """A[i, j] = (e_i N R)[j], the probability of ending in absorbing state j from source i; N = (I - Q)^-1.

    N is never formed: mass goes through the components in topological order, and in each component C the visits
    y = b (I - Q_C)^-1 are solved exactly, for all masses at once. Mass goes from the sources forward, or where there
    are fewer absorbing states than sources, from those backward: their columns solve A = P A + E, which is the same
    flow along reversed transitions. A component that cannot be left takes its mass along, or gets none, so the rest is
    well defined. Raises LimitReached when the time is over.
    """
    ends = _absorbing_from(chain, sources)
    if len(ends) < len(sources):
        columns, nonzero = _Flow(_reversed(chain), budget, is_reversed=True).run(ends, sources)
        rows = [{end: column[source] for end, column in zip(ends, columns) if source in column} for source in sources]
    else:
        rows, nonzero = _Flow(chain, budget).run(sources, ends)
    return Absorption(rows=tuple(rows), nonzero=nonzero)


def _absorbing_from(chain: SparseChain, sources: Iterable[int]) -> list[int]:
    """The absorbing states that can be reached from some source, in order."""
    reached = _reachable(chain, sources)
    return sorted(state for state in reached if chain.offsets[state] == chain.offsets[state + 1])


def _reversed(chain: SparseChain) -> SparseChain:
    """The transitions turned round; the weights of a row need not sum to 1 any more."""
    offsets = array("q", bytes(8 * (chain.size + 1)))
    for target in chain.targets:
        offsets[target + 1] += 1
    for state in range(chain.size):
        offsets[state + 1] += offsets[state]
    following = offsets[:]
    sources, weights = chain.targets[:], chain.weights[:]
    for state in range(chain.size):
        for edge in range(chain.offsets[state], chain.offsets[state + 1]):
            place = following[chain.targets[edge]]
            following[chain.targets[edge]] = place + 1
            sources[place], weights[place] = state, chain.weights[edge]
    return SparseChain(offsets=offsets, targets=sources, weights=weights, weight_table=chain.weight_table)


def _reachable(chain: SparseChain, sources: Iterable[int]) -> set[int]:
    offsets, targets = chain.offsets, chain.targets
    found = set(sources)
    pending = list(found)
    while pending:
        state = pending.pop()
        for target in targets[offsets[state] : offsets[state + 1]]:
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


class _Flow:
    """Masses, one from each source, on their way along the transitions of a graph with weights."""

    def __init__(self, chain: SparseChain, budget: Budget, *, is_reversed: bool = False) -> None:
        self._chain = chain
        self._is_reversed = is_reversed
        self._budget = budget
        self._constant = all(isinstance(weight, Fraction) for weight in chain.weight_table)
        self._one: Exact = _flint_rational(1) if self._constant else Fraction(1)
        self._table: list[Exact] = [self._number(weight) for weight in chain.weight_table]
        self._component = components(chain.offsets, chain.targets)
        self._nonzero: dict[Number, None] = {}
        self._mass: dict[int, dict[int, Exact]] = {}

    def run(self, sources: Sequence[int], wanted: Iterable[int]) -> tuple[list[dict[int, Number]], tuple[Number, ...]]:
        """For each source, y = e + y P at the wanted states, where it is not 0; and what was divided by."""
        offsets, targets = self._chain.offsets, self._chain.targets
        for position, source in enumerate(sources):
            self._mass.setdefault(source, {})[position] = self._one
        rows: list[dict[int, Number]] = [{} for _ in sources]
        read = set(wanted)
        members: list[int] = []
        order = sorted(_reachable(self._chain, sources), key=lambda state: -self._component[state])
        for done, state in enumerate(order):
            if done % _STATES_BETWEEN_CHECKS == 0:
                self._budget.check(f"closing {done:,} of {len(order):,} silent states")
            members.append(state)
            if done + 1 < len(order) and self._component[order[done + 1]] == self._component[state]:
                continue
            if len(members) == 1 and state not in targets[offsets[state] : offsets[state + 1]]:
                visits = {state: self._mass.pop(state)}
                self._spread(state, visits[state])
            else:
                visits = self._leave(members)
            for member, masses in visits.items():
                if member in read:
                    for position, mass in masses.items():
                        rows[position][member] = self._result(mass)
            members = []
        return rows, tuple(self._nonzero)

    def _spread(self, state: int, arrived: Mapping[int, Exact], inside: int = -1) -> None:
        """Sends mass along the transitions of a state, except to the component `inside`."""
        table, weights, targets = self._table, self._chain.weights, self._chain.targets
        for edge in range(self._chain.offsets[state], self._chain.offsets[state + 1]):
            target, weight = targets[edge], table[weights[edge]]
            if inside >= 0 and self._component[target] == inside:
                continue
            held = self._mass.get(target)
            if held is None:
                held = self._mass[target] = {}
            _add(held, arrived, weight)

    def _leave(self, members: list[int]) -> dict[int, dict[int, Exact]]:
        """Solves one component with cycles, and sends on what leaves it: the visits of its states."""
        arrived = {state: self._mass.pop(state) for state in members if state in self._mass}
        inside = self._component[members[0]]
        rows = {state: self._row_inside(state, inside) for state in members}
        # Reversed, mass comes only to components that can be left: an absorbing state is where it started.
        if not self._is_reversed and all(self._stays(state, inside) for state in members):
            return {}  # this mass never ends
        degree = sum(map(len, rows.values())) / len(members)
        if self._constant and _DENSE_FROM <= len(members) <= _DENSE_TO and degree > _SPARSE_DEGREE:
            visits = _dense_visits(members, rows, arrived)
        else:
            visits = self._eliminated_visits(rows, arrived)
        for state, visited in visits.items():
            self._spread(state, visited, inside)
        return visits

    def _row_inside(self, state: int, inside: int) -> dict[int, Exact]:
        row: dict[int, Exact] = {}
        for edge in range(self._chain.offsets[state], self._chain.offsets[state + 1]):
            target = self._chain.targets[edge]
            if self._component[target] == inside:
                weight = self._table[self._chain.weights[edge]]
                row[target] = row[target] + weight if target in row else weight
        return row

    def _stays(self, state: int, inside: int) -> bool:
        edges = range(self._chain.offsets[state], self._chain.offsets[state + 1])
        return all(self._component[self._chain.targets[edge]] == inside for edge in edges)

    def _eliminated_visits(
        self, rows: dict[int, dict[int, Exact]], arrived: dict[int, dict[int, Exact]]
    ) -> dict[int, dict[int, Exact]]:
        """y with y (I - Q) = b, by eliminating states with few neighbours first, then substituting back.

        Equation of state u: (1 - q_uu) y_u = b_u + sum over p of q_pu y_p. Without an exit a pivot would be 0; there is
        one, since every state of the component reaches it.
        """
        before: dict[int, dict[int, Exact]] = {state: {} for state in rows}
        for state, row in rows.items():
            for target, weight in row.items():
                before[target][state] = weight
        given = {state: dict(arrived.get(state, {})) for state in rows}
        queue = [(len(before[state]) * len(rows[state]), state) for state in rows]
        heapify(queue)
        order: list[tuple[int, dict[int, Exact], Exact]] = []
        while rows:
            degree, state = heappop(queue)
            if state not in rows or degree != len(before[state]) * len(rows[state]):
                continue  # an entry that a later one has replaced
            if len(order) % _STATES_BETWEEN_CHECKS == 0:
                self._budget.check(f"eliminating {len(order):,} silent states, {len(rows):,} to go")
            loop = rows[state].pop(state, None)
            before[state].pop(state, None)
            pivot = self._one if loop is None else self._one - loop
            self._note(pivot)
            sources, exits = before.pop(state), rows.pop(state)
            for source in sources:
                del rows[source][state]
            for target, weight in exits.items():
                del before[target][state]
                share = weight / pivot
                _add(given[target], given[state], share)
                for source, entering in sources.items():
                    row, through = rows[source], entering * share
                    before[target][source] = row[target] = row[target] + through if target in row else through
            for touched in sources.keys() | exits.keys():
                heappush(queue, (len(before[touched]) * len(rows[touched]), touched))
            order.append((state, sources, pivot))
        visits: dict[int, dict[int, Exact]] = {}
        for state, sources, pivot in reversed(order):
            total = given[state]
            for source, weight in sources.items():
                _add(total, visits[source], weight)
            visits[state] = {position: mass / pivot for position, mass in total.items()}
        return visits

    def _note(self, pivot: Exact) -> None:
        if not self._constant and not isinstance(pivot, Fraction):
            self._nonzero.setdefault(pivot)

    def _number(self, weight: Number) -> Exact:
        return _flint_rational(weight) if self._constant else weight

    def _result(self, mass: Exact) -> Number:
        return Fraction(int(mass.p), int(mass.q)) if self._constant else mass


def _add(total: dict[int, Exact], masses: Mapping[int, Exact], weight: Exact) -> None:
    """total += weight * masses."""
    for position, mass in masses.items():
        total[position] = total[position] + mass * weight if position in total else mass * weight


def _dense_visits(
    members: list[int], rows: dict[int, dict[int, Exact]], arrived: dict[int, dict[int, Exact]]
) -> dict[int, dict[int, Exact]]:
    """y with (I - Q)^T y^T = b^T, all sources at once, by flint."""
    import flint

    place = {state: position for position, state in enumerate(members)}
    positions = sorted({position for masses in arrived.values() for position in masses})
    matrix = flint.fmpq_mat(len(members), len(members))
    right = flint.fmpq_mat(len(members), len(positions))
    for state, row in rows.items():
        matrix[place[state], place[state]] = 1
        for target, weight in row.items():
            matrix[place[target], place[state]] -= weight
    for state, masses in arrived.items():
        for column, position in enumerate(positions):
            if position in masses:
                right[place[state], column] = masses[position]
    solution = matrix.solve(right)
    return {
        state: {position: solution[place[state], column] for column, position in enumerate(positions)}
        for state in members
    }


def _flint_rational(number: Number | int) -> Exact:
    import flint

    return flint.fmpq(number.numerator, number.denominator)
