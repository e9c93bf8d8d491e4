"""Hidden Markov models with their arguments given: where they start, and the part that some starts reach.

What the two forms of a model have in common; `hmm_table` and `hmm_body` have what each does in its way.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.divided import Divided
from pfl.base.number import Number
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.lower.hmm.started import Started, State
from pfl.model.distribution import DistributionValue
from pfl.model.labelled_system import Hmm, SparseRow, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.model.program import Costs, Program
from pfl.model.values import SILENT, Value, show
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import HmmDecl, Letters, StateVariable
from pfl.typecheck.bindings import Local


@struct(eq=False, cached=True)
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


@struct
class Target:
    """Conditions on a state: a run is over where one holds, and has reached the target if that is `condition`."""

    condition: Expr
    avoided: Expr | None


@struct(eq=False)
class TargetChain:
    """A chain whose states `goal` are the target, and the numbers of the states that were asked for as starts.

    `program` is what was explored; a table is read as it is. `left` is the state that stands for those that were not
    explored, if there are such."""

    chain: MarkovChain
    goal: frozenset[int]
    starts: Mapping[State, int]
    program: Program | None = None
    left: int | None = None


@struct(eq=False, cached=True)
class HmmModel(Started):
    """An hmm whose arguments are bound in `compiler`."""

    declaration: HmmDecl

    @property
    def name(self) -> str:
        return self.declaration.name.text

    @abstractmethod
    def variables_at(self, state: State) -> tuple[tuple[str, str], ...]:
        """The state variables with their values in words; none of a table, whose states are predicates."""

    @abstractmethod
    def reach(self, starts: Iterable[State], budget: Budget, moments: int | None = None) -> Divided[ReachedHmm]:
        """The model on the states that some starts reach; a table on all that it lists.

        With `moments`, nothing later than the first so many of a run is asked about: of a large model, where every
        state shows a letter, only the states that are reached by then. Raises InputRejected with what is at fault
        there, and LimitReached.
        """

    @abstractmethod
    def chain_to(
        self, compiler: Compiler, target: Target, starts: Sequence[State], costs: Costs | None, budget: Budget
    ) -> Divided[TargetChain]:
        """The chain from some starts until it comes to a state that satisfies a condition, or to one to be avoided.

        `compiler` has the variables of the claim bound. Raises InputRejected for a fault on a reachable state, with its
        path, and LimitReached.
        """

    @abstractmethod
    def every_state(self, place: Expr, budget: Budget) -> Sequence[State]:
        """All values that the state variables can have by their types; of a table, all states that it lists.

        Raises InputRejected where they are infinitely many, LimitReached where they are more than the limit.
        """

    @abstractmethod
    def arguments(self, state: State) -> tuple[tuple[str, str], ...]:
        """What names a state where a claim ranges over several."""

    def satisfies(self, compiler: Compiler, condition: Expr) -> Callable[[State], bool]:
        """Whether a state satisfies a condition."""
        read = [local for local in compiler.reads(condition) if isinstance(local, Local)]
        holds, readings = compiler.condition(condition, read), [self.reading(local) for local in read]
        return lambda state: holds(*(reading(state) for reading in readings))

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
