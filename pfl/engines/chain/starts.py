"""The systems and chains that a claim is about, each with what it is started from; for those who draw or run them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from pfl.base.struct import struct
from pfl.model.claims import Case, Claim, Question, Search
from pfl.model.compare import Compare, Comparison, Side
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem, SparseRow, Vector, sparse
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure
from pfl.model.two_systems import TwoSystems
from pfl.passes.substitute import folded, without_final_weights

System: TypeAlias = LabelledSystem | InteractiveSystem | MarkovChain


@struct
class Start:
    """A system with one of its starts.

    `system_name` tells the systems of one claim apart (`service(3)`, `c = 2`), `label` the starts of one system
    (`xs = [0, 1]`); both are empty where there is nothing to tell. `distribution` gives states with their
    probabilities. `ends`: a run that is over repeats a letter for ever. `merged`: states that no word tells apart are
    one, called after the first.
    """

    system: System
    distribution: Callable[[], SparseRow]
    system_name: str = ""
    label: str = ""
    ends: bool = False
    merged: bool = False


def starts_of(claim: Claim) -> list[Start]:
    """Each start of each system of a claim once, in the order of its comparisons and cases; the left side first."""
    found: dict[tuple[int, str, str], Start] = {}
    for start in (_of_case(start, case) for case in claim.cases for start in _starts(case.question)):
        found.setdefault((id(start.system), start.system_name, start.label), start)
    names: dict[int, set[str]] = {}
    for system, name, _ in found:
        names.setdefault(system, set()).add(name)
    return [_by_label(start) if len(names[id(start.system)]) > 1 else start for start in found.values()]


def _by_label(start: Start) -> Start:
    """A start of a system that several names share, which then tell its starts apart."""
    return replace(start, system_name="", label=", ".join(part for part in (start.system_name, start.label) if part))


def _starts(question: Question) -> Iterator[Start]:
    match question:
        case Measure(system=system, start=row):
            yield Start(system=system, distribution=partial(tuple, row))
        case Compare(unit=unit):
            drawn: dict[LabelledSystem, LabelledSystem] = {}
            for comparison in question.comparisons:
                yield from _compared(comparison, drawn, ends=unit != "observation")
        case Search(claim=claim):
            yield from _starts(claim)


def _of_case(start: Start, case: Case) -> Start:
    """A start in one case: those of a chain are its starts, comparisons know theirs, others have a system
    each."""
    if not case.arguments:
        return start
    arguments = _bindings_text(case.arguments)
    if isinstance(start.system, MarkovChain):
        return replace(start, label=arguments)
    if isinstance(case.question, Compare) and not case.question.is_about_systems:
        return start
    return replace(start, system_name=", ".join(part for part in (start.system_name, arguments) if part))


def _compared(comparison: Comparison, drawn: dict[LabelledSystem, LabelledSystem], *, ends: bool) -> Iterator[Start]:
    """Systems with final weights are drawn with what a run does given that the secret holds; `drawn` has those."""
    arguments = _bindings_text(comparison.table.bindings)
    if isinstance(comparison.table.compared, TwoSystems):
        yield from map(_interactive, comparison.table.compared.systems, comparison.table.compared.names)
        return
    if comparison.table.runs is not None:
        yield _interactive(comparison.table.runs.system, arguments)
        return
    prior = comparison.table.prior and f"prior {comparison.table.prior}"
    system = comparison.system
    if system.final is not None and system not in drawn:
        drawn[system] = without_final_weights(system)
    for side in comparison.sides:
        yield Start(
            system=drawn.get(system, system),
            system_name=", ".join(part for part in (prior, arguments) if part),
            label=side.label,
            distribution=partial(_of_side, side, system.final),
            ends=ends,
            merged=comparison.table.heading == "inputs",
        )


def _interactive(system: InteractiveSystem, name: str) -> Start:
    return Start(system=system, system_name=name, distribution=partial(sparse, system.start))


def _bindings_text(bindings: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in bindings)


def _of_side(side: Side, final: Vector | None) -> SparseRow:
    """The probabilities are conditioned on the side, whose vector has its weight as its mass."""
    vector = side.vector if final is None else folded(side.vector, final)
    return tuple((state, weight / side.weight) for state, weight in sparse(vector))
