"""Hidden Markov models with their arguments given: where they start, and the part that some starts reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.diagnostics import InputRejected
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.evaluation.compiler import Compiler
from pfl.evaluation.fragment import run
from pfl.lower.hmm.hmm_chain import explored
from pfl.lower.hmm.hmm_errors import no_such_state
from pfl.lower.hmm.hmm_table import ReachedHmm, State, read_table, start_row
from pfl.model.program import Point, Stop
from pfl.model.values import SymbolValue, TupleValue, Value, show
from pfl.passes.close_silent import run_block
from pfl.programs.body_scope import BodyScope
from pfl.programs.program_builder import ProgramBuilder
from pfl.programs.statement_errors import may_not_end
from pfl.programs.statements import block
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import EmitClause, HmmDecl, Row, States, StateVariable, Update
from pfl.syntax.tree.ast_statements import Statement, Var
from pfl.typecheck.bindings import CheckedProgram, Local
from pfl.typecheck.types import SymbolType


@dataclass(frozen=True, kw_only=True, eq=False)
class HmmModel:
    """An hmm whose arguments are bound in `compiler`."""

    program: CheckedProgram
    compiler: Compiler
    declaration: HmmDecl

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @cached_property
    def table_states(self) -> tuple[Local, ...]:
        """The states of a table, as the predicates that their names are; none in program form."""
        items = [item for item in self.declaration.items if isinstance(item, States)]
        return tuple(self.program.local(identifier) for item in items for identifier in item.names)

    @cached_property
    def variables(self) -> tuple[Local, ...]:
        """The state variables; of a table, one that holds the name of the state."""
        if self.table_states:
            return (Local(kind="state", name=self.declaration.name, type=SymbolType()),)
        return tuple(self.program.local(item.name) for item in self.declared)

    @property
    def state_names(self) -> Mapping[Local, Value]:
        """What the names of the states of a table mean where a state is given, and no predicate is asked for."""
        return {local: SymbolValue(local.name.text) for local in self.table_states}

    @property
    def is_observed(self) -> bool:
        """Whether anything is emitted; if not, the model is a Markov chain."""
        return any(
            isinstance(item, EmitClause) or (isinstance(item, Row) and item.kind == "emits")
            for item in self.declaration.items
        )

    def show(self, state: State) -> str:
        """A state in the model's words: `sick = 1`, or the name of a state of a table."""
        if self.table_states:
            return show(state[0])
        return ", ".join(f"{name} = {value}" for name, value in self.variables_at(state))

    def variables_at(self, state: State) -> tuple[tuple[str, str], ...]:
        """The state variables with their values in words; none of a table, whose states are predicates."""
        if self.table_states:
            return ()
        return tuple((local.name.text, show(value)) for local, value in zip(self.variables, state))

    def initial(self, budget: Budget) -> Divided[Mapping[State, Number] | None]:
        """The start distribution that the model itself gives, None where it gives none."""
        if self.table_states:
            return Divided(start_row(self.compiler, self.declaration))
        if not self._first_values:
            return Divided(None)
        builder = ProgramBuilder(f"{self.name}.init", self.compiler.namespace)
        scope = self.scope(builder)
        entry = self.initialise(scope, builder.add(Stop()))
        divisors = Divisors()
        (outcome,) = run_block(builder.finish(entry, results=self.slots(scope)), [{}], budget).noting(divisors)
        if outcome.never:
            raise InputRejected([may_not_end(f"the `init` of `{self.name}`", self.declaration.name.span)])
        return divisors.of(outcome.finals)

    def scope(self, builder: ProgramBuilder) -> BodyScope:
        """A body of this model, with a slot for every state variable."""
        scope = BodyScope(
            program=self.program, compiler=self.compiler, builder=builder, subject=self.name, whole=self.variables
        )
        if self.table_states:
            scope.declare(self.variables[0], late=True)
        for item in self.declared:
            scope.declare(self.program.local(item.name), item.type, late=True)
        return scope

    def slots(self, scope: BodyScope) -> tuple[str, ...]:
        """The slots of the state variables in a scope of this model."""
        return tuple(scope.names[local] for local in self.variables)

    def initialise(self, scope: BodyScope, following: Point) -> Point:
        """The point from which a program gives the state variables the model's own first values, then goes on."""
        scope.declare_all(self._first_values)
        return run(block(scope, self._first_values, following))

    def start(self, compiler: Compiler, node: Expr) -> Mapping[State, Number]:
        """The start distribution that a claim writes: over the values of the one state variable, tuples of several, or
        the states of a table. Raises EvaluationFault where a value lies outside its type."""
        types = [item.type for item in self.declared]
        names = [item.name.text for item in self.declared]
        weights: dict[State, Number] = {}
        for value, weight in compiler.distribution(node)().items():
            state = value.elements if isinstance(value, TupleValue) and len(types) > 1 else (value,)
            for part, type_, name in zip(state, types, names):
                self.compiler.member(type_, f"`{name}` at the start", place=node.span)(part)
            weights[state] = weight
        self.require_known(weights, node.span)
        return weights

    def require_known(self, starts: Iterable[State], place: Span) -> None:
        """Raise InputRejected where one of some starts of a table is none of its states."""
        states = [local.name.text for local in self.table_states]
        for value, *_ in starts:
            if states and value not in self.state_names.values():
                raise InputRejected([no_such_state(place, show(value), self.name, states)])

    def reach(self, starts: Iterable[State], budget: Budget) -> Divided[ReachedHmm]:
        """The model on the states that some starts reach."""
        if self.table_states:
            return read_table(self.compiler, self.declaration)
        scope = self.scope(ProgramBuilder(self.name, self.compiler.namespace))
        scope.late.clear()  # an exploration starts with a value for every state variable
        return explored(self.declaration, scope, tuple(dict.fromkeys(starts)), budget)

    @property
    def declared(self) -> Sequence[StateVariable]:
        """The state variables as they are written; none in a table."""
        return [item for item in self.declaration.items if isinstance(item, StateVariable)]

    @cached_property
    def _first_values(self) -> tuple[Statement, ...]:
        """What is done before the first observation: `= e` of the state variables, then `init`."""
        given = [
            Var(name=item.name, type=item.type, value=item.initial, drawn=False, span=item.span)
            for item in self.declared
            if item.initial is not None
        ]
        updates = [item for item in self.declaration.items if isinstance(item, Update) and item.when == "init"]
        return (*given, *(statement for update in updates for statement in update.body))
