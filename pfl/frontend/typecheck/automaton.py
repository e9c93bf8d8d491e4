"""Automata in handler form; the choice between the two forms."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast_systems import (
    Actions,
    AutomatonDecl,
    Channel,
    Handler,
    Letters,
    StartState,
    States,
    StateVariable,
    TableTransition,
)
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.names import ModuleNames
from pfl.frontend.resolve.scope import Owner, Scope
from pfl.frontend.typecheck import system_errors
from pfl.frontend.typecheck.automaton_table import check_automaton_table
from pfl.frontend.typecheck.bodies import Body
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.facts import SystemFacts
from pfl.frontend.typecheck.fitting import ERROR, union_of
from pfl.frontend.typecheck.hmm import declare_state, start_type
from pfl.frontend.typecheck.responses import report_responses
from pfl.frontend.typecheck.statements import check_block
from pfl.frontend.typecheck.symbols import settle_symbols
from pfl.frontend.typecheck.written_types import declare_parameters, shown_type, written_type
from pfl.frontend.types import Type


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
