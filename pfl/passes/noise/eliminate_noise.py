"""Noise without bounds is eliminated from the graph of a program: what is left are plain transitions with exact
probabilities. Source: docs/theory/noise-exploration.md.

From each state that holds no sample any more in need, joint functions of the live samples are carried forward along
the edges, cut by the guards, and added where ways meet, until nothing of them is needed. What was shown meanwhile is a
word; each word with the state where it ends is one transition, with its whole probability at its first letter.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from pfl.analysis.noise.exponential_sum import ExponentialSum, Weight
from pfl.analysis.noise.integer_function import IntegerFunction
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.real_function import RealFunction
from pfl.analysis.noise.sample_function import SampleFunction
from pfl.analysis.noise.workspace import Noise as Workspace
from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.exponential import ONE, Exponential, FinerUnit
from pfl.base.number import Number, summed
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.explore.noise_graph import Edge, Guard, NoiseGraph, without_samples
from pfl.model.noise import InputMeanwhile, Noise
from pfl.model.program import LabelKind
from pfl.model.transition_graph import SILENT, TELLING, Label, State, TransitionGraph
from pfl.model.values import Value
from pfl.passes.noise.held_samples import (
    base_of,
    compared_for_ever,
    ends,
    input_meanwhile,
    needed,
    shown_after_comparison,
)
from pfl.passes.noise.released_noise import Parts, mixed, require_unmixed

Word: TypeAlias = tuple[int, ...]
"""Labels in the order in which they are shown, by their indices."""

_Place: TypeAlias = tuple[Word, int]
"""What is still to be shown, and the state in which the run is then."""


@struct(kw_only=False)
class _Account:
    """What was shown and spent since the last state without samples, and the weight that depends on parameters; `fresh`
    are the handles of samples that nothing compares, but that are shown later."""

    word: Word
    cost: Number
    weight: Number
    fresh: tuple[tuple[int, Noise], ...] = ()


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


_Row: TypeAlias = tuple[int, Number, int, Number]
"""Target, weight, label and cost of a transition."""
_Rows: TypeAlias = Sequence[Sequence[_Row]]


class _Elimination:
    """One elimination under way."""

    def __init__(self, graph: NoiseGraph, units: Mapping[str, int], budget: Budget) -> None:
        self._graph = graph
        self._units = units
        self._budget = budget
        self._base = base_of(graph)
        self._workspace = Workspace(budget)
        self._functions: dict[Noise, SampleFunction] = {}
        self._needed = needed(graph, lambda edge: [end for guard in edge.guards for end in ends(guard)])
        self._shown = needed(graph, lambda edge: [] if edge.released is None else [edge.released], of_faults=False)
        self._parts = Parts.of(self._fresh_noises(), graph.program.name)
        self._labels = list(graph.labels)
        self._parts_labels: dict[tuple[LabelKind, Value], int] = {}
        self._releases: dict[int, dict[Word, Noise]] = {}
        self._numbers: dict[ExponentialSum, Number] = {}

    def run(self, counts_costs: bool) -> TransitionGraph:
        """See `eliminate_noise`."""
        graph = self._graph
        places: dict[_Place, int] = {}

        def place(word: Word, target: int) -> int:
            """Where a word is still to be shown before the target is come to."""
            return places.setdefault((word, target), len(places))

        starts = tuple(place((), start) for start in graph.starts)
        rows: list[list[_Row]] = []
        reached = list(places)
        while len(rows) < len(reached):
            word, state = reached[len(rows)]
            if word:
                rows.append([(place(word[1:], state), Fraction(1), word[0], Fraction(0))])
            else:
                rows.append(
                    [
                        (place(word[1:], end), weight, word[0] if word else SILENT, cost)
                        for (word, cost, end), weight in self._segments(state).items()
                    ]
                )
            reached.extend(list(places)[len(reached) :])
        states = [(TELLING, *each) if each[0] else self._plain(each[1]) for each in reached]
        has_reals = any(not noise.is_integral for told in self._releases.values() for noise in told.values())
        if has_reals:
            self._require_unmixed(starts, rows, {state: at for (word, state), at in places.items() if not word})
        return _as_graph(graph, states, starts, rows, self._labels, counts_costs, has_reals)

    def _require_unmixed(self, starts: Sequence[int], rows: _Rows, places: Mapping[int, int]) -> None:
        """Raise InputRejected where what is seen does not say from which noise a real sample comes that is shown."""
        releases = {places[source]: told for source, told in self._releases.items()}
        require_unmixed(
            starts,
            lambda state: ((label, target) for target, _, label, _ in rows[state]),
            releases,
            frozenset(self._parts_labels.values()),
            self._graph.program.name,
            self._budget,
        )

    def _fresh_noises(self) -> Iterator[Noise]:
        """The noise of all samples that are shown and never compared."""
        for edges in self._graph.edges:
            for edge in edges:
                for handle, origin in enumerate(edge.carried):
                    if isinstance(origin, Noise) and self._is_fresh(handle, edge.target):
                        yield origin

    def _is_fresh(self, handle: int, state: int) -> bool:
        return handle in self._shown[state] and handle not in self._needed[state]

    def _plain(self, number: int) -> State:
        """The state as it is shown. States that look alike may differ in how samples are compared with themselves."""
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
                    for label, likely in self._seen(edge, account, joint, source):
                        self._follow(edge, label, account, likely, waiting, found)
        return {segment: weight for segment, weight in summed(found).items() if weight}

    def _seen(self, edge: Edge, account: _Account, joint: Joint, source: int) -> Iterator[tuple[int, Joint]]:
        """What an edge shows, and with which joint function: of a sample that is shown, each part of the line."""
        if edge.released is None:
            yield edge.label, joint
            return
        noise = dict(account.fresh).get(edge.released)
        if noise is None:
            raise InputRejected([shown_after_comparison(self._graph, edge)])
        told = self._releases.setdefault(source, {})
        if told.setdefault(account.word, noise) != noise and not noise.is_integral:
            raise InputRejected([mixed(noise, self._graph.program.name)])
        shown = self._labels[edge.label]
        assert shown is not None
        for value, weight in self._parts.weights(self._function(noise)):
            if weight:
                key = (shown.kind, value)
                if key not in self._parts_labels:
                    self._parts_labels[key] = len(self._labels)
                    self._labels.append(Label(shown.kind, value))
                yield self._parts_labels[key], joint.scaled(weight)

    def _follow(
        self,
        edge: Edge,
        shown: int,
        account: _Account,
        joint: Joint,
        waiting: dict[int, _Waiting],
        found: list[tuple[_Segment, Number]],
    ) -> None:
        label = self._graph.labels[edge.label]
        if label is not None and label.kind == "input" and (joint.names or account.fresh):
            raise InputMeanwhile([input_meanwhile(self._graph)])
        moved = self._moved(_guarded(joint, edge.guards), edge)
        if not moved:
            return
        weight = account.weight
        if isinstance(edge.weight, Fraction):
            moved = moved.scaled(edge.weight)
        else:
            weight = weight * edge.weight
        word = (*account.word, shown) if shown != SILENT else account.word
        reached = _Account(word, account.cost + edge.cost, weight, tuple(self._still_fresh(edge, account)))
        if not self._is_held(edge.target):
            total = self._number(moved.total()) * weight
            found.append(((word, reached.cost, edge.target), total))
            return
        there = waiting.setdefault(edge.target, {})
        there[reached] = there[reached] + moved if reached in there else moved

    def _is_held(self, state: int) -> bool:
        """Whether samples are needed in a state."""
        return bool(self._needed[state] or self._shown[state])

    def _still_fresh(self, edge: Edge, account: _Account) -> Iterator[tuple[int, Noise]]:
        known = dict(account.fresh)
        for handle, origin in enumerate(edge.carried):
            if self._is_fresh(handle, edge.target):
                if isinstance(origin, Noise):
                    yield handle, origin
                elif origin in known:
                    yield handle, known[origin]

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
            elif self._is_held(edge.target) and edge.target not in finished:
                if edge.target in active:
                    raise InputRejected([compared_for_ever(self._graph, edge.target)])
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


def _as_graph(
    graph: NoiseGraph,
    states: Sequence[State],
    starts: tuple[int, ...],
    rows: _Rows,
    labels: Sequence[Label | None],
    counts_costs: bool,
    tells_reals: bool,
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
        label_table=tuple(labels),
        live=graph.live,
        costs=array("i", [costs.setdefault(cost, len(costs)) for *_, cost in edges]) if counts_costs else None,
        cost_table=tuple(costs),
        tells_parts=len(labels) > len(graph.labels),
        tells_reals=tells_reals,
    )
