"""Noise without bounds is eliminated from the graph of a program: what is left are plain transitions with exact
probabilities. Source: docs/theory/noise-exploration.md.

From each state that holds no sample any more in need, joint functions of the live samples are carried forward along
the edges, cut by the guards, and added where ways meet, until nothing of them is needed. What was shown meanwhile is a
word; each word with the state where it ends is one transition, with its whole probability at its first letter.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.explore.held_values import without_samples
from pfl.explore.noise_graph import NoiseGraph
from pfl.model.noise import InputMeanwhile, Noise
from pfl.model.program import Point
from pfl.model.transition_graph import ASKED, ASKING, SILENT, TELLING, Label, State, TransitionGraph
from pfl.passes.noise.dialogue import Dialogue, Word
from pfl.passes.noise.enclosed_errors import enclosed_elsewhere
from pfl.passes.noise.held_samples import (
    input_meanwhile,
)
from pfl.passes.noise.released_noise import require_unmixed
from pfl.passes.noise.segments import Segments


def eliminate_noise(
    graph: NoiseGraph,
    units: Mapping[str, int],
    budget: Budget,
    *,
    counts_costs: bool,
    may_divide: bool = True,
    outputs: int | None = None,
) -> Divided[TransitionGraph]:
    """The same runs without samples, weights being exact numbers in the parameters and in exponentials of one.

    Where an input comes while a sample is held, what is seen after it has a probability given what was seen before: one
    divided by another. Unless that `may_divide`, InputMeanwhile is raised there.
    Runs that may go on for ever while they hold a sample are left after so many `outputs`; with None they are refused.
    Raises FinerUnit where exponents are no multiples of what `units` says, InputRejected where one sample is compared
    again and again without end, where noise has several units, and for what goes wrong in runs of positive probability.
    """
    enclosed = (origin for edges in graph.edges for edge in edges for origin in edge.carried)
    for origin in enclosed:
        if isinstance(origin, Noise) and origin.is_enclosed:
            raise InputRejected([enclosed_elsewhere(graph, origin)])
    return _Elimination(graph, units, budget, may_divide, outputs).run(counts_costs)


_Row: TypeAlias = tuple[int, Number, int, Number]
"""Target, weight, label and cost of a transition."""
_Rows: TypeAlias = Sequence[Sequence[_Row]]


class _Elimination:
    """One elimination under way."""

    def __init__(
        self, graph: NoiseGraph, units: Mapping[str, int], budget: Budget, may_divide: bool, outputs: int | None
    ) -> None:
        self._graph = graph
        self._budget = budget
        self._segments = Segments(graph, units, budget, outputs)
        self._may_divide = may_divide
        self._asks = any(label is not None and label.kind == "input" for label in graph.labels)
        self._dialogues: dict[int, Dialogue] = {}
        self._divisors = Divisors()

    def run(self, counts_costs: bool) -> Divided[TransitionGraph]:
        """See `eliminate_noise`."""
        graph = self._graph
        places: dict[State, int] = {}
        sources: dict[State, int] = {}

        states: list[State] = []

        def place(state: State) -> int:
            if state not in places:
                places[state] = len(states)
                states.append(state)
            return places[state]

        def place_of(number: int) -> int:
            state = graph.states[number]
            sources.setdefault(state, number)
            return place(state)

        starts = tuple(map(place_of, graph.starts))
        rows: list[list[_Row]] = []
        while len(rows) < len(states):
            state = states[len(rows)]
            row: list[_Row] = []
            if state[0] == TELLING:
                _, word, target = state
                row.append((self._told(word[1:], target, place, place_of), Fraction(1), word[0], Fraction(0)))
            elif state[0] == ASKING:
                _, word, source = state
                row += self._answered(self._dialogues[source], source, word, place, place_of)
            elif len(state) > 1 and state[1] is ASKED:
                row += self._given(state, place)
            elif (dialogue := self._dialogue(sources[state])) is not None:
                row += self._answered(dialogue, sources[state], (), place, place_of)
            else:
                for (word, cost, end), weight in self._segments.of(sources[state]).items():
                    label = word[0] if word else SILENT
                    row.append((self._told(word[1:], end, place, place_of), weight, label, cost))
            rows.append(row)
        has_reals = any(not noise.is_integral for told in self._segments.releases.values() for noise in told.values())
        if has_reals:
            self._require_unmixed(
                starts, rows, {sources[state]: place for state, place in places.items() if state in sources}
            )
        # Not before: states that then look alike may differ in how a sample that they hold compares with itself.
        shown = [without_samples(state) for state in states]
        plain = _as_graph(graph, shown, starts, rows, self._segments.labels, counts_costs, has_reals)
        return self._divisors.of(replace(plain, is_cut=self._segments.is_cut))

    def _dialogue(self, source: int) -> Dialogue | None:
        """What can be seen from a state on where an input comes while a sample is held; None where none does."""
        if not self._asks:
            return None
        if source not in self._dialogues:
            dialogue = Dialogue(refusal=None if self._may_divide else self._refusal)
            dialogue.ended = self._segments.of(source, dialogue)
            self._dialogues[source] = dialogue
        found = self._dialogues[source]
        return found if found.is_asked else None

    def _refusal(self) -> InputMeanwhile:
        return InputMeanwhile([input_meanwhile(self._graph)])

    def _answered(
        self,
        dialogue: Dialogue,
        source: int,
        word: Word,
        place: Callable[[State], int],
        place_of: Callable[[int], int],
    ) -> Iterator[_Row]:
        """The transitions after a word, with probabilities given that it was seen; inputs are waited for in states of
        their own."""
        before = dialogue.masses[word]
        self._divisors.note([before])
        waiting: dict[Point, Number] = {}
        for label, mass in dialogue.onward(word):
            shown = self._segments.labels[label]
            if shown is not None and shown.kind == "input":
                waiting.setdefault(dialogue.asked_at[(*word, label)], mass)
            else:
                yield place((ASKING, (*word, label), source)), mass / before, label, Fraction(0)
        for point, mass in waiting.items():
            if not word and point == self._graph.states[source][0]:  # the state itself waits
                yield from self._given((point, ASKED, word, source), place)
            else:
                yield place((point, ASKED, word, source)), mass / before, SILENT, Fraction(0)
        for (ended, cost, end), mass in dialogue.ended.items():
            if ended == word:
                yield place_of(end), mass / before, SILENT, cost

    def _given(self, state: State, place: Callable[[State], int]) -> Iterator[_Row]:
        """The transitions of a state in which an input is waited for after a word."""
        point, _, word, source = state
        dialogue = self._dialogues[source]
        for label, _ in dialogue.onward(word):
            if dialogue.asked_at.get((*word, label)) == point:
                yield place((ASKING, (*word, label), source)), Fraction(1), label, Fraction(0)

    def _require_unmixed(self, starts: Sequence[int], rows: _Rows, places: Mapping[int, int]) -> None:
        """Raise InputRejected where what is seen does not say from which noise a real sample comes that is shown."""
        releases = {places[source]: told for source, told in self._segments.releases.items()}
        require_unmixed(
            starts,
            lambda state: ((label, target) for target, _, label, _ in rows[state]),
            releases,
            frozenset(self._segments.labels_of_parts.values()),
            self._graph.program.name,
            self._budget,
        )

    @staticmethod
    def _told(word: Word, target: int, place: Callable[[State], int], place_of: Callable[[int], int]) -> int:
        """The state in which it is settled that a word is shown before the target is come to."""
        return place((TELLING, word, target)) if word else place_of(target)


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
