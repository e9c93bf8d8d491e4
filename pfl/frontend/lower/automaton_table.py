"""Automata in table form, read off their transitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.frontend.ast import Expr, Identifier
from pfl.frontend.ast_systems import Actions, AutomatonDecl, Channel, StartState, States, TableTransition
from pfl.frontend.bindings import CheckedProgram
from pfl.frontend.compile.compiler import Compiler
from pfl.frontend.lower.automaton_errors import not_one_response
from pfl.frontend.types import DistributionType
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.labelled_system import SparseRow
from pfl.ir.plts import Action, Plts
from pfl.ir.values import SymbolValue, truth
from pfl.transform.close_plts import NotOneResponse, close_plts
from pfl.transform.close_plts_apart import close_plts_apart
from pfl.transform.hidden_steps import hidden_steps, reachable


@dataclass(frozen=True, kw_only=True, eq=False)
class AutomatonTable:
    """An automaton in table form whose arguments are bound in `compiler`."""

    program: CheckedProgram
    compiler: Compiler
    declaration: AutomatonDecl

    def system(self, budget: Budget, *, keep_state: bool = False) -> Divided[InteractiveSystem]:
        """The reachable states without hidden steps; they are told apart in any case, so `keep_state` has no effect.

        Responses are letters of their own where a query may get none or several. A state's name is a predicate for
        relations. Raises LimitReached.
        """
        del keep_state
        plts = self.plts()
        try:
            system = close_plts(plts, budget)
        except NotOneResponse:
            system = close_plts_apart(plts, budget)
        return system.then(lambda closed: _with_predicates(closed, plts.states))

    def takes_no_turns(self, clause: str, budget: Budget) -> Diagnostic:
        """Why a clause is refused that wants one response a query, of a table that has not; with a path to where."""
        plts = self.plts()
        try:
            _ = close_plts(plts, budget)
        except NotOneResponse as fault:
            return not_one_response(self.declaration, plts, fault, clause)
        raise ValueError("every query gets one response")

    def dead_ends(self) -> list[str]:
        """The states that runs come to, and that have no action."""
        plts = self.plts()
        return [plts.states[state] for state in reachable(plts) if not plts.transitions[state]]

    def may_hide_for_ever(self, budget: Budget) -> bool:
        """Whether a run may take hidden steps for ever, at almost all values of the parameters."""
        plts = self.plts()
        hidden = hidden_steps(plts, budget).noting(Divisors())
        return any(hidden.bottom in hidden.ends(state) for state in reachable(plts))

    def plts(self) -> Plts:
        """The transitions as they are written. Raises InputRejected where probabilities do not sum to 1."""
        items = self.declaration.items
        names = [name.text for name in self._declared]
        index = {name: number for number, name in enumerate(names)}
        actions: dict[str, Action] = {}
        for item in items:
            if isinstance(item, Channel):
                actions[item.name.text] = Action(item.kind, item.name.text)
            elif isinstance(item, Actions):
                actions.update((name.text, Action(item.kind, name.text)) for name in item.names)
        transitions: list[dict[Action, SparseRow]] = [{} for _ in names]
        start: SparseRow = ()
        for item in items:
            if isinstance(item, StartState):
                start = self._row(item.value, index)
            elif isinstance(item, TableTransition):
                transitions[index[item.source.text]][actions[item.action.text]] = self._row(item.target, index)
        weights: dict[int, Number] = dict(start)
        return Plts(
            states=tuple(names),
            start=tuple(weights.get(state, Fraction(0)) for state in range(len(names))),
            actions=tuple(actions.values()),
            transitions=tuple(transitions),
        )

    def _row(self, target: Expr, index: Mapping[str, int]) -> SparseRow:
        """The states that an expression gives, with their probabilities."""
        states = {self.program.local(name): SymbolValue(name.text) for name in self._declared}
        compiler = self.compiler.bind(states)
        if not isinstance(self.program.type_of(target), DistributionType):
            return ((index[_state(compiler.expression(target)())], Fraction(1)),)
        distribution = compiler.distribution(target)()
        entries = ((index[_state(value)], weight) for value, weight in distribution.items())
        return tuple(sorted((state, weight) for state, weight in entries if weight != 0))

    @property
    def _declared(self) -> Sequence[Identifier]:
        """The states, in order."""
        return [name for item in self.declaration.items if isinstance(item, States) for name in item.names]


def _with_predicates(system: InteractiveSystem, names: Sequence[str]) -> InteractiveSystem:
    """The system with the name of each state as a predicate."""
    waiting = system.states[: system.bottom]
    return replace(system, values=tuple(tuple((name, truth(name == state)) for name in names) for state in waiting))


def _state(value: object) -> str:
    assert isinstance(value, SymbolValue), "the checker lets only states be targets"
    return value.name
