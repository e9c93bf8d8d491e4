"""Automata in table form, read off their transitions.

Faults of automata, and of claims about them, that show only once their states are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base import codes
from pfl.base.budget import Budget
from pfl.base.diagnostics import Diagnostic, Label
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.model.interactive import Action, InteractiveSystem, Plts
from pfl.model.labelled_system import SparseRow
from pfl.model.two_runs import Adjacency
from pfl.model.values import SymbolValue, truth
from pfl.passes.close_plts import NotOneResponse, close_plts, close_plts_apart, hidden_steps, reachable
from pfl.syntax.tree.ast import Expr, Identifier
from pfl.syntax.tree.ast_declarations import (
    Actions,
    AutomatonDecl,
    Channel,
    RelationDecl,
    StartState,
    States,
    TableTransition,
)
from pfl.syntax.tree.ast_module import ClaimDecl
from pfl.typecheck.bindings import CheckedProgram
from pfl.typecheck.types import DistributionType


def may_be_silent(declaration: AutomatonDecl, where: str) -> Diagnostic:
    return Diagnostic(
        code=codes.SILENT_FOR_EVER,
        message=f"`{declaration.name.text}` may take hidden steps for ever {where}",
        labels=(Label(declaration.name.span, "some runs say nothing more"),),
        help="an examiner only sees that no answer has come yet; such runs are compared by what was seen before",
    )


def dead_end(declaration: AutomatonDecl, state: str) -> Diagnostic:
    return Diagnostic(
        code=codes.DEAD_END,
        message=f"`{state}` does nothing and takes no input",
        labels=(Label(_declared(declaration, state), "runs that come here end"),),
        help="give it transitions; what an examiner sees of such a run is compared as far as it goes",
    )


def not_one_response(declaration: AutomatonDecl, plts: Plts, fault: NotOneResponse, clause: str) -> Diagnostic:
    """A run of a table on which queries and responses do not take turns, as a clause wants it."""
    state = plts.states[fault.state]
    output = plts.output(fault.state)
    response = "" if output is None else output.name
    message = {
        "unanswered": f"`{state}` waits for the next input although the last query was not answered",
        "again": f"`{state}` responds `{response}` although the last query was already answered",
        "unasked": f"`{state}` responds `{response}` although no query was asked",
    }[fault.problem]
    code = codes.RESPONSE_MISSING if fault.problem == "unanswered" else codes.RESPONSE_UNASKED
    first, *steps = fault.path
    path = plts.states[first[1]] + "".join(f" -- {action} --> {plts.states[target]}" for action, target in steps)
    return Diagnostic(
        code=code,
        message=message,
        labels=(Label(_declared(declaration, state), f"reached by {path}"),),
        help=f"for {clause} there must be exactly one response between a query and the next input",
    )


def no_data_points(declaration: AutomatonDecl, claim: Span, adjacency: Adjacency) -> Diagnostic:
    needed = "two different data points to exchange" if adjacency == "replace" else "a data point to add"
    return Diagnostic(
        code=codes.NO_DATA_POINTS,
        message=f"`{declaration.name.text}` does not have {needed}, so no two runs are compared",
        labels=(Label(claim, "this holds whatever the automaton does"),),
    )


def relation_of_other_arguments(declaration: RelationDecl, claim: ClaimDecl) -> Diagnostic:
    return Diagnostic(
        code=codes.RELATION_OF_OTHER_ARGUMENTS,
        message=f"relation `{declaration.name.text}` is for `{declaration.system.text}` with other arguments",
        labels=(
            Label(claim.system.span, "the claim is about these"),
            Label(declaration.system.span, "the relation is about others"),
        ),
        help="give both the same arguments",
    )


def negative_balance(declaration: RelationDecl, label: str, balance: str) -> Diagnostic:
    where = f" for {label}" if label else ""
    clause = next(clause for clause in declaration.clauses if clause.kind.text == "balance")
    return Diagnostic(
        code=codes.NEGATIVE_BALANCE,
        message=f"the balance of `{declaration.name.text}` is {balance}{where}, which is negative",
        labels=(Label(clause.value.span, "this much is left to give away"),),
        help="a balance goes down to 0, where related states must look the same",
    )


def _declared(declaration: AutomatonDecl, state: str) -> Span:
    names = (name for item in declaration.items if isinstance(item, States) for name in item.names)
    return next(name.span for name in names if name.text == state)


@struct(eq=False, cached=True)
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
