"""The labelled system of a mechanism on all its inputs, built once for all claims that need it.

Lengths of claims about mechanisms: a length counts outputs, and letters that show none do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, InputRejected, LimitReached
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.lower.claim_errors import endless_runs
from pfl.lower.mechanism.adjacency import (
    AppliedAdjacency,
    Inputs,
    all_inputs,
    all_pairs_of_inputs,
    empty_adjacency,
    inputs_text,
    relation,
)
from pfl.lower.mechanism.mechanism import MechanismProgram, Mechanisms, subject_of
from pfl.model.compare import WHOLE_RUN, Compare, Lengths, Table, joined
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.parameters import ParameterSpace
from pfl.model.program import Receive
from pfl.model.values import Value
from pfl.passes.labelled import GivenPair, Giving, Memory, labelled
from pfl.passes.limits import Counted, LimitedOutputs, limit_outputs
from pfl.passes.lump import lump
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.typecheck.bindings import input_parameters

Start: TypeAlias = tuple[tuple[int, Number], ...]
"""States of the system where a run starts, in order, with their probabilities."""

NamedStarts: TypeAlias = tuple[Start, Start, str, str]
"""Where two runs start, and what each is called."""


@struct
class ReceivedPairs:
    """`received R at most k;`: the pairs that the adversary may give; `adjacency` None stands for equal values, and
    `limit` None for any number of pairs that differ."""

    adjacency: AppliedAdjacency | None = None
    limit: int | None = None


FEW_INPUTS = 100
"""With no more inputs than this, pairs of them are gone through one by one."""

EQUAL_VALUES = ReceivedPairs()
"""Both runs are given the same."""


@struct(eq=False)
class MechanismSystem:
    """What a mechanism with its given parameters shows, for each of its inputs.

    `left[i]` and `right[i]` are where input i starts, as either of two runs that are compared; they are the same unless
    the adversary gives values to both. `mirrored` says that the two runs may be exchanged. `whole_run` are the
    lengths that judge whole runs: one by which every run has ended, else every length. `counted` says which letters are
    outputs. `endless` is an input from which
    a run may have no end, None if there is none. `tells_reals` as of a graph: letters stand for real numbers.
    """

    subject: str
    lowered: MechanismProgram
    inputs: tuple[Inputs, ...]
    system: LabelledSystem
    left: tuple[Start, ...]
    right: tuple[Start, ...]
    mirrored: bool
    whole_run: Lengths
    counted: Counted
    endless: int | None
    tells_reals: bool = False

    def name(self, position: int) -> str:
        """An input in the model's words: `q = [1, 0]`."""
        return inputs_text(self.lowered.inputs, self.inputs[position])

    def warnings(self) -> tuple[Diagnostic, ...]:
        """That runs may have no end, if so."""
        if self.endless is None:
            return ()
        return (endless_runs(self.lowered.declaration, self.name(self.endless), is_compared=True),)

    def mixed(self, weights: Mapping[Inputs, Number]) -> Vector:
        """Inputs with weights as one start; shape |S|."""
        position = {inputs: place for place, inputs in enumerate(self.inputs)}
        shares = (
            (state, weight * share)
            for inputs, weight in weights.items()
            for state, share in self.left[position[inputs]]
        )
        return self.system.vector(summed(shares).items())

    def vector(self, start: Start) -> Vector:
        """A start as a vector; shape |S|."""
        return self.system.vector(start)


@struct(eq=False)
class _Built:
    """A system, and whether it is right for as many outputs alone as were asked about."""

    system: Divided[MechanismSystem]
    is_cut: bool


class MechanismSystems:
    """The systems of the mechanisms of a program, each built when it is first asked for."""

    def __init__(self, mechanisms: Mechanisms) -> None:
        self.mechanisms = mechanisms
        self._built: dict[object, Divided[MechanismSystem]] = {}

    def system_of(
        self,
        declaration: MechanismDecl,
        given: Sequence[Value],
        received: ReceivedPairs = EQUAL_VALUES,
        outputs: int | None = None,
    ) -> Divided[MechanismSystem]:
        """All inputs explored together, silent steps closed, states that no word tells apart merged. No more than so
        many `outputs` are asked about, if that is said.

        Raises InputRejected for faults of the model, and LimitReached for too many inputs or states.
        """
        adjacency = received.adjacency
        related_by = None if adjacency is None else (id(adjacency.declaration), adjacency.given)
        key: tuple[object, ...] = (id(declaration), tuple(given), related_by, received.limit)
        whole = key
        if key not in self._built and outputs is not None:
            key = (*key, outputs)
        if key not in self._built:
            bound, parameters = self.mechanisms.bound(declaration, given), self._inputs_of(declaration)
            subject = subject_of(declaration, given)
            inputs = all_pairs_of_inputs(self.mechanisms.program, bound, parameters, subject, self.mechanisms.budget)
            built = self._build(declaration, given, inputs, received, outputs)
            key = key if built.is_cut else whole
            self._built[key] = built.system
        return self._built[key]

    def system_on(
        self,
        declaration: MechanismDecl,
        given: Sequence[Value],
        inputs: tuple[Inputs, ...],
        outputs: int | None = None,
    ) -> Divided[MechanismSystem]:
        """The same on some inputs alone, nothing being received but equal values."""
        return self._build(declaration, given, inputs, EQUAL_VALUES, outputs).system

    def _inputs_of(self, declaration: MechanismDecl) -> tuple[Parameter, ...]:
        return input_parameters(self.mechanisms.program.target, declaration)

    def has_few_inputs(self, declaration: MechanismDecl, given: Sequence[Value]) -> bool:
        """Whether a mechanism has so few inputs that all pairs of them are looked at without further thought."""
        bound, parameters = self.mechanisms.bound(declaration, given), self._inputs_of(declaration)
        try:
            all_inputs(self.mechanisms.program, bound, parameters, declaration.name.text, FEW_INPUTS)
        except LimitReached:
            return False
        return True

    def _build(
        self,
        declaration: MechanismDecl,
        given: Sequence[Value],
        inputs: tuple[Inputs, ...],
        received: ReceivedPairs,
        outputs: int | None,
    ) -> _Built:
        budget, subject = self.mechanisms.budget, subject_of(declaration, given)
        lowered = self.mechanisms.program_of(declaration, given)
        graph = self.mechanisms.graph(lowered, inputs, outputs=outputs)
        pairs = self._pairs(lowered, received, subject)
        memory = None if received.limit is None else 0
        starts = [(start, memory) for start in graph.starts]
        divisors = Divisors()
        giving = _giving(pairs, received.limit) if pairs else None
        found = labelled(graph, budget, giving, starts).noting(divisors)
        merged = lump(found.system, budget)
        endless = (position for position, may in enumerate(found.may_never_end) if may)
        built = MechanismSystem(
            subject=subject,
            lowered=lowered,
            inputs=inputs,
            system=merged.system,
            left=tuple(map(merged.start, found.left)),
            right=tuple(map(merged.start, found.right)),
            mirrored=_symmetric(pairs),
            whole_run=found.whole_run,
            counted=found.counted,
            endless=next(endless, None),
            tells_reals=graph.tells_reals,
        )
        return _Built(system=divisors.of(built), is_cut=graph.is_cut)

    def _pairs(
        self, lowered: MechanismProgram, received: ReceivedPairs, subject: str
    ) -> Mapping[str, tuple[tuple[Value, Value], ...]]:
        """The pairs that may be given on every channel."""
        receives = [node for node in lowered.program.nodes if isinstance(node, Receive)]
        return {node.channel: self._pairs_of(node, received, subject) for node in receives}

    def _pairs_of(self, node: Receive, received: ReceivedPairs, subject: str) -> tuple[tuple[Value, Value], ...]:
        adjacency = received.adjacency
        equal: list[tuple[Value, Value]] = [(value, value) for value in node.values]
        if adjacency is None:
            return tuple(equal)
        related = relation(self.mechanisms.program, self.mechanisms.compiler, adjacency)
        written = [(a, b) for a in node.values for b in node.values if related((a,), (b,))]
        if not written:
            raise InputRejected([empty_adjacency(adjacency.declaration, subject, adjacency.place)])
        # With a limit, a pair that does not differ is one of equal values; without one, R alone says what may be given.
        return tuple(written) if received.limit is None else tuple(dict.fromkeys([*equal, *written]))


def _giving(pairs: Mapping[str, Sequence[tuple[Value, Value]]], limit: int | None) -> Giving:
    """Pairs of which at most `limit` differ in a run; the memory is how many have differed, None without a limit."""

    def choices(channel: str, memory: Memory) -> list[GivenPair]:
        if not isinstance(memory, int) or limit is None:
            return [GivenPair(left, right) for left, right in pairs[channel]]
        counted = [(left, right, memory + (left != right)) for left, right in pairs[channel]]
        return [GivenPair(left, right, count) for left, right, count in counted if count <= limit]

    return Giving(choices=choices, name=lambda memory: f"{memory} differing")


def _symmetric(pairs: Mapping[str, Sequence[tuple[Value, Value]]]) -> bool:
    return all((right, left) in held for held in pairs.values() for left, right in held)


@struct
class OutputTable:
    """Runs of one mechanism that are compared; `counted` says which letters show outputs, `whole_run` the lengths in
    letters that judge whole runs. `warnings` are what the reader should be told of the mechanism, or of its pairs."""

    table: Table
    counted: Counted
    whole_run: Lengths
    warnings: tuple[Diagnostic, ...] = ()


def question_of_outputs(
    parts: Sequence[OutputTable],
    *,
    goal: Literal["check", "epsilon", "delta"],
    lengths: Lengths | None,
    delta: Number | None,
    parameters: ParameterSpace,
    skipped: tuple[str, ...] = (),
    budget: Budget,
) -> Compare:
    """What a claim about mechanisms asks, on its lengths in outputs; on whole runs where it has none.

    Where every letter is an output, words of so many letters are judged. Otherwise the systems count the outputs, and
    a check is judged at its longest length, since there most is seen. Raises LimitReached.
    """
    question = Compare(
        goal=goal,
        tables=joined(part.table for part in parts),
        lengths=whole_runs([part.whole_run for part in parts]) if lengths is None else lengths,
        delta=delta,
        parameters=parameters,
        unit="output",
        skipped=skipped,
    )
    if not any(part.counted.without_output for part in parts) or lengths == "any":
        return question
    if lengths is None:
        return replace(question, unit=WHOLE_RUN)
    asked = sorted(set(lengths))[-1:] if goal == "check" else sorted(set(lengths))
    systems = _systems(parts, asked, budget)
    at = [
        replace(
            question,
            tables=tuple(_limited(table, systems[table.system], outputs) for table in question.tables),
            lengths=whole_runs([limit.longest for limit in systems.values()]),
            stated=(outputs,),
        )
        for outputs in asked
    ]
    return replace(at[-1], stated=lengths if goal == "check" else tuple(asked), shorter=tuple(at[:-1]))


def whole_runs(parts: Sequence[Lengths]) -> Lengths:
    """One length by which every run of every part has ended, if there is one: a run that has ended says no more."""
    longest = 0
    for lengths in parts:
        if lengths == "any":
            return "any"
        longest = max(longest, *lengths)
    return (longest,)


def _systems(
    parts: Sequence[OutputTable], lengths: Sequence[int], budget: Budget
) -> Mapping[LabelledSystem, LimitedOutputs]:
    """Every system with its outputs counted, once for all comparisons that share it."""
    counted = {part.table.system: part.counted for part in parts}
    found = {}
    for system, letters in counted.items():
        tables = [part.table for part in parts if part.table.system is system]
        starts = [(side.vector, length) for table in tables for side in table.sides for length in lengths]
        found[system] = limit_outputs(system, letters, starts, budget)
    return found


def _limited(table: Table, limit: LimitedOutputs, outputs: int) -> Table:
    sides = (replace(side, vector=limit.start(side.vector, outputs)) for side in table.sides)
    return replace(table, compared=limit.system, sides=tuple(sides))
