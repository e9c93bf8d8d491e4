"""The probabilities of what a program with Gaussian noise shows, as formulas to be enclosed. Source:
docs/theory/gaussian.md.

Joint functions of the live samples are carried forward along the edges of a graph without circles, as where noise is
eliminated, to the ends of all runs. What comparisons have come to is kept beside them as a closed system, so that a run
that cannot be is left where it cannot: a word is kept exactly if its probability is not 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from pfl.analysis.enclosed.formula_table import FormulaTable
from pfl.analysis.enclosed.gaussian_function import ContinuousGaussian, DiscreteGaussian, GaussianFunction
from pfl.analysis.noise.differences import Differences
from pfl.analysis.noise.exponential_sum import integral_sum
from pfl.analysis.noise.joint import Joint
from pfl.analysis.noise.workspace import Noise as Workspace
from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.struct import struct
from pfl.explore.noise_graph import Edge, Guard, NoiseGraph
from pfl.model.enclosed.formulas import IntegralSum, Node
from pfl.model.noise import Noise
from pfl.model.transition_graph import SILENT
from pfl.passes.noise.carrying import LARGEST_WHOLE, carried, guarded
from pfl.passes.noise.enclosed_errors import (
    depends_on_parameters,
    drawn_for_ever,
    input_received,
    other_noise,
    sample_shown,
)
from pfl.passes.noise.held_samples import ends, needed

Word: TypeAlias = tuple[int, ...]

_ZERO = {False: "0", True: "whole 0"}
"""Names of the number 0 beside real samples, and beside integers, in systems of what comparisons came to."""


@struct(eq=False)
class EnclosedRuns:
    """What runs show: of each start the words, in labels of the graph, with their probabilities, none of them 0.

    `nodes` are the formulas of the probabilities, and `draws` is how many samples a run draws at most.
    """

    words: tuple[Mapping[Word, IntegralSum], ...]
    nodes: tuple[Node, ...]
    draws: int


_Account: TypeAlias = tuple[Word, Differences]
"""What was shown, and what comparisons of the samples that are held came to."""


def enclosed_words(graph: NoiseGraph, budget: Budget) -> EnclosedRuns:
    """The words of whole runs, and their probabilities.

    Raises InputRejected where a program has other noise, receives inputs, shows a sample or may go on for ever, where a
    weight depends on parameters, and for what goes wrong in a run of positive probability; LimitReached.
    """
    return _Enclosing(graph, budget).run()


class _Enclosing:
    """One graph under way."""

    def __init__(self, graph: NoiseGraph, budget: Budget) -> None:
        _require_enclosable(graph)
        self._graph = graph
        self._budget = budget
        self._table = FormulaTable()
        self._workspace = Workspace(budget)
        self._functions: dict[Noise, GaussianFunction] = {}
        self._needed = needed(graph, lambda edge: [end for guard in edge.guards for end in ends(guard)])

    def run(self) -> EnclosedRuns:
        order = self._in_order()
        words = tuple(self._words(start, order) for start in self._graph.starts)
        return EnclosedRuns(words=words, nodes=self._table.nodes, draws=self._draws(order))

    def _words(self, start: int, order: Sequence[int]) -> Mapping[Word, IntegralSum]:
        waiting: dict[int, dict[_Account, Joint]] = {start: {((), Differences()): Joint.one(self._workspace)}}
        found: dict[Word, IntegralSum] = {}
        for state in order:
            for (word, known), joint in waiting.pop(state, {}).items():
                self._budget.check(f"{len(found):,} words of `{self._graph.program.name}`")
                self._require_sound(state, known)
                if not self._graph.edges[state]:
                    found[word] = found.get(word, IntegralSum()) + integral_sum(joint.total())
                for edge in self._graph.edges[state]:
                    self._follow(edge, word, known, joint, waiting)
        return found

    def _follow(
        self,
        edge: Edge,
        word: Word,
        known: Differences,
        joint: Joint,
        waiting: dict[int, dict[_Account, Joint]],
    ) -> None:
        after = _learned(known, edge.guards)
        if after is None or not edge.weight:
            return
        assert isinstance(edge.weight, Fraction)
        moved = guarded(joint, edge.guards).scaled(edge.weight)
        moved, names = carried(moved, edge, self._needed[edge.target], self._function)
        gone = [name for name in moved.names if name not in names]
        moved = moved.without(*gone).renamed(names)
        for name in gone:
            after = after.without(name)
        shown = (*word, edge.label) if edge.label != SILENT else word
        there = waiting.setdefault(edge.target, {})
        account = shown, after.renamed(names)
        there[account] = there[account] + moved if account in there else moved

    def _function(self, noise: Noise) -> GaussianFunction:
        if noise not in self._functions:
            if noise.is_integral and abs(noise.mean) > LARGEST_WHOLE:
                raise LimitReached(f"integers of noise are gone through one by one, and {noise} is far out")
            kind = DiscreteGaussian if noise.is_integral else ContinuousGaussian
            self._functions[noise] = kind.of(self._table, noise.mean, noise.deviation)
        return self._functions[noise]

    def _require_sound(self, state: int, known: Differences) -> None:
        """Raise InputRejected for what goes wrong here in a run of positive probability."""
        for fault in self._graph.faults.get(state, ()):
            if _learned(known, fault.guards) is not None:
                raise InputRejected([fault.diagnostic])

    def _in_order(self) -> list[int]:
        """All states, each after those that lead to it. Raises InputRejected for a circle."""
        finished: dict[int, None] = {}
        for start in self._graph.starts:
            active = {start}
            stack = [] if start in finished else [(start, iter(self._graph.edges[start]))]
            while stack:
                state, remaining = stack[-1]
                edge = next(remaining, None)
                if edge is None:
                    stack.pop()
                    active.discard(state)
                    finished[state] = None
                elif edge.target in active:
                    raise InputRejected([drawn_for_ever(self._graph, edge.target)])
                elif edge.target not in finished:
                    active.add(edge.target)
                    stack.append((edge.target, iter(self._graph.edges[edge.target])))
        return list(finished)[::-1]

    def _draws(self, order: Sequence[int]) -> int:
        """How many samples a run draws at most."""
        most: dict[int, int] = {}
        for state in reversed(order):
            drawn = (
                most[edge.target] + sum(isinstance(origin, Noise) for origin in edge.carried)
                for edge in self._graph.edges[state]
            )
            most[state] = max(drawn, default=0)
        return max((most[start] for start in self._graph.starts), default=0)


def _require_enclosable(graph: NoiseGraph) -> None:
    """Raise InputRejected for noise, letters and weights that enclosures are not made of."""
    for state, edges in enumerate(graph.edges):
        for edge in edges:
            for origin in edge.carried:
                if isinstance(origin, Noise) and not origin.is_enclosed:
                    raise InputRejected([other_noise(graph, origin)])
            label = graph.labels[edge.label]
            if label is not None and label.kind == "input":
                raise InputRejected([input_received(graph, state)])
            if edge.released is not None:
                raise InputRejected([sample_shown(graph, state)])
            if not isinstance(edge.weight, Fraction):
                raise InputRejected([depends_on_parameters(graph, state, edge.weight)])


def _learned(known: Differences, guards: Sequence[Guard]) -> Differences | None:
    """What is known once the guards hold; None where they cannot.

    What inequalities of real samples leave is an open set, but for ties, and what those of integers leave has a point,
    unless it is empty; Gaussian noise has positive probability there.
    """
    learned: Differences | None = known
    for guard in guards:
        zero = _ZERO[guard.is_integral]
        left, right = (zero if end is None else end for end in (guard.left, guard.right))
        if learned is not None:
            learned = learned.bounded(left, right, guard.bound, touching=guard.is_integral)
    return learned
