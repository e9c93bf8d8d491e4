"""Claims that an examiner cannot tell two runs of an automaton apart whose inputs differ in one data point."""

from __future__ import annotations

from typing import Literal

from pfl.frontend.ast import Name
from pfl.frontend.lower.automata import Automaton, automaton_of, warn_of_silence
from pfl.frontend.lower.automaton_errors import no_data_points
from pfl.frontend.lower.comparing import delta_of, epsilon_of, lengths_of
from pfl.frontend.lower.request import Request, Setting
from pfl.ir.claims import Comparison, Indistinguishability, Side
from pfl.ir.interactive import Adjacency
from pfl.ir.labelled_system import LabelledSystem
from pfl.transform.two_runs import side_by_side, starts, two_runs

ADJACENCY_NOTES: dict[Adjacency, str] = {
    "insert": "adjacent insert: one run gets one data point more; n points cost n times as much",
    "replace": "adjacent replace: one data point is exchanged in place; n points cost n times as much",
}
_LABELS: dict[Adjacency, tuple[str, str]] = {
    "insert": ("with the extra point", "without it"),
    "replace": ("with the first point", "with the second point"),
}


def noninterference(request: Request, goal: Literal["check", "epsilon", "delta"]) -> Indistinguishability:
    """The comparisons of `check noninterference`, `compute epsilon` and `compute delta` on an automaton.

    Without `length` for any number of inputs; a length counts those of the longer run. Raises InputRejected and
    LimitReached.
    """
    settings = list(request.settings())
    comparisons: list[Comparison] = []
    skipped: list[str] = []
    systems: dict[tuple[Automaton, Adjacency], LabelledSystem] = {}
    for setting in settings:
        automaton = automaton_of(request, setting)
        warn_of_silence(request, automaton)
        if automaton.program is not None:
            request.programs.append(automaton.program)
        for adjacency in adjacencies(request):
            compared = _compared(request, setting, automaton, adjacency, systems, skipped)
            if compared is not None:
                comparisons.append(compared)
    request.notes.extend(ADJACENCY_NOTES[adjacency] for adjacency in adjacencies(request))
    lengths = lengths_of(request, settings)
    return Indistinguishability(
        goal=goal,
        comparisons=tuple(comparisons),
        lengths="any" if lengths is None else lengths,
        delta=None if goal == "delta" else delta_of(request, settings),
        parameters=request.session.values.space,
        unit="input",
        skipped=tuple(skipped),
    )


def adjacencies(request: Request) -> tuple[Adjacency, ...]:
    """What the `adjacent` clauses say, `insert` where there is none."""
    given: dict[Adjacency, None] = {}
    for clause in request.clauses("adjacent"):
        assert isinstance(clause.value, Name)
        given["replace" if clause.value.text == "replace" else "insert"] = None
    return tuple(given) or ("insert",)


def _compared(
    request: Request,
    setting: Setting,
    automaton: Automaton,
    adjacency: Adjacency,
    systems: dict[tuple[Automaton, Adjacency], LabelledSystem],
    skipped: list[str],
) -> Comparison | None:
    """The two runs of one automaton; None, with a warning, where it has no data points that could differ."""
    runs = two_runs(automaton.system, adjacency)
    if not runs.extras:
        warning = no_data_points(automaton.declaration, request.claim.span, wants=1 if adjacency == "insert" else 2)
        request.session.found.add(warning)
        skipped.append(warning.message)
        return None
    if (automaton, adjacency) not in systems:
        systems[automaton, adjacency] = side_by_side(runs)
    (left, right), (first, second) = starts(runs), _LABELS[adjacency]
    return Comparison(
        system=systems[automaton, adjacency],
        left=Side(label=first, start=left),
        right=Side(label=second, start=right),
        epsilon=epsilon_of(request, setting),
        heading="runs",
        bindings=setting.bindings,
        runs=runs,
    )
