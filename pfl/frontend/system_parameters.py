"""Which parameters of a system a claim gives a value to, and which are inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from pfl.frontend.ast import (
    ArrayType,
    BagType,
    BuiltinType,
    Expr,
    MechanismType,
    Name,
    Node,
    SetType,
    TupleLiteral,
    Union,
)
from pfl.frontend.ast_globals import Parameter, RecordDecl, TypeDecl
from pfl.frontend.ast_systems import AdjacencyDecl, AutomatonDecl, HmmDecl, MechanismDecl, PriorDecl, RelationDecl
from pfl.frontend.bindings import Target

Targets: TypeAlias = Callable[[Node], Target | None]
"""What a name means: `CheckedProgram.target`."""

Parametric: TypeAlias = HmmDecl | MechanismDecl | AutomatonDecl | PriorDecl | AdjacencyDecl | RelationDecl


def given_parameters(target: Targets, declaration: Parametric) -> tuple[Parameter, ...]:
    """The parameters that a claim must give, in order: all of an hmm, a prior, an automaton; of a mechanism or an
    adjacency, those marked `const` and those whose type has infinitely many values (`int`, `real`, mechanisms)."""
    if not isinstance(declaration, MechanismDecl | AdjacencyDecl):
        return declaration.parameters
    return tuple(
        parameter for parameter in declaration.parameters if parameter.is_const or _is_endless(target, parameter.type)
    )


def input_parameters(target: Targets, declaration: MechanismDecl | AdjacencyDecl) -> tuple[Parameter, ...]:
    """The parameters that range over all values of their types: what an adjacency relates."""
    given = given_parameters(target, declaration)
    return tuple(parameter for parameter in declaration.parameters if parameter not in given)


def _is_endless(target: Targets, type_expr: Expr) -> bool:
    """Whether a type has infinitely many values, if it has any; each declaration that it leads to is looked at once."""
    pending, seen = [type_expr], set[int]()
    while pending:
        match pending.pop():
            case BuiltinType(name="int" | "real") | MechanismType():
                return True
            case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
                pending.append(element)
            case TupleLiteral(elements=parts) | Union(members=parts):
                pending.extend(parts)
            case Name() as name:
                declaration = target(name)
                if id(declaration) in seen:
                    continue
                seen.add(id(declaration))
                match declaration:
                    case TypeDecl(type=type_):
                        pending.append(type_)
                    case RecordDecl(fields=fields):
                        pending.extend(field.type for field in fields)
    return False
