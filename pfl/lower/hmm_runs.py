"""Probabilities and expectations of hidden Markov models: from where a claim starts until a target is reached.

Hidden Markov models as Markov chains that end in a target: the states that satisfy a condition.
"""

from __future__ import annotations

import ast
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Literal

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import Fragment
from pfl.evaluation.variables import Variable
from pfl.explore.explore import explore
from pfl.lower.hmm.hmm import HmmModel
from pfl.lower.hmm.hmm_chain import one_move
from pfl.lower.hmm.hmm_errors import no_start
from pfl.lower.hmm.hmm_systems import hmm_of
from pfl.lower.hmm.hmm_table import ReachedHmm, State
from pfl.lower.request import Measured, Request, Setting
from pfl.lower.requirement import endless_states, negative_moves, no_such_start, too_many_starts
from pfl.model.cardinality import size
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Cost, Measure, Reach
from pfl.model.program import Branch, Costs, Program, Stop, Tick
from pfl.model.values import show, truth
from pfl.passes.run_chain import run_chain
from pfl.programs.program_builder import ProgramBuilder
from pfl.syntax.tree.ast import Expr, Name
from pfl.typecheck.bindings import Builtin, Local
from pfl.typecheck.types import DistributionType


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetChain:
    """A chain whose states `goal` are the target, and the numbers of the states that were asked for as starts.

    `program` is what was explored; a table is read as it is."""

    chain: MarkovChain
    goal: frozenset[int]
    starts: Mapping[State, int]
    program: Program | None = None


def target_chain(
    model: HmmModel, compiler: Compiler, target: Expr, starts: Sequence[State], costs: Costs | None, budget: Budget
) -> Divided[TargetChain]:
    """The chain of a model from some starts until it comes to a state that satisfies the condition `target`.

    `compiler` has the variables of the claim bound. Raises InputRejected for a fault on a reachable state, with its
    path, and LimitReached.
    """
    if model.table_states:
        reached = model.reach(starts, budget)
        return reached.then(lambda found: _of_table(model, compiler, target, found, costs))
    slots, program = _program(model, compiler, target, costs)
    graph = explore(program, [dict(zip(slots, start)) for start in starts], budget, costs)
    runs = run_chain(graph)
    starting = dict(zip(starts, runs.starts))
    return Divided(TargetChain(chain=runs.chain, goal=runs.ends, starts=starting, program=program))


def _program(model: HmmModel, compiler: Compiler, target: Expr, costs: Costs | None) -> tuple[Sequence[str], Program]:
    """Moves until the target is reached. The condition is looked at before the first move and after each."""
    frame = model.frame(ProgramBuilder(model.name, model.compiler.namespace))
    frame.late.clear()  # an exploration starts with a value for every state variable
    frame.costs = costs
    builder, slots = frame.builder, model.slots(frame)
    names: dict[Variable, str | Fragment] = {local: frame.names[local] for local in model.variables}
    test = compiler.code(names).test(target)
    end = builder.add(Stop(origin=target.span))
    moved = builder.reserve()
    looks = Branch(condition=test, then=end, otherwise=one_move(model.declaration, frame, moved), origin=target.span)
    counted = Tick(cost=ast.Constant(1), counts="moves", next=builder.add(looks), origin=target.span)
    builder.put(moved, counted)
    return slots, builder.finish(builder.add(looks), inputs=slots)


def _of_table(
    model: HmmModel, compiler: Compiler, target: Expr, reached: ReachedHmm, costs: Costs | None
) -> TargetChain:
    """The chain of a table: its rows, each transition a move; states of the target are absorbing."""
    is_goal = state_predicate(model, compiler, target)
    offsets, targets, weights = array("q", [0]), array("i"), array("i")
    table: dict[Number, int] = {}
    goal = [number for number, state in enumerate(reached.states) if is_goal(state)]
    for number, row in enumerate(reached.hmm.transition):
        if number not in goal:
            targets.extend(column for column, _ in row)
            weights.extend(table.setdefault(weight, len(table)) for _, weight in row)
        offsets.append(len(targets))
    chain = MarkovChain(
        offsets=offsets,
        targets=targets,
        weights=weights,
        weight_table=tuple(table),
        costs=None if costs is None else array("i", bytes(targets.itemsize * len(targets))),
        cost_table=(Fraction(1 if costs == "moves" else 0),),
        names=reached.hmm.states,
    )
    return TargetChain(chain=chain, goal=frozenset(goal), starts=reached.index)


def state_predicate(model: HmmModel, compiler: Compiler, condition: Expr) -> Callable[[State], bool]:
    """A condition on the state of a model, as a function; the name of a table's state holds of that state alone."""
    read = [local for local in compiler.reads(condition) if isinstance(local, Local)]
    holds = compiler.condition(condition, read)
    if model.table_states:
        named = [model.state_names[local] for local in read]
        return lambda state: holds(*(truth(state == (name,)) for name in named))
    places = [model.variables.index(local) for local in read]
    return lambda state: holds(*(state[place] for place in places))


def every_state(model: HmmModel, place: Expr, budget: Budget) -> list[State]:
    """All values that the state variables can have by their types; of a table, all states that it lists.

    Raises InputRejected where they are infinitely many, LimitReached where they are more than the limit.
    """
    if model.table_states:
        return [(value,) for value in model.state_names.values()]
    counts: list[int] = []
    for item in model.declared:
        count = size(model.compiler.domain(item.type)())
        if count is None:
            raise InputRejected([endless_states(place.span, item.name)])
        counts.append(count)
    if prod(counts) > budget.max_states:
        raise too_many_starts(place.span, model.name, prod(counts), budget.max_states)
    return list(product(*(model.compiler.elements(item.type)() for item in model.declared)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """A distribution of states to start in; `arguments` name it where a claim ranges over several."""

    weights: Mapping[State, Number]
    arguments: tuple[tuple[str, str], ...] = ()


def hmm_probability(request: Request) -> Iterator[Measured]:
    """The questions of `probability`: of reaching a target, ever or within so many moves.

    Raises InputRejected and LimitReached.
    """
    for setting in request.settings():
        within = _within(request, setting)
        yield from _runs(request, setting, "reach", None if within is None else "moves", partial(Reach, within=within))


def hmm_expectation(request: Request, unit: Literal["step", "cost"]) -> Iterator[Measured]:
    """The questions of `expected steps` and `expected cost` until a target is reached: moves, or what `tick` says.

    Raises InputRejected and LimitReached.
    """
    for setting in request.settings():
        yield from _runs(request, setting, "until", "moves" if unit == "step" else "ticks", partial(Cost, unit=unit))


def _runs(
    request: Request, setting: Setting, keyword: str, costs: Costs | None, quantity: Callable[..., Reach | Cost]
) -> Iterator[Measured]:
    """What is asked of the runs under one binding of `for`; all its starts share one chain, and one goal."""
    model = hmm_of(request, setting)
    target = request.value(keyword)
    assert target is not None, "the checker asks for a target"
    starts = list(_starts(request, setting, model))
    states = list(dict.fromkeys(state for start in starts for state in start.weights))
    chain = target_chain(model, setting.compiler, target, states, costs, request.session.budget)
    found = chain.noting(request.divisors)
    if found.program is not None:
        request.programs.append(found.program)
    asked = quantity(goal=found.goal)
    for start in starts:
        row: dict[int, Number] = {}
        for state, weight in start.weights.items():
            number = found.starts[state]
            row[number] = row.get(number, Fraction(0)) + weight
        question = Measure(system=found.chain, start=tuple(sorted(row.items())), quantity=asked)
        yield Measured(setting, start.arguments, question)


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
