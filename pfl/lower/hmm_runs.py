"""Probabilities and expectations of hidden Markov models: from where a claim starts until a target is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Literal

from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.lower.claim_errors import negative_moves, told_of_part
from pfl.lower.hmm.hmm import HmmModel, Target
from pfl.lower.hmm.hmm_errors import no_such_start
from pfl.lower.hmm.hmm_systems import hmm_of, own_start
from pfl.lower.hmm.started import State
from pfl.lower.request import Measured, Request, Setting
from pfl.model.measure import Cost, Measure, Reach
from pfl.model.program import Costs
from pfl.syntax.tree.ast import Name
from pfl.typecheck.bindings import Builtin
from pfl.typecheck.types import DistributionType


@struct
class _Start:
    """A distribution of states to start in; `arguments` name it where a claim ranges over several."""

    weights: Mapping[State, Number]
    arguments: tuple[tuple[str, str], ...] = ()


def hmm_probability(request: Request) -> Iterator[Measured]:
    """The questions of `probability`: of reaching a target, ever or within so many moves.

    Raises InputRejected and LimitReached.
    """
    for setting in request.settings():
        within = setting.natural(request.value("within"), negative_moves)
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
    condition = request.value(keyword)
    assert condition is not None, "the checker asks for a target"
    target = Target(condition=condition, avoided=request.value("avoiding"))
    starts = list(_starts(request, setting, model))
    states = list(dict.fromkeys(state for start in starts for state in start.weights))
    chain = model.chain_to(setting.compiler, target, states, costs, request.session.budget)
    found = chain.noting(request.divisors)
    if found.program is not None:
        request.programs.append(found.program)
    if found.left is not None:
        request.remarks.append(told_of_part(model.subject, found.left))
    asked = quantity(goal=found.goal)
    for start in starts:
        row: dict[int, Number] = {}
        for state, weight in start.weights.items():
            number = found.starts[state]
            row[number] = row.get(number, Fraction(0)) + weight
        question = Measure(system=found.chain, start=tuple(sorted(row.items())), quantity=asked, left=found.left)
        yield Measured(setting, start.arguments, question)


def _starts(request: Request, setting: Setting, model: HmmModel) -> Iterator[_Start]:
    """Where the claim says that runs start, or the model itself."""
    node = request.value("from")
    if node is None:
        yield _Start(weights=own_start(request, model))
        return
    program = request.session.program
    is_any = isinstance(node, Name) and program.target(node) == Builtin(name="any")
    if not is_any and isinstance(program.type_of(node), DistributionType):
        yield _Start(weights=model.start(setting.compiler.bind(model.state_names), node))
        return
    states = model.every_state(node, request.session.budget)
    if not is_any:
        states = list(filter(model.satisfies(setting.compiler, node), states))
    if not states:
        raise InputRejected([no_such_start(node.span, model.name)])
    for state in states:
        yield _Start(weights={state: Fraction(1)}, arguments=model.arguments(state))
