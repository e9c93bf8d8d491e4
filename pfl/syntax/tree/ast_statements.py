"""The syntax tree: statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pfl.syntax.tree.ast import Call, Expr, Identifier, Node, Pattern


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
