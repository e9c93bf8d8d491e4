"""Priors: programs that draw the world and say where the system starts."""

from __future__ import annotations

from pfl.frontend.ast import Node
from pfl.frontend.ast_systems import HmmDecl, MechanismDecl, PriorDecl
from pfl.frontend.bindings import Local
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.names import ModuleNames
from pfl.frontend.resolve.scope import Owner, Scope
from pfl.frontend.typecheck import system_errors
from pfl.frontend.typecheck.bodies import Body
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.facts import SystemFacts
from pfl.frontend.typecheck.fitting import ERROR, SYMBOL
from pfl.frontend.typecheck.statements import check_block
from pfl.frontend.typecheck.symbols import settle_symbols
from pfl.frontend.typecheck.system_arguments import check_system_arguments
from pfl.frontend.typecheck.written_types import declare_parameters


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
