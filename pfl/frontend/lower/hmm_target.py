"""Hidden Markov models as Markov chains that end in a target: the states that satisfy a condition."""

from __future__ import annotations

import ast
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.frontend.ast import Expr
from pfl.frontend.bindings import Local
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.compile.fragment import Fragment
from pfl.frontend.compile.variables import Variable
from pfl.frontend.lower.chain_errors import endless_states, too_many_starts
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_chain import one_move
from pfl.frontend.lower.hmm_reached import ReachedHmm, State
from pfl.frontend.lower.program_builder import ProgramBuilder
from pfl.ir.cardinality import size
from pfl.ir.markov_chain import MarkovChain
from pfl.ir.program import Branch, Costs, Program, Stop, Tick
from pfl.ir.values import truth
from pfl.transform.explore import explore
from pfl.transform.run_chain import run_chain


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
