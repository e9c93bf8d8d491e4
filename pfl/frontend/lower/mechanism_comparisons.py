"""A mechanism under an adjacency, as comparisons over one labelled system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pfl.base.diagnostics import Diagnostic, Diagnostics, InputRejected
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.frontend.ast_declarations import MechanismDecl
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.lower.adjacency import (
    AppliedAdjacency,
    Pairs,
    all_inputs,
    asymmetry,
    inputs_text,
    related_pairs,
    relation,
)
from pfl.frontend.lower.adjacency_errors import empty_adjacency, never_ends
from pfl.frontend.lower.mechanism import MechanismProgram, Mechanisms, nonzero_conditions, subject_of
from pfl.frontend.system_parameters import given_parameters
from pfl.ir.claims import Comparison, Lengths, Side
from pfl.ir.labelled_system import Vector
from pfl.ir.program import Receive
from pfl.ir.values import Value
from pfl.transform.labelled import Choice, Labelled, labelled
from pfl.transform.lump import lump


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedPairs:
    """`received R at most k;`: the pairs that the adversary may give; `adjacency` None stands for equal values, and
    `limit` None for any number of pairs that differ."""

    adjacency: AppliedAdjacency | None = None
    limit: int | None = None


_Start: TypeAlias = tuple[tuple[int, Number], ...]
"""The states of the merged system where a run starts, with their probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """What a claim about a mechanism asks: every comparison, over one system.

    `whole_run` are the lengths that judge whole runs: one length by which every run has ended, else every length.
    `notes` are facts for the verdict, `warnings` diagnostics.
    """

    comparisons: tuple[Comparison, ...]
    whole_run: Lengths
    notes: tuple[str, ...]
    warnings: tuple[Diagnostic, ...]


def compare_inputs(
    mechanisms: Mechanisms,
    declaration: MechanismDecl,
    given: Sequence[Value],
    adjacencies: Sequence[AppliedAdjacency],
    *,
    epsilon: Epsilon | None,
    received: ReceivedPairs = ReceivedPairs(),
    one_way: bool = False,
    bindings: tuple[tuple[str, str], ...] = (),
) -> Compared:
    """All pairs of inputs that an adjacency relates, compared on what the mechanism shows.

    `given` are the values of the given parameters. All inputs are explored together, states that no word tells apart
    are merged, and of pairs that then coincide one is kept. Without inputs, the run is compared with itself, the
    received values being what differs. Raises InputRejected for an empty adjacency and for faults of the model, and
    LimitReached for too many inputs or states.
    """
    return _Comparing(mechanisms, declaration, given, received).run(adjacencies, epsilon, one_way, bindings)


class _Comparing:
    """One mechanism with its given parameters, on all its inputs."""

    def __init__(
        self, mechanisms: Mechanisms, declaration: MechanismDecl, given: Sequence[Value], received: ReceivedPairs
    ) -> None:
        self._mechanisms = mechanisms
        self._declaration = declaration
        self._subject = subject_of(declaration, given)
        self._found = Diagnostics()
        self._lowered: MechanismProgram = mechanisms.program_of(declaration, given)
        self._compiler = self._bound(given)
        limit = mechanisms.budget.max_states
        self._inputs = all_inputs(mechanisms.program, self._compiler, self._lowered.inputs, self._subject, limit)
        graph = mechanisms.graph(self._lowered, self._inputs)
        choices, self._choices_symmetric = self._choices(received)
        self._labelled: Labelled = labelled(graph, mechanisms.budget, choices, received.limit)
        self._lumping = lump(self._labelled.system, mechanisms.budget)
        self._left = [self._lumping.start(start) for start in self._labelled.left]
        self._right = [self._lumping.start(start) for start in self._labelled.right]
        self._vectors: dict[_Start, Vector] = {}

    def run(
        self,
        adjacencies: Sequence[AppliedAdjacency],
        epsilon: Epsilon | None,
        one_way: bool,
        bindings: tuple[tuple[str, str], ...],
    ) -> Compared:
        comparisons: dict[tuple[_Start, _Start], Comparison] = {}
        nonzero = nonzero_conditions(self._labelled.nonzero, self._subject)
        for left, right in self._pairs(adjacencies, one_way):
            key = self._left[left], self._right[right]
            mirrored = (key[1], key[0]) in comparisons and self._may_mirror and not one_way
            if key in comparisons or mirrored:
                continue
            comparisons[key] = Comparison(
                system=self._lumping.system,
                left=Side(label=self._name(left) or "left run", start=self._vector(key[0])),
                right=Side(label=self._name(right) or "right run", start=self._vector(key[1])),
                epsilon=epsilon,
                heading="inputs",
                bindings=bindings,
                one_way=one_way,
                nonzero=nonzero,
            )
        self._warn_of_endless_runs()
        kept = [pair for (left, right), pair in comparisons.items() if left != right]
        longest = self._labelled.longest
        return Compared(
            comparisons=tuple(kept or list(comparisons.values())[:1]),
            whole_run="any" if longest is None else (longest,),
            notes=tuple(f"adjacency {adjacency.declaration.name.text}" for adjacency in adjacencies),
            warnings=self._found.sorted(),
        )

    @property
    def _may_mirror(self) -> bool:
        """Whether both sides move alike, so that a pair stands for its reverse too."""
        return self._labelled.system.inputs is None

    def _pairs(self, adjacencies: Sequence[AppliedAdjacency], one_way: bool) -> list[tuple[int, int]]:
        if not adjacencies:
            return [(position, position) for position in range(len(self._inputs))]
        found: dict[tuple[int, int], None] = {}
        for adjacency in adjacencies:
            pairs = self._related(adjacency)
            if one_way:
                found.update(dict.fromkeys(pairs.ordered))
                continue
            self._found.extend(asymmetry(adjacency, pairs, self._name))
            found.update(dict.fromkeys(pairs.unordered if self._choices_symmetric else pairs.ordered))
        return list(found)

    def _related(self, adjacency: AppliedAdjacency) -> Pairs:
        return related_pairs(
            self._mechanisms.program,
            self._mechanisms.compiler,
            adjacency,
            self._inputs,
            self._subject,
            self._mechanisms.budget,
        )

    def _choices(self, received: ReceivedPairs) -> tuple[Mapping[str, Sequence[Choice]], bool]:
        """The pairs of every channel, and whether they are symmetric."""
        receives = [node for node in self._lowered.program.nodes if isinstance(node, Receive)]
        adjacency = received.adjacency
        choices: dict[str, list[Choice]] = {}
        for node in receives:
            pairs: list[tuple[Value, Value]] = [(value, value) for value in node.values]
            if adjacency is not None:
                related = relation(self._mechanisms.program, self._mechanisms.compiler, adjacency)
                written = [(a, b) for a in node.values for b in node.values if related((a,), (b,))]
                if not written:
                    raise InputRejected([empty_adjacency(adjacency.declaration, self._subject, adjacency.place)])
                # With a limit, what does not differ by R is equal; without one, R alone says what may be given.
                pairs = written if received.limit is None else list(dict.fromkeys([*pairs, *written]))
            choices[node.channel] = [Choice(a, b, a != b) for a, b in pairs]
        written_pairs = {(channel, choice.left, choice.right) for channel, held in choices.items() for choice in held}
        symmetric = all((channel, right, left) in written_pairs for channel, left, right in written_pairs)
        return choices, symmetric

    def _bound(self, given: Sequence[Value]) -> Compiler:
        program = self._mechanisms.program
        fixed = given_parameters(program.target, self._declaration)
        return self._mechanisms.compiler.bind(
            {program.local(parameter.name): value for parameter, value in zip(fixed, given)}
        )

    def _vector(self, start: _Start) -> Vector:
        """The start as a vector; comparisons share equal ones."""
        if start not in self._vectors:
            self._vectors[start] = self._lumping.system.vector(start)
        return self._vectors[start]

    def _name(self, position: int) -> str:
        return inputs_text(self._lowered.inputs, self._inputs[position])

    def _warn_of_endless_runs(self) -> None:
        endless = [position for position, may in enumerate(self._labelled.may_never_end) if may]
        if endless:
            self._found.add(never_ends(self._declaration, self._name(endless[0])))
