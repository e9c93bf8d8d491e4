"""Static types. Ranges are `int` here: whether a value lies in its range is found on the reachable states.

A type written in the source (`0..N-1`, `[t] of bag[v] of T`) has a static type, and,
once the numbers in it are known, a domain (`pfl.model.domain`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pfl.syntax.tree.ast_declarations import EnumDecl, RecordDecl


@dataclass(frozen=True, slots=True)
class BoolType:
    """true and false."""


@dataclass(frozen=True, slots=True)
class IntType:
    """Integers, and every range of them."""


@dataclass(frozen=True, slots=True)
class RealType:
    """Exact rationals, and expressions in the parameters. Every int is a real."""


@dataclass(frozen=True, slots=True)
class SymbolType:
    """Undeclared names that stand for themselves; one type for all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class EnumType:
    """The values of one `enum`."""

    declaration: EnumDecl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumType) and other.declaration is self.declaration

    def __hash__(self) -> int:
        return id(self.declaration)


@dataclass(frozen=True, slots=True, eq=False)
class RecordType:
    """The values of one `record`."""

    declaration: RecordDecl

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordType) and other.declaration is self.declaration

    def __hash__(self) -> int:
        return id(self.declaration)


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`[n] of T`, whose size is not part of the static type; or `[E] of T`, whose indices are the values of an enum."""

    element: Type
    index: EnumType | None = None


@dataclass(frozen=True, slots=True)
class SetType:
    """`set of T`; also the type of a domain that is iterated over."""

    element: Type


@dataclass(frozen=True, slots=True)
class BagType:
    """`bag[v] of T`; the capacity is not part of the static type."""

    element: Type


@dataclass(frozen=True, slots=True)
class TupleType:
    """`(T, U)`."""

    elements: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class DistributionType:
    """A distribution over values of a type."""

    element: Type


@dataclass(frozen=True, slots=True)
class MechanismType:
    """`mechanism(T) -> U`; `result` None where it only emits."""

    inputs: tuple[Type, ...]
    result: Type | None


@dataclass(frozen=True, slots=True)
class UnionType:
    """A value of any of the members; members are no unions themselves and differ."""

    members: frozenset[Type]


@dataclass(frozen=True, slots=True)
class NeverType:
    """The element of an empty `{}`, `[]` or `empty`: fits every type."""


@dataclass(frozen=True, slots=True)
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
