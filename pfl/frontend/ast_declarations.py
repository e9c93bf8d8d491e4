"""The syntax tree: statements, declarations, systems, claims, and the module that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pfl.base.source import SourceFile
from pfl.frontend.ast import Call, Expr, Identifier, Node, Pattern

# --- statements --------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepwise(Node):
    """`stepwise f(x)` on the right of `=`, `~`, `respond`: a call whose steps are hidden transitions.

    Only the value of a statement, or a statement of its own; it is not an ordinary expression.
    """

    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Node):
    """`let x = e;`, `let x: T = e;`, `let x ~ d;`: a local that is never assigned again."""

    name: Identifier
    type: Expr | None
    value: Expr | Stepwise
    drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Var(Node):
    """`var x = e;`, `var x: T;`, `var x ~ d;`; `value` is None where it is read only after an assignment."""

    name: Identifier
    type: Expr | None
    value: Expr | Stepwise | None
    drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Node):
    """`x = e;`, `a[i] = e;`, `r.f ~ d;`. `place` is a `Name`, `Index` or `FieldAccess`.

    In a prior, `john ~ bernoulli(w);` declares john.
    """

    place: Expr
    value: Expr | Stepwise
    drawn: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Node):
    """`if c { .. } else if d { .. } else { .. }`; an `else if` is an `If` alone in `otherwise`."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStatementArm(Node):
    """`p | q => { .. }`."""

    patterns: tuple[Pattern, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStatement(Node):
    """`match e { p => { .. } _ => { .. } }`."""

    subject: Expr
    arms: tuple[MatchStatementArm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Node):
    """`for i in S { .. }`; S is evaluated once."""

    variable: Identifier
    domain: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Node):
    """`while c { .. }`."""

    condition: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forever(Node):
    """`forever { .. }`."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Emit(Node):
    """`emit e;` in a mechanism."""

    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Node):
    """`return e;`, `return;`."""

    value: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Respond(Node):
    """`respond e;` in a handler."""

    value: Expr | Stepwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Receive(Node):
    """`receive y: T;`: an input that the adversary chooses online."""

    name: Identifier
    type: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Assert(Node):
    """`assert e;`."""

    condition: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Node):
    """`tick e;`: adds to the cost of a run."""

    cost: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStatement(Node):
    """`f(x);`, or `stepwise f(x);`: runs a mechanism and passes its emits through."""

    call: Call | Stepwise


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Node):
    """`{ .. }` on its own."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Node):
    """`start sick = e;` or `start sick ~ d;` in a prior: where the system starts, or a mechanism's input."""

    place: Expr
    value: Expr
    drawn: bool


Statement: TypeAlias = (
    Let
    | Var
    | Assign
    | If
    | MatchStatement
    | For
    | While
    | Forever
    | Emit
    | Return
    | Respond
    | Receive
    | Assert
    | Tick
    | CallStatement
    | Block
    | Start
)


# --- declarations ------------------------------------------------------------


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


# --- hmm ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StateVariable(Node):
    """`state sick: 0..2;`, `state cur: 0..t-1 = 0;`."""

    name: Identifier
    type: Expr
    initial: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters(Node):
    """`emits { quiet, cough };`, `output -4..4;`: a type, or a set literal that introduces symbols."""

    type: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(Node):
    """`init x ~ d;`, `step x = e;` (one line each), or `init { .. }`, `step { .. }` (statements in order).

    A one-line form has exactly one `Assign` in `body` and `is_block` false.
    """

    when: Literal["init", "step"]
    body: tuple[Statement, ...]
    is_block: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EmitClause(Node):
    """`emit e;` in an hmm; the name `silent` in it stands for no observation."""

    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class States(Node):
    """`states rainy, sunny;`."""

    names: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Node):
    """A row of a table: `rainy -> rainy: 7/10, sunny: 3/10;`, `init rainy: 3/5, ..;`, `rainy emits walk: 1/10, ..;`.

    `source` is None for `init`. `rainy -> sunny;` and `init rainy;` stand for probability 1.
    """

    kind: Literal["init", "step", "emits"]
    source: Identifier | None
    entries: tuple[DistributionEntryRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionEntryRow(Node):
    """`rainy: 7/10`; `weight` None stands for 1 where it is the only entry."""

    key: Expr
    weight: Expr | None


HmmItem: TypeAlias = StateVariable | Letters | Update | EmitClause | States | Row


@dataclass(frozen=True, slots=True, kw_only=True)
class HmmDecl(Declaration):
    """`hmm Name(params) { .. }`, program form or table form."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    items: tuple[HmmItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorDecl(Declaration):
    """`prior independent(w: real) for Survey { .. }`; `arguments` None where the system is named without any."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    system: Identifier
    arguments: tuple[Expr, ...] | None
    body: tuple[Statement, ...]


# --- mechanisms and automata -------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismDecl(Declaration):
    """`mechanism f(q: Query) emits {bot, top} -> 0..2 { .. }`; both `emits` and `->` may be left out."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    emits: Expr | None
    result: Expr | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjacencyDecl(Declaration):
    """`adjacency one_by_one(a: Query, b: Query) = ..;`: left inputs, then right inputs."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    body: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel(Node):
    """Handler form: `data d: -1..1;`, `query y: { count, sum };`. Table form: `data knock;` with `type` None.

    `data a, b;` gives one `Channel` a name.
    """

    kind: Literal["data", "query"]
    name: Identifier
    type: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions(Node):
    """Table form: `output yes, no;`, `hidden wait;`."""

    kind: Literal["output", "hidden"]
    names: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartState(Node):
    """Table form: `start idle;`, `start { idle: 1/2, asked: 1/2 };`."""

    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler(Node):
    """`on data d { .. }`, `on query y { .. }`."""

    kind: Literal["data", "query"]
    channel: Identifier
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTransition(Node):
    """`asked -- wait --> { yes_next: 3/4, no_next: 1/4 };`, `idle -- ask --> asked;`."""

    source: Identifier
    action: Identifier
    target: Expr


AutomatonItem: TypeAlias = Channel | Actions | Letters | StateVariable | States | StartState | Handler | TableTransition


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomatonDecl(Declaration):
    """`automaton slots(t: int, v: int) { .. }`, handler form or table form."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    items: tuple[AutomatonItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationClause(Node):
    """`balance 2*j*ln(2);`, `holds e;`."""

    kind: Identifier
    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDecl(Declaration):
    """`relation near(j: 0..2) for slots(2, 1) { balance ..; holds ..; }`."""

    name: Identifier
    parameters: tuple[Parameter, ...]
    system: Identifier
    arguments: tuple[Expr, ...] | None
    clauses: tuple[RelationClause, ...]


# --- claims ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus(Node):
    """`a vs b` after `secrets`, `a and b` after `between`."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class ForBinding(Node):
    """`for a in S;`."""

    variable: Identifier
    domain: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Received(Node):
    """`received R at most 1;`; `limit` None without `at most`."""

    relation: Expr
    limit: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered(Node):
    """`returns r where e;`."""

    variable: Identifier
    condition: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Observations(Node):
    """`observations walk, _, clean;`: a `Name` of text `_` is a missing one."""

    values: tuple[Expr, ...]


ClauseValue: TypeAlias = Expr | Versus | ForBinding | Received | Filtered | Observations | None


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRef(Node):
    """`slots(2, 1)` or `Survey`; `arguments` None where no parentheses are written."""

    name: Identifier
    arguments: tuple[Expr, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One parsed file, declarations in the order of the source."""

    file: SourceFile
    declarations: tuple[TopLevel, ...]
    doc: str | None = field(default=None, compare=False)
