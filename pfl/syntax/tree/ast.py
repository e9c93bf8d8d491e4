"""The syntax tree: expressions, types and patterns.

Types, domains and ranges share one grammar with expressions, so a type is an
`Expr` too and the checker tells them apart. Nodes are frozen; spans are outside
equality, so trees compare by meaning. Statements and declarations are in
`ast_statements`, `ast_globals`, `ast_systems` and `ast_claims`.
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import Literal, TypeAlias

from pfl.base.struct import struct
from pfl.syntax.tree.ast_node import Identifier as Identifier
from pfl.syntax.tree.ast_node import Node as Node

# --- expressions -------------------------------------------------------------


@struct
class Name(Node):
    """`x`, and the wildcard `_` in a list of observations."""

    text: str


@struct
class Number(Node):
    """`3`, `0.06`, `1e-5`; `value` is exact; `written` keeps the spelling."""

    value: Fraction
    written: str = field(compare=False)


@struct
class Boolean(Node):
    """`true` or `false`."""

    value: bool


@struct
class BuiltinType(Node):
    """`bool`, `int` or `real` as a type."""

    name: Literal["bool", "int", "real"]


@struct
class Operation(Node):
    """A flat run of operators of one level: `a + b - c` or `a * b div c`.

    `operators[i]` stands between `operands[i]` and `operands[i + 1]`; evaluated
    from left to right. Flat, so that a sum of ten thousand terms is not deep.
    """

    operands: tuple[Expr, ...]
    operators: tuple[Literal["+", "-", "*", "/", "div", "mod"], ...]


@struct
class Logical(Node):
    """`a and b and c`, or `a or b or c`; short-circuit, from left to right."""

    operator: Literal["and", "or"]
    operands: tuple[Expr, ...]


@struct
class Unary(Node):
    """`not a`, `-a`."""

    operator: Literal["not", "-"]
    operand: Expr


@struct
class Binary(Node):
    """`a => b`, `a ^ b`, a comparison, or membership; not chained."""

    operator: Literal["=>", "^", "==", "!=", "<", "<=", ">", ">=", "in", "not in"]
    left: Expr
    right: Expr


@struct
class Range(Node):
    """`lo..hi`, both ends included; a type or a set of integers."""

    low: Expr
    high: Expr


@struct
class Union(Node):
    """`{bot} | 0..2`: a type with the values of all its members."""

    members: tuple[Expr, ...]


@struct
class Argument(Node):
    """One argument of a call; `name` is set for `who = 1`."""

    name: Identifier | None
    value: Expr


@struct
class Call(Node):
    """`f(a, b)`, `Visit(who = 1, long = true)`, `K[y](all)`; the callee is a `Name` except for mechanisms in arrays."""

    callee: Expr
    arguments: tuple[Argument, ...]


@struct
class Index(Node):
    """`a[i]`; several indices `a[i, j]` are not written, `a[i][j]` is."""

    array: Expr
    index: Expr


@struct
class FieldAccess(Node):
    """`v.who`, `left.bags`."""

    record: Expr
    field: Identifier


@struct
class Projection(Node):
    """`t.0`: a component of a tuple, counted from 0."""

    tuple: Expr
    position: int


@struct
class At(Node):
    """`x@3`: the value of `x` after three moves."""

    operand: Expr
    moment: Expr


@struct
class Conditional(Node):
    """`if c then a else b`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@struct
class Quantified(Node):
    """`forall x in S: e`, `exists x in S: e`."""

    quantifier: Literal["forall", "exists"]
    variable: Identifier
    domain: Expr
    body: Expr


@struct
class MatchArm(Node):
    """`pattern | pattern => value`."""

    patterns: tuple[Pattern, ...]
    value: Expr


@struct
class Match(Node):
    """`match e { p => a, _ => b }`."""

    subject: Expr
    arms: tuple[MatchArm, ...]


@struct
class TupleLiteral(Node):
    """`(a, b)`; as a type, the tuples of those types."""

    elements: tuple[Expr, ...]


@struct
class ArrayLiteral(Node):
    """`[a, b]`."""

    elements: tuple[Expr, ...]


@struct
class SetLiteral(Node):
    """`{a, b}`, and `{}`; as a type, the symbols or values listed."""

    elements: tuple[Expr, ...]


@struct
class BagLiteral(Node):
    """`bag {0, 1, 1}`."""

    elements: tuple[Expr, ...]


@struct
class Binder(Node):
    """`for x in S if c`: one variable, its domain, and an optional condition."""

    variable: Identifier
    domain: Expr
    condition: Expr | None


@struct
class Comprehension(Node):
    """`[e for ...]`, `{e for ...}`, `bag {e for ...}`, and `e for ...` as the only argument of a call.

    Several binders nest from left to right.
    """

    shape: Literal["array", "set", "bag", "argument"]
    element: Expr
    binders: tuple[Binder, ...]


@struct
class SetFilter(Node):
    """`{x in S | c}`."""

    variable: Identifier
    domain: Expr
    condition: Expr


@struct
class DistributionEntry(Node):
    """`key: weight` of a distribution, and `key: element` of an array; the second part is `weight` in both."""

    key: Expr
    weight: Expr


@struct
class DistributionLiteral(Node):
    """`{ well: 9/10, sick: 1/10 }`."""

    entries: tuple[DistributionEntry, ...]


@struct
class DistributionComprehension(Node):
    """`{ z: w(z) for z in lo..hi if c }`; equal keys add."""

    key: Expr
    weight: Expr
    binders: tuple[Binder, ...]


@struct
class KeyedArray(Node):
    """`[ann: 3, bob: 1]`: an array whose indices are the values of an enum."""

    entries: tuple[DistributionEntry, ...]


@struct
class KeyedComprehension(Node):
    """`[c: votes(c) for c in Candidate]`."""

    key: Expr
    element: Expr
    binders: tuple[Binder, ...]


@struct
class FieldUpdate(Node):
    """`who = 2` in `v with { who = 2 }`."""

    field: Identifier
    value: Expr


@struct
class IndexUpdate(Node):
    """`[i] = 2` in `a with { [i] = 2 }`."""

    index: Expr
    value: Expr


@struct
class With(Node):
    """`v with { who = 2 }`, `a with { [i] = 2 }`: a copy with some places changed."""

    operand: Expr
    updates: tuple[FieldUpdate | IndexUpdate, ...]


@struct
class ArrayType(Node):
    """`[n] of T`; `size` is a type, an enum, where its values are the indices."""

    size: Expr
    element: Expr


@struct
class SetType(Node):
    """`set of T`."""

    element: Expr


@struct
class BagType(Node):
    """`bag[v] of T`: multisets of at most v."""

    capacity: Expr
    element: Expr


@struct
class MechanismType(Node):
    """`mechanism(T, ...) -> U`; no `-> U` for one that only emits."""

    inputs: tuple[Expr, ...]
    result: Expr | None


Expr: TypeAlias = (
    Name
    | Number
    | Boolean
    | BuiltinType
    | Operation
    | Logical
    | Unary
    | Binary
    | Range
    | Union
    | Call
    | Index
    | FieldAccess
    | Projection
    | At
    | Conditional
    | Quantified
    | Match
    | TupleLiteral
    | ArrayLiteral
    | SetLiteral
    | BagLiteral
    | Comprehension
    | SetFilter
    | DistributionLiteral
    | DistributionComprehension
    | KeyedArray
    | KeyedComprehension
    | With
    | ArrayType
    | SetType
    | BagType
    | MechanismType
)


# --- patterns: they never bind ----------------------------------------------


@struct
class WildcardPattern(Node):
    """`_`."""


@struct
class ValuePattern(Node):
    """A constant expression, or a range `lo..hi`."""

    value: Expr


@struct
class TuplePattern(Node):
    """`(p, q)`."""

    elements: tuple[tuple[Pattern, ...], ...]
    """For each component its alternatives, joined by `|` in the source."""


Pattern: TypeAlias = WildcardPattern | ValuePattern | TuplePattern
