"""Probabilities and expectations of hidden Markov models: from where a claim starts until a target is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.frontend.ast import Name
from pfl.frontend.bindings import Builtin
from pfl.frontend.lower.chain_errors import negative_moves, no_such_start
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_errors import no_start
from pfl.frontend.lower.hmm_reached import State
from pfl.frontend.lower.hmm_systems import hmm_of
from pfl.frontend.lower.hmm_target import TargetChain, every_state, state_predicate, target_chain
from pfl.frontend.lower.request import Request, Setting
from pfl.frontend.lower.requirement import requirement_of
from pfl.frontend.types import DistributionType
from pfl.ir.chain_questions import Expectation, Probability
from pfl.ir.claims import Case, Cases
from pfl.ir.labelled_system import SparseRow
from pfl.ir.program import Costs
from pfl.ir.values import show


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A distribution of states to start in; `arguments` name it where a claim ranges over several."""

    weights: Mapping[State, Number]
    arguments: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The chain of a model until its target, and where it starts."""

    found: TargetChain
    start: SparseRow
    arguments: tuple[tuple[str, str], ...]


def hmm_probability(request: Request) -> Cases:
    """The question of `probability`: of reaching a target, ever or within so many moves.

    Raises InputRejected and LimitReached.
    """
    cases = []
    for setting in request.settings():
        within, required = _within(request, setting), requirement_of(request, setting)
        for run in _runs(request, setting, "reach", None if within is None else "moves"):
            question = Probability(chain=run.found.chain, start=run.start, goal=run.found.goal, within=within)
            cases.append(Case(arguments=run.arguments, question=question, required=required))
    return Cases(cases=tuple(cases))


def hmm_expectation(request: Request, unit: Literal["step", "cost"]) -> Cases:
    """The question of `expected steps` and `expected cost` until a target is reached: moves, or what `tick` says.

    Raises InputRejected and LimitReached.
    """
    cases = []
    for setting in request.settings():
        required = requirement_of(request, setting)
        for run in _runs(request, setting, "until", "moves" if unit == "step" else "ticks"):
            question = Expectation(chain=run.found.chain, start=run.start, goal=run.found.goal, unit=unit)
            cases.append(Case(arguments=run.arguments, question=question, required=required))
    return Cases(cases=tuple(cases))


def _runs(request: Request, setting: Setting, keyword: str, costs: Costs | None) -> Iterator[_Run]:
    """The runs that a claim is about under one binding of `for`; all its starts share one chain."""
    model = hmm_of(request, setting)
    target = request.value(keyword)
    assert target is not None, "the checker asks for a target"
    starts = list(_starts(request, setting, model))
    states = list(dict.fromkeys(state for start in starts for state in start.weights))
    chain = target_chain(model, setting.compiler, target, states, costs, request.session.budget)
    found = chain.noting(request.divisors)
    if found.program is not None:
        request.programs.append(found.program)
    for start in starts:
        row: dict[int, Number] = {}
        for state, weight in start.weights.items():
            number = found.starts[state]
            row[number] = row.get(number, Fraction(0)) + weight
        yield _Run(found=found, start=tuple(sorted(row.items())), arguments=(*setting.bindings, *start.arguments))


def _starts(request: Request, setting: Setting, model: HmmModel) -> Iterator[_Start]:
    """Where the claim says that runs start, or the model itself."""
    node, budget = request.value("from"), request.session.budget
    if node is None:
        initial = model.initial(budget).noting(request.divisors)
        if initial is None:
            raise InputRejected([no_start(request.claim.system.span, model.name)])
        yield _Start(weights=initial)
        return
    program = request.session.program
    is_any = isinstance(node, Name) and program.target(node) == Builtin(name="any")
    if not is_any and isinstance(program.type_of(node), DistributionType):
        yield _Start(weights=model.start(setting.compiler.bind(model.state_names), node))
        return
    states = every_state(model, node, budget)
    if not is_any:
        holds = state_predicate(model, setting.compiler, node)
        states = [state for state in states if holds(state)]
    if not states:
        raise InputRejected([no_such_start(node.span, model.name)])
    for state in states:
        yield _Start(weights={state: Fraction(1)}, arguments=_arguments(model, state))


def _arguments(model: HmmModel, state: State) -> tuple[tuple[str, str], ...]:
    if model.table_states:
        return (("state", show(state[0])),)
    return tuple((local.name.text, show(value)) for local, value in zip(model.variables, state))


def _within(request: Request, setting: Setting) -> int | None:
    node = request.value("within")
    if node is None:
        return None
    moves = setting.compiler.expression(node)()
    assert isinstance(moves, int), "the checker lets nothing else be a number of moves"
    if moves < 0:
        raise InputRejected([negative_moves(node.span, moves)])
    return moves
