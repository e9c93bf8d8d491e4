"""Arguments of systems, priors and relations where a claim or a declaration names them."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import Expr, Node
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import claim_errors
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.types import IntType, RealType


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
