"""Passes as text in, text out: a page a pass (see README.md here)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.source import SourceFile
from pfl.model.compare import Compare
from pfl.model.interactive import InteractiveSystem, Plts
from pfl.model.labelled_system import Hmm, LabelledSystem, SparseRow, Vector
from pfl.model.text.model_text import model_text, read_model
from pfl.model.transition_graph import TransitionGraph
from pfl.model.two_runs import Adjacency, two_runs
from pfl.model.two_systems import next_to_each_other, take_apart
from pfl.passes import alike
from pfl.passes.about_to_show import about_to_show
from pfl.passes.alike import without_repetitions
from pfl.passes.close_plts import close_plts, close_plts_apart, hidden_steps, reachable
from pfl.passes.close_silent import close_silent
from pfl.passes.condition import condition
from pfl.passes.interactive import interactive
from pfl.passes.labelled import GivenPair, Giving, labelled
from pfl.passes.limits import Counted, first_of, limit_inputs, limit_outputs
from pfl.passes.lump import lump
from pfl.passes.observe import observe, observe_showing
from pfl.passes.reached import ReachedParts
from pfl.passes.run_chain import run_chain
from pfl.passes.substitute import substitute

HERE = Path(__file__).parent
BUDGET = Budget()
BETWEEN = "----\n"


def record(kind: type) -> type:
    return dataclass(frozen=True, kw_only=True, eq=False)(kind)


# What passes are given, and what they give where that is no dataclass of its own.


@record
class Silent:
    graph: TransitionGraph
    sources: tuple[int, ...]


@record
class OfGraph:
    graph: TransitionGraph


@record
class Given:
    """The pairs of inputs that may be given on a channel."""

    graph: TransitionGraph
    choices: Mapping[str, tuple[tuple[Any, Any], ...]]


@record
class Starts:
    hmm: Hmm
    starts: tuple[Vector, ...]


@record
class Secrets:
    """An hmm, where it starts, and secrets about a moment: the states that it may be in then."""

    hmm: Hmm
    start: Vector
    moment: int
    secrets: tuple[frozenset[int], ...]


@record
class Conditioned:
    hmm: Hmm
    starts: tuple[Vector, ...]
    probabilities: tuple[Number, ...]


@record
class OfSystem:
    system: LabelledSystem


@record
class Started:
    system: LabelledSystem
    starts: tuple[Vector, ...]


@record
class Outputs:
    """Starts, each with how many outputs are seen; letters that show no output, and those that show the end."""

    system: LabelledSystem
    starts: tuple[tuple[int, int], ...]
    without_output: frozenset[int]
    ends: frozenset[int]


@record
class Inputs:
    system: LabelledSystem
    start: Vector
    counted: frozenset[int]
    most: int


@record
class Automaton:
    automaton: InteractiveSystem


@record
class Automata:
    left: InteractiveSystem
    right: InteractiveSystem


@record
class Runs:
    automaton: InteractiveSystem
    adjacency: Adjacency
    both_ways: bool


@record
class Table:
    plts: Plts


@record
class Question:
    question: Compare


@record
class Values:
    question: Compare
    values: Mapping[str, Fraction]


@record
class Ends:
    """Where hidden steps end, by the state that they begin in; the number after the last state stands for never."""

    ends: Mapping[int, SparseRow]


@record
class DividedBy:
    """What the result was divided by: it says something only where none of these is 0."""

    divisors: tuple[Number, ...]


Result = TypeVar("Result")


def things(divided: Divided[Result], make: Callable[[Result], Any] = lambda result: result) -> list[Any]:
    divisors = Divisors()
    found = [make(divided.noting(divisors))]
    return [*found, DividedBy(divisors=tuple(divisors))] if list(divisors) else found


def _givings(given: Given) -> Giving:
    pairs = {channel: [GivenPair(*pair) for pair in chosen] for channel, chosen in given.choices.items()}
    return Giving(choices=lambda channel, _: pairs[channel], name=lambda _: "")


def _conditioned(given: Secrets) -> list[Any]:
    hmm, starts = condition(
        given.hmm,
        {("", state): weight for state, weight in enumerate(given.start)},
        [given.moment],
        lambda _, state: state,
        [lambda memory, held=held: memory[1] in held for held in given.secrets],  # type: ignore[misc]
        BUDGET,
    )
    return [
        Conditioned(
            hmm=hmm,
            starts=tuple(each.start for each in starts),
            probabilities=tuple(each.probability for each in starts),
        )
    ]


def _hidden(given: Table) -> list[Any]:
    return things(
        hidden_steps(given.plts, BUDGET),
        lambda hidden: Ends(ends={state: tuple(sorted(hidden.ends(state).items())) for state in reachable(given.plts)}),
    )


def _about_to_show(given: Started) -> list[Any]:
    system, moved = about_to_show(given.system, [_mixture(start) for start in given.starts])
    return [Started(system=system, starts=tuple(system.vector(start.items()) for start in moved))]


def _mixture(start: Vector) -> dict[int, Number]:
    return {state: weight for state, weight in enumerate(start) if weight}


def _reached(given: Started) -> list[Any]:
    left, right = given.starts
    system, *parts = ReachedParts().of(given.system, left, right)
    return [Started(system=system, starts=tuple(parts))]


def _limited_outputs(given: Outputs) -> list[Any]:
    begun = [(given.system.vector([(state, Fraction(1))]), outputs) for state, outputs in given.starts]
    counted = Counted(without_output=given.without_output, ends=given.ends)
    found = limit_outputs(given.system, counted, begun, BUDGET)
    return [Started(system=found.system, starts=tuple(found.start(*start) for start in begun))]


def _limited_inputs(given: Inputs) -> list[Any]:
    system = limit_inputs(given.system, given.counted, given.most)
    return [Started(system=system, starts=(first_of(given.start, given.most),))]


def _two_runs(given: Runs) -> list[Any]:
    runs = two_runs(given.automaton, given.adjacency, both_ways=given.both_ways)
    return [Started(system=runs.side_by_side, starts=runs.starts)]


def _next_to_each_other(given: Automata) -> list[Any]:
    system, left, right = next_to_each_other(given.left, given.right)
    return [Started(system=system, starts=(left, right))]


PASSES: Mapping[str, tuple[type, Callable[[Any], Iterable[Any]]]] = {
    "close_silent": (Silent, lambda given: things(close_silent(given.graph, given.sources, BUDGET))),
    "run_chain": (OfGraph, lambda given: [run_chain(given.graph)]),
    "interactive": (OfGraph, lambda given: things(interactive(given.graph, BUDGET))),
    "labelled": (OfGraph, lambda given: things(labelled(given.graph, BUDGET))),
    "labelled_with_inputs": (Given, lambda given: things(labelled(given.graph, BUDGET, _givings(given)))),
    "observe": (Starts, lambda given: things(observe(given.hmm, given.starts, BUDGET))),
    "observe_showing": (Starts, lambda given: things(observe_showing(given.hmm, given.starts[0], BUDGET))),
    "condition": (Secrets, _conditioned),
    "condition_with_parameters": (Secrets, _conditioned),
    "lump": (OfSystem, lambda given: [lump(given.system, BUDGET)]),
    "about_to_show": (Started, _about_to_show),
    "reached": (Started, _reached),
    "limit_outputs": (Outputs, _limited_outputs),
    "limit_inputs": (Inputs, _limited_inputs),
    "hidden_steps": (Table, _hidden),
    "close_plts": (Table, lambda given: things(close_plts(given.plts, BUDGET))),
    "close_plts_apart": (Table, lambda given: things(close_plts_apart(given.plts, BUDGET))),
    "side_by_side": (Runs, _two_runs),
    "take_apart": (Automaton, lambda given: [take_apart(given.automaton)]),
    "next_to_each_other": (Automata, _next_to_each_other),
    "without_repetitions": (Question, lambda given: [Question(question=without_repetitions(given.question, BUDGET))]),
    "substitute": (Values, lambda given: [Question(question=substitute(given.question, given.values))]),
}


def parts_of(page: Path) -> tuple[str, str]:
    """What stands before a page's first line of text, and its input."""
    before, between, _ = page.read_text(encoding="utf-8").partition(BETWEEN)
    assert between, "a page has an input, a line ----, and an output"
    said, first, given = before.partition("pfl model 1\n")
    return said, first + given


@pytest.mark.parametrize("name", PASSES)
def test_a_pass(name: str, file_regression: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "FEWEST", 0)
    page = HERE / f"{name}.txt"
    said, text = parts_of(page)
    assert all(line.startswith("// ") for line in said.splitlines())
    assert "docs/theory/" in said, "a page says why its pass is sound"
    kind, run = PASSES[name]
    *_, given = read_model(SourceFile(name=page.name, text=text), [kind])
    assert isinstance(given, kind)
    output = model_text(run(given))
    file_regression.check(f"{said}{text}{BETWEEN}{output}", fullpath=page, encoding="utf-8")


def test_there_is_a_page_for_each_pass() -> None:
    assert {page.stem for page in HERE.glob("*.txt")} == set(PASSES)
