"""From a transition graph to the labelled system that an adversary sees. Source: docs/theory/exploration.md."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.model.compare import Lengths
from pfl.model.labelled_system import Exchange, LabelledSystem, SparseRow
from pfl.model.program import Receive
from pfl.model.transition_graph import SILENT, Label, TransitionGraph
from pfl.model.values import show
from pfl.passes.close_silent import Closure, Exit, close_silent, is_waiting
from pfl.passes.limits import Counted


@struct(kw_only=False)
class Asks:
    """An input is asked for on a channel."""

    channel: str


Seen: TypeAlias = Label | Literal["halt", "never"] | Asks
"""What is seen next: a value, the end of the run, nothing any more, or that an input is asked for."""

Mixture: TypeAlias = Mapping[int, Number]
"""States with their probabilities, none of them 0."""


Memory: TypeAlias = Hashable
"""What decides which inputs may be given next: how many pairs have differed, say."""


@struct(kw_only=False)
class GivenPair:
    """An input that the adversary gives to both runs: `left` to one, `right` to the other; `memory` afterwards."""

    left: Any
    right: Any
    memory: Memory = None


@struct
class Giving:
    """Which pairs of inputs may be given: `choices(channel, memory)`. `name(memory)` says in words what it means."""

    choices: Callable[[str, Memory], Sequence[GivenPair]]
    name: Callable[[Memory], str]


@struct(eq=False)
class Labelled:
    """`left[i]` and `right[i]` are where the i-th start starts, as the left and as the right run: states of the system
    with their probabilities. They are the same unless inputs are received. `longest` is the number of letters after
    which every run has ended, None where there is no such number. `may_never_end` says of each start whether `never`
    can be seen from it. `counted` says which letters show no output.
    """

    system: LabelledSystem
    left: tuple[Mixture, ...]
    right: tuple[Mixture, ...]
    longest: int | None
    may_never_end: tuple[bool, ...]
    counted: Counted

    @property
    def whole_run(self) -> Lengths:
        """The lengths that judge whole runs: one by which every run has ended, else every length."""
        return "any" if self.longest is None else (self.longest,)


def labelled(
    graph: TransitionGraph,
    budget: Budget,
    giving: Giving | None = None,
    starts: Sequence[tuple[int, Memory]] | None = None,
) -> Divided[Labelled]:
    """The labelled system of a graph, silent steps closed.

    Letters are the values shown, `halt` for ever once a run has ended, `never` for ever once nothing can be seen any
    more. Where inputs are received, `giving` says which pairs may be given, and letters are (pair, what is seen next);
    the left run moves by the left value, the right one by the right value, in two blocks of the system. `starts` are
    states of the graph with a memory each, those of the graph without one if left out.
    """
    given = [(start, None) for start in graph.starts] if starts is None else starts
    sources = sorted({*graph.starts, *(graph.targets[edge] for edge, label in enumerate(graph.labels) if label)})
    divisors = Divisors()
    closure = close_silent(graph, sources, budget).noting(divisors)
    divisors.note(graph.coincidences())
    return divisors.of(_Labelling(graph, budget, giving, sources, closure).run(given))


@struct(kw_only=False)
class _AboutToAsk:
    """A state of the graph that waits for an input, before it is seen that an input is asked for."""

    state: int


_State: TypeAlias = tuple[int, Memory, int | _AboutToAsk | Literal["halt", "never"]]
"""The side (0 left, 1 right), the memory, and the state of the graph or where the run has come to."""


class _Labelling:
    """The construction of one labelled system."""

    def __init__(
        self, graph: TransitionGraph, budget: Budget, giving: Giving | None, sources: Sequence[int], closure: Closure
    ) -> None:
        self._graph = graph
        self._budget = budget
        self._giving = giving
        self._closure = closure
        self._position = {source: position for position, source in enumerate(sources)}
        self._numbers: dict[_State, int] = {}
        self._letters: dict[tuple[tuple[str, Any, Any] | None, Seen], int] = {}
        self._letter_names: list[str] = []
        self._exchanges: list[Exchange] = []
        self._letter_inputs: list[int] = []
        self._input_numbers: dict[tuple[str, Any, Any], int] = {}
        self._letter_channels: list[int] = []
        self._channels = _channels_of(graph)
        self._asking_is_sure = self._is_asking_sure()
        self._rows: list[dict[int, dict[int, Number]]] = []
        self._distinguish_returns = self._has_ambiguous_letters()

    def run(self, given_starts: Sequence[tuple[int, Memory]]) -> Labelled:
        sides = (0, 1) if self._giving is not None else (0,)
        starts = [[self._expanded(side, memory, start) for start, memory in given_starts] for side in sides]
        done = 0
        while done < len(self._numbers):
            if done % 256 == 0:
                self._budget.check(f"{done:,} of {len(self._numbers):,} states between visible steps")
            for state in list(self._numbers)[done:]:
                self._rows.append(self._row(state))
                done += 1
        system = LabelledSystem(
            states=tuple(map(self._state_name, self._numbers)),
            letters=tuple(self._letter_names),
            matrices=tuple(
                tuple(_sparse(row[letter]) if letter in row else () for row in self._rows)
                for letter in range(len(self._letter_names))
            ),
            stochastic=self._giving is None,
            inputs=None if self._giving is None else tuple(self._letter_inputs),
            channels=tuple(self._letter_channels) if self._giving is not None and len(self._channels) > 1 else None,
            exchanges=None if self._giving is None else tuple(self._exchanges),
        )
        ends = {number for (_, _, at), number in self._numbers.items() if at == "never"}
        successors = [{target for row in rows.values() for target in row} for rows in self._rows]
        lost = _reaching(successors, ends)
        final = {number for (_, _, at), number in self._numbers.items() if isinstance(at, str)}
        return Labelled(
            system=system,
            left=tuple(starts[0]),
            right=tuple(starts[-1]),
            longest=_longest(successors, final),
            may_never_end=tuple(any(state in lost for state in start) for start in starts[0]),
            counted=Counted(
                without_output=frozenset(n for (_, seen), n in self._letters.items() if isinstance(seen, Asks)),
                ends=frozenset(n for (_, seen), n in self._letters.items() if seen == "halt" or seen == "never"),
            ),
        )

    def _row(self, state: _State) -> dict[int, dict[int, Number]]:
        side, memory, at = state
        row: dict[int, dict[int, Number]] = {}
        if at == "halt" or at == "never":
            self._add(row, self._letter(None, at), {self._number(state): Fraction(1)}, Fraction(1))
        elif isinstance(at, _AboutToAsk):
            self._ask(row, None, side, memory, at.state, Fraction(1))
        elif is_waiting(self._graph, at):
            self._answer_inputs(row, side, memory, at)
        else:
            self._add_outcomes(row, None, side, memory, at)
        return row

    def _answer_inputs(self, row: dict[int, dict[int, Number]], side: int, memory: Memory, at: int) -> None:
        assert self._giving is not None, "inputs are received, so it must be said which may be given"
        inputs: dict[Any, int] = {}
        channel = ""
        for target, _, label in self._graph.transitions(at):
            assert label is not None
            channel = label.channel
            inputs[label.value] = target
        for choice in self._giving.choices(channel, memory):
            after = inputs[choice.right if side else choice.left]
            self._add_outcomes(row, (channel, choice.left, choice.right), side, choice.memory, after)

    def _add_outcomes(
        self,
        row: dict[int, dict[int, Number]],
        given: tuple[str, Any, Any] | None,
        side: int,
        memory: Memory,
        source: int,
    ) -> None:
        """What is seen next from a state, and where that leads."""
        position = self._position[source]
        for exit, mass in self._closure.rows[position].items():
            if self._is_question(exit):
                self._ask(row, given, side, memory, exit.state, mass)
                continue
            self._add(row, self._letter(given, self._outcome(exit)), self._expanded(side, memory, exit.state), mass)
        never = self._closure.never(position)
        if never:
            self._add(row, self._letter(given, "never"), {self._number((side, None, "never")): Fraction(1)}, never)

    def _outcome(self, exit: Exit) -> Seen:
        if exit.label != SILENT:
            label = self._graph.label_table[exit.label]
            assert label is not None
            return label
        return "halt"

    def _ask(
        self,
        row: dict[int, dict[int, Number]],
        given: tuple[str, Any, Any] | None,
        side: int,
        memory: Memory,
        waiting: int,
        mass: Number,
    ) -> None:
        """It is seen that an input is asked for, in a state that waits for it."""
        letter = self._letter(given, Asks(self._channel(waiting)))
        self._add(row, letter, {self._number((side, memory, waiting)): Fraction(1)}, mass)

    def _expanded(self, side: int, memory: Memory, state: int) -> Mixture:
        """What a start, or where a value that was shown leads to, stands for. All ended states are one.

        Where asking is always sure, one that asks next is the mixture of the states in which it asks, and no letter
        shows it; otherwise one always does, as an adversary who is asked does not see whether he had to be.
        """
        if self._graph.has_ended(state):
            return {self._number((side, None, "halt")): Fraction(1)}
        if self._asking_is_sure and self._may_ask(state):
            row = self._closure.rows[self._position[state]]
            return {self._number((side, memory, exit.state)): mass for exit, mass in row.items()}
        if is_waiting(self._graph, state):
            return {self._number((side, memory, _AboutToAsk(state))): Fraction(1)}
        return {self._number((side, memory, state)): Fraction(1)}

    def _is_asking_sure(self) -> bool:
        """Whether no start, and no state after a value that was shown, may ask next, and may do something else."""
        shown = (
            self._graph.targets[edge]
            for edge, number in enumerate(self._graph.labels)
            if (label := self._graph.label_table[number]) is not None and label.kind != "input"
        )
        return all(self._asks_surely(state) for state in {*self._graph.starts, *shown} if self._may_ask(state))

    def _may_ask(self, state: int) -> bool:
        return any(self._is_question(exit) for exit in self._closure.rows[self._position[state]])

    def _asks_surely(self, state: int) -> bool:
        row = self._closure.rows[self._position[state]]
        return all(map(self._is_question, row)) and sum(row.values(), Fraction(0)) == 1

    def _is_question(self, exit: Exit) -> bool:
        return exit.label == SILENT and is_waiting(self._graph, exit.state)

    def _channel(self, state: int) -> str:
        """What is asked for in a state that waits."""
        node = self._graph.program.nodes[self._graph.states[state][0]]
        assert isinstance(node, Receive)
        return node.channel

    def _number(self, state: _State) -> int:
        return self._numbers.setdefault(state, len(self._numbers))

    def _add(self, row: dict[int, dict[int, Number]], letter: int, targets: Mixture, mass: Number) -> None:
        entries = row.setdefault(letter, {})
        for target, weight in targets.items():
            added = mass * weight
            entries[target] = entries[target] + added if target in entries else added

    def _letter(self, given: tuple[str, Any, Any] | None, outcome: Seen) -> int:
        key = (given, outcome)
        if key not in self._letters:
            self._letters[key] = len(self._letters)
            # On the one channel that there is, a pair without an answer says by itself that another is asked for.
            tells = given is not None and isinstance(outcome, Asks) and len(self._channels) == 1
            seen = None if tells else self._outcome_name(outcome)
            pair = None if given is None else self._pair_name(*given)
            bracketed = None if pair is None else f"[{pair}]"
            self._letter_names.append(" ".join(text for text in (bracketed, seen) if text is not None))
            self._exchanges.append(Exchange(pair, seen))
            number = -1 if given is None else self._input_numbers.setdefault(given, len(self._input_numbers))
            self._letter_inputs.append(number)
            self._letter_channels.append(-1 if given is None else self._channels.index(given[0]))
        return self._letters[key]

    def _pair_name(self, channel: str, left: Any, right: Any) -> str:
        values = show(left) if left == right else f"{show(left)} | {show(right)}"
        return values if len(self._channels) == 1 else f"{values} in {channel}"

    def _outcome_name(self, outcome: Seen) -> str:
        if isinstance(outcome, Label):
            value = show(outcome.value)
            return f"return {value}" if outcome.kind == "return" and self._distinguish_returns else value
        if isinstance(outcome, Asks):
            return "asks" if len(self._channels) == 1 else f"asks for {outcome.channel}"
        return outcome

    def _has_ambiguous_letters(self) -> bool:
        """Whether something is returned that would read like another letter."""
        labels = [label for label in self._graph.label_table if label is not None]
        returned = {show(label.value) for label in labels if label.kind == "return"}
        others = {show(label.value) for label in labels if label.kind == "emit"} | {"halt", "never"}
        others |= {self._outcome_name(Asks(channel)) for channel in self._channels}
        return bool(returned & others)

    def _state_name(self, state: _State) -> str:
        side, memory, at = state
        if isinstance(at, _AboutToAsk):
            at = at.state
        name = f"({at})" if isinstance(at, str) else self._graph.show_state(at) or f"({at})"
        if self._giving is None:
            return name
        words = "" if memory is None else self._giving.name(memory)
        return f"{name} ({'right' if side else 'left'}{words and ', '}{words})"


def _channels_of(graph: TransitionGraph) -> Sequence[str]:
    """What can be asked for, in order of the program."""
    return list(dict.fromkeys(node.channel for node in graph.program.nodes if isinstance(node, Receive)))


def _sparse(entries: Mapping[int, Number]) -> SparseRow:
    """Entries as a row, columns ascending."""
    return tuple(sorted(entries.items())) if len(entries) > 1 else tuple(entries.items())


def _reaching(successors: Sequence[Iterable[int]], goals: Iterable[int]) -> set[int]:
    """The states from which a goal can be reached."""
    before: list[list[int]] = [[] for _ in successors]
    for state, targets in enumerate(successors):
        for target in targets:
            before[target].append(state)
    found = set(goals)
    pending = list(found)
    while pending:
        for state in before[pending.pop()]:
            if state not in found:
                found.add(state)
                pending.append(state)
    return found


def _longest(successors: Sequence[set[int]], final: set[int]) -> int | None:
    """The length of the longest path to final states, None where a path can go on for ever without coming there."""
    waiting = [len(targets - final) for targets in successors]
    before: list[list[int]] = [[] for _ in successors]
    for state, targets in enumerate(successors):
        for target in targets - final:
            before[target].append(state)
    length = [0 if state in final else 1 for state in range(len(successors))]
    pending = [state for state in range(len(successors)) if not waiting[state] and state not in final]
    settled = len(final)
    while pending:
        state = pending.pop()
        settled += 1
        for earlier in before[state]:
            length[earlier] = max(length[earlier], length[state] + 1)
            waiting[earlier] -= 1
            if not waiting[earlier]:
                pending.append(earlier)
    return max(length, default=0) if settled == len(successors) else None
