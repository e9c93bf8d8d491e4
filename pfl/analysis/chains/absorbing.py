"""Absorption probabilities of finite Markov chains, exactly. Source: docs/theory/absorbing.md."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

from pfl.analysis.chains.chain_structure import classify, reachable_states
from pfl.analysis.chains.equations import Exact, ExactField, Masses, Rows, field_of, solve
from pfl.analysis.components import components
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.markov_chain import MarkovChain

_STATES_BETWEEN_CHECKS = 4096

MOST_KEPT = 500_000
"""Masses that are kept when they have gone on, for a certificate."""


@struct(eq=False)
class Absorption:
    """`rows[i]` maps absorbing states to the probability of ending there from the i-th source, those of probability 0
    left out; what is missing to 1 never ends.

    `kept` are the masses that went through the other states, where they are few enough to be kept: those of the sources
    by their positions, or where the flow was reversed, the probabilities of ending in each of `ends`.
    """

    rows: tuple[dict[int, Number], ...]
    ends: tuple[int, ...] = ()
    is_reversed: bool = False
    kept: Mapping[int, Mapping[int, Exact]] | None = None
    field: ExactField | None = None

    def never(self, source: int) -> Number:
        """The probability of never being absorbed, from the source of that position."""
        return 1 - sum(self.rows[source].values(), Fraction(0))

    def visits(self, weights: Mapping[int, Number]) -> dict[int, Number] | None:
        """How often a run is in each state that it leaves, if it starts with these weights in the sources of these
        positions; None where that is not known."""
        return None if self.is_reversed else self._combined(weights)

    def reaching(self, ends: Collection[int]) -> dict[int, Number] | None:
        """The probability of ending in one of some states, from each state where it is not 0; None where that is not
        known."""
        if not self.is_reversed:
            return None
        return self._combined({place: Fraction(1) for place, end in enumerate(self.ends) if end in ends})

    def _combined(self, weights: Mapping[int, Number]) -> dict[int, Number] | None:
        if self.kept is None or self.field is None:
            return None
        found: dict[int, Number] = {}
        for state, masses in self.kept.items():
            total = sum(
                (weights[place] * self.field.result(mass) for place, mass in masses.items() if place in weights),
                Fraction(0),
            )
            if total:
                found[state] = total
        return found


def absorption(chain: MarkovChain, sources: Sequence[int], budget: Budget) -> Divided[Absorption]:
    """A[i, j] = (e_i N R)[j], the probability of ending in absorbing state j from source i; N = (I - Q)^-1.

    N is never formed: mass goes through the components in topological order, and in each component C the visits
    y = b (I - Q_C)^-1 are solved exactly, for all masses at once. Mass goes from the sources forward, or where there
    are fewer absorbing states than sources, from those backward: their columns solve A = P A + E, which is the same
    flow along reversed transitions. A component that cannot be left takes its mass along, or gets none, so the rest is
    well defined. Raises LimitReached when the time is over.
    """
    ends = _absorbing_from(chain, sources)
    if len(ends) < len(sources):
        flow = _Flow(_reversed(chain), budget, is_reversed=True)
        columns = flow.run(ends, sources)
        rows = [{end: column[source] for end, column in zip(ends, columns) if source in column} for source in sources]
    else:
        flow = _Flow(chain, budget)
        rows = flow.run(sources, ends)
    absorbed = Absorption(
        rows=tuple(rows), ends=tuple(ends), is_reversed=flow.is_reversed, kept=flow.kept, field=flow.field
    )
    return flow.divisors.of(absorbed)


def expected_visits(chain: MarkovChain, source: int, budget: Budget) -> Divided[dict[int, Number]]:
    """How often a run from a state is in each transient state on average, its start counted: row `source` of N.

    At absorbing states it is the probability of ending there; recurrent states, which a run visits for ever once it is
    there, are left out, as are states that are not reached. Raises LimitReached when the time is over.
    """
    flow = _Flow(chain, budget)
    return flow.divisors.of(flow.run([source], reachable_states(chain, [source]))[0])


def fundamental_matrix(chain: MarkovChain, budget: Budget) -> Divided[tuple[list[int], list[list[Number]]]]:
    """The transient states T in order, and N = (I - Q)^-1 as |T| rows of |T| expected numbers of visits.

    Kemeny and Snell, Finite Markov Chains, definition 3.2.2. It has |T|^2 entries: where one row is enough, ask for
    `expected_visits`. Raises LimitReached when the time is over.
    """
    transient = [state for state, kind in enumerate(classify(chain)) if kind == "transient"]
    flow = _Flow(chain, budget)
    rows = flow.run(transient, transient)
    return flow.divisors.of((transient, [[row.get(state, Fraction(0)) for state in transient] for row in rows]))


def _absorbing_from(chain: MarkovChain, sources: Iterable[int]) -> list[int]:
    """The absorbing states that can be reached from some source, in order."""
    reached = reachable_states(chain, sources)
    return sorted(state for state in reached if chain.offsets[state] == chain.offsets[state + 1])


def _reversed(chain: MarkovChain) -> MarkovChain:
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
    return MarkovChain(offsets=offsets, targets=sources, weights=weights, weight_table=chain.weight_table)


class _Flow:
    """Masses, one from each source, on their way along the transitions of a graph with weights."""

    def __init__(self, chain: MarkovChain, budget: Budget, *, is_reversed: bool = False) -> None:
        self._chain = chain
        self.is_reversed = is_reversed
        self._budget = budget
        self._component = components(chain.offsets, chain.targets)
        self.field = field_of(chain, self._component)
        self._table: list[Exact] = [self.field.number(weight) for weight in chain.weight_table]
        self._mass: dict[int, dict[int, Exact]] = {}
        self.kept: dict[int, Mapping[int, Exact]] | None = {}

    @property
    def divisors(self) -> Divisors:
        """What was divided by so far."""
        return self.field.divisors

    def run(self, sources: Sequence[int], wanted: Iterable[int]) -> list[dict[int, Number]]:
        """For each source, y = e + y P at the wanted states, where it is not 0."""
        offsets, targets = self._chain.offsets, self._chain.targets
        for position, source in enumerate(sources):
            self._mass.setdefault(source, {})[position] = self.field.one
        rows: list[dict[int, Number]] = [{} for _ in sources]
        read = set(wanted)
        members: list[int] = []
        kept = 0
        order = sorted(reachable_states(self._chain, sources), key=lambda state: -self._component[state])
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
            kept += sum(map(len, visits.values()))
            if self.kept is not None:
                if kept > MOST_KEPT:
                    self.kept = None
                else:
                    self.kept.update(visits)
            for member, masses in visits.items():
                if member in read:
                    for position, mass in masses.items():
                        rows[position][member] = self.field.result(mass)
            members = []
        return rows

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
            for position, mass in arrived.items():
                share = mass * weight
                held[position] = held[position] + share if position in held else share

    def _leave(self, members: list[int]) -> dict[int, dict[int, Exact]]:
        """Solves one component with cycles, and sends on what leaves it: the visits of its states."""
        arrived = {state: Masses(self._mass.pop(state)) for state in members if state in self._mass}
        inside = self._component[members[0]]
        rows = {state: self._row_inside(state, inside) for state in members}
        # Reversed, mass comes only to components that can be left: an absorbing state is where it started.
        if not self.is_reversed and all(self._stays(state, inside) for state in members):
            return {}  # this mass never ends
        before: Rows = {state: {} for state in members}
        for state, row in rows.items():
            for target, weight in row.items():
                before[target][state] = weight
        visits = {s: masses.entries for s, masses in solve(before, arrived, self.field, self._budget).items()}
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
