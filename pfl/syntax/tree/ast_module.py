"""The syntax tree: the module that holds the declarations of a file.

The syntax tree: claims and their clauses.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from pfl.base.source import SourceFile
from pfl.base.struct import struct
from pfl.syntax.tree.ast import Expr, Identifier, Node
from pfl.syntax.tree.ast_declarations import (
    AdjacencyDecl,
    Assume,
    AutomatonDecl,
    Const,
    Declaration,
    DistDecl,
    EnumDecl,
    FnDecl,
    HmmDecl,
    Import,
    MechanismDecl,
    Param,
    PriorDecl,
    RecordDecl,
    RelationDecl,
    TypeDecl,
)


@struct
class Versus(Node):
    """`a vs b` after `secrets`, `a and b` after `between`."""

    left: Expr
    right: Expr


@struct
class ForBinding(Node):
    """`for a in S;`."""

    variable: Identifier
    domain: Expr


@struct
class Received(Node):
    """`received R at most 1;`; `limit` None without `at most`."""

    relation: Expr
    limit: Expr | None


@struct
class Filtered(Node):
    """`returns r where e;`."""

    variable: Identifier
    condition: Expr


@struct
class Observations(Node):
    """`observations walk, _, clean;`: a `Name` of text `_` is a missing one."""

    values: tuple[Expr, ...]


ClauseValue: TypeAlias = Expr | Versus | ForBinding | Received | Filtered | Observations | None


@struct
class Clause(Node):
    """One clause of a claim: its keyword, in the spelling of the source, and what follows it.

    `prior e;`, `secrets a vs b;`, `between a and b;`, `epsilon e;`, `delta e;`, `length e;` (`any` is a Name),
    `expect refuted;`, `adjacent R;`, `one way;`, `received R;`, `for x in S;`, `returns e;`, `returns r where e;`,
    `reach e;`, `within e;`, `from e;`, `until e;`, `observations ..;`, `posterior;`, `terminates;`,
    `equals e;`, `at least e;`, `at most e;`, `minimise e;`, `maximise e;`. Words of more than one part are joined
    by a space (`at least`). Clause keywords are names checked after parsing.
    """

    keyword: Identifier
    value: ClauseValue


@struct
class SystemRef(Node):
    """`slots(2, 1)` or `Survey`; `arguments` None where no parentheses are written."""

    name: Identifier
    arguments: tuple[Expr, ...] | None


@struct
class ClaimDecl(Declaration):
    """`check contagious: pufferfish Survey { .. }`, `compute expected steps herman(5) { .. }`.

    `kind` is `pufferfish`, `privacy`, `expected steps`, ...; it is checked after parsing. `relation` is what follows
    `of` or `by` (`check implements A of B`, `check unwinding A by R`), and `relation_word` says which of the two.
    `check distribution f(2) equals d;` has the clause `equals` first among its clauses.
    """

    verb: Literal["check", "compute"]
    label: Identifier | None
    kind: Identifier
    system: SystemRef
    relation: SystemRef | None
    clauses: tuple[Clause, ...]
    relation_word: Literal["of", "by"] | None = None


@struct
class FindDecl(Declaration):
    """`find belief: p0, p1 such that pufferfish Survey { .. }`, `find w such that some_claim { minimise w; }`.

    `target` is a claim written in place, or the name of a claim declared elsewhere; `clauses` belong to a named target
    (a claim written in place carries `minimise`, `maximise`, `expect` among its own clauses).
    """

    label: Identifier | None
    names: tuple[Identifier, ...]
    target: ClaimDecl | Identifier
    clauses: tuple[Clause, ...]


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


@struct
class Module:
    """One parsed file, declarations in the order of the source."""

    file: SourceFile
    declarations: tuple[TopLevel, ...]
    doc: str | None = field(default=None, compare=False)
