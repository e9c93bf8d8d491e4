"""A mechanism under adjacencies, as comparisons over one labelled system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pfl.base.diagnostics import Diagnostic, Diagnostics
from pfl.base.epsilon import Epsilon
from pfl.frontend.lower.adjacency import AppliedAdjacency, doubts, related_pairs
from pfl.frontend.lower.mechanism import Mechanisms
from pfl.frontend.lower.mechanism_system import MechanismSystem, Start
from pfl.frontend.lower.output_lengths import OfOutputs
from pfl.frontend.lower.sequential_system import GIVEN_LEFT, GIVEN_RIGHT, SequentialSystem
from pfl.ir.claims import Comparison, Lengths, Side
from pfl.ir.labelled_system import Vector
from pfl.transform.limit_outputs import Counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Every comparison that a claim about a mechanism asks for, and what the reader should be warned of.

    `whole_run` are the lengths that judge whole runs, `counted` the letters that are outputs."""

    comparisons: tuple[Comparison, ...]
    whole_run: Lengths
    counted: Counted
    warnings: tuple[Diagnostic, ...]

    @property
    def asked(self) -> OfOutputs:
        """What is asked, without the warnings."""
        return OfOutputs(comparisons=self.comparisons, counted=self.counted, whole_run=self.whole_run)


def compare_inputs(
    mechanisms: Mechanisms,
    built: MechanismSystem,
    adjacencies: Sequence[AppliedAdjacency],
    *,
    epsilon: Epsilon | None,
    one_way: bool = False,
    values_differ: bool = False,
    bindings: tuple[tuple[str, str], ...] = (),
) -> Compared:
    """All pairs of inputs that an adjacency relates, compared on what the mechanism shows.

    Of pairs that start in the same states, one is kept. Without an adjacency every input is compared with itself: what
    differs are then the values given to both runs. `values_differ` says that the two runs may receive different values.
    Raises InputRejected for an empty adjacency.
    """
    found = Diagnostics(built.warnings())
    comparisons: dict[tuple[Start, Start], Comparison] = {}
    vectors: dict[Start, Vector] = {}
    exchangeable = not one_way and built.system.inputs is None
    for left, right in _pairs(mechanisms, built, adjacencies, one_way, found):
        starts = built.left[left], built.right[right]
        if starts in comparisons or (exchangeable and starts[::-1] in comparisons):
            continue
        for start in starts:
            if start not in vectors:
                vectors[start] = built.vector(start)
        comparisons[starts] = Comparison(
            system=built.system,
            left=Side(label=_side(built, left, GIVEN_LEFT if values_differ else ""), start=vectors[starts[0]]),
            right=Side(label=_side(built, right, GIVEN_RIGHT if values_differ else ""), start=vectors[starts[1]]),
            epsilon=epsilon,
            heading="inputs",
            bindings=bindings,
            one_way=one_way,
        )
    # Inputs that start in the same states look alike whatever is claimed; a claim still needs something to be about.
    different = [comparison for (left, right), comparison in comparisons.items() if left != right]
    return Compared(
        comparisons=tuple(different or list(comparisons.values())[:1]),
        whole_run=built.whole_run,
        counted=built.counted,
        warnings=found.sorted(),
    )


def _side(built: MechanismSystem, position: int, given: str) -> str:
    """One side in words: its inputs, and which of the values that both receive are its own."""
    return ", ".join(part for part in (built.name(position), given) if part) or "any run"


def compare_sequences(
    built: SequentialSystem,
    *,
    epsilon: Epsilon | None,
    one_way: bool = False,
    bindings: tuple[tuple[str, str], ...] = (),
) -> Compared:
    """The two runs that are given adjacent arrays, for each pair of the other inputs."""
    comparisons: dict[tuple[Start, Start], Comparison] = {}
    exchangeable = not one_way and not built.gives_elements
    for left, right, left_name, right_name in built.pairs:
        if exchangeable and (right, left) in comparisons:
            continue
        comparisons[left, right] = Comparison(
            system=built.system,
            left=Side(label=left_name, start=built.system.vector(left)),
            right=Side(label=right_name, start=built.system.vector(right)),
            epsilon=epsilon,
            heading="inputs",
            bindings=bindings,
            one_way=one_way,
        )
    found = Diagnostics(warning for warning in (built.endless, None if one_way else built.one_sided) if warning)
    return Compared(
        comparisons=tuple(comparisons.values()),
        whole_run=built.whole_run,
        counted=built.counted,
        warnings=found.sorted(),
    )


def _pairs(
    mechanisms: Mechanisms,
    built: MechanismSystem,
    adjacencies: Sequence[AppliedAdjacency],
    one_way: bool,
    found: Diagnostics,
) -> list[tuple[int, int]]:
    """Positions of inputs to compare, each pair once; both directions of a pair are checked unless `one_way`."""
    if not adjacencies:
        return [(position, position) for position in range(len(built.inputs))]
    kept: dict[tuple[int, int], None] = {}
    for adjacency in adjacencies:
        pairs = related_pairs(
            mechanisms.program, mechanisms.compiler, adjacency, built.inputs, built.subject, mechanisms.budget
        )
        found.extend(doubts(adjacency, pairs, built.name, one_way=one_way))
        kept.update(dict.fromkeys(pairs.unordered if built.mirrored and not one_way else pairs.ordered))
    return list(kept)
