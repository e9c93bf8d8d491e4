"""The largest ratio of two runs that differ in one data point, where what is seen fixes the state.

After a common prefix both runs are in one state s; the extra point takes one of them to T_d(s). From there on the
examiner follows a pair of states, so the ratio of a word is a product along pairs. Source: docs/theory/unwinding.md.

Where the balance of an unwinding is largest, in words: the two states after the extra point and the path to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any

from pfl.analysis.ratio.certificate import sealed
from pfl.analysis.ratio.integer_system import Word
from pfl.analysis.ratio.obligation import Exceeded, IsTooLarge, Settled, Unbounded, Unsettled, Witness
from pfl.analysis.unwinding.least_family import Extended, Family, Levels, best_path, least_family, rank
from pfl.analysis.unwinding.moves import Moves, Reached, reached_states
from pfl.analysis.unwinding.pair_graph import EQUAL, INFINITE, Pair, PairGraph, pair_graph
from pfl.base.budget import Budget
from pfl.base.epsilon import Epsilon
from pfl.base.exact_text import fraction_text
from pfl.base.struct import struct
from pfl.model.labelled_system import SparseRow
from pfl.model.two_runs import TwoRuns


def path_facts(runs: TwoRuns, word: Word) -> tuple[tuple[str, str], ...]:
    """Of a word with an extra point: the pair of states behind it, and the inputs and responses that lead there."""
    names = runs.letters
    first = len(runs.system.data)
    place = next(n for n, letter in enumerate(word) if first <= letter < first + len(runs.extras))
    state = start_state(runs)
    for letter in word[:place]:
        state = _only(_row(runs, letter, state))
    left, right = (_only(row) for row in runs.sides(word[place] - first, state))
    states = runs.system.states
    return (
        ("worst pair", f"{states[left]}  and  {states[right]}"),
        ("path", ", ".join(names[letter] for letter in word[: place + 1])),
    )


def start_state(runs: TwoRuns) -> int:
    """The first state in which the system may start; the only one where states are fixed by what is seen."""
    return next(state for state, weight in enumerate(runs.system.start) if weight)


def _row(runs: TwoRuns, letter: int, state: int) -> SparseRow:
    """What a letter before the extra point does to a state."""
    system = runs.system
    if letter < len(system.data):
        return system.data_moves[letter][state]
    matrices = [matrix for answers in system.answers for _, matrix in answers]
    return matrices[letter - len(system.data) - len(runs.extras)][state]


def _only(row: SparseRow) -> int:
    ((target, _),) = row
    return target


_SHORT = 6
"""Letters of the words that are looked at before the bound of all words is computed."""
_MOST_LEVELS = 64
"""Letters up to which a word is looked for that shows how a ratio grows that grows without bound."""


@struct
class Start:
    """A pair in which the runs can be after the extra point: `pair` in the graph, `EQUAL` where it makes no difference;
    `state` is where both were before, after `depth` inputs."""

    pair: int
    extra: int
    state: int
    depth: int


@struct(eq=False)
class FamilyProof:
    """Bounds on pairs: the k-th family is for words of k letters, the last one for all longer ones, too.

    `facts` are what a report says of it: keys and texts.
    """

    bound: Fraction
    length: int | None
    graph: PairGraph
    families: tuple[tuple[Extended, ...], ...]
    facts: tuple[tuple[str, str], ...]

    @property
    def is_exhaustive(self) -> bool:
        return True

    def certificate(self) -> dict[str, Any]:
        families = [
            [
                [left, right, fraction_text(value)]
                for (left, right), value in zip(self.graph.pairs, family)
                if isinstance(value, Fraction)
            ]
            for family in self.families
        ]
        return sealed("unwinding", bound=self.bound, length=self.length, content={"families": families})


class RunPairs:
    """One direction of a comparison of two runs; the methods are those of `Ratios` about one obligation."""

    def __init__(
        self, runs: TwoRuns, moves: Moves, *, is_reversed: bool, budget: Budget, by_bijections: bool = False
    ) -> None:
        """With `by_bijections` a response costs as much where it is less likely, as in the paper: bounds may be larger
        than the ratios of words."""
        self._by_bijections = by_bijections
        self._runs = runs
        self._moves = moves
        self._is_reversed = is_reversed
        self._budget = budget
        self._reached: dict[int, Reached] = reached_states(moves)

    def largest(self, length: int, floor: Fraction, *, most_kept: int | None = None) -> Settled | Exceeded:
        """The largest ratio over words of at most `length` letters; `Exceeded` for an infinite one."""
        del most_kept  # nothing has to be given up
        found, best = Fraction(1), self._nothing
        for start in self._starts:
            left_over = length - 1 - start.depth
            if left_over < 0 or start.pair == EQUAL:
                continue
            family, _ = self._levels.level(left_over)
            value = family.value(start.pair)
            if not isinstance(value, Fraction):
                return Exceeded(witness=self._witness(start, self._levels.path(start.pair, left_over)))
            if value > found:
                found, best = value, self._witness(start, self._levels.path(start.pair, left_over))
        _, last = self._levels.level(max(length - 1, 0))
        families = tuple(self._levels.level(k)[0].values for k in range(last + 1))
        proof = FamilyProof(
            bound=max(found, floor), length=length, graph=self.graph, families=families, facts=self._facts(best)
        )
        return Settled(bound=max(found, floor), best=best if found >= floor else None, proof=proof)

    def check(self, length: int, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded:
        """The largest ratio, which is exact in any case."""
        del bound
        outcome = self.largest(length, Fraction(0))
        if isinstance(outcome, Settled) and is_too_large(outcome.bound):
            assert outcome.best is not None, "the word that attains it"
            return Exceeded(witness=outcome.best)
        return outcome

    def largest_of_every_length(self, floor: Fraction) -> Settled | Exceeded | Unbounded:
        """The largest ratio over all words."""
        worst = max(self._starts, key=lambda start: rank(self._value(start)), default=None)
        value = Fraction(1) if worst is None else self._value(worst)
        if worst is None or value == 1:
            value, best = Fraction(1), self._nothing
        elif not isinstance(value, Fraction):
            exceeds = _is_infinite if value == "inf" else None
            witness = self._witness(worst, self._levels_until(worst, exceeds))
            return Exceeded(witness=witness) if value == "inf" else Unbounded(witness=witness)
        else:
            best = self._witness(worst, best_path(self.graph, self._family, worst.pair))
        assert isinstance(value, Fraction)
        proof = FamilyProof(
            bound=max(value, floor),
            length=None,
            graph=self.graph,
            families=(self._family.values,),
            facts=self._facts(best),
        )
        return Settled(bound=max(value, floor), best=best if value >= floor else None, proof=proof)

    def check_every_length(self, bound: Fraction, is_too_large: IsTooLarge) -> Settled | Exceeded | Unsettled:
        """Whether all ratios are allowed, at every length; where they grow for ever, a word that is not."""
        del bound  # the ratio is exact in any case
        short = self._excess(is_too_large, range(_SHORT))
        if short is not None:
            return Exceeded(witness=short)
        outcome = self.largest_of_every_length(Fraction(0))
        match outcome:
            case Unbounded():
                witness = self._excess(is_too_large, count())
                assert witness is not None, "the ratios grow beyond every bound"
                return Exceeded(witness=witness)
            case Settled(bound=found, best=best) if is_too_large(found):
                assert best is not None, "the word that attains it"
                return Exceeded(witness=best)
            case _:
                return outcome

    @cached_property
    def graph(self) -> PairGraph:
        """The pairs that the two runs can come to after the extra point."""
        return pair_graph(
            self._moves, [pair for _, _, pair in self._pairs()], self._budget, symmetric=self._by_bijections
        )

    @cached_property
    def _family(self) -> Family:
        return least_family(self.graph, self._budget)

    @cached_property
    def _levels(self) -> Levels:
        return Levels(self.graph, self._budget)

    @cached_property
    def _starts(self) -> tuple[Start, ...]:
        return tuple(
            Start(
                pair=EQUAL if pair[0] == pair[1] else self.graph.number[pair],
                extra=extra,
                state=reached.state,
                depth=reached.depth,
            )
            for reached, extra, pair in self._pairs()
        )

    def _pairs(self) -> Iterator[tuple[Reached, int, Pair]]:
        """What the runs can be in after each extra point, from every state that can be reached."""
        data = self._moves.data
        for reached in self._reached.values():
            stays = reached.state if self._moves.waits[reached.state] else self._moves.bottom
            for extra, points in enumerate(self._runs.extras):
                one, other = (stays if point is None else data[point][reached.state] for point in points)
                yield reached, extra, (other, one) if self._is_reversed else (one, other)

    def _value(self, start: Start) -> Extended:
        return Fraction(1) if start.pair == EQUAL else self._family.value(start.pair)

    def _excess(self, is_too_large: IsTooLarge, letters: Iterable[int]) -> Witness | None:
        """A word with few letters after the extra point whose ratio is not allowed."""
        starts = [start for start in self._starts if start.pair != EQUAL]
        for k in letters if starts else ():
            family, _ = self._levels.level(k)
            worst = max(starts, key=lambda start: (rank(family.value(start.pair)), -start.depth))
            ratio = family.value(worst.pair)
            if not isinstance(ratio, Fraction) or is_too_large(ratio):
                return self._witness(worst, self._levels.path(worst.pair, k))
        return None

    def _levels_until(self, start: Start, exceeds: Callable[[Extended], bool] | None) -> list[int]:
        """The edges of a shortest word whose ratio exceeds something; without a test, of one of some length."""
        length = _MOST_LEVELS
        if exceeds is not None:
            length = next(k for k in count() if exceeds(self._levels.level(k)[0].value(start.pair)))
        return self._levels.path(start.pair, length)

    @cached_property
    def _nothing(self) -> Witness:
        """The empty word, which both runs begin with."""
        return Witness(word=(), ratio=Fraction(1))

    def _witness(self, start: Start, edges: list[int]) -> Witness:
        """The whole word: a prefix to the state, the extra point, and what the edges say."""
        runs, graph = self._runs, self.graph
        prefix: list[int] = []
        came = self._reached[start.state].came
        while came is not None:
            before, given, answer = came
            prefix.append(self._letter(given, -1 if answer is None else answer))
            came = self._reached[before].came
        ratio: Fraction | None = Fraction(1)
        rest: list[int] = []
        for edge in edges:
            rest.append(self._letter(graph.inputs[edge], graph.answers[edge]))
            factor = graph.factors[edge]
            ratio = None if ratio is None or factor == INFINITE else ratio * graph.table[factor]
        word: Word = (*reversed(prefix), runs.extra_letter(start.extra), *rest)
        return Witness(word=word, ratio=ratio)

    def _letter(self, given: int, answer: int) -> int:
        """The letter of an input, numbered data points first, and the response to it, -1 where none is waited for."""
        runs, data = self._runs, len(self._moves.data)
        if given < data:
            return runs.data_letter(given)
        return runs.accepted_letter(given - data) if answer < 0 else runs.answer_letter(given - data, answer)

    def _facts(self, best: Witness) -> tuple[tuple[str, str], ...]:
        """By what the bound was proved, how many states and pairs that took, and where the balance is largest."""
        count = sum(state != self._moves.bottom for state in self._reached)
        how = "by bijections" if self._by_bijections else "by the ratios of responses"
        facts = [("proved by", f"unwinding {how}, {len(self.graph.pairs):,} ordered pairs of {count:,} states")]
        if not best.word:
            return tuple(facts)
        assert best.ratio is not None, "a proof bounds every ratio"
        return (*facts, ("largest balance", str(Epsilon.ln(best.ratio))), *path_facts(self._runs, best.word))


def _is_infinite(ratio: Extended) -> bool:
    return ratio == "inf"
