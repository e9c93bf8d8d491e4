"""The names that a module sees: its own declarations, and what it imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pfl.frontend.ast import (
    ArrayType,
    BagType,
    Expr,
    MechanismType,
    Name,
    SetLiteral,
    SetType,
    TupleLiteral,
    Union,
)
from pfl.frontend.ast_claims import ClaimDecl, FindDecl
from pfl.frontend.ast_globals import Const, DistDecl, EnumDecl, FnDecl, Param, RecordDecl, TypeDecl
from pfl.frontend.ast_module import Module
from pfl.frontend.ast_systems import AdjacencyDecl, AutomatonDecl, HmmDecl, MechanismDecl, PriorDecl, RelationDecl
from pfl.frontend.bindings import EnumValue, Global

Function: TypeAlias = FnDecl | DistDecl | MechanismDecl | RecordDecl | AdjacencyDecl
"""What can be called in an expression."""

System: TypeAlias = HmmDecl | MechanismDecl | AutomatonDecl
"""What a claim can be about."""

NOUNS: dict[type, str] = {
    Const: "constant",
    Param: "param",
    EnumDecl: "enum",
    TypeDecl: "type",
    RecordDecl: "record",
    FnDecl: "function",
    DistDecl: "distribution",
    HmmDecl: "hmm",
    PriorDecl: "prior",
    MechanismDecl: "mechanism",
    AdjacencyDecl: "adjacency",
    AutomatonDecl: "automaton",
    RelationDecl: "relation",
    ClaimDecl: "claim",
    FindDecl: "find",
}


def noun(declaration: Global) -> str:
    """`a constant`, `an hmm`: what kind of thing a declaration is."""
    word = NOUNS[type(declaration)]
    return f"an {word}" if word[0] in "aeiou" or word == "hmm" else f"a {word}"


@dataclass(slots=True, kw_only=True, eq=False)
class ModuleNames:
    """What names mean at the top of one module.

    `declared` are its own declarations and what it imports, without claims; `enum_values` has more than one entry for
    a name that two visible enums share. `symbols` are those that visible `type`s and `record`s list. `claims` are the
    module's own, by label. A module is not `complete` where it did not parse, or an import failed: names may then be
    unknown without being at fault.
    """

    module: Module
    declared: dict[str, Global] = field(default_factory=dict)
    enum_values: dict[str, list[EnumValue]] = field(default_factory=dict)
    symbols: set[str] = field(default_factory=set)
    claims: dict[str, ClaimDecl | FindDecl] = field(default_factory=dict)
    complete: bool = True

    def is_value(self, name: str) -> bool:
        """Whether a global, or a value of an enum, has that name where a value stands."""
        return name in self.enum_values or isinstance(self.declared.get(name), Const | Param | MechanismDecl)

    def of_kind(self, *kinds: type) -> Iterator[str]:
        """The names of the declarations of some kinds."""
        return (name for name, declaration in self.declared.items() if isinstance(declaration, kinds))


def listed_names(type_expr: Expr) -> Iterator[Name]:
    """The names in the `{..}` of a written type, which are symbols unless something else has that name."""
    match type_expr:
        case SetLiteral(elements=elements):
            yield from (element for element in elements if isinstance(element, Name))
        case Union(members=parts) | TupleLiteral(elements=parts) | MechanismType(inputs=parts):
            yield from _listed(parts)
            if isinstance(type_expr, MechanismType) and type_expr.result is not None:
                yield from listed_names(type_expr.result)
        case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
            yield from listed_names(element)
        case _:
            return


def _listed(parts: Iterable[Expr]) -> Iterator[Name]:
    for part in parts:
        yield from listed_names(part)
