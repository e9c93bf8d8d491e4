"""The hidden Markov models and priors that claims name, with their arguments.

Priors: the joint distribution of the world and of where the system starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected, LimitReached
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import run
from pfl.lower.hmm.hmm import HmmModel
from pfl.lower.hmm.hmm_body import HmmBody
from pfl.lower.hmm.hmm_errors import no_start
from pfl.lower.hmm.hmm_table import HmmTable
from pfl.lower.hmm.started import Started, State
from pfl.lower.request import Request, Session, Setting, written
from pfl.model.program import Stop
from pfl.model.values import UNSET, RecordValue, Value
from pfl.passes.close_silent import run_block
from pfl.programs.body_scope import BodyScope
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.statement_errors import may_not_end, start_incomplete
from pfl.programs.statements import block
from pfl.syntax.tree.ast import Call, Expr, Name
from pfl.syntax.tree.ast_declarations import HmmDecl, Parameter, PriorDecl, States
from pfl.syntax.tree.ast_module import SystemRef
from pfl.syntax.tree.ast_statements import Assign, Let, Var
from pfl.typecheck.bindings import CheckedProgram, Local

World: TypeAlias = tuple[Value, ...]
"""The values of the names that secrets read, in the order asked for."""


def _lacks_value(value: object) -> bool:
    """Whether a value, or a part of it, was never set."""
    parts = value.values if isinstance(value, RecordValue) else value
    return value is UNSET or (isinstance(parts, tuple) and any(map(_lacks_value, parts)))


@struct(eq=False)
class PriorModel:
    """A prior whose arguments are bound in `compiler`. `written` is how the claim writes it."""

    program: CheckedProgram
    compiler: Compiler
    declaration: PriorDecl
    written: str

    def joint(
        self, model: Started, names: Sequence[str], budget: Budget
    ) -> Divided[Mapping[tuple[World, State], Number]]:
        """Pr(world, start) for the world variables of those names: the model's own `init` runs first, then the prior.

        Raises InputRejected for a fault on the way, with its path, or if the prior may run for ever.
        """
        builder = ProgramBuilder(self.declaration.name.text, self.compiler.namespace)
        started = model.scope(builder)
        scope = BodyScope(
            program=self.program,
            # The types and first values of what is started mention its own parameters.
            compiler=self.compiler.joined(started.compiler).bind(model.state_names),
            builder=builder,
            subject=self.declaration.name.text,
            names=dict(started.names),
            types=dict(started.types),
            late=set(started.late),
            whole=model.variables,
        )
        scope.declare_all(self.declaration.body)
        world = self._world()
        slots = model.slots(started)
        results = (*(scope.names[world[name]] for name in names), *slots)
        entry = model.initialise(started, run(block(scope, self.declaration.body, builder.add(Stop()))))
        divisors = Divisors()
        (outcome,) = run_block(builder.finish(entry, results=results), [{}], budget).noting(divisors)
        if outcome.never:
            what = f"prior `{self.declaration.name.text}`"
            raise InputRejected([may_not_end(what, self.declaration.name.span)])
        for values in outcome.finals:
            for local, value in zip(model.variables, values[len(names) :]):
                if _lacks_value(value):
                    raise InputRejected([start_incomplete(self.declaration.name, local.name)])
        model.require_known((values[len(names) :] for values in outcome.finals), self.declaration.name.span)
        self._require_members(started, model.variables, [values[len(names) :] for values in outcome.finals])
        return divisors.of(
            {(values[: len(names)], values[len(names) :]): weight for values, weight in outcome.finals.items()}
        )

    def _require_members(self, started: BodyScope, variables: Sequence[Local], starts: Sequence[State]) -> None:
        """Look again at types that mention other variables: these may have been set anew since. Raises
        EvaluationFault."""
        for local, type_ in started.types.items():
            others = [variables.index(other) for other in started.compiler.reads(type_) if isinstance(other, Local)]
            if not others:
                continue
            read = [variables[position] for position in others]
            what, place = f"`{local.name.text}` at the start", self.declaration.name.span
            member = started.compiler.member(type_, what, read, place=place)
            for start in starts:
                member(start[variables.index(local)], *(start[position] for position in others))

    def _world(self) -> Mapping[str, Local]:
        """The names that secrets can mention: those declared at the top of the body."""
        world: dict[str, Local] = {}
        for statement in self.declaration.body:
            match statement:
                case Let(name=name) | Var(name=name):
                    world[name.text] = self.program.local(name)
                case Assign(place=Name() as place) if isinstance(local := self.program.target(place), Local):
                    world.setdefault(place.text, local)
                case _:
                    pass
        return world


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
        models[key] = hmm_model(request.session.program, compiler, declaration)
        if values:
            _require_start(models[key], request.session.budget)
    model: HmmModel = models[key]
    return model


def hmm_model(program: CheckedProgram, compiler: Compiler, declaration: HmmDecl) -> HmmModel:
    """The model of a declaration whose arguments are bound in `compiler`, in the form in which it is written."""
    is_table = any(isinstance(item, States) for item in declaration.items)
    form = HmmTable if is_table else HmmBody
    return form(program=program, compiler=compiler, declaration=declaration)


def _require_start(model: HmmModel, budget: Budget) -> None:
    """Raise InputRejected where the model's own start is none, though the claim may name another: its weights depend on
    the arguments, so that nobody could look at them before."""
    try:
        _ = model.initial(replace(budget, max_states=min(budget.max_states, MOST_STATES)))
    except LimitReached:
        return  # told where a claim needs that start


def own_start(request: Request, model: Started) -> Mapping[State, Number]:
    """The start distribution that the model of a claim itself gives. Raises InputRejected where it gives none."""
    initial = model.initial(request.session.budget).noting(request.divisors)
    if initial is None:
        raise InputRejected([no_start(request.claim.system.span, model.subject)])
    return initial


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
