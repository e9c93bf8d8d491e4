"""The syntax tree: imports, constants, parameters, types, functions and distributions."""

from __future__ import annotations

from dataclasses import dataclass, field

from pfl.frontend.ast import Expr, Identifier, Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration(Node):
    """What declarations have in common: the `///` comment above, joined by newlines, or None."""

    doc: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedName(Node):
    """`truncated_geometric as geometric`."""

    name: Identifier
    alias: Identifier | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Declaration):
    """`import std.noise;`, `import "other.pfl";`, each with an optional `{ a, b as c }`.

    `path` is `std.noise` or the text between the quotes; `names` None imports everything.
    """

    path: str
    is_file: bool
    names: tuple[ImportedName, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Const(Declaration):
    """`const N = 3;`, `const w: real = 1/3;`."""

    name: Identifier
    type: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Param(Declaration):
    """`param p in (0, 1);`, `param q in [1/4, 1/2);`: an end is open at a round bracket."""

    name: Identifier
    low: Expr
    high: Expr
    low_open: bool
    high_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Assume(Declaration):
    """`assume p <= 9/10;`."""

    condition: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumDecl(Declaration):
    """`enum Health { well, sick }`."""

    name: Identifier
    values: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeDecl(Declaration):
    """`type Query = [N] of 0..2;`."""

    name: Identifier
    type: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Node):
    """`xs: [N] of bool`; `const` marks a mechanism's parameter that claims give a value to."""

    name: Identifier
    type: Expr
    is_const: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordDecl(Declaration):
    """`record Visit { who: 0..3, long: bool }`."""

    name: Identifier
    fields: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FnDecl(Declaration):
    """`fn positives(xs: [N] of bool): int = count(x for x in xs if x);`."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    result: Expr | None
    body: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class DistDecl(Declaration):
    """`dist coin(w: real) over bool = { true: w, false: 1 - w };`; `over` may be left out."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    over: Expr | None
    body: Expr
