"""Relations that an author writes down for `check unwinding .. by R`."""

from __future__ import annotations

from pfl.frontend.ast import Identifier
from pfl.frontend.ast_systems import AutomatonDecl, RelationDecl
from pfl.frontend.bindings import Symbol
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.names import ModuleNames
from pfl.frontend.resolve.scope import Owner, Scope
from pfl.frontend.resolve.spelling import closest
from pfl.frontend.typecheck import system_errors
from pfl.frontend.typecheck.checker import Checker, Want
from pfl.frontend.typecheck.facts import SystemFacts
from pfl.frontend.typecheck.fitting import BOOL, ERROR, REAL
from pfl.frontend.typecheck.system_arguments import check_system_arguments
from pfl.frontend.typecheck.written_types import declare_parameters

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
