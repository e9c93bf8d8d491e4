"""The syntax tree: statements."""

from __future__ import annotations

from typing import TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast import Call, Expr, Identifier, Node, Pattern


@struct
class Stepwise(Node):
    """`stepwise f(x)` on the right of `=`, `~`, `respond`: a call whose steps are hidden transitions.

    Only the value of a statement, or a statement of its own; it is not an ordinary expression.
    """

    call: Call


@struct
class Let(Node):
    """`let x = e;`, `let x: T = e;`, `let x ~ d;`: a local that is never assigned again."""

    name: Identifier
    type: Expr | None
    value: Expr | Stepwise
    drawn: bool


@struct
class Var(Node):
    """`var x = e;`, `var x: T;`, `var x ~ d;`; `value` is None where it is read only after an assignment."""

    name: Identifier
    type: Expr | None
    value: Expr | Stepwise | None
    drawn: bool


@struct
class Assign(Node):
    """`x = e;`, `a[i] = e;`, `r.f ~ d;`. `place` is a `Name`, `Index` or `FieldAccess`.

    In a prior, `john ~ bernoulli(w);` declares john.
    """

    place: Expr
    value: Expr | Stepwise
    drawn: bool


@struct
class If(Node):
    """`if c { .. } else if d { .. } else { .. }`; an `else if` is an `If` alone in `otherwise`."""

    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None


@struct
class MatchStatementArm(Node):
    """`p | q => { .. }`."""

    patterns: tuple[Pattern, ...]
    body: tuple[Statement, ...]


@struct
class MatchStatement(Node):
    """`match e { p => { .. } _ => { .. } }`."""

    subject: Expr
    arms: tuple[MatchStatementArm, ...]


@struct
class For(Node):
    """`for i in S { .. }`; S is evaluated once."""

    variable: Identifier
    domain: Expr
    body: tuple[Statement, ...]


@struct
class While(Node):
    """`while c { .. }`."""

    condition: Expr
    body: tuple[Statement, ...]


@struct
class Forever(Node):
    """`forever { .. }`."""

    body: tuple[Statement, ...]


@struct
class Emit(Node):
    """`emit e;` in a mechanism."""

    value: Expr


@struct
class Return(Node):
    """`return e;`, `return;`."""

    value: Expr | None


@struct
class Respond(Node):
    """`respond e;` in a handler."""

    value: Expr | Stepwise


@struct
class Receive(Node):
    """`receive y: T;`: an input that the adversary chooses online."""

    name: Identifier
    type: Expr


@struct
class Assert(Node):
    """`assert e;`."""

    condition: Expr


@struct
class Tick(Node):
    """`tick e;`: adds to the cost of a run."""

    cost: Expr


@struct
class CallStatement(Node):
    """`f(x);`, or `stepwise f(x);`: runs a mechanism and passes its emits through."""

    call: Call | Stepwise


@struct
class Block(Node):
    """`{ .. }` on its own."""

    body: tuple[Statement, ...]


@struct
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
