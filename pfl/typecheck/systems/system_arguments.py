"""Arguments of systems, priors and relations where a claim or a declaration names them.

The `prior` clauses of a claim.
"""

from __future__ import annotations

from collections.abc import Sequence

from pfl.syntax.tree.ast import Call, Expr, Name, Node
from pfl.syntax.tree.ast_declarations import Parameter, PriorDecl
from pfl.syntax.tree.ast_module import Clause
from pfl.typecheck.checker import Checker
from pfl.typecheck.claims import claim_errors
from pfl.typecheck.names import name_errors
from pfl.typecheck.names.scope import Scope, System
from pfl.typecheck.types import IntType, RealType


def check_system_arguments(
    checker: Checker,
    node: Node,
    arguments: Sequence[Expr],
    parameters: Sequence[Parameter],
    name: str,
    scope: Scope,
    inputs: Sequence[Parameter] = (),
    *,
    compares: bool = False,
) -> None:
    """Checks what is given, in order, for the parameters that a claim gives; `inputs` are those that it does not.

    `compares` is whether the claim is about a mechanism's inputs, which a parameter of type `int` or `real` is not.
    """
    for position, argument in enumerate(arguments):
        if len(arguments) <= len(parameters):
            parameter = parameters[position]
            what = f"argument `{parameter.name.text}` of `{name}`"
            checker.fitting(argument, scope, checker.types[id(parameter.type)], what)
        else:
            checker.expression(argument, scope)
    if len(arguments) != len(parameters):
        names = tuple(parameter.name.text for parameter in parameters)
        numbers = (p.name.text for p in parameters if isinstance(checker.types[id(p.type)], IntType | RealType))
        endless = next(numbers, "") if compares and not inputs else ""
        first = sorted((*parameters, *inputs), key=lambda parameter: parameter.span.start)[: len(arguments)]
        meant = [parameter for parameter in first if parameter in inputs]
        found = claim_errors.wrong_system_arguments(node, name, names, len(arguments), inputs, meant, endless)
        checker.found.add(found)


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
