"""Arguments of systems, priors and relations where a claim or a declaration names them."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.frontend.ast import Expr, Node
from pfl.frontend.ast_globals import Parameter
from pfl.frontend.resolve.scope import Scope
from pfl.frontend.typecheck import claim_errors
from pfl.frontend.typecheck.checker import Checker


def check_system_arguments(
    checker: Checker,
    node: Node,
    arguments: Sequence[Expr],
    parameters: Sequence[Parameter],
    name: str,
    scope: Scope,
    inputs: tuple[str, ...] = (),
) -> None:
    """Checks what is given, in order, for the parameters that a claim gives; `inputs` are those that it does not."""
    for position, argument in enumerate(arguments):
        if position < len(parameters):
            parameter = parameters[position]
            what = f"argument `{parameter.name.text}` of `{name}`"
            checker.fitting(argument, scope, checker.types[id(parameter.type)], what)
        else:
            checker.expression(argument, scope)
    if len(arguments) != len(parameters):
        names = tuple(parameter.name.text for parameter in parameters)
        checker.found.add(claim_errors.wrong_system_arguments(node, name, names, len(arguments), inputs))
