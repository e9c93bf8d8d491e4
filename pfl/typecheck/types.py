"""Static types. Ranges are `int` here: whether a value lies in its range is found on the reachable states.

A type written in the source (`0..N-1`, `[t] of bag[v] of T`) has a static type, and,
once the numbers in it are known, a domain (`pfl.model.domain`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pfl.base.struct import struct

if TYPE_CHECKING:
    from pfl.syntax.tree.ast_declarations import EnumDecl, RecordDecl


@struct(kw_only=False)
class BoolType:
    """true and false."""


@struct(kw_only=False)
class IntType:
    """Integers, and every range of them."""


@struct(kw_only=False)
class RealType:
    """Exact rationals, and expressions in the parameters. Every int is a real."""


@struct(kw_only=False)
class SymbolType:
    """Undeclared names that stand for themselves; one type for all of them."""


@struct(eq=False, kw_only=False)
class EnumType:
    """The values of one `enum`."""

    declaration: EnumDecl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumType) and other.declaration is self.declaration

    def __hash__(self) -> int:
        return id(self.declaration)


@struct(eq=False, kw_only=False)
class RecordType:
    """The values of one `record`."""

    declaration: RecordDecl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordType) and other.declaration is self.declaration

    def __hash__(self) -> int:
        return id(self.declaration)


@struct(kw_only=False)
class ArrayType:
    """`[n] of T`, whose size is not part of the static type; or `[E] of T`, whose indices are the values of an enum."""

    element: Type
    index: EnumType | None = None


@struct(kw_only=False)
class SetType:
    """`set of T`; also the type of a domain that is iterated over."""

    element: Type


@struct(kw_only=False)
class BagType:
    """`bag[v] of T`; the capacity is not part of the static type."""

    element: Type


@struct(kw_only=False)
class TupleType:
    """`(T, U)`."""

    elements: tuple[Type, ...]


@struct(kw_only=False)
class DistributionType:
    """A distribution over values of a type."""

    element: Type


@struct(kw_only=False)
class MechanismType:
    """`mechanism(T) -> U`; `result` None where it only emits."""

    inputs: tuple[Type, ...]
    result: Type | None


@struct(kw_only=False)
class UnionType:
    """A value of any of the members; members are no unions themselves and differ."""

    members: frozenset[Type]


@struct(kw_only=False)
class NeverType:
    """The element of an empty `{}`, `[]` or `empty`: fits every type."""


@struct(kw_only=False)
class ErrorType:
    """The type of what already has a diagnostic: fits everything, so one cause is reported once."""


Type: TypeAlias = (
    BoolType
    | IntType
    | RealType
    | SymbolType
    | EnumType
    | RecordType
    | ArrayType
    | SetType
    | BagType
    | TupleType
    | DistributionType
    | MechanismType
    | UnionType
    | NeverType
    | ErrorType
)
