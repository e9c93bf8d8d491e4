"""Noise without bounds is eliminated from the graph of a program: what is left are plain transitions with exact
probabilities. Source: docs/theory/noise-exploration.md.

From each state that holds no sample any more in need, joint functions of the live samples are carried forward along
the edges, cut by the guards, and added where ways meet, until nothing of them is needed. What was shown meanwhile is a
word; each word with the state where it ends is one transition, with its whole probability at its first letter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.real_function import RealFunction
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.analysis.noise.workspace import Noise as Workspace
from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, Label
from pfl.base.exponential import ONE, Exponential, FinerUnit
from pfl.base.number import Number, summed
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.explore.noise_graph import Edge, Guard, NoiseGraph, without_samples
from pfl.model.noise import InputMeanwhile, Noise
from pfl.model.transition_graph import SILENT, TELLING, State, TransitionGraph

Word: TypeAlias = tuple[int, ...]
"""Labels in the order in which they are shown, by their indices."""

Needed: TypeAlias = frozenset[int]
"""Handles of a state that some way onward still compares."""


@struct(kw_only=False)
class _Account:
    """What was shown and spent since the last state without samples, and the weight that depends on parameters."""

    word: Word
    cost: Number
    weight: Number


_Waiting: TypeAlias = dict[_Account, Joint]
"""The joint functions with which runs stand at a state."""

_Segment: TypeAlias = tuple[Word, Number, int]
"""A word, what it costs, and the state where it ends."""


def eliminate_noise(graph: NoiseGraph, units: Mapping[str, int], budget: Budget, counts_costs: bool) -> TransitionGraph:
    """The same runs without samples, weights being exact numbers in the parameters and in exponentials of one.

    Raises FinerUnit where exponents are no multiples of what `units` says, InputRejected where one sample is compared
    again and again without end, where noise has several units, and for what goes wrong in runs of positive probability;
    InputMeanwhile.
    """
    return _Elimination(graph, units, budget).run(counts_costs)


class _Elimination:
    """One elimination under way."""

    def __init__(self, graph: NoiseGraph, units: Mapping[str, int], budget: Budget) -> None:
        self._graph = graph
        self._units = units
        self._budget = budget
        self._base = _base_of(graph)
        self._workspace = Workspace(budget)
        self._functions: dict[Noise, SampleFunction] = {}
        self._needed = _needed(graph)
        self._numbers: dict[ExponentialSum, Number] = {}

    def run(self, counts_costs: bool) -> TransitionGraph:
        """See `eliminate_noise`."""
        graph = self._graph
        places: dict[State, int] = {}
        sources: dict[State, int] = {}

        def place(state: State) -> int:
            return places.setdefault(state, len(places))

        def place_of(number: int) -> int:
            state = self._plain(number)
            sources.setdefault(state, number)
            return place(state)

        starts = tuple(map(place_of, graph.starts))
        rows: list[list[tuple[int, Number, int, Number]]] = []
        states = list(places)
        while len(rows) < len(states):
            state = states[len(rows)]
            row: list[tuple[int, Number, int, Number]] = []
            if state[0] == TELLING:
                _, word, target = state
                row.append((self._told(word[1:], target, place, place_of), Fraction(1), word[0], Fraction(0)))
            else:
                for (word, cost, end), weight in self._segments(sources[state]).items():
                    label = word[0] if word else SILENT
                    row.append((self._told(word[1:], end, place, place_of), weight, label, cost))
            rows.append(row)
            states.extend(list(places)[len(states) :])
        return _as_graph(graph, states, starts, rows, counts_costs)

    @staticmethod
    def _told(word: Word, target: int, place: Callable[[State], int], place_of: Callable[[int], int]) -> int:
        """The state in which it is settled that a word is shown before the target is come to."""
        return place((TELLING, word, target)) if word else place_of(target)

    def _plain(self, number: int) -> State:
        """The state; samples that are not needed in it any more are told apart no longer."""
        return tuple(map(without_samples, self._graph.states[number]))

    def _segments(self, source: int) -> dict[_Segment, Number]:
        """What happens from a state on until no sample is needed, and how likely it is."""
        found: list[tuple[_Segment, Number]] = []
        waiting: dict[int, _Waiting] = {source: {_Account((), Fraction(0), Fraction(1)): Joint.one(self._workspace)}}
        for state in self._in_order(source):
            arrived = waiting.pop(state, {})
            for account, joint in arrived.items():
                self._budget.check(f"noise of `{self._graph.program.name}`")
                self._require_sound(state, account, joint)
                for edge in self._graph.edges[state]:
                    self._follow(edge, account, joint, waiting, found)
        return {segment: weight for segment, weight in summed(found).items() if weight}

    def _follow(
        self,
        edge: Edge,
        account: _Account,
        joint: Joint,
        waiting: dict[int, _Waiting],
        found: list[tuple[_Segment, Number]],
    ) -> None:
        label = self._graph.labels[edge.label]
        if label is not None and label.kind == "input" and joint.names:
            raise InputMeanwhile([_input_meanwhile(self._graph)])
        moved = self._moved(_guarded(joint, edge.guards), edge)
        if not moved:
            return
        weight = account.weight
        if isinstance(edge.weight, Fraction):
            moved = moved.scaled(edge.weight)
        else:
            weight = weight * edge.weight
        word = (*account.word, edge.label) if edge.label != SILENT else account.word
        reached = _Account(word, account.cost + edge.cost, weight)
        if not self._needed[edge.target]:
            total = self._number(moved.total()) * weight
            found.append(((word, reached.cost, edge.target), total))
            return
        there = waiting.setdefault(edge.target, {})
        there[reached] = there[reached] + moved if reached in there else moved

    def _moved(self, joint: Joint, edge: Edge) -> Joint:
        """The joint function of what the target needs, by its handles."""
        if not joint:
            return joint
        needed = self._needed[edge.target]
        names: dict[object, int] = {}
        for handle, origin in enumerate(edge.carried):
            if handle in needed:
                if isinstance(origin, Noise):
                    joint = joint.with_sample(("new", handle), self._function(origin))
                    names["new", handle] = handle
                else:
                    names[origin] = handle
        return joint.without(*(name for name in joint.names if name not in names)).renamed(names)

    def _function(self, noise: Noise) -> SampleFunction:
        if noise not in self._functions:
            self._functions[noise] = _function_of(noise)
        return self._functions[noise]

    def _number(self, total: Weight) -> Number:
        """A total in the parameter and its exponential. Raises FinerUnit."""
        if not isinstance(total, ExponentialSum):
            return total
        known = self._numbers.get(total)
        if known is None:
            unit = self._units.get(self._base, 1)
            if unit % total.unit_denominator:
                raise FinerUnit(self._base, lcm(unit, total.unit_denominator))
            epsilon: Number = Fraction(1) if self._base == ONE else RationalFunction.parameter(self._base)
            z = RationalFunction.parameter(Exponential(base=self._base, unit=unit).name)
            known = self._numbers[total] = total.to_number(epsilon, z, unit)
        return known

    def _require_sound(self, state: int, account: _Account, joint: Joint) -> None:
        """Raise InputRejected for what goes wrong here in a run of positive probability."""
        for fault in self._graph.faults.get(state, ()):
            if account.weight and self._number(_guarded(joint, fault.guards).total()):
                raise InputRejected([fault.diagnostic])

    def _in_order(self, source: int) -> list[int]:
        """The source, and the states with needed samples that it leads to, each after those that lead to it."""
        finished: dict[int, None] = {}
        active = {source}
        stack = [(source, iter(self._graph.edges[source]))]
        while stack:
            state, remaining = stack[-1]
            edge = next(remaining, None)
            if edge is None:
                stack.pop()
                active.discard(state)
                finished[state] = None
            elif self._needed[edge.target] and edge.target not in finished:
                if edge.target in active:
                    raise InputRejected([_compared_for_ever(self._graph, edge.target)])
                active.add(edge.target)
                stack.append((edge.target, iter(self._graph.edges[edge.target])))
        return list(finished)[::-1]


def _guarded(joint: Joint, guards: Sequence[Guard]) -> Joint:
    for guard in guards:
        match guard:
            case Guard(left=int(left), right=int(right)):
                joint = joint.where_less(left, right, guard.bound, strict=False)
            case Guard(left=int(left)):
                joint = joint.where_below(left, guard.bound, strict=False)
            case Guard(right=int(right)):
                joint = joint.where_above(right, -guard.bound, strict=False)
    return joint


def _function_of(noise: Noise) -> SampleFunction:
    match noise.kind:
        case "laplace":
            assert isinstance(noise.rate, Fraction)
            return RealFunction.laplace(noise.mean, noise.rate)
        case "exponential":
            assert isinstance(noise.rate, Fraction)
            return RealFunction.exponential(noise.mean, noise.rate)
        case "two_sided_geometric":
            return IntegerFunction.two_sided_geometric(noise.rate, int(noise.mean))
        case "geometric":
            return IntegerFunction.geometric(noise.rate, int(noise.mean))


def _needed(graph: NoiseGraph) -> list[Needed]:
    """Of each state, the handles that are compared there or after it: the least solution, from behind."""
    needed: list[set[int]] = [set() for _ in graph.states]
    users: list[list[int]] = [[] for _ in graph.states]
    for state, edges in enumerate(graph.edges):
        for edge in edges:
            users[edge.target].append(state)
    pending = list(range(len(graph.states)))
    while pending:
        state = pending.pop()
        found = {end for fault in graph.faults.get(state, ()) for guard in fault.guards for end in _ends(guard)}
        for edge in graph.edges[state]:
            found.update(end for guard in edge.guards for end in _ends(guard))
            found.update(
                origin for handle in needed[edge.target] if not isinstance(origin := edge.carried[handle], Noise)
            )
        if found != needed[state]:
            needed[state] = found
            pending.extend(users[state])
    return [frozenset(found) for found in needed]


def _ends(guard: Guard) -> list[int]:
    return [end for end in (guard.left, guard.right) if end is not None]


def _base_of(graph: NoiseGraph) -> str:
    """The parameter, or `ONE`, whose multiples the scales of real noise divide. Raises InputRejected for several."""
    drawn = (origin for edges in graph.edges for edge in edges for origin in edge.carried)
    bases = sorted({origin.base for origin in drawn if isinstance(origin, Noise) and origin.base})
    if len(bases) > 1:
        raise InputRejected([_several_units(graph, bases)])
    return bases[0] if bases else ONE


def _as_graph(
    graph: NoiseGraph,
    states: Sequence[State],
    starts: tuple[int, ...],
    rows: Sequence[Sequence[tuple[int, Number, int, Number]]],
    counts_costs: bool,
) -> TransitionGraph:
    weights: dict[Number, int] = {}
    costs: dict[Number, int] = {}
    edges = [edge for row in rows for edge in row]
    offsets = array("q", [0])
    for row in rows:
        offsets.append(offsets[-1] + len(row))
    return TransitionGraph(
        program=graph.program,
        states=states,
        starts=starts,
        offsets=offsets,
        targets=array("i", [target for target, *_ in edges]),
        weights=array("i", [weights.setdefault(weight, len(weights)) for _, weight, _, _ in edges]),
        labels=array("i", [label for _, _, label, _ in edges]),
        weight_table=tuple(weights),
        label_table=tuple(graph.labels),
        live=graph.live,
        costs=array("i", [costs.setdefault(cost, len(costs)) for *_, cost in edges]) if counts_costs else None,
        cost_table=tuple(costs),
    )


def _place_of(graph: NoiseGraph, state: int) -> tuple[Label, ...]:
    origin: Span | None = graph.program.nodes[graph.states[state][0]].origin
    return () if origin is None else (Label(origin),)


def _compared_for_ever(graph: NoiseGraph, state: int) -> Diagnostic:
    return Diagnostic(
        code=codes.SAMPLE_IN_LOOP,
        message=f"`{graph.program.name}` may go on for ever comparing one sample",
        labels=_place_of(graph, state),
        help="let the loop end after a number of turns: `for i in 0..n-1`; or draw the sample anew in each turn",
    )


def _input_meanwhile(graph: NoiseGraph) -> Diagnostic:
    return Diagnostic(
        code=codes.NOISE_MISPLACED,
        message=f"`{graph.program.name}` receives an input while it holds a sample that it will compare",
        labels=(),
        help="give the inputs as an array; or draw the sample after they are received",
    )


def _several_units(graph: NoiseGraph, bases: Sequence[str]) -> Diagnostic:
    named = " and ".join("a number" if base == ONE else f"`{base}`" for base in bases)
    return Diagnostic(
        code=codes.MIXED_EXPONENTS,
        message=f"the scales of the noise in `{graph.program.name}` are multiples of 1 over {named}",
        help="write them as multiples of one: `2/eps` and `4/eps`; or fix the parameters with `--set`",
    )
