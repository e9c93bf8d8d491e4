"""Priors: the joint distribution of the world and of where the system starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.number import Number
from pfl.frontend.ast import Name
from pfl.frontend.ast_declarations import Assign, Let, PriorDecl, Var
from pfl.frontend.bindings import CheckedProgram, Local
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.compile.task import run
from pfl.frontend.lower.frame import Frame
from pfl.frontend.lower.hmm import HmmModel
from pfl.frontend.lower.hmm_reached import State
from pfl.frontend.lower.program_builder import ProgramBuilder
from pfl.frontend.lower.statement_errors import may_not_end
from pfl.frontend.lower.statements import block
from pfl.ir.program import Stop
from pfl.ir.values import Value
from pfl.transform.close_silent import run_block

World: TypeAlias = tuple[Value, ...]
"""The values of the names that secrets read, in the order asked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PriorModel:
    """A prior whose arguments are bound in `compiler`. `written` is how the claim writes it."""

    program: CheckedProgram
    compiler: Compiler
    declaration: PriorDecl
    written: str

    def joint(self, model: HmmModel, names: Sequence[str], budget: Budget) -> Mapping[tuple[World, State], Number]:
        """Pr(world, start) for the world variables of those names: the model's own `init` runs first, then the prior.

        Raises InputRejected for a fault on the way, with its path, or if the prior may run for ever.
        """
        builder = ProgramBuilder(self.declaration.name.text, self.compiler.namespace)
        started = model.frame(builder)
        frame = Frame(
            program=self.program,
            compiler=self.compiler.bind(model.state_names),
            builder=builder,
            subject=self.declaration.name.text,
            names=dict(started.names),
            types=dict(started.types),
            late=set(started.late),
            whole=model.variables,
        )
        frame.declare_all(self.declaration.body)
        world = self._world()
        slots = model.slots(started)
        results = (*(frame.names[world[name]] for name in names), *slots)
        entry = model.initialise(started, run(block(frame, self.declaration.body, builder.add(Stop()))))
        outcome = run_block(builder.finish(entry, results=results), [{}], budget)[0]
        if outcome.never:
            what = f"prior `{self.declaration.name.text}`"
            raise InputRejected([may_not_end(what, self.declaration.name.span)])
        return {(values[: len(names)], values[len(names) :]): weight for values, weight in outcome.finals.items()}

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
