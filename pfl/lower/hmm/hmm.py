"""Hidden Markov models with their arguments given: where they start, and the part that some starts reach.

What the two forms of a model have in common; `hmm_table` and `hmm_body` have what each does in its way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.evaluation.compiler import Compiler
from pfl.model.distribution import DistributionValue
from pfl.model.labelled_system import Hmm, SparseRow, Vector
from pfl.model.program import Point
from pfl.model.values import SILENT, TupleValue, Value, show
from pfl.programs.body_scope import BodyScope
from pfl.programs.program_builder import ProgramBuilder
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import HmmDecl, Letters, StateVariable
from pfl.typecheck.bindings import CheckedProgram, Local

State: TypeAlias = tuple[Value, ...]
"""The values of the state variables in order; of a table, the name of the state alone."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachedHmm:
    """The part of a model that some starts reach: `states[i]` are the values of state i of `hmm`, `letters[a]` is the
    value of letter a."""

    hmm: Hmm
    states: tuple[State, ...]
    letters: tuple[Value, ...]

    @cached_property
    def index(self) -> Mapping[State, int]:
        """The number of each state."""
        return {state: position for position, state in enumerate(self.states)}

    def vector(self, weights: Mapping[State, Number]) -> Vector:
        """A distribution over states as a vector of |S| entries."""
        return tuple(weights.get(state, Fraction(0)) for state in self.states)


def reached(
    names: Iterable[str],
    states: tuple[State, ...],
    moves: Iterable[Mapping[int, Number]],
    emissions: Iterable[DistributionValue],
    declared: Iterable[Value],
) -> ReachedHmm:
    """The hmm of states, their rows and what they emit; letters that are declared come first, in their order."""
    letters: dict[Value, int] = {}
    for letter in declared:
        letters.setdefault(letter, len(letters))
    rows: list[SparseRow] = []
    silent: list[Number] = []
    for emission in emissions:
        row = {letters.setdefault(value, len(letters)): p for value, p in emission.items() if value is not SILENT}
        rows.append(tuple(sorted(row.items())))
        silent.append(emission.weight(SILENT))
    hmm = Hmm(
        states=tuple(names),
        letters=tuple(map(show, letters)),
        start=None,
        transition=tuple(tuple(sorted(row.items())) for row in moves),
        emission=tuple(rows),
        silent=tuple(silent),
    )
    return ReachedHmm(hmm=hmm, states=states, letters=tuple(letters))


@dataclass(frozen=True, kw_only=True, eq=False)
class HmmModel(ABC):
    """An hmm whose arguments are bound in `compiler`."""

    program: CheckedProgram
    compiler: Compiler
    declaration: HmmDecl

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @property
    @abstractmethod
    def variables(self) -> tuple[Local, ...]:
        """The state variables; of a table, one that holds the name of the state."""

    @property
    def state_names(self) -> Mapping[Local, Value]:
        """What the names of the states of a table mean where a state is given, and no predicate is asked for."""
        return {}

    @abstractmethod
    def variables_at(self, state: State) -> tuple[tuple[str, str], ...]:
        """The state variables with their values in words; none of a table, whose states are predicates."""

    @abstractmethod
    def initial(self, budget: Budget) -> Divided[Mapping[State, Number] | None]:
        """The start distribution that the model itself gives, None where it gives none. Raises InputRejected."""

    @abstractmethod
    def reach(self, starts: Iterable[State], budget: Budget) -> Divided[ReachedHmm]:
        """The model on the states that some starts reach; a table on all that it lists. Raises InputRejected with what
        is at fault there, and LimitReached."""

    def scope(self, builder: ProgramBuilder) -> BodyScope:
        """A body of this model, with a slot for every state variable."""
        scope = BodyScope(
            program=self.program, compiler=self.compiler, builder=builder, subject=self.name, whole=self.variables
        )
        types = {self.program.local(item.name): item.type for item in self.declared}
        for local in self.variables:
            scope.declare(local, types.get(local), late=True)
        return scope

    def slots(self, scope: BodyScope) -> tuple[str, ...]:
        """The slots of the state variables in a scope of this model."""
        return tuple(scope.names[local] for local in self.variables)

    def initialise(self, scope: BodyScope, following: Point) -> Point:
        """The point from which a program gives the state variables the model's own first values, then goes on."""
        del scope
        return following

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
        del starts, place

    @property
    def declared(self) -> Sequence[StateVariable]:
        """The state variables as they are written; none in a table."""
        return [item for item in self.declaration.items if isinstance(item, StateVariable)]

    def declared_letters(self) -> Sequence[Value]:
        """The letters that `emits` lists, in order; none where it is left out."""
        for item in self.declaration.items:
            if isinstance(item, Letters):
                return self.compiler.elements(item.type)()
        return ()
