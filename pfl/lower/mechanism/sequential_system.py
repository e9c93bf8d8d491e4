"""The labelled system of a mechanism that is given its arrays element by element, under one adjacency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pfl.base.diagnostics import Diagnostic, InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number, summed
from pfl.base.struct import struct
from pfl.lower.claim_errors import endless_runs
from pfl.lower.mechanism.adjacency import (
    AppliedAdjacency,
    Inputs,
    all_pairs_of_inputs,
    bound_to,
    empty_adjacency,
    inputs_text,
    no_neighbour,
    not_symmetric,
)
from pfl.lower.mechanism.adjacency_sides import left_out, sides_of
from pfl.lower.mechanism.mechanism import MechanismProgram, Mechanisms, subject_of
from pfl.lower.mechanism.mechanism_system import NamedStarts, Start
from pfl.lower.mechanism.sequential_pairs import SequentialPairs, assembled, sequential_pairs
from pfl.lower.mechanism.sequential_runs import Distribution, RunPair, run_pairs
from pfl.model.compare import Lengths
from pfl.model.labelled_system import LabelledSystem
from pfl.model.noise import InputMeanwhile
from pfl.model.program import Program
from pfl.model.transition_graph import TransitionGraph
from pfl.model.values import Value
from pfl.passes.about_to_show import about_to_show
from pfl.passes.labelled import Giving, labelled
from pfl.passes.limits import Counted
from pfl.passes.lump import lump
from pfl.programs.sequential import SequentialLoop
from pfl.syntax.tree.ast_declarations import MechanismDecl, Parameter
from pfl.typecheck.bindings import input_parameters

GIVEN_LEFT, GIVEN_RIGHT = "a of each [a | b]", "b of each [a | b]"
"""What the two runs are given, where letters tell both values: `[2 | 1] bot`."""


@struct
class Doubts:
    """Warnings that an adjacency is `one_sided`, and that it leaves inputs out."""

    one_sided: Diagnostic | None
    left_out: Diagnostic | None


@struct(eq=False)
class SequentialSystem:
    """What a mechanism shows of adjacent arrays that are given to two runs element by element.

    If the adversary `gives_elements`, they are part of the letters. Otherwise nothing is shown before they are all
    given, and the system is that of what follows. `pairs` has how the two runs start and what they are called, for each
    pair of the other inputs, or for each pair of distributions that the elements lead to. `counted` says which letters
    are outputs.
    """

    program: Program
    system: LabelledSystem
    pairs: tuple[NamedStarts, ...]
    whole_run: Lengths
    gives_elements: bool
    counted: Counted
    doubts: Doubts
    endless: Diagnostic | None


def sequential_system(
    mechanisms: Mechanisms, declaration: MechanismDecl, given: Sequence[Value], adjacency: AppliedAdjacency
) -> Divided[SequentialSystem] | None:
    """The system of a mechanism under an adjacency; None where giving elements one by one would ask another question.

    Raises InputRejected for an empty adjacency and for faults of the model, LimitReached for too many states.
    """
    lowered = mechanisms.sequential_program_of(declaration, given)
    if lowered is None or lowered.loop is None:
        return None
    program, subject = mechanisms.program, subject_of(declaration, given)
    bound = mechanisms.bound(declaration, given)
    others = all_pairs_of_inputs(program, bound, lowered.inputs, subject, mechanisms.budget)
    parameters = input_parameters(program.target, declaration)
    pairs = sequential_pairs(
        program, mechanisms.compiler, adjacency, lowered.loop, parameters, others, mechanisms.budget
    )
    if pairs is None:
        return None
    if not pairs.differ:
        raise InputRejected([empty_adjacency(adjacency.declaration, subject, adjacency.place)])
    return _built(mechanisms, lowered, parameters, others, pairs, adjacency)


def _after_all_elements(
    mechanisms: Mechanisms,
    lowered: MechanismProgram,
    parameters: Sequence[Parameter],
    others: Sequence[Inputs],
    graph: TransitionGraph,
    found: Sequence[RunPair],
    doubts: Doubts,
    divisors: Divisors,
) -> SequentialSystem:
    """The system of what is shown after the last element, and each pair of distributions that it starts from."""
    loop = lowered.loop
    assert loop is not None
    after = sorted({state for pair in found for distribution in (pair.left, pair.right) for state, _ in distribution})
    shown = labelled(graph, mechanisms.budget, starts=[(state, None) for state in after]).noting(divisors)
    begun = dict(zip(after, shown.left))
    distributions = list(dict.fromkeys(distribution for pair in found for distribution in (pair.left, pair.right)))
    system, starts_of = about_to_show(shown.system, [_mixed(distribution, begun) for distribution in distributions])
    merged = lump(system, mechanisms.budget)
    start = {distribution: merged.start(moved) for distribution, moved in zip(distributions, starts_of)}

    def name(pair: RunPair, side: int) -> str:
        given = [turn[side] for turn in pair.given]
        return inputs_text(parameters, assembled(loop, parameters, others[pair.others[side]], given))

    # Runs with equal starts look alike whatever is claimed; a claim still needs something to be about.
    different = [pair for pair in found if start[pair.left] != start[pair.right]]
    kept: dict[tuple[Start, Start], RunPair] = {}
    for pair in different or found[:1]:
        kept.setdefault((start[pair.left], start[pair.right]), pair)
    return SequentialSystem(
        program=lowered.program,
        system=merged.system,
        pairs=tuple((left, right, name(pair, 0), name(pair, 1)) for (left, right), pair in kept.items()),
        whole_run=shown.whole_run,
        gives_elements=False,
        counted=shown.counted,
        doubts=doubts,
        endless=endless_runs(lowered.declaration, "", is_compared=True) if any(shown.may_never_end) else None,
    )


def _mixed(distribution: Distribution, begun: Mapping[int, Mapping[int, Number]]) -> dict[int, Number]:
    """States of the graph with weights, as states of the system with weights."""
    return summed((reached, mass * share) for state, mass in distribution for reached, share in begun[state].items())


def _built(
    mechanisms: Mechanisms,
    lowered: MechanismProgram,
    parameters: Sequence[Parameter],
    others: Sequence[Inputs],
    pairs: SequentialPairs,
    adjacency: AppliedAdjacency,
) -> Divided[SequentialSystem] | None:
    try:
        graph = mechanisms.graph(lowered, others)
    except InputMeanwhile:
        return None  # samples are held from one element to the next
    loop = lowered.loop
    assert loop is not None

    def name(position: int, given: str = "") -> str:
        return ", ".join(filter(None, (inputs_text(lowered.inputs, others[position]), given)))

    asymmetry = pairs.one_sided()
    doubts = Doubts(
        one_sided=None
        if asymmetry is None
        else not_symmetric(adjacency.declaration, *(name(side) or "some inputs" for side in asymmetry)),
        left_out=_left_out(mechanisms, loop, parameters, others, adjacency),
    )
    divisors = Divisors()
    if not loop.shows_each_turn:
        runs = run_pairs(graph, pairs, len(loop.order), mechanisms.budget).noting(divisors)
        if runs is not None:
            return divisors.of(
                _after_all_elements(mechanisms, lowered, parameters, others, graph, runs, doubts, divisors)
            )
    giving = Giving(
        choices=lambda _channel, memory: pairs.choices[memory] if isinstance(memory, int) else (),
        name=lambda memory: f"pairs {memory}",
    )
    starts = [(graph.starts[side], memory) for left, right, memory in pairs.starts for side in (left, right)]
    found = labelled(graph, mechanisms.budget, giving, starts).noting(divisors)
    if any(found.may_never_end):
        return None  # when a run is lost would be seen, and is not
    merged = lump(found.system, mechanisms.budget)
    kept: dict[tuple[Start, Start], tuple[str, str]] = {}
    for position, (left, right, _) in enumerate(pairs.starts):
        begun = merged.start(found.left[2 * position]), merged.start(found.right[2 * position + 1])
        kept[begun] = name(left, GIVEN_LEFT), name(right, GIVEN_RIGHT)
    built = SequentialSystem(
        program=lowered.program,
        system=merged.system,
        pairs=tuple((*starts, *names) for starts, names in kept.items()),
        whole_run=found.whole_run,
        gives_elements=True,
        counted=found.counted,
        doubts=doubts,
        endless=None,
    )
    return divisors.of(built)


def _left_out(
    mechanisms: Mechanisms,
    loop: SequentialLoop,
    parameters: Sequence[Parameter],
    others: Sequence[Inputs],
    adjacency: AppliedAdjacency,
) -> Diagnostic | None:
    sides = sides_of(
        bound_to(mechanisms.program, mechanisms.compiler, adjacency),
        input_parameters(mechanisms.program.target, adjacency.declaration),
    )
    found = None if sides is None else left_out(sides, loop, parameters, others)
    if found is None:
        return None
    return no_neighbour(adjacency.declaration, inputs_text(parameters, found.first), found.count, adjacency.place)
