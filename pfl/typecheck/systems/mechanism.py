"""Mechanisms.

Priors: programs that draw the world and say where the system starts.
"""

from __future__ import annotations

from pfl.syntax.tree.ast import Node
from pfl.syntax.tree.ast_declarations import HmmDecl, MechanismDecl, PriorDecl
from pfl.typecheck.bindings import Local, given_parameters, input_parameters
from pfl.typecheck.checker import Checker
from pfl.typecheck.facts import Body, SystemFacts
from pfl.typecheck.fitting import ERROR, SYMBOL, union_of
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import ModuleNames, Owner, Scope
from pfl.typecheck.systems import system_errors
from pfl.typecheck.systems.definitions import settle_symbols
from pfl.typecheck.systems.statements import check_block
from pfl.typecheck.systems.system_arguments import check_system_arguments
from pfl.typecheck.types import TupleType, Type
from pfl.typecheck.written_types import declare_parameters, shown_type, written_type


def check_mechanism(checker: Checker, node: MechanismDecl, names: ModuleNames) -> None:
    """`mechanism f(q: Query) emits {bot, top} -> 0..2 { .. }`."""
    declares = node.emits is not None or node.result is not None
    owner = Owner(kind="mechanism", name=node.name.text, names=names, declares_outputs=declares)
    scope = Scope(owner)
    checker.results[id(node)] = ERROR
    facts = SystemFacts(declaration=node, start=ERROR, given=())
    checker.facts[id(node)] = facts
    declare_parameters(checker, node.parameters, scope)
    facts.given = given_parameters(checker.target, node)
    facts.inputs = input_parameters(checker.target, node)
    types = tuple(checker.types[id(parameter.type)] for parameter in facts.inputs)
    facts.start = types[0] if len(types) == 1 else TupleType(types)
    body = Body(kind="mechanism")
    body.output = None if node.emits is None else shown_type(checker, node.emits, scope, "emits")
    body.result = None if node.result is None else written_type(checker, node.result, scope)
    check_block(checker, node.body, scope, body)
    callees = [checker.facts[identity] for identity in owner.callees if identity in checker.facts]
    facts.emits = bool(body.produced) or owner.calls_emitting
    facts.runs_forever = body.runs_forever or any(callee.runs_forever for callee in callees)
    facts.receives = (*body.received, *(type_ for callee in callees for type_ in callee.receives))
    facts.result = body.result or _result(checker, node, body)
    facts.symbols = settle_symbols(checker, node, owner)
    checker.results[id(node)] = facts.result


def _result(checker: Checker, node: MechanismDecl, body: Body) -> Type | None:
    """The type of what a mechanism without `->` returns; None where it returns nothing."""
    types = [type_ for _, type_ in body.returned if type_ is not None]
    if not types:
        return None
    for statement, type_ in body.returned:
        if type_ is None:
            checker.found.add(system_errors.return_without_value(statement, node.name.text))
    return union_of(types)


def check_prior(checker: Checker, node: PriorDecl, names: ModuleNames) -> None:
    """`prior independent(w: real) for Survey { .. }`."""
    owner = Owner(kind="prior", name=node.name.text, names=names)
    parameters = Scope(owner)
    declare_parameters(checker, node.parameters, parameters)
    facts = _system(checker, node, names)
    if facts is not None and node.arguments is not None:
        check_system_arguments(
            checker, node.system, node.arguments, facts.given, node.system.text, parameters, facts.inputs
        )
    body = _body(checker, facts)
    scope = parameters.inner()
    check_block(checker, node.body, scope, body)
    checker.worlds[id(node)] = {local.name.text: local for local in scope.own()}
    if facts is not None:
        _report_unstarted(checker, node, facts, body)
    settle_symbols(checker, node, owner)


def _system(checker: Checker, node: PriorDecl, names: ModuleNames) -> SystemFacts | None:
    """The facts of the system that a prior is for; None where there is none, or it is at fault."""
    declaration = names.declared.get(node.system.text)
    if not isinstance(declaration, HmmDecl | MechanismDecl):
        if names.complete or declaration is not None:
            candidates = names.of_kind(HmmDecl, MechanismDecl)
            checker.found.add(name_errors.unknown_of_kind("hmm or mechanism", node.system, candidates, declaration))
        return None
    checker.bind(node.system, declaration)
    return checker.facts[id(declaration)] if checker.ensure(declaration, node.system) else None


def _body(checker: Checker, facts: SystemFacts | None) -> Body:
    if facts is None or not facts.complete:
        return Body(kind="prior", whole=ERROR)
    if isinstance(facts.declaration, MechanismDecl):
        places = {parameter.name.text: _local(checker, parameter.name) for parameter in facts.inputs}
        return Body(kind="prior", places=places, whole=facts.start)
    if facts.is_table:
        return Body(kind="prior", places={}, whole=SYMBOL, states=facts.state)
    return Body(kind="prior", places=facts.state, whole=facts.start)


def _local(checker: Checker, name: Node) -> Local:
    local = checker.target(name)
    assert isinstance(local, Local)
    return local


def _report_unstarted(checker: Checker, node: PriorDecl, facts: SystemFacts, body: Body) -> None:
    if facts.has_start or body.places is None or "start" in body.started:
        return
    if facts.is_table:
        checker.found.add(system_errors.prior_does_not_start_table(node))
        return
    missing = [name for name in body.places if name not in body.started | facts.started]
    if missing:
        what = "input" if isinstance(facts.declaration, MechanismDecl) else "state variable"
        checker.found.add(system_errors.prior_does_not_start(node, missing, what))
