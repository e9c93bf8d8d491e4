"""The automata that claims name, with their arguments, as interactive systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divided
from pfl.base.struct import struct
from pfl.evaluation.compiler import Compiler
from pfl.lower.automaton.automaton import AutomatonModel
from pfl.lower.automaton.automaton_table import AutomatonTable, dead_end, may_be_silent
from pfl.lower.request import Request, Session, Setting
from pfl.model.interactive import InteractiveSystem
from pfl.model.program import Program
from pfl.syntax.tree.ast import Expr
from pfl.syntax.tree.ast_declarations import AutomatonDecl, States
from pfl.syntax.tree.ast_module import SystemRef

SMALL = 200_000
"""States up to which a system is explored as a whole in any case."""


@struct(eq=False, cached=True)
class Automaton:
    """An automaton with its arguments."""

    declaration: AutomatonDecl
    model: AutomatonModel | AutomatonTable
    budget: Budget

    @property
    def program(self) -> Program | None:
        """The program that is explored; a table has none."""
        return self.model.lowered() if isinstance(self.model, AutomatonModel) else None

    @cached_property
    def system(self) -> Divided[InteractiveSystem]:
        """Its reachable states; those that differ in what is not read again are one. Raises what exploring raises."""
        return self._small or self.model.system(self.budget)

    def within(self, most: int) -> Divided[InteractiveSystem]:
        """What runs of so many inputs come to: the system, or, if that is large, as much of it as they reach.

        In a part states differ in how many inputs were taken, and the last ones take none.
        """
        if self._small is not None or isinstance(self.model, AutomatonTable):
            return self.system
        try:
            return self.model.system(self.budget, most=most)
        except LimitReached:
            return self.system

    @property
    def is_small(self) -> bool:
        """Whether claims about bounded numbers of inputs are about the whole system."""
        return self._small is not None

    @cached_property
    def _small(self) -> Divided[InteractiveSystem] | None:
        """The system, unless it is large."""
        try:
            return self.model.system(replace(self.budget, max_states=min(SMALL, self.budget.max_states)))
        except LimitReached:
            return None

    @cached_property
    def system_for_relations(self) -> Divided[InteractiveSystem]:
        """The same, with states that differ in any variable told apart."""
        return self.model.system(self.budget, keep_state=True)


def automaton_of(request: Request, setting: Setting, reference: SystemRef | None = None) -> Automaton:
    """The automaton that a claim is about, or another that it names: one object for equal arguments."""
    reference = reference or request.claim.system
    declaration = request.session.program.target(reference.name)
    assert isinstance(declaration, AutomatonDecl)
    return automaton_with(request.session, setting.compiler, declaration, reference.arguments or ())


def automaton_with(
    session: Session, compiler: Compiler, declaration: AutomatonDecl, given: Sequence[Expr]
) -> Automaton:
    """The automaton with the values that arguments have."""
    parameters = declaration.parameters
    values = compiler.arguments(parameters, given, declaration.name.text)()
    key = (id(declaration), values)
    if key not in session.models:
        program = session.program
        locals_ = (program.local(parameter.name) for parameter in parameters)
        bound = session.compiler.bind(dict(zip(locals_, values)))
        is_table = any(isinstance(item, States) for item in declaration.items)
        kind = AutomatonTable if is_table else AutomatonModel
        model = kind(program=program, compiler=bound, declaration=declaration)
        session.models[key] = Automaton(declaration=declaration, model=model, budget=session.budget)
    automaton: Automaton = session.models[key]
    return automaton


def warn_of_silence(request: Request, automaton: Automaton) -> None:
    """Warnings if some run may come to an end, or go on for ever without a word."""
    model = automaton.model
    if isinstance(model, AutomatonTable):
        for state in model.dead_ends():
            request.session.found.add(dead_end(automaton.declaration, state))
        if not model.may_hide_for_ever(automaton.budget):
            return
    where = next(_silences(automaton.system.noting(request.divisors)), None)
    if where is not None:
        request.session.found.add(may_be_silent(automaton.declaration, where))


def _silences(system: InteractiveSystem) -> Iterator[str]:
    """Where a run may begin to be silent for ever."""
    if system.start[system.bottom]:
        yield "at the start"
    for state in range(system.bottom):
        if system.waits(state):
            for data, matrix in zip(system.data, system.data_moves):
                if any(column == system.bottom for column, _ in matrix[state]):
                    yield f"after {data} in {system.states[state]}"
        for query, answers in zip(system.queries, system.answers):
            if system.waits(state) != (query in system.asked):
                continue
            heard = (weight for _, matrix in answers for column, weight in matrix[state] if column != system.bottom)
            if sum(heard) != 1:
                yield f"after {query or 'the response'} in {system.states[state]}"
