"""Automata in handler form; the choice between the two forms.

Every path of `on query` responds exactly once: an analysis of the paths through a handler.

A path is described by the response it has given, if any. Statements map the set of descriptions
before them to the set after them. A loop may run any number of times, so a response in one is
never exactly one.

Relations that an author writes down for `check unwinding .. by R`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from pfl.base.source import Span
from pfl.base.struct import struct
from pfl.syntax.spelling import closest
from pfl.syntax.tree.ast import Identifier
from pfl.syntax.tree.ast_declarations import (
    Actions,
    AutomatonDecl,
    Channel,
    Handler,
    Letters,
    RelationDecl,
    StartState,
    States,
    StateVariable,
    TableTransition,
)
from pfl.syntax.tree.ast_statements import (
    Block,
    Emit,
    For,
    Forever,
    If,
    MatchStatement,
    Respond,
    Return,
    Statement,
    While,
)
from pfl.syntax.tree.tree_walk import all_statements
from pfl.typecheck.bindings import Symbol
from pfl.typecheck.checker import Checker, Want
from pfl.typecheck.facts import Body, SystemFacts
from pfl.typecheck.fitting import BOOL, ERROR, REAL, union_of
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Owner, Scope
from pfl.typecheck.systems import system_errors
from pfl.typecheck.systems.automaton_table import check_automaton_table
from pfl.typecheck.systems.definitions import settle_symbols
from pfl.typecheck.systems.hmm import declare_state, start_type
from pfl.typecheck.systems.statements import check_block
from pfl.typecheck.systems.system_arguments import check_system_arguments
from pfl.typecheck.types import Type
from pfl.typecheck.written_types import declare_parameters, shown_type, written_type


@struct(eq=False, kw_only=False)
class _Paths:
    """The paths that come to one place: `silent` is where one went by without responding, None where all responded."""

    silent: Span | None
    answered: Respond | None


def report_responses(checker: Checker, handler: Handler) -> None:
    """Reports paths of a handler that respond never, twice, or in a loop."""
    analysis = _Analysis(checker)
    start = _Paths(handler.channel.span, None)
    end = analysis.block(handler.body, start)
    if end.silent is not None and not analysis.has_fault:
        checker.found.add(system_errors.responds_never(handler.channel, end.silent))


@struct(frozen=False, kw_only=False)
class _Analysis:
    checker: Checker
    has_fault: bool = field(default=False)

    def block(self, statements: Sequence[Statement], paths: _Paths) -> _Paths:
        for statement in statements:
            paths = self.statement(statement, paths)
        return paths

    def statement(self, statement: Statement, paths: _Paths) -> _Paths:
        match statement:
            case Respond():
                if paths.answered is not None:
                    self.has_fault = True
                    self.checker.found.add(system_errors.responds_twice(statement, paths.answered))
                return _Paths(None, statement)
            case Return(value=None):
                self.has_fault = True  # has no meaning here, which is reported, and was meant to end the path
                return _Paths(None, None)
            case Return() | Emit():
                self.has_fault = True  # has no meaning here, which is reported, and was meant as a response
                return paths
            case If():
                return self._if(statement, paths)
            case MatchStatement(arms=arms):
                return _meet(self.block(arm.body, self._into(arm.span, paths)) for arm in arms)
            case Block(body=body):
                return self.block(body, paths)
            case For(body=body) | While(body=body) | Forever(body=body):
                for inner in all_statements(body):
                    if isinstance(inner, Respond):
                        self.has_fault = True
                        self.checker.found.add(system_errors.responds_in_loop(inner))
                return paths
            case _:
                return paths

    def _if(self, statement: If, paths: _Paths) -> _Paths:
        ends: list[_Paths] = []
        branch: If | None = statement
        while branch is not None:  # a chain of `else if` is walked, not nested
            ends.append(self.block(branch.then, self._into(branch.condition.span, paths)))
            otherwise = branch.otherwise
            if otherwise is None:
                ends.append(self._into(branch.span, paths))
                branch = None
            elif len(otherwise) == 1 and isinstance(otherwise[0], If):
                branch = otherwise[0]
            else:
                ends.append(self.block(otherwise, self._into(otherwise[0].span if otherwise else branch.span, paths)))
                branch = None
        return _meet(ends)

    def _into(self, place: Span, paths: _Paths) -> _Paths:
        """The same paths, seen from a branch: where none has responded, the branch is where it is to be said."""
        return paths if paths.silent is None else _Paths(place, paths.answered)


def _meet(ends: Iterable[_Paths]) -> _Paths:
    listed = list(ends)
    silent = next((end.silent for end in listed if end.silent is not None), None)
    answered = next((end.answered for end in listed if end.answered is not None), None)
    return _Paths(silent, answered)


def check_automaton(checker: Checker, node: AutomatonDecl, names: ModuleNames) -> None:
    """`automaton slots(t: int, v: int) { .. }`, handler form or table form."""
    outputs = [item for item in node.items if isinstance(item, Letters)]
    table = [item for item in node.items if isinstance(item, States | StartState | TableTransition | Actions)]
    program = [item for item in node.items if isinstance(item, StateVariable | Handler)]
    owner = Owner(kind="automaton", name=node.name.text, names=names, declares_outputs=bool(outputs))
    scope = Scope(owner)
    facts = SystemFacts(declaration=node, start=ERROR, given=node.parameters, has_start=True)
    checker.facts[id(node)] = facts
    declare_parameters(checker, node.parameters, scope)
    for extra in outputs[1:]:
        checker.found.add(system_errors.given_twice(extra, "`output`", outputs[0]))
    if table and program:
        facts.complete = False
        checker.found.add(system_errors.mixed_forms(program[0], node.name.text, table[0]))
    elif table:
        check_automaton_table(checker, node, facts, scope)
    else:
        _check_handlers(checker, node, facts, scope)
    facts.symbols = settle_symbols(checker, node, owner) | facts.symbols


def _check_handlers(checker: Checker, node: AutomatonDecl, facts: SystemFacts, scope: Scope) -> None:
    channels = [item for item in node.items if isinstance(item, Channel)]
    handlers = [item for item in node.items if isinstance(item, Handler)]
    variables = [item for item in node.items if isinstance(item, StateVariable)]
    types = _channel_types(checker, channels, scope)
    for item in node.items:
        if isinstance(item, Letters):
            facts.output = shown_type(checker, item.type, scope, "output")
            break
    if not variables:
        facts.complete = False
        checker.found.add(system_errors.no_state(node))
    for variable in variables:
        if variable.initial is None:
            checker.found.add(system_errors.state_without_initial(variable.name))
    locals_ = declare_state(checker, variables, scope)
    facts.state = {local.name.text: local for local in locals_}
    facts.start = start_type(locals_)
    responses: list[Type] = []
    for handler in handlers:
        responses += _check_handler(checker, handler, node.name.text, channels, types, facts.output, scope)
    if facts.output is None and responses:
        facts.output = union_of(responses)
    _report_handlers(checker, channels, handlers, node.name.text)


def _channel_types(checker: Checker, channels: Sequence[Channel], scope: Scope) -> dict[str, Type]:
    types: dict[str, Type] = {}
    first: dict[str, Channel] = {}
    for channel in channels:
        name = channel.name
        if channel.type is None:
            checker.found.add(system_errors.channel_without_type(name, channel.kind))
            type_: Type = ERROR
        else:
            type_ = written_type(checker, channel.type, scope)
        if name.text in first:
            checker.found.add(name_errors.listed_twice(name, first[name.text].name.span, "the inputs"))
            continue
        first[name.text] = channel
        types[name.text] = type_
    return types


def _check_handler(
    checker: Checker,
    handler: Handler,
    system: str,
    channels: Sequence[Channel],
    types: dict[str, Type],
    output: Type | None,
    scope: Scope,
) -> list[Type]:
    """Checks a handler, and returns the types of what it responds."""
    name = handler.channel
    channel = next((channel for channel in channels if channel.name.text == name.text), None)
    if channel is None:
        what = "a query" if handler.kind == "query" else "a data channel"
        candidates = [channel.name.text for channel in channels if channel.kind == handler.kind]
        checker.found.add(name_errors.unknown_action(name, what, system, candidates))
    elif channel.kind != handler.kind:
        checker.found.add(system_errors.handler_of_other_kind(name, channel.kind))
    inner = scope.inner()
    written = None if channel is None else channel.type
    checker.declare(inner, "input", name, types.get(name.text, ERROR), written)
    body = Body(kind=handler.kind, output=output)
    check_block(checker, handler.body, inner, body)
    if handler.kind == "query":
        report_responses(checker, handler)
    return body.produced


def _report_handlers(checker: Checker, channels: Sequence[Channel], handlers: Sequence[Handler], system: str) -> None:
    first: dict[str, Handler] = {}
    for handler in handlers:
        name = handler.channel.text
        if name in first:
            checker.found.add(system_errors.handler_twice(handler.channel, name, first[name].channel))
        first.setdefault(name, handler)
    for channel in channels:
        if channel.name.text not in first:
            checker.found.add(system_errors.handler_missing(channel.name, channel.kind, system))


_EXAMPLES = {"balance": "balance 2*ln(2);", "holds": "holds left.x == right.x;"}


def check_relation(checker: Checker, node: RelationDecl, names: ModuleNames) -> None:
    """`relation near(j: 0..2) for slots(2, 1) { balance ..; holds ..; }`."""
    owner = Owner(kind="relation", name=node.name.text, names=names, declares_outputs=True)
    scope = Scope(owner)
    declare_parameters(checker, node.parameters, scope)
    facts = _system(checker, node, names)
    owner.complete = facts is not None and facts.complete
    if facts is not None:
        owner.state = facts.state
        owner.letters.update((name, Symbol(name=name)) for name in facts.symbols)
        check_system_arguments(checker, node.system, node.arguments or (), facts.given, node.system.text, scope)
    sides = scope.inner()
    for side in ("left", "right"):
        identifier = Identifier(text=side, span=node.name.span)
        checker.declare(sides, "side", identifier, facts.start if facts is not None and facts.complete else ERROR)
    _check_clauses(checker, node, scope, sides)


def _system(checker: Checker, node: RelationDecl, names: ModuleNames) -> SystemFacts | None:
    declaration = names.declared.get(node.system.text)
    if not isinstance(declaration, AutomatonDecl):
        if names.complete or declaration is not None:
            candidates = names.of_kind(AutomatonDecl)
            checker.found.add(name_errors.unknown_of_kind("automaton", node.system, candidates, declaration))
        return None
    checker.bind(node.system, declaration)
    return checker.facts[id(declaration)] if checker.ensure(declaration, node.system) else None


def _check_clauses(checker: Checker, node: RelationDecl, scope: Scope, sides: Scope) -> None:
    first: dict[str, Identifier] = {}
    for clause in node.clauses:
        keyword = clause.kind
        if keyword.text not in _EXAMPLES:
            guess = closest(keyword.text, _EXAMPLES)
            checker.found.add(system_errors.unknown_relation_clause(keyword, guess))
            first.setdefault(guess or "", keyword)
        elif keyword.text in first:
            checker.found.add(system_errors.relation_clause_twice(keyword, first[keyword.text].span))
        elif keyword.text == "balance":
            checker.fitting(clause.value, scope, REAL, "the balance", Want(logarithms=True))
        else:
            checker.fitting(clause.value, sides, BOOL, "what holds")
        first.setdefault(keyword.text, keyword)
    for keyword_text, example in _EXAMPLES.items():
        if keyword_text not in first:
            checker.found.add(system_errors.relation_clause_missing(node, keyword_text, example))
