"""The `prior` clauses of a claim."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import Call, Expr, Name
from pfl.frontend.ast_claims import Clause
from pfl.frontend.ast_systems import PriorDecl
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.resolve.names import System
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import claim_errors
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.system_arguments import check_system_arguments


def named_priors(checker: Checker, clauses: Sequence[Clause], system: System, scope: Scope) -> tuple[PriorDecl, ...]:
    """The priors that a claim names, each checked and with its arguments checked; those at fault are left out."""
    found: list[PriorDecl] = []
    for clause in clauses:
        if clause.keyword.text != "prior" or clause.value is None:
            continue
        name, arguments = applied_name(clause.value)
        if name is None:
            checker.found.add(claim_errors.wrong_clause_value(clause.value, "prior", "the name of a prior"))
            continue
        prior = _prior(checker, name, system, scope)
        if prior is not None:
            check_system_arguments(checker, clause.value, arguments or (), prior.parameters, name.text, scope)
            found.append(prior)
    return tuple(found)


def applied_name(value: object) -> tuple[Name | None, tuple[Expr, ...] | None]:
    """The name and arguments of `p` or `p(1/2)`; no name where something else is written."""
    if isinstance(value, Name):
        return value, None
    if isinstance(value, Call) and isinstance(value.callee, Name):
        return value.callee, tuple(argument.value for argument in value.arguments)
    return None, None


def _prior(checker: Checker, name: Name, system: System, scope: Scope) -> PriorDecl | None:
    names = scope.owner.names
    declaration = names.declared.get(name.text)
    if not isinstance(declaration, PriorDecl):
        if names.complete or declaration is not None:
            checker.found.add(name_errors.unknown_of_kind("prior", name, names.of_kind(PriorDecl), declaration))
        return None
    checker.bind(name, declaration)
    if not checker.ensure(declaration, name):
        return None
    target = checker.target(declaration.system)
    if target is not None and target is not system:
        system_name = scope.owner.name
        checker.found.add(claim_errors.foreign_prior(name, "prior", name.text, declaration.system, system_name))
        return None
    return declaration
