"""The labelled system of a mechanism that is given its arrays element by element, under one adjacency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.lower.adjacency import AppliedAdjacency, Inputs, all_inputs, inputs_text
from pfl.frontend.lower.adjacency_errors import empty_adjacency, not_symmetric
from pfl.frontend.lower.mechanism import MechanismProgram, Mechanisms, subject_of
from pfl.frontend.lower.mechanism_system import MOST_INPUTS, Start
from pfl.frontend.lower.sequential_pairs import SequentialPairs, sequential_pairs
from pfl.frontend.system_parameters import input_parameters
from pfl.ir.claims import Lengths
from pfl.ir.labelled_system import LabelledSystem
from pfl.ir.parameters import Condition
from pfl.ir.program import Program
from pfl.ir.values import Value
from pfl.transform.labelled import Giving, labelled
from pfl.transform.lump import lump


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SequentialSystem:
    """What a mechanism shows to an adversary who gives two runs the elements of adjacent arrays, turn by turn.

    `pairs` has, for each pair of the other inputs, how the two runs start and what they are called. `counts_alike` says
    that a word has as many letters as values are shown; otherwise only whole runs can be judged.
    """

    program: Program
    system: LabelledSystem
    pairs: tuple[tuple[Start, Start, str, str], ...]
    whole_run: Lengths
    counts_alike: bool
    nonzero: tuple[Condition, ...]
    one_sided: Diagnostic | None


def sequential_system(
    mechanisms: Mechanisms, declaration: MechanismDecl, given: Sequence[Value], adjacency: AppliedAdjacency
) -> SequentialSystem | None:
    """The system of a mechanism under an adjacency; None where giving elements one by one would ask another question.

    Raises InputRejected for an empty adjacency and for faults of the model, LimitReached for too many states.
    """
    lowered = mechanisms.sequential_program_of(declaration, given)
    if lowered is None or lowered.loop is None:
        return None
    program, subject = mechanisms.program, subject_of(declaration, given)
    bound = mechanisms.bound(declaration, given)
    others = all_inputs(program, bound, lowered.inputs, subject, min(mechanisms.budget.max_states, MOST_INPUTS))
    parameters = input_parameters(program.target, declaration)
    pairs = sequential_pairs(
        program, mechanisms.compiler, adjacency, lowered.loop, parameters, others, mechanisms.budget
    )
    if pairs is None:
        return None
    if not pairs.differ:
        raise InputRejected([empty_adjacency(adjacency.declaration, subject, adjacency.place)])
    return _built(mechanisms, lowered, others, pairs, adjacency)


def _built(
    mechanisms: Mechanisms,
    lowered: MechanismProgram,
    others: Sequence[Inputs],
    pairs: SequentialPairs,
    adjacency: AppliedAdjacency,
) -> SequentialSystem | None:
    graph = mechanisms.graph(lowered, others)

    def name(position: int) -> str:
        return inputs_text(lowered.inputs, others[position])

    giving = Giving(
        choices=lambda _channel, memory: pairs.choices[memory] if isinstance(memory, int) else (),
        name=lambda memory: f"pairs {memory}",
    )
    starts = [(graph.starts[side], memory) for left, right, memory in pairs.starts for side in (left, right)]
    found = labelled(graph, mechanisms.budget, giving, starts)
    if any(found.may_never_end):
        return None  # when a run is lost would be seen, and is not
    merged = lump(found.system, mechanisms.budget)
    assert lowered.loop is not None
    one_sided = pairs.one_sided()
    return SequentialSystem(
        program=lowered.program,
        system=merged.system,
        pairs=tuple(
            (
                merged.start(found.left[2 * position]),
                merged.start(found.right[2 * position + 1]),
                name(left) or "left run",
                name(right) or "right run",
            )
            for position, (left, right, _) in enumerate(pairs.starts)
        ),
        whole_run="any" if found.longest is None else (found.longest,),
        counts_alike=lowered.loop.shows_each_turn and not found.asks,
        nonzero=mechanisms.nonzero(found.nonzero, lowered.program.name),
        one_sided=None
        if one_sided is None
        else not_symmetric(adjacency.declaration, *(name(side) or "some inputs" for side in one_sided)),
    )
