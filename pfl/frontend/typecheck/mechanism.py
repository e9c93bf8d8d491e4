"""Mechanisms."""

from __future__ import annotations

from pfl.frontend.ast_systems import MechanismDecl
from pfl.frontend.resolve.names import ModuleNames
from pfl.frontend.resolve.scope import Owner, Scope
from pfl.frontend.system_parameters import given_parameters, input_parameters
from pfl.frontend.typecheck import statement_errors
from pfl.frontend.typecheck.bodies import Body
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.facts import SystemFacts
from pfl.frontend.typecheck.fitting import ERROR, union_of
from pfl.frontend.typecheck.statements import check_block
from pfl.frontend.typecheck.symbols import settle_symbols
from pfl.frontend.typecheck.written_types import declare_parameters, shown_type, written_type
from pfl.frontend.types import TupleType, Type


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
            checker.found.add(statement_errors.return_without_value(statement, node.name.text))
    return union_of(types)
