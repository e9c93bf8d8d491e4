"""Probabilities of reaching a set of states, and expected costs until then, exactly, from all states at once.

Values are found backward, component by component, those first that lead nowhere else. Source: docs/theory/absorbing.md.

Probabilities of reaching a set of states within so many moves, exactly. Source: docs/theory/absorbing.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from pfl.analysis.chains.absorbing import absorption
from pfl.analysis.chains.chain_structure import chain_structure
from pfl.analysis.chains.equations import Exact, ExactField, Rows, field_of, solve
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain

_BETWEEN_CHECKS = 4096


@struct(eq=False)
class Hitting:
    """A value a state, as `at` gives it."""

    _values: Sequence[Exact | None]
    _field: ExactField
    _absent: Fraction | Literal["inf"]

    def at(self, state: int) -> Number | Literal["inf"]:
        """The value of a state."""
        value = self._values[state]
        return self._absent if value is None else self._field.result(value)

    @property
    def values(self) -> Iterator[Number | None]:
        """The value of each state, None where it is absent."""
        return (None if value is None else self._field.result(value) for value in self._values)

    def mean(self, start: SparseRow) -> Divided[Number | Literal["inf"]]:
        """The mean of the values of some states, each with its probability; where it is `inf`, one of those with that
        value must have a weight that is not 0, which is among the divisors."""
        total: Number = Fraction(0)
        divisors = Divisors()
        for state, weight in start:
            value = self.at(state)
            if isinstance(value, str):
                divisors.note((weight,))
                return divisors.of(value)
            total = total + weight * value
        return divisors.of(total)


def reach_probabilities(chain: MarkovChain, goal: Collection[int], budget: Budget) -> Divided[Hitting]:
    """Pr(a run ever comes to a state of `goal`), from each state.

    The least h >= 0 with h = 1 on goal and h = P h elsewhere. Raises LimitReached when the time is over.
    """
    return _Backward(chain, goal, budget, counts_costs=False).run()


def expected_costs(chain: MarkovChain, goal: Collection[int], budget: Budget) -> Divided[Hitting]:
    """The expected cost of a run until it comes to a state of `goal`, from each state; costs may be negative.

    x = 0 on goal and x = sum of p (c + x') elsewhere; `inf` from states that miss the goal with positive probability,
    whatever the costs; the weights by which they miss it are then among the divisors. Raises LimitReached when the time
    is over.
    """
    return _Backward(chain, goal, budget, counts_costs=True).run()


class _Backward:
    """Values, component by component; a state without one misses the goal surely, or where costs are counted, maybe."""

    def __init__(self, chain: MarkovChain, goal: Collection[int], budget: Budget, *, counts_costs: bool) -> None:
        chain = _ended_at(chain, goal)
        self._chain = chain
        self._budget = budget
        self._counts_costs = counts_costs
        self._structure = chain_structure(chain)
        self._field = field_of(chain, self._structure.component)
        self._weights: list[Exact] = [self._field.number(weight) for weight in chain.weight_table]
        self._costs: list[Exact] = [self._field.number(cost) for cost in chain.cost_table]
        self._values: list[Exact | None] = [None] * chain.size
        self._goal = bytearray(chain.size)
        for state in goal:
            self._goal[state] = 1
            self._values[state] = self._field.zero if counts_costs else self._field.one

    def run(self) -> Divided[Hitting]:
        single = self._mean_cost if self._counts_costs else self._probability
        for done, members in enumerate(self._structure.blocks()):
            if done % _BETWEEN_CHECKS == 0:
                self._budget.check(f"solving {done:,} of at most {self._chain.size:,} components")
            if len(members) > 1:
                self._solve(members)
            elif not self._goal[members[0]]:
                self._values[members[0]] = single(members[0])
        absent: Literal["inf"] | Fraction = "inf" if self._counts_costs else Fraction(0)
        return self._field.divisors.of(Hitting(_values=self._values, _field=self._field, _absent=absent))

    def _probability(self, state: int) -> Exact | None:
        """h of a state that no other leads back to."""
        values, targets, weights, table = self._values, self._chain.targets, self._chain.weights, self._weights
        total = loop = None
        for edge in range(self._chain.offsets[state], self._chain.offsets[state + 1]):
            target = targets[edge]
            value = values[target]
            if value is not None:
                share = table[weights[edge]] * value
                total = share if total is None else total + share
            elif target == state:
                weight = table[weights[edge]]
                loop = weight if loop is None else loop + weight
        return total if loop is None or total is None else self._over_leaving(total, loop)

    def _mean_cost(self, state: int) -> Exact | None:
        """x of a state that no other leads back to."""
        total = loop = None
        for edge in self._chain.row(state):
            target = self._chain.targets[edge]
            weight = self._weights[self._chain.weights[edge]]
            if target == state:
                loop = weight if loop is None else loop + weight
                mean = self._cost(edge)
            else:
                value = self._values[target]
                if value is None:
                    self._field.note(weight)
                    return None
                mean = value + self._cost(edge)
            total = weight * mean if total is None else total + weight * mean
        if loop is None or total is None:
            return total
        left = self._field.one - loop
        return None if not left else self._over_leaving(total, loop)

    def _over_leaving(self, total: Exact, loop: Exact) -> Exact:
        return total / self._field.divisor(self._field.one - loop)

    def _cost(self, edge: int) -> Exact:
        return self._field.zero if self._chain.costs is None else self._costs[self._chain.costs[edge]]

    def _solve(self, members: Sequence[int]) -> None:
        """The values of a component with cycles, if it can be left for the goal, or for costs if it surely is."""
        component = self._structure.component
        own = component[members[0]]
        rows: Rows = {}
        given: dict[int, Exact] = {}
        is_left = False
        for state in members:
            row: dict[int, Exact] = {}
            right = None
            for edge in self._chain.row(state):
                target, weight = self._chain.targets[edge], self._weights[self._chain.weights[edge]]
                value = self._cost(edge) if self._counts_costs else None
                if component[target] == own:
                    row[target] = row[target] + weight if target in row else weight
                elif self._values[target] is not None:
                    is_left = True
                    value = self._values[target] if value is None else value + self._values[target]
                elif self._counts_costs:
                    self._field.note(weight)
                    self._note_weights(members)  # by which the way to there leads
                    return  # the goal is missed with positive probability
                if value:
                    right = weight * value if right is None else right + weight * value
            rows[state] = row
            if right is not None:
                given[state] = right
        if is_left:
            solution = solve(rows, given, self._field, self._budget)
            for state in members:
                self._values[state] = solution.get(state, self._field.zero)

    def _note_weights(self, members: Sequence[int]) -> None:
        """Remember all weights between the states of a component."""
        own = self._structure.component[members[0]]
        for state in members:
            for edge in self._chain.row(state):
                if self._structure.component[self._chain.targets[edge]] == own:
                    self._field.note(self._weights[self._chain.weights[edge]])


def _ended_at(chain: MarkovChain, goal: Collection[int]) -> MarkovChain:
    """The chain in which runs end where the goal is reached."""
    if all(chain.is_absorbing(state) for state in goal):
        return chain
    ends = set(goal)
    kept = array("q", (edge for state in range(chain.size) if state not in ends for edge in chain.row(state)))
    offsets = array("q", [0])
    for state in range(chain.size):
        offsets.append(offsets[-1] + (0 if state in ends else len(chain.row(state))))
    targets, weights, costs = (
        array(numbers.typecode, (numbers[edge] for edge in kept)) if numbers is not None else None
        for numbers in (chain.targets, chain.weights, chain.costs)
    )
    assert targets is not None
    assert weights is not None
    return replace(chain, offsets=offsets, targets=targets, weights=weights, costs=costs)


Entries = list[tuple[int, Exact]]


def reach_within(chain: MarkovChain, goal: Collection[int], moves: int, budget: Budget) -> Divided[Hitting]:
    """Pr(a run comes to a state of `goal` at a cost of at most `moves`), from each state; each transition costs 0 or 1.

    h_j = 1 on goal; elsewhere h_j(s) is the sum of p h_j(t) over free transitions s -> t, and of p h_{j-1}(t) over
    those that cost 1; h_{-1} = 0. Raises LimitReached when the time is over.
    """
    field = ExactField(chain.weight_table)
    free, moving, order = _split(chain, goal, field, budget)
    is_goal = bytearray(chain.size)
    for state in goal:
        is_goal[state] = 1
    before: list[Exact] = [field.zero] * chain.size
    for done in range(moves + 1):
        values: list[Exact] = [field.zero] * chain.size
        for position, state in enumerate(order):
            if position % 4096 == 0:
                budget.check(f"{done:,} of {moves:,} moves")
            if is_goal[state]:
                values[state] = field.one
                continue
            total = field.zero
            for target, weight in free[state]:
                if values[target]:
                    total = total + weight * values[target]
            for target, weight in moving[state]:
                if before[target]:
                    total = total + weight * before[target]
            values[state] = total
        if values == before:
            break  # nothing changes any more
        before = values
    return field.divisors.of(Hitting(_values=before, _field=field, _absent=Fraction(0)))


def _split(
    chain: MarkovChain, goal: Collection[int], field: ExactField, budget: Budget
) -> tuple[list[Entries], list[Entries], Sequence[int]]:
    """The free transitions of each state and those that cost 1, the free ones without cycles; states in an order in
    which free transitions lead back. What was divided by is noted in the field."""
    assert chain.costs is not None, "moves are costs"
    ends = set(goal)
    offsets, targets = array("q", [0]), array("i")
    kept: list[list[int]] = []
    for state in range(chain.size):
        edges = [] if state in ends else [e for e in chain.row(state) if not chain.cost_table[chain.costs[e]]]
        kept.append(edges)
        targets.extend(chain.targets[edge] for edge in edges)
        offsets.append(len(targets))
    structure = chain_structure(
        MarkovChain(offsets=offsets, targets=targets, weights=targets, weight_table=chain.weight_table)
    )
    table = [field.number(weight) for weight in chain.weight_table]
    free: list[Entries] = [[(chain.targets[e], table[chain.weights[e]]) for e in edges] for edges in kept]
    moving: list[Entries] = [
        [
            (chain.targets[edge], table[chain.weights[edge]])
            for edge in chain.row(state)
            if state not in ends and chain.cost_table[chain.costs[edge]]
        ]
        for state in range(chain.size)
    ]
    for members in structure.blocks():
        if len(members) > 1 or any(target == members[0] for target, _ in free[members[0]]):
            _close(members, free, moving, field, budget)
    return free, moving, structure.order


def _close(
    members: Sequence[int],
    free: list[Entries],
    moving: list[Entries],
    field: ExactField,
    budget: Budget,
) -> None:
    """Replaces the transitions of a free component by those with which it is left."""
    place = {state: position for position, state in enumerate(members)}
    exits: dict[tuple[bool, int], int] = {}
    offsets, targets, weights = array("q", [0]), array("i"), array("i")
    table: dict[Number, int] = {}
    for state in members:
        entries = [(False, target, weight) for target, weight in free[state]]
        entries += [(True, target, weight) for target, weight in moving[state]]
        for costs, target, weight in entries:
            inside = not costs and target in place
            targets.append(place[target] if inside else len(members) + exits.setdefault((costs, target), len(exits)))
            weights.append(table.setdefault(field.result(weight), len(table)))
        offsets.append(len(targets))
    offsets.extend([len(targets)] * len(exits))
    inner = MarkovChain(offsets=offsets, targets=targets, weights=weights, weight_table=tuple(table))
    closed = absorption(inner, range(len(members)), budget).noting(field.divisors)
    named = list(exits)
    for state, row in zip(members, closed.rows):
        left = [(*named[end - len(members)], field.number(mass)) for end, mass in row.items()]
        free[state] = [(target, mass) for costs, target, mass in left if not costs]
        moving[state] = [(target, mass) for costs, target, mass in left if costs]
