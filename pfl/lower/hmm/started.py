"""What a prior or a claim starts: an hmm, whose state variables it sets, or a mechanism, whose inputs it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.model.program import Point
from pfl.model.values import TupleValue, Value
from pfl.programs.body_scope import BodyScope
from pfl.programs.program_builder import ProgramBuilder
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import Parameter, StateVariable
from pfl.typecheck.bindings import CheckedProgram, Local

State: TypeAlias = tuple[Value, ...]
"""The values of the variables in order: of the state, or the inputs; of a table, the name of the state alone."""


@struct(eq=False, cached=True)
class Started(ABC):
    """A system whose arguments are bound in `compiler`, and the variables that a start gives values."""

    program: CheckedProgram
    compiler: Compiler

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def subject(self) -> str:
        """The name, with the values of its arguments where these make it another system."""
        return self.name

    @property
    @abstractmethod
    def declared(self) -> Sequence[StateVariable | Parameter]:
        """The variables as they are written; none in a table."""

    @cached_property
    def variables(self) -> tuple[Local, ...]:
        """The variables; of a table, one that holds the name of the state."""
        return tuple(self.program.local(item.name) for item in self.declared)

    def reading(self, local: Local) -> Callable[[State], Value]:
        """How a name in a condition is read off a state: a variable, or of a table, whether the state is that one."""
        place = self.variables.index(local)
        return lambda state: state[place]

    @property
    def state_names(self) -> Mapping[Local, Value]:
        """What the names of the states of a table mean where a state is given, and no predicate is asked for."""
        return {}

    def scope(self, builder: ProgramBuilder) -> BodyScope:
        """A body in which the variables have slots and no values yet."""
        scope = BodyScope(
            program=self.program, compiler=self.compiler, builder=builder, subject=self.name, whole=self.variables
        )
        types = {self.program.local(item.name): item.type for item in self.declared}
        for local in self.variables:
            scope.declare(local, types.get(local), late=True)
        return scope

    def slots(self, scope: BodyScope) -> tuple[str, ...]:
        """The slots of the variables in such a scope."""
        return tuple(scope.names[local] for local in self.variables)

    def initialise(self, scope: BodyScope, following: Point) -> Point:
        """The point from which a program gives the variables first values of the system's own, if any, then goes on."""
        del scope
        return following

    def initial(self, budget: Budget) -> Divided[Mapping[State, Number] | None]:
        """The start distribution that the system itself gives, None where it gives none. Raises InputRejected."""
        del budget
        return Divided(None)

    def start(self, compiler: Compiler, node: Expr) -> Mapping[State, Number]:
        """The start distribution that a claim writes: over the values of the one variable, tuples of several, or the
        states of a table. Raises EvaluationFault where a value lies outside its type."""
        weights: dict[State, Number] = {}
        for value, weight in compiler.distribution(node)().items():
            state = value.elements if isinstance(value, TupleValue) and len(self.declared) > 1 else (value,)
            for position, (part, item) in enumerate(zip(state, self.declared)):
                what = f"`{item.name.text}` at the start"
                member = self.compiler.member(item.type, what, self.variables[:position], place=node.span)
                member(part, *state[:position])
            weights[state] = weight
        self.require_known(weights, node.span)
        return weights

    def require_known(self, starts: Iterable[State], place: Span) -> None:
        """Raise InputRejected where one of some starts of a table is none of its states."""
        del starts, place
