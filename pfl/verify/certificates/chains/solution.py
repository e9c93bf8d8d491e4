"""An independent check of what is claimed of numbers of a Markov chain: a solution is put into its equations.

Shares no code with the solver. What can be reached is found out again, and so is that the equations have one solution
only. The format, and why it proves what it claims: docs/reference/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any

from pfl.base.budget import Budget
from pfl.base.struct import struct
from pfl.model.claims import Case, mentioned_in_cases
from pfl.model.measure import Cost, Measure, Observed, Reach, Requirement, Results
from pfl.verify.certificates.certificate_format import Damage, Malformed, Unproved, Unshown, intact
from pfl.verify.certificates.chains.columns import Column, PolynomialColumn, RationalColumn
from pfl.verify.certificates.chains.graph import Graph, States, all_of, as_set, complement, either, missing
from pfl.verify.certificates.chains.moves import goal_mass
from pfl.verify.certificates.exact.numbers import Exact, ExactNumbers, same
from pfl.verify.certificates.exponentials.domain import domain_of

HITTING, VISITS, MOVES = "hitting", "visits", "moves"
_BETWEEN_CHECKS = 4096


def groups_of(cases: Sequence[Case]) -> list[list[Case]]:
    """The cases that one certificate is about: those of one chain that ask for the same, in order; each observed word
    by itself."""
    found: dict[tuple[int, object], list[Case]] = {}
    for number, case in enumerate(cases):
        assert isinstance(case.question, Measure)
        if isinstance(case.question.quantity, Observed):
            found[-1 - number, None] = [case]
            continue
        found.setdefault((id(case.question.system), case.question.quantity.target), []).append(case)
    return list(found.values())


def verify_chain(certificate: Any, cases: Sequence[Case], budget: Budget) -> list[str]:
    """What is wrong with a certificate that the numbers of some cases, one group, are as required; empty if nothing is.

    Raises LimitReached.
    """
    try:
        record, kind = intact(certificate)
        return list(_Checking(record, kind, cases, budget).problems())
    except Malformed as malformed:
        return [Damage(malformed)]
    except Unshown as unshown:
        return [Unproved(unshown)]


@struct(eq=False)
class _Mean:
    """What a case asks for, as a quotient; `infinite` where it has no finite value."""

    above: Exact = None
    below: Exact = None
    infinite: bool = False


class _Failure(Exception):
    """Why the certificate does not show what it should."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault


class _Checking:
    """One certificate and its cases; the values of the certificate are over the common `denominator`."""

    def __init__(self, record: dict[str, Any], kind: str, cases: Sequence[Case], budget: Budget) -> None:
        first = cases[0].question
        assert isinstance(first, Measure)
        self._record, self._kind, self._cases, self._budget = record, kind, cases, budget
        self._question, self._chain = first, first.chain
        domain = domain_of(record, first, budget)
        self._numbers = ExactNumbers(region=domain, with_parameters=bool(mentioned_in_cases(cases)))
        self._weights, self._weight_scale = self._numbers.scaled(self._chain.weight_table)
        if not self._numbers.with_parameters and any(weight < 0 for weight in self._weights):
            raise ValueError("a probability is negative")
        self._polynomials = self._numbers.with_parameters
        self._denominator = self._numbers.one
        if "denominator" in record and self._polynomials:
            self._denominator = self._numbers.stated(record["denominator"], "`denominator`")

    def problems(self) -> Iterator[str]:
        try:
            if not self._numbers.is_sure(self._denominator):
                raise _Failure(self._open("it is not shown that the common denominator is 0 nowhere"))
            yield from self._of_quantity()
        except _Failure as failure:
            yield failure.fault

    def _open(self, fault: str) -> str:
        """A fault which, where numbers depend on parameters, says only that something was not shown."""
        return Unproved(fault) if self._numbers.with_parameters else fault

    def _of_quantity(self) -> Iterator[str]:
        match self._question.quantity, self._kind:
            case Reach(within=int() as within, goal=goal), "moves":
                masses = [self._within(case, goal, within) for case in self._cases]
                yield from self._compared(masses)
            case Reach(goal=goal, within=None), "hitting":
                yield from self._compared(self._probabilities(goal, self._solution(0, 1)))
            case Cost(goal=goal), "hitting":
                yield from self._compared(self._costs(goal, self._solution(0, 1)))
            case Results(outcomes=outcomes), "hitting":
                ends = [end for _, end in outcomes if end is not None]
                solutions = (self._solution(place, len(ends)) for place in range(len(ends)))
                columns = [self._probabilities(frozenset((end,)), values) for end, values in zip(ends, solutions)]
                for number, case in enumerate(self._cases):
                    found = {end: column[number] for end, column in zip(ends, columns)}
                    yield from self._distributed(case, found)
            case Reach(goal=goal, within=None), "visits":
                if not all(map(self._chain.is_absorbing, goal)):
                    raise _Failure("what comes to the goal is visited again")
                inflows = [self._inflow(number) for number in range(len(self._cases))]
                yield from self._compared([self._sum([into[end] for end in into if end in goal]) for into in inflows])
            case Results(), "visits":
                for number, case in enumerate(self._cases):
                    yield from self._distributed(case, self._inflow(number))
            case _:
                raise Malformed(f"a certificate of the kind `{self._kind}` shows nothing of this claim")

    # --- what is required -----------------------------------------------------

    def _compared(self, means: Sequence[_Mean]) -> Iterator[str]:
        for case, mean in zip(self._cases, means):
            assert case.required is not None, "a check of numbers says what is required of each"
            if not self._meets(mean, case.required):
                yield self._open(f"{_where(case)}it is not shown that the number is {case.required}")

    def _meets(self, mean: _Mean, required: Requirement) -> bool:
        if mean.infinite:
            return required.relation == "at least"
        return self._numbers.meets(mean.above, mean.below, required)

    def _distributed(self, case: Case, found: dict[int, _Mean]) -> Iterator[str]:
        assert case.results is not None
        assert case.results.specified is not None
        zero = _Mean(above=self._numbers.zero, below=self._numbers.one)
        means = [zero if end is None else found.get(end, zero) for _, end in case.results.outcomes]
        total = self._sum(means)
        never = _Mean(above=total.below - total.above, below=total.below)
        names = [*(name for name, _ in case.results.outcomes), "never ending"]
        for name, mean, wanted in zip(names, [*means, never], case.results.specified, strict=True):
            if not self._meets(mean, Requirement(relation="equals", number=wanted)):
                yield self._open(f"{_where(case)}it is not shown that the probability of {name} is {wanted}")

    def _sum(self, means: Sequence[_Mean]) -> _Mean:
        above, below = self._numbers.zero, self._numbers.one
        for mean in means:
            if same(mean.below, below):
                above = above + mean.above
            else:
                above, below = above * mean.below + mean.above * below, below * mean.below
        return _Mean(above=above, below=below)

    # --- values of all states ---------------------------------------------------

    def _solution(self, place: int, count: int) -> list[Any]:
        solutions = self._record.get("solutions")
        if not isinstance(solutions, list) or len(solutions) != count:
            raise Malformed(f"`solutions` must hold {count} list{'s' * (count != 1)} of values")
        values = solutions[place]
        if not isinstance(values, list) or len(values) != self._chain.size:
            raise Malformed(f"a solution must have {self._chain.size:,} values, one a state of the chain")
        return values

    def _graph(self, ends: States) -> Graph:
        is_sure, weights = self._numbers.is_sure, self._weights
        return Graph(self._chain, ends, (lambda weight: is_sure(weights[weight])) if self._polynomials else None)

    def _probabilities(self, goal: frozenset[int], stated: Sequence[Any]) -> list[_Mean]:
        """h = 1 on the goal, 0 where it is out of reach, h = P h elsewhere, for each case."""
        ends = as_set(goal, self._chain.size)
        graph = self._graph(ends)
        leading = graph.leading_to(ends, surely=False)
        inside = self._inside(graph, leading, as_set((), self._chain.size))
        self._require_leaving(graph, inside, either(ends, complement(leading)))
        column = self._column(counts_costs=False)
        for state in goal:
            column.put_one(state)
        self._put_in(column, stated, inside)
        return [self._mean(case, column) for case in self._cases]

    def _costs(self, goal: frozenset[int], stated: Sequence[Any]) -> list[_Mean]:
        """x = 0 on the goal, the mean of cost and x' elsewhere, where the goal is surely reached; else infinite."""
        ends = as_set(goal, self._chain.size)
        graph = self._graph(ends)
        trap = complement(graph.leading_to(ends, surely=False))
        missing_it = graph.leading_to(trap, surely=False)
        inside = self._inside(graph, complement(missing_it), missing_it)
        self._require_leaving(graph, inside, ends)
        column = self._column(counts_costs=True)
        self._put_in(column, stated, inside)
        surely = graph.leading_to(trap, surely=True)
        return [self._infinite(case, missing_it, surely) or self._mean(case, column) for case in self._cases]

    def _infinite(self, case: Case, maybe: States, surely: States) -> _Mean | None:
        """The mean where some start misses the goal with positive probability; none may where no start surely does."""
        weights, _ = self._numbers.scaled([weight for state, weight in _start(case) if surely[state]])
        if any(self._numbers.is_sure(weight) for weight in weights):
            return _Mean(infinite=True)
        if any(maybe[state] for state, _ in _start(case)):
            raise _Failure(self._open("it is not shown that the goal is missed from the start"))
        return None

    def _inside(self, graph: Graph, wanted: States, apart: States) -> States:
        """The states with equations: those that starts lead to, in `wanted`, before the goal; not beyond `apart`."""
        starts = [state for case in self._cases for state, _ in _start(case) if not apart[state]]
        reached = graph.reached(starts)
        return all_of(reached, wanted, complement(graph.ends))

    def _require_leaving(self, graph: Graph, inside: States, to: States) -> None:
        """That a way leads out of the states with equations, from each: then they have one solution only. From where
        no cycle can be reached every way does."""
        leaving = either(to, graph.without_cycles(inside)) if self._polynomials else to
        state = missing(inside, graph.leading_to(leaving, surely=True))
        if state is not None:
            raise _Failure(self._open(f"it is not shown that a run surely moves on from state {state}"))

    def _column(self, *, counts_costs: bool) -> Column:
        chain, numbers = self._chain, self._numbers
        if self._polynomials:
            return PolynomialColumn(chain, numbers, self._denominator, counts_costs=counts_costs)
        return RationalColumn(chain, self._weights, numbers.scaled(chain.cost_table)[0] if counts_costs else None)

    def _put_in(self, column: Column, stated: Sequence[Any], inside: States) -> None:
        """Puts the values into the equations."""
        for state in _members(inside):
            column.state(state, stated[state])
        for done, state in enumerate(_members(inside)):
            if done % _BETWEEN_CHECKS == 0:
                self._budget.check(f"{done:,} equations were checked")
            if not column.is_balanced(state):
                raise _Failure(f"the value of state {state} is not the mean of those that it leads to")

    def _edges(self, state: int) -> Iterator[tuple[int, Exact, int]]:
        chain = self._chain
        for edge in chain.row(state):
            yield chain.targets[edge], self._weights[chain.weights[edge]], edge

    def _mean(self, case: Case, column: Column) -> _Mean:
        start = _start(case)
        weights, scale = self._numbers.scaled([weight for _, weight in start])
        total = self._numbers.zero
        for (state, _), weight in zip(start, weights):
            total = total + weight * column.at(state)
        return _Mean(above=total, below=scale * self._denominator)

    # --- visits of one run ------------------------------------------------------

    def _inflow(self, number: int) -> dict[int, _Mean]:
        """y = start + y P on the states that a run leaves, and what comes to each absorbing state."""
        chain, case = self._chain, self._cases[number]
        runs = self._record.get("runs")
        if not isinstance(runs, list) or len(runs) != len(self._cases):
            raise Malformed(f"`runs` must hold one list for each of the {len(self._cases)} cases")
        absorbing = States(chain.is_absorbing(state) for state in range(chain.size))
        graph = self._graph(absorbing)
        leading = graph.leading_to(absorbing, surely=False)
        start = _start(case)
        reached = graph.reached(state for state, _ in start)
        inside = all_of(reached, leading, complement(absorbing))
        self._require_leaving(graph, inside, either(absorbing, complement(leading)))
        visits = self._visits(runs[number], inside)
        weights, start_scale = self._numbers.scaled([weight for _, weight in start])
        arrived: dict[int, Exact] = {}
        for (state, _), weight in zip(start, weights):
            share = weight * (self._denominator * self._weight_scale)
            arrived[state] = arrived[state] + share if state in arrived else share
        for state, count in visits.items():
            times = count * start_scale
            for target, weight, _ in self._edges(state):
                share = times * weight
                arrived[target] = arrived[target] + share if target in arrived else share
        scale = start_scale * self._weight_scale
        for state in _members(inside):
            visited = visits.get(state)
            if not same(
                arrived.get(state, self._numbers.zero), self._numbers.zero if visited is None else visited * scale
            ):
                raise _Failure(f"the visits of state {state} are not what comes to it")
        below = scale * self._denominator
        return {state: _Mean(above=mass, below=below) for state, mass in arrived.items() if absorbing[state]}

    def _visits(self, entries: Any, inside: States) -> dict[int, Exact]:
        found: dict[int, Exact] = {}
        for entry in entries if isinstance(entries, list) else [None]:
            match entry:
                case [int(state), value] if 0 <= state < self._chain.size and state not in found:
                    if inside[state]:
                        found[state] = self._numbers.stated(value, f"the visits of state {state}")
                case _:
                    raise Malformed("`runs` must hold pairs of a state and its visits, each once")
        return found

    # --- within so many moves -----------------------------------------------------

    def _within(self, case: Case, goal: frozenset[int], moves: int) -> _Mean:
        if not same(self._weight_scale, self._numbers.one):
            raise _Failure(Unproved("quotients of polynomials are not followed move by move"))
        weights, scale = self._numbers.scaled([weight for _, weight in _start(case)])
        start = [(state, weight) for (state, _), weight in zip(_start(case), weights)]
        mass = goal_mass(self._chain, start, self._weights, goal, moves, self._numbers.zero, self._budget)
        if mass is None:
            raise _Failure(Unproved("steps that cost nothing lead back to where they came from"))
        return _Mean(above=mass, below=scale)


def _start(case: Case) -> Sequence[tuple[int, Any]]:
    assert isinstance(case.question, Measure)
    return case.question.start


def _members(states: States) -> Iterator[int]:
    return compress(range(len(states)), states)


def _where(case: Case) -> str:
    return f"for {', '.join(f'{name} = {value}' for name, value in case.arguments)}: " if case.arguments else ""
