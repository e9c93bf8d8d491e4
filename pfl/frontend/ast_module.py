"""The syntax tree: the module that holds the declarations of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from pfl.base.source import SourceFile
from pfl.frontend.ast_claims import ClaimDecl, FindDecl
from pfl.frontend.ast_globals import Assume, Const, DistDecl, EnumDecl, FnDecl, Import, Param, RecordDecl, TypeDecl
from pfl.frontend.ast_systems import AdjacencyDecl, AutomatonDecl, HmmDecl, MechanismDecl, PriorDecl, RelationDecl

TopLevel: TypeAlias = (
    Import
    | Const
    | Param
    | Assume
    | EnumDecl
    | TypeDecl
    | RecordDecl
    | FnDecl
    | DistDecl
    | HmmDecl
    | PriorDecl
    | MechanismDecl
    | AdjacencyDecl
    | AutomatonDecl
    | RelationDecl
    | ClaimDecl
    | FindDecl
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One parsed file, declarations in the order of the source."""

    file: SourceFile
    declarations: tuple[TopLevel, ...]
    doc: str | None = field(default=None, compare=False)
