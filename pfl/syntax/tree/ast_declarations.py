"""The syntax tree: imports, constants, parameters, types, functions and distributions.

The syntax tree: hidden Markov models, priors, mechanisms, adjacencies, automata and relations.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal, TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast import Expr, Identifier, Node
from pfl.syntax.tree.ast_statements import Statement


@struct
class Declaration(Node):
    """What declarations have in common: the `///` comment above, joined by newlines, or None."""

    doc: str | None = field(default=None, compare=False)


@struct
class ImportedName(Node):
    """`truncated_geometric as geometric`."""

    name: Identifier
    alias: Identifier | None


@struct
class Import(Declaration):
    """`import std.noise;`, `import "other.pfl";`, each with an optional `{ a, b as c }`.

    `path` is `std.noise` or the text between the quotes; `names` None imports everything.
    """

    path: str
    is_file: bool
    names: tuple[ImportedName, ...] | None


@struct
class Const(Declaration):
    """`const N = 3;`, `const w: real = 1/3;`."""

    name: Identifier
    type: Expr | None
    value: Expr


@struct
class Param(Declaration):
    """`param p in (0, 1);`, `param q in [1/4, 1/2);`: an end is open at a round bracket. `high` is None for `inf`."""

    name: Identifier
    low: Expr
    high: Expr | None
    low_open: bool
    high_open: bool


@struct
class Assume(Declaration):
    """`assume p <= 9/10;`."""

    condition: Expr


@struct
class EnumDecl(Declaration):
    """`enum Health { well, sick }`."""

    name: Identifier
    values: tuple[Identifier, ...]


@struct
class TypeDecl(Declaration):
    """`type Query = [N] of 0..2;`."""

    name: Identifier
    type: Expr


@struct
class Parameter(Node):
    """`xs: [N] of bool`; `const` marks a mechanism's parameter that claims give a value to."""

    name: Identifier
    type: Expr
    is_const: bool = False


@struct
class RecordDecl(Declaration):
    """`record Visit { who: 0..3, long: bool }`."""

    name: Identifier
    fields: tuple[Parameter, ...]


@struct
class FnDecl(Declaration):
    """`fn positives(xs: [N] of bool): int = count(x for x in xs if x);`."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    result: Expr | None
    body: Expr


@struct
class DistDecl(Declaration):
    """`dist coin(w: real) over bool = { true: w, false: 1 - w };`; `over` may be left out."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    over: Expr | None
    body: Expr


@struct
class StateVariable(Node):
    """`state sick: 0..2;`, `state cur: 0..t-1 = 0;`."""

    name: Identifier
    type: Expr
    initial: Expr | None


@struct
class Letters(Node):
    """`emits { quiet, cough };`, `output -4..4;`: a type, or a set literal that introduces symbols."""

    type: Expr


@struct
class Update(Node):
    """`init x ~ d;`, `step x = e;` (one line each), or `init { .. }`, `step { .. }` (statements in order).

    A one-line form has exactly one `Assign` in `body` and `is_block` false.
    """

    when: Literal["init", "step"]
    body: tuple[Statement, ...]
    is_block: bool


@struct
class EmitClause(Node):
    """`emit e;` in an hmm; the name `silent` in it stands for no observation."""

    value: Expr


@struct
class States(Node):
    """`states rainy, sunny;`."""

    names: tuple[Identifier, ...]


@struct
class Row(Node):
    """A row of a table: `rainy -> rainy: 7/10, sunny: 3/10;`, `init rainy: 3/5, ..;`, `rainy emits walk: 1/10, ..;`.

    `source` is None for `init`. `rainy -> sunny;` and `init rainy;` stand for probability 1.
    """

    kind: Literal["init", "step", "emits"]
    source: Identifier | None
    entries: tuple[DistributionEntryRow, ...]


@struct
class DistributionEntryRow(Node):
    """`rainy: 7/10`; `weight` None stands for 1 where it is the only entry."""

    key: Expr
    weight: Expr | None


HmmItem: TypeAlias = StateVariable | Letters | Update | EmitClause | States | Row


@struct
class HmmDecl(Declaration):
    """`hmm Name(params) { .. }`, program form or table form."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    items: tuple[HmmItem, ...]


@struct
class PriorDecl(Declaration):
    """`prior independent(w: real) for Survey { .. }`; `arguments` None where the system is named without any."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    system: Identifier
    arguments: tuple[Expr, ...] | None
    body: tuple[Statement, ...]


@struct
class MechanismDecl(Declaration):
    """`mechanism f(q: Query) emits {bot, top} -> 0..2 { .. }`; both `emits` and `->` may be left out."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    emits: Expr | None
    result: Expr | None
    body: tuple[Statement, ...]


@struct
class AdjacencyDecl(Declaration):
    """`adjacency one_by_one(a: Query, b: Query) = ..;`: left inputs, then right inputs."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    body: Expr


@struct
class Channel(Node):
    """Handler form: `data d: -1..1;`, `query y: { count, sum };`. Table form: `data knock;` with `type` None.

    `data a, b;` gives one `Channel` a name.
    """

    kind: Literal["data", "query"]
    name: Identifier
    type: Expr | None


@struct
class Actions(Node):
    """Table form: `output yes, no;`, `hidden wait;`."""

    kind: Literal["output", "hidden"]
    names: tuple[Identifier, ...]


@struct
class StartState(Node):
    """Table form: `start idle;`, `start { idle: 1/2, asked: 1/2 };`."""

    value: Expr


@struct
class Handler(Node):
    """`on data d { .. }`, `on query y { .. }`."""

    kind: Literal["data", "query"]
    channel: Identifier
    body: tuple[Statement, ...]


@struct
class TableTransition(Node):
    """`asked -- wait --> { yes_next: 3/4, no_next: 1/4 };`, `idle -- ask --> asked;`."""

    source: Identifier
    action: Identifier
    target: Expr


AutomatonItem: TypeAlias = Channel | Actions | Letters | StateVariable | States | StartState | Handler | TableTransition


@struct
class AutomatonDecl(Declaration):
    """`automaton slots(t: int, v: int) { .. }`, handler form or table form."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    items: tuple[AutomatonItem, ...]


@struct
class RelationClause(Node):
    """`balance 2*j*ln(2);`, `holds e;`."""

    kind: Identifier
    value: Expr


@struct
class RelationDecl(Declaration):
    """`relation near(j: 0..2) for slots(2, 1) { balance ..; holds ..; }`."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    system: Identifier
    arguments: tuple[Expr, ...] | None
    clauses: tuple[RelationClause, ...]
