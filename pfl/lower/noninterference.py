"""Claims that an examiner cannot tell two runs of an automaton apart whose inputs differ in one data point.

Automata whose queries and responses need not take turns: a query may get no response, or several.

Source: docs/theory/noninterference.md.
"""

from __future__ import annotations

from dataclasses import replace

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.lower.automaton.automata import Automaton, automaton_of, warn_of_silence
from pfl.lower.automaton.automaton_table import AutomatonTable, no_data_points
from pfl.lower.comparing import Goal, delta_of, epsilon_of, lengths_of
from pfl.lower.request import Request, Setting
from pfl.model.compare import Compare, Lengths, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.two_runs import Adjacency, TwoRuns, two_runs
from pfl.passes.limits import first_of, limit_inputs
from pfl.syntax.tree.ast import Name

NO_TURNS_REMARK = "a query may get no response or several, so each response is an observation of its own"
INTERLEAVED_REMARK = "responses may follow data points; a proof holds even for an observer who sees where among them"


def refuse_clauses_of_turns(automaton: Automaton, goal: Goal, lengths: Lengths, delta: Number | None) -> None:
    """Raises LimitReached for clauses that want one response a query, of an automaton that does not give it."""
    assert isinstance(automaton.model, AutomatonTable), "handlers respond once to every query"
    if delta != 0:
        clause = "an additive delta"
    elif goal == "epsilon" and lengths != "any" and len(lengths) > 1:
        clause = "a list of lengths"
    else:
        return
    found = automaton.model.takes_no_turns(clause, automaton.budget)
    reason = f"{clause} is judged only where every query gets one response before the next input: {found.message}"
    raise LimitReached(f"{reason}; leave it out, or change the table", found)


def limited(table: Table, most: int, systems: dict[LabelledSystem, LabelledSystem], budget: Budget) -> Table:
    """The runs on words with at most so many inputs. Raises LimitReached."""
    system = table.system
    if system not in systems:
        if (most + 1) * system.size > budget.max_states:
            raise LimitReached(f"counting {most:,} inputs takes more states than allowed; try a larger --max-states")
        exchanges = system.exchanges or ()
        inputs = frozenset(letter for letter, each in enumerate(exchanges) if each.given is not None)
        systems[system] = limit_inputs(system, inputs, most)
    sides = tuple(replace(side, vector=first_of(side.vector, most)) for side in table.sides)
    return replace(table, compared=systems[system], sides=sides, counts=table.unwindable)


ADJACENCY_NOTES: dict[Adjacency, str] = {
    "insert": "adjacent insert: one run gets one data point more",
    "replace": "adjacent replace: one data point is exchanged in place",
}
SEVERAL_POINTS = "runs that differ in n data points cost n times as much"
SEVERAL_POINTS_WITH_DELTA = (
    "runs that differ in n data points: n times epsilon, with 1 + e^epsilon + ... + e^((n-1)*epsilon) times delta"
)
_LABELS: dict[Adjacency, tuple[str, str]] = {
    "insert": ("with the extra point", "without it"),
    "replace": ("with the first point", "with the second point"),
}
_EITHER_WAY = ("one run", "the other run")


def noninterference(request: Request, goal: Goal) -> Compare:
    """The comparisons of `check noninterference`, `compute epsilon` and `compute delta` on an automaton.

    Without `length` for any number of inputs; a length counts those of the longer run. Raises InputRejected and
    LimitReached.
    """
    settings = list(request.settings())
    lengths = lengths_of(request, settings) or "any"
    delta = None if goal == "delta" else delta_of(request, settings)
    bounded = None if lengths == "any" else max(lengths)
    automata = [automaton_of(request, setting) for setting in settings]
    explored = [
        (each.system if bounded is None else each.within(bounded)).noting(request.divisors) for each in automata
    ]
    most: int | None = None
    for automaton, system in zip(automata, explored):
        if not system.takes_turns:
            refuse_clauses_of_turns(automaton, goal, lengths, delta)
            most = bounded  # a length cannot count inputs where responses are letters, too: the systems stop themselves
            request.remarks.append(INTERLEAVED_REMARK if system.answers_data else NO_TURNS_REMARK)
    tables: list[Table] = []
    skipped: list[str] = []
    known: dict[tuple[Automaton, Adjacency], TwoRuns] = {}
    counting: dict[LabelledSystem, LabelledSystem] = {}
    for setting, automaton, system in zip(settings, automata, explored):
        if bounded is None or automaton.is_small:
            warn_of_silence(request, automaton)
        if automaton.program is not None:
            request.programs.append(automaton.program)
        for adjacency in adjacencies(request):
            if (automaton, adjacency) not in known:
                known[automaton, adjacency] = two_runs(system, adjacency, both_ways=delta != 0)
            table = _compared(request, setting, automaton, known[automaton, adjacency], skipped)
            if table is not None:
                tables.append(table if most is None else limited(table, most, counting, automaton.budget))
    request.notes.extend(ADJACENCY_NOTES[adjacency] for adjacency in adjacencies(request))
    request.remarks.append(SEVERAL_POINTS if delta == 0 else SEVERAL_POINTS_WITH_DELTA)
    return Compare(
        goal=goal,
        tables=tuple(tables),
        lengths=lengths if most is None else "any",
        stated=None if most is None else lengths,
        delta=delta,
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
    runs: TwoRuns,
    skipped: list[str],
) -> Table | None:
    """The two runs of one automaton; None, with a warning, where it has no data points that could differ."""
    adjacency = runs.adjacency
    if not runs.extras:
        warning = no_data_points(automaton.declaration, request.claim.span, adjacency)
        request.session.found.add(warning)
        skipped.append(warning.message)
        return None
    return table_of_runs(runs, epsilon_of(request, setting), bindings=setting.bindings)


def table_of_runs(runs: TwoRuns, epsilon: Epsilon | None, bindings: tuple[tuple[str, str], ...] = ()) -> Table:
    """The two runs, compared."""
    labels = _EITHER_WAY if runs.goes_both_ways else _LABELS[runs.adjacency]
    return Table.of_pair(
        runs,
        [Side(label=label, vector=vector) for label, vector in zip(labels, runs.starts)],
        epsilon=epsilon,
        heading="runs",
        bindings=bindings,
        one_way=runs.goes_both_ways,
        interleaved=runs.system.answers_data,
    )
