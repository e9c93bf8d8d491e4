"""Joint functions of samples are carried forward along the edges of a graph, from one state that holds no sample to the
next. Source: docs/theory/noise-exploration.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.exponential import ONE, Exponential, FinerUnit
from pfl.base.number import Number, summed
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.explore.noise_graph import Edge, Guard, NoiseGraph
from pfl.model.enclosed.formulas import IntegralSum
from pfl.model.noise import Noise
from pfl.model.program import LabelKind
from pfl.model.transition_graph import SILENT, Label
from pfl.model.values import Value
from pfl.passes.noise.carrying import LARGEST_WHOLE, carried, guarded
from pfl.passes.noise.dialogue import Dialogue, Word
from pfl.passes.noise.held_samples import (
    Needed,
    base_of,
    compared_for_ever,
    ends,
    irrational,
    needed,
    require_unit_of,
    shown_after_comparison,
)
from pfl.passes.noise.released_noise import Parts, mixed


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


class Segments:
    """What happens from states that hold no sample on until none is held again.

    `labels` are those of the graph, and of the parts of the line in which samples lie that are shown; `releases` say of
    each state from which noise samples come that are shown after a word from there. `is_cut` says whether runs that go
    on for ever while they hold a sample were left after so many `outputs`.
    """

    def __init__(self, graph: NoiseGraph, units: Mapping[str, int], budget: Budget, outputs: int | None) -> None:
        self._graph = graph
        self._units = units
        self._outputs = outputs
        self.is_cut = False
        self._budget = budget
        self._base = base_of(graph)
        require_unit_of(graph, self._base)
        self._workspace = Workspace(budget)
        self._functions: dict[Noise, SampleFunction] = {}
        self._needed = needed(graph, lambda edge: [end for guard in edge.guards for end in ends(guard)])
        self._shown = needed(graph, lambda edge: [] if edge.released is None else [edge.released], of_faults=False)
        self._parts = Parts.of(self._fresh_noises(), _whole_letters(graph), graph.program.name)
        self.labels = list(graph.labels)
        self.labels_of_parts: dict[tuple[LabelKind, Value], int] = {}
        self._letters = {
            (label.kind, label.value): number
            for number, label in enumerate(graph.labels)
            if label is not None and _is_whole(label)
        }
        self.releases: dict[int, dict[Word, Noise]] = {}
        self._numbers: dict[ExponentialSum, Number] = {}
        self._kinds: dict[int, int] = {}
        self._known_kinds: dict[tuple[tuple[Guard, ...], tuple[int | Noise, ...], Needed], int] = {}
        self._known: dict[tuple[Joint, int], Joint] = {}

    def _fresh_noises(self) -> Iterator[Noise]:
        """The noise of all samples that are shown and never compared."""
        for edges in self._graph.edges:
            for edge in edges:
                for handle, origin in enumerate(edge.carried):
                    if isinstance(origin, Noise) and self._is_fresh(handle, edge.target):
                        yield origin

    def _is_fresh(self, handle: int, state: int) -> bool:
        return handle in self._shown[state] and handle not in self._needed[state]

    def of(self, source: int, dialogue: Dialogue | None = None) -> dict[_Segment, Number]:
        """What happens from a state on until no sample is needed, and how likely it is."""
        found: list[tuple[_Segment, Number]] = []
        order, is_endless = self._in_order(source)
        if is_endless and self._outputs is None:
            raise InputRejected([compared_for_ever(self._graph, source)])
        self.is_cut |= is_endless
        first = _Account((), Fraction(0), Fraction(1))
        levels: list[dict[int, _Waiting]] = [{source: {first: Joint.one(self._workspace)}}]
        while levels:
            waiting, following = levels.pop(), dict[int, _Waiting]()
            for state in order:
                arrived = waiting.pop(state, {})
                for account, joint in arrived.items():
                    self._budget.check(f"noise of `{self._graph.program.name}`")
                    self._require_sound(state, account, joint)
                    for edge in self._graph.edges[state]:
                        onward = waiting if edge.label == SILENT else following
                        if is_endless and edge.label != SILENT and self._is_long_enough(account.word):
                            continue
                        for label, likely in self._seen(state, edge, account, joint, source):
                            self._follow(state, edge, label, account, likely, onward, found, dialogue)
            if following:
                levels.append(following)
        return {segment: weight for segment, weight in summed(found).items() if weight}

    def _is_long_enough(self, word: Word) -> bool:
        """Whether a word has as many outputs as anything is asked about."""
        shown = (self.labels[label] for label in word)
        outputs = sum(label is not None and label.kind != "input" for label in shown)
        return self._outputs is not None and outputs >= self._outputs

    def _seen(
        self, state: int, edge: Edge, account: _Account, joint: Joint, source: int
    ) -> Iterator[tuple[int, Joint]]:
        """What an edge shows, and with which joint function: of a sample that is shown, each part of the line."""
        if edge.released is None:
            yield edge.label, joint
            return
        noise = dict(account.fresh).get(edge.released)
        onward = (handle for handle, origin in enumerate(edge.carried) if origin == edge.released)
        target = edge.target
        if noise is None or any(h in self._shown[target] or h in self._needed[target] for h in onward):
            raise InputRejected([shown_after_comparison(self._graph, state)])
        told = self.releases.setdefault(source, {})
        if told.setdefault(account.word, noise) != noise and not noise.is_integral:
            raise InputRejected([mixed(noise, self._graph.program.name)])
        shown = self.labels[edge.label]
        assert shown is not None
        for value, weight in self._parts.weights(self._function(noise)):
            if weight:
                key = (shown.kind, value)
                if key not in self.labels_of_parts and key in self._letters and noise.is_integral:
                    self.labels_of_parts[key] = self._letters[key]
                if key not in self.labels_of_parts:
                    self.labels_of_parts[key] = len(self.labels)
                    self.labels.append(Label(shown.kind, value))
                yield self.labels_of_parts[key], joint.scaled(weight)

    def _follow(
        self,
        state: int,
        edge: Edge,
        shown: int,
        account: _Account,
        joint: Joint,
        waiting: dict[int, _Waiting],
        found: list[tuple[_Segment, Number]],
        dialogue: Dialogue | None,
    ) -> None:
        label = self._graph.labels[edge.label]
        if dialogue is not None and label is not None and label.kind == "input" and (joint.names or account.fresh):
            dialogue.ask()
        moved = self._after(joint, edge)
        if not moved:
            return
        weight = account.weight
        if isinstance(edge.weight, Fraction):
            moved = moved.scaled(edge.weight)
        else:
            weight = weight * edge.weight
        word = (*account.word, shown) if shown != SILENT else account.word
        reached = _Account(word, account.cost + edge.cost, weight, tuple(self._still_fresh(edge, account)))
        if dialogue is not None and shown != SILENT:
            dialogue.add(word, self._number(moved.total()) * weight)
            if label is not None and label.kind == "input":
                dialogue.asked_at[word] = self._graph.states[state][0]
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

    def _after(self, joint: Joint, edge: Edge) -> Joint:
        """The joint function after an edge. What the same edge makes of the same function is worked out once, as runs
        from different inputs often come to the same one."""
        key = joint, self._kind(edge)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._moved(guarded(joint, edge.guards), edge)
        return found

    def _kind(self, edge: Edge) -> int:
        """A number that is equal for edges that do the same to samples."""
        known = self._kinds.get(id(edge))
        if known is None:
            what = edge.guards, edge.carried, self._needed[edge.target]
            known = self._kinds[id(edge)] = self._known_kinds.setdefault(what, len(self._known_kinds))
        return known

    def _moved(self, joint: Joint, edge: Edge) -> Joint:
        """The joint function of what the target needs, by its handles."""
        if not joint:
            return joint
        joint, names = carried(joint, edge, self._needed[edge.target], self._function)
        return joint.without(*(name for name in joint.names if name not in names)).renamed(names)

    def _function(self, noise: Noise) -> SampleFunction:
        if noise not in self._functions:
            if noise.is_integral and abs(noise.mean) > LARGEST_WHOLE:
                raise LimitReached(
                    f"integers of noise are gone through one by one near its mean, and {noise} is far out"
                )
            self._functions[noise] = _function_of(noise)
        return self._functions[noise]

    def _number(self, total: Weight) -> Number:
        """A total in the parameter and its exponential. Raises FinerUnit."""
        assert not isinstance(total, IntegralSum), "Gaussian noise is not eliminated"
        if not isinstance(total, ExponentialSum):
            return total
        known = self._numbers.get(total)
        if known is None:
            known = self._numbers[total] = self._valued(total)
        return known

    def _valued(self, total: ExponentialSum) -> Number:
        """The total with what multiples of the unit of the line are in place of eps: ln(g) and 1/g, or 1 and 1/e, where
        that is ln(g)/eps or 1/eps, since lengths are measured by eps."""
        line = self._graph.unit
        if line is not None and line.log is not None:
            return self._without_logarithm(total, line.log)
        base = self._base if line is None else ONE
        unit = self._units.get(base, 1)
        if unit % total.unit_denominator:
            raise FinerUnit(base, lcm(unit, total.unit_denominator))
        epsilon: Number = Fraction(1) if base == ONE else RationalFunction.parameter(base)
        z = RationalFunction.parameter(Exponential(base=base, unit=unit).name)
        return total.to_number(epsilon, z, unit)

    def _without_logarithm(self, total: ExponentialSum, argument: Fraction) -> Number:
        value: Number = Fraction(0)
        for (power, rate), factor in total.terms.items():
            if power or rate.denominator != 1:
                raise InputRejected([irrational(self._graph, argument, power, rate)])
            value = value + factor * argument**-rate.numerator
        return value

    def _require_sound(self, state: int, account: _Account, joint: Joint) -> None:
        """Raise InputRejected for what goes wrong here in a run of positive probability."""
        for fault in self._graph.faults.get(state, ()):
            if account.weight and self._number(guarded(joint, fault.guards).total()):
                raise InputRejected([fault.diagnostic])

    def _in_order(self, source: int) -> tuple[list[int], bool]:
        """The source, and the states with needed samples that it leads to, each after those that lead to it silently;
        and whether they lead to each other in a circle. Raises InputRejected for a circle on which nothing is shown."""
        held, cycle = self._searched([source], lambda _: True)
        if cycle is None:
            return held, False
        order, silent = self._searched(held, lambda edge: edge.label == SILENT)
        if silent is not None:
            raise InputRejected([compared_for_ever(self._graph, silent)])
        return order, True

    def _searched(self, roots: Sequence[int], follows: Callable[[Edge], bool]) -> tuple[list[int], int | None]:
        """The states with needed samples that roots lead to, each after those that lead to it but on a circle; and a
        state on a circle, None if there is none."""
        finished: dict[int, None] = {}
        cycle: int | None = None
        for root in roots:
            if root in finished:
                continue
            active = {root}
            stack = [(root, iter(self._graph.edges[root]))]
            while stack:
                state, remaining = stack[-1]
                edge = next(remaining, None)
                if edge is None:
                    stack.pop()
                    active.discard(state)
                    finished[state] = None
                elif self._is_held(edge.target) and edge.target not in finished and follows(edge):
                    if edge.target in active:
                        cycle = edge.target
                    else:
                        active.add(edge.target)
                        stack.append((edge.target, iter(self._graph.edges[edge.target])))
        return list(finished)[::-1], cycle


def _is_whole(label: Label) -> bool:
    value = label.value
    return label.kind != "input" and isinstance(value, int | Fraction) and value == int(value)


def _whole_letters(graph: NoiseGraph) -> list[int]:
    """The whole numbers that are shown beside samples."""
    return [int(label.value) for label in graph.labels if label is not None and _is_whole(label)]


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
        case "gaussian" | "discrete_gaussian":
            raise ValueError(f"probabilities of {noise} are enclosed, not computed")
