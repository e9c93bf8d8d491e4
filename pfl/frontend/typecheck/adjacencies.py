"""Adjacencies that claims about mechanisms name."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import Expr
from pfl.frontend.ast_claims import Received
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.ast_systems import AdjacencyDecl
from pfl.frontend.resolve import errors as name_errors
from pfl.frontend.system_parameters import given_parameters, input_parameters
from pfl.frontend.typecheck import claim_errors
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.typecheck.claim_context import ClaimContext
from pfl.frontend.typecheck.fitting import INT, assignable
from pfl.frontend.typecheck.priors_named import applied_name
from pfl.frontend.typecheck.system_arguments import check_system_arguments
from pfl.frontend.types import Type


def check_adjacent(checker: Checker, node: Expr, claim: ClaimContext) -> None:
    """`adjacent R;`: R relates as many left and right inputs as the mechanism has, of their types."""
    declaration = _adjacency(checker, node, "adjacent", claim)
    if declaration is None:
        return
    name, place = declaration.name.text, declaration.name.span
    related = input_parameters(checker.target, declaration)
    inputs = claim.facts.inputs
    system = claim.node.system.arguments or ()
    _, own = applied_name(node)
    given = given_parameters(checker.target, declaration)
    if len(system) != len(claim.facts.given) or len(own or ()) != len(given):
        return  # a parameter lacks its argument, or an input was meant to be given: that is reported
    if len(related) != 2 * len(inputs):
        message = (
            f"`{claim.system}` has {_count(inputs)}, and adjacency `{name}` relates {len(related) // 2} to as many"
        )
        advice = "parameters of finitely many values are inputs; one that a claim is to give a value to is `const`"
        checker.found.add(claim_errors.adjacency_does_not_fit(node, name, message, place, advice))
        return
    for position, parameter in enumerate(related):
        of = inputs[position % len(inputs)]
        wanted, actual = checker.types[id(of.type)], checker.types[id(parameter.type)]
        if not assignable(wanted, actual):
            where = f"input `{of.name.text}` of `{claim.system}`"
            checker.found.add(claim_errors.adjacency_type(node, name, where, wanted, actual, place))
            return


def _count(inputs: Sequence[Parameter]) -> str:
    if not inputs:
        return "no inputs"
    names = " and ".join(f"`{parameter.name.text}`" for parameter in inputs)
    return f"one input, {names}" if len(inputs) == 1 else f"{len(inputs)} inputs, {names}"


def check_received(checker: Checker, value: Received, claim: ClaimContext) -> None:
    """`received R at most 1;`: R relates two values of every `receive`."""
    if value.limit is not None:
        checker.fitting(value.limit, claim.scope, INT, "`at most`")
    declaration = _adjacency(checker, value.relation, "received", claim)
    if declaration is None:
        return
    if not claim.facts.receives:
        checker.found.add(claim_errors.receives_nothing(value, claim.system))
        return
    name, place = declaration.name.text, declaration.name.span
    related = input_parameters(checker.target, declaration)
    if len(related) != 2:
        message = f"what is received is one value, and adjacency `{name}` relates {len(related) // 2} to as many"
        checker.found.add(claim_errors.adjacency_does_not_fit(value.relation, name, message, place))
        return
    types: list[Type] = [checker.types[id(parameter.type)] for parameter in related]
    for received in claim.facts.receives:
        if not all(assignable(received, type_) for type_ in types):
            where = f"what `{claim.system}` receives"
            checker.found.add(claim_errors.adjacency_type(value.relation, name, where, received, types[0], place))
            return


def _adjacency(checker: Checker, node: Expr, keyword: str, claim: ClaimContext) -> AdjacencyDecl | None:
    """The adjacency that a clause names, with the arguments it must be given checked."""
    name, arguments = applied_name(node)
    if name is None:
        checker.found.add(claim_errors.not_an_adjacency(node, keyword))
        return None
    names = claim.scope.owner.names
    declaration = names.declared.get(name.text)
    if not isinstance(declaration, AdjacencyDecl):
        if names.complete or declaration is not None:
            candidates = names.of_kind(AdjacencyDecl)
            checker.found.add(name_errors.unknown_of_kind("adjacency", name, candidates, declaration))
        return None
    checker.bind(name, declaration)
    if not checker.ensure(declaration, name):
        return None
    related = input_parameters(checker.target, declaration)
    if not related or len(related) % 2:
        return None  # reported where it is declared
    given = given_parameters(checker.target, declaration)
    check_system_arguments(checker, node, arguments or (), given, name.text, claim.scope, related)
    return declaration
