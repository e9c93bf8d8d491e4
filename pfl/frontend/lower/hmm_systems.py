"""The hidden Markov models and priors that claims name, with their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.frontend.ast import Call, Expr, Name
from pfl.frontend.ast_claims import SystemRef
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.ast_systems import HmmDecl, PriorDecl
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.prior import PriorModel
from pfl.frontend.lower.request import Request, Session, Setting, written
from pfl.ir.values import Value

MOST_STATES = 2_000
"""No more than this is spent on what no claim has asked for."""


def hmm_of(request: Request, setting: Setting) -> HmmModel:
    """The model that a claim is about, one object for equal arguments."""
    declaration = request.session.program.target(request.claim.system.name)
    assert isinstance(declaration, HmmDecl)
    values = _arguments(setting.compiler, declaration.parameters, request.claim.system)
    models = request.session.models
    key = (id(declaration), values)
    if key not in models:
        compiler = _bound(request.session, request.session.compiler, declaration.parameters, values)
        models[key] = HmmModel(program=request.session.program, compiler=compiler, declaration=declaration)
        if values:
            _require_start(models[key], request.session.budget)
    model: HmmModel = models[key]
    return model


def _require_start(model: HmmModel, budget: Budget) -> None:
    """Raise InputRejected where the model's own start is none, though the claim may name another: its weights depend on
    the arguments, so that nobody could look at them before."""
    try:
        _ = model.initial(replace(budget, max_states=min(budget.max_states, MOST_STATES)))
    except LimitReached:
        return  # told where a claim needs that start


def priors_of(request: Request, setting: Setting) -> Iterator[PriorModel]:
    """The priors of a claim, in order."""
    program = request.session.program
    for clause in request.clauses("prior"):
        reference = clause.value
        assert isinstance(reference, Call | Name)
        callee = reference.callee if isinstance(reference, Call) else reference
        declaration = program.target(callee)
        assert isinstance(declaration, PriorDecl)
        given = [argument.value for argument in reference.arguments] if isinstance(reference, Call) else []
        name = declaration.name.text
        values = setting.compiler.arguments(declaration.parameters, given, name)()
        yield PriorModel(
            program=program,
            compiler=_bound(request.session, request.session.compiler, declaration.parameters, values),
            declaration=declaration,
            written=written(reference.span),
        )


def _arguments(compiler: Compiler, parameters: Sequence[Parameter], reference: SystemRef) -> tuple[Value, ...]:
    given: Sequence[Expr] = reference.arguments or ()
    return compiler.arguments(parameters, given, reference.name.text)()


def _bound(session: Session, compiler: Compiler, parameters: Sequence[Parameter], values: Sequence[Value]) -> Compiler:
    locals_ = (session.program.local(parameter.name) for parameter in parameters)
    return compiler.bind(dict(zip(locals_, values)))
