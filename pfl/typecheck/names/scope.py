"""Scopes: the names known at one place, and the declaration that owns them.

The names that a module sees: its own declarations, and what it imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Literal, TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast import (
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
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    AutomatonDecl,
    Const,
    DistDecl,
    EnumDecl,
    FnDecl,
    HmmDecl,
    MechanismDecl,
    Param,
    PriorDecl,
    RecordDecl,
    RelationDecl,
    TypeDecl,
)
from pfl.syntax.tree.ast_module import ClaimDecl, FindDecl, Module
from pfl.typecheck.bindings import EnumValue, Global, Local, Symbol

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


@struct(eq=False, frozen=False)
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


OwnerKind: TypeAlias = Literal[
    "declaration",  # a constant, parameter, assumption, type or record
    "function",
    "distribution",
    "hmm",
    "mechanism",
    "automaton",
    "prior",
    "adjacency",
    "relation",
    "claim",
]


@struct(eq=False, frozen=False)
class Owner:
    """The declaration that some scopes belong to, with what is learnt about its symbols.

    `declares_outputs` is whether an undeclared name as a key is an error. `letters` are the symbols that types of the
    declaration list, or, in a claim, those of its system. `uses` are the undeclared symbols in the order of the source.
    `state` is that of the system that a relation is for, whose sides have it as fields. `callees` are the declarations
    that it calls, by identity; `calls_emitting` is whether one of them, or a mechanism that is passed in, emits.
    `hints` say why certain names are unknown, `advice` what to do about any other. Where a fault that is already
    reported may be why a name is unknown, `complete` is false. `unknown` are the names that were reported in a claim,
    which mostly has a name twice (`john vs not john`). `declared` are the names of all locals, also of blocks that are
    over.
    """

    kind: OwnerKind
    name: str
    names: ModuleNames
    declares_outputs: bool = False
    letters: dict[str, Symbol] = field(default_factory=dict)
    uses: list[SymbolUse] = field(default_factory=list)
    state: dict[str, Local] = field(default_factory=dict)
    callees: dict[int, Function] = field(default_factory=dict)
    calls_emitting: bool = False
    hints: dict[str, str] = field(default_factory=dict)
    advice: str | None = None
    complete: bool = True
    unknown: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)


@struct
class SymbolUse:
    """One occurrence of an undeclared symbol; `group` is the distribution or row it is a key of, None for a value."""

    name: Name
    group: int | None


Layer: TypeAlias = Literal["block", "world"]


@struct(eq=False, frozen=False, kw_only=False)
class Scope:
    """A block inside its parents. The outermost scope of a declaration has no parent; beyond it are the globals.

    In a claim, the `world` layer holds what a prior draws. `moments` allows `x@3`; `at_moment` is the
    operand of one, where the world layer is not seen, because the world does not move.
    """

    owner: Owner
    parent: Scope | None = None
    layer: Layer = "block"
    moments: bool = False
    at_moment: bool = False
    _locals: dict[str, Local] = field(default_factory=dict)

    def inner(self, *, layer: Layer = "block", moments: bool = False, at_moment: bool = False) -> Scope:
        """A new block inside this one."""
        return Scope(self.owner, self, layer, moments or self.moments, at_moment or self.at_moment)

    def put(self, local: Local, name: str | None = None) -> None:
        """Makes a local known in this block."""
        self._locals[name or local.name.text] = local
        if local.kind in ("let", "var"):
            self.owner.declared.add(local.name.text)

    def find(self, name: str, *, with_world: bool = False) -> Local | None:
        """The local that a name means here; `with_world`, or would mean if no moment were given."""
        for scope in self._visible(with_world):
            if (local := scope._locals.get(name)) is not None:
                return local
        return None

    def locals(self) -> Iterator[Local]:
        """Every local that is visible here, innermost first."""
        for scope in self._visible(with_world=False):
            yield from scope._locals.values()

    def own(self) -> tuple[Local, ...]:
        """The locals of this block alone, in the order of their declaration."""
        return tuple(self._locals.values())

    def _visible(self, with_world: bool) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            if with_world or not (self.at_moment and scope.layer == "world"):
                yield scope
            scope = scope.parent
