"""How static types relate: which fits where, what two have in common, how they are called in messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from pfl.typecheck.types import (
    ArrayType,
    BagType,
    BoolType,
    DistributionType,
    EnumType,
    ErrorType,
    IntType,
    MechanismType,
    NeverType,
    RealType,
    RecordType,
    SetType,
    SymbolType,
    TupleType,
    Type,
    UnionType,
)

BOOL, INT, REAL, SYMBOL = BoolType(), IntType(), RealType(), SymbolType()
NEVER, ERROR = NeverType(), ErrorType()


def fits(actual: Type, wanted: Type) -> bool:
    """Whether every value of the first type is one of the second."""
    if actual == wanted:
        return True
    match actual, wanted:
        case (ErrorType() | NeverType(), _) | (_, ErrorType()):
            return True
        case IntType(), RealType():
            return True
        case UnionType(members=members), _:
            return all(fits(member, wanted) for member in members)
        case _, UnionType(members=members):
            return any(fits(actual, member) for member in members)
        case ArrayType(), ArrayType():
            return actual.index == wanted.index and fits(actual.element, wanted.element)
        case (
            (SetType(element=inner), SetType(element=outer))
            | (BagType(element=inner), BagType(element=outer))
            | (DistributionType(element=inner), DistributionType(element=outer))
        ):
            return fits(inner, outer)
        case TupleType(elements=inner), TupleType(elements=outer):
            return len(inner) == len(outer) and all(map(fits, inner, outer))
        case MechanismType(), MechanismType():
            return _mechanism_fits(actual, wanted)
        case _:
            return False


def _mechanism_fits(actual: MechanismType, wanted: MechanismType) -> bool:
    if len(actual.inputs) != len(wanted.inputs) or not all(map(fits, wanted.inputs, actual.inputs)):
        return False
    if actual.result is None or wanted.result is None:
        return actual.result is wanted.result
    return fits(actual.result, wanted.result)


def assignable(actual: Type, declared: Type) -> bool:
    """Whether a value of the first type may be given to a place of the second.

    A union may be given where some member fits: that the value does lie in the declared type is checked
    on the reachable states, as for ranges.
    """
    return fits(actual, declared) or (isinstance(actual, UnionType) and overlap(actual, declared))


def overlap(left: Type, right: Type) -> bool:
    """Whether some value could be of both types, so that `==` makes sense."""
    if fits(left, right) or fits(right, left):
        return True
    match left, right:
        case UnionType(members=members), _:
            return any(overlap(member, right) for member in members)
        case _, UnionType(members=members):
            return any(overlap(left, member) for member in members)
        case ArrayType(), ArrayType():
            return left.index == right.index and overlap(left.element, right.element)
        case (SetType(element=inner), SetType(element=outer)) | (BagType(element=inner), BagType(element=outer)):
            return overlap(inner, outer)
        case TupleType(elements=inner), TupleType(elements=outer):
            return len(inner) == len(outer) and all(map(overlap, inner, outer))
        case _:
            return False


def union_of(types: Iterable[Type]) -> Type:
    """The type of the values of any of some types."""
    members: list[Type] = []
    for type_ in types:
        parts = sorted(type_.members, key=show) if isinstance(type_, UnionType) else [type_]
        for part in parts:
            if isinstance(part, ErrorType):
                return ERROR
            if not any(fits(part, member) for member in members):
                members = [*(member for member in members if not fits(member, part)), part]
    if not members:
        return NEVER
    return members[0] if len(members) == 1 else UnionType(frozenset(members))


def join(left: Type, right: Type) -> Type | None:
    """The smallest type that two values of one expression (two branches, two elements) have; None if they have none.

    Values of unlike kinds are not joined into a union unasked: a union is always written by the user.
    """
    if isinstance(left, ErrorType) or isinstance(right, ErrorType):
        return ERROR
    if fits(left, right):
        return right
    if fits(right, left):
        return left
    match left, right:
        case (UnionType(), _) | (_, UnionType()):
            return union_of((left, right))
        case ArrayType(element=first), ArrayType(element=second) if left.index == right.index:
            return None if (inner := join(first, second)) is None else ArrayType(inner, left.index)
        case SetType(element=first), SetType(element=second):
            return None if (inner := join(first, second)) is None else SetType(inner)
        case BagType(element=first), BagType(element=second):
            return None if (inner := join(first, second)) is None else BagType(inner)
        case DistributionType(element=first), DistributionType(element=second):
            return None if (inner := join(first, second)) is None else DistributionType(inner)
        case TupleType(elements=first), TupleType(elements=second):
            if len(first) != len(second):
                return None
            inners = [join(*pair) for pair in zip(first, second)]
            known = tuple(inner for inner in inners if inner is not None)
            return TupleType(known) if len(known) == len(inners) else None
        case _:
            return None


def is_numeric(type_: Type) -> bool:
    """Whether arithmetic takes values of the type."""
    return isinstance(type_, IntType | RealType | ErrorType | NeverType)


def has_unknown_element(type_: Type) -> bool:
    """Whether the type is that of something empty whose elements nothing has determined."""
    match type_:
        case NeverType():
            return True
        case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
            return has_unknown_element(element)
        case TupleType(elements=elements):
            return any(map(has_unknown_element, elements))
        case _:
            return False


def has_distribution(type_: Type) -> bool:
    """Whether values of the type are distributions, or have some inside."""
    match type_:
        case DistributionType():
            return True
        case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
            return has_distribution(element)
        case TupleType(elements=elements):
            return any(map(has_distribution, elements))
        case _:
            return False


def certain(type_: Type) -> Type:
    """The type of the distribution that a value of a type stands for where one is wanted: the one that is always that
    value. A distribution stands for itself, and what has distributions inside stands for none."""
    return type_ if isinstance(type_, ErrorType) or has_distribution(type_) else DistributionType(type_)


def element_of(type_: Type) -> Type | None:
    """The type of the elements of a set, bag or array; None if the type has none."""
    match type_:
        case ArrayType(element=element) | SetType(element=element) | BagType(element=element):
            return element
        case ErrorType() | NeverType():
            return ERROR
        case _:
            return None


def show(type_: Type) -> str:
    """The type as it is written in the source, ranges as `int`."""
    match type_:
        case BoolType():
            return "bool"
        case IntType():
            return "int"
        case RealType():
            return "real"
        case SymbolType():
            return "symbol"
        case EnumType(declaration=enum):
            return enum.name.text
        case RecordType(declaration=record):
            return record.name.text
        case ArrayType(element=element, index=EnumType() as index):
            return f"array of {show(element)} by {show(index)}"
        case ArrayType(element=element):
            return "array" if isinstance(element, NeverType) else f"array of {show(element)}"
        case SetType(element=element):
            return "set" if isinstance(element, NeverType) else f"set of {show(element)}"
        case BagType(element=element):
            return "bag" if isinstance(element, NeverType) else f"bag of {show(element)}"
        case TupleType(elements=elements):
            return f"({', '.join(map(show, elements))})"
        case DistributionType(element=element):
            return "distribution" if isinstance(element, NeverType) else f"distribution over {show(element)}"
        case MechanismType(inputs=inputs, result=result):
            arrow = "" if result is None else f" -> {show(result)}"
            return f"mechanism({', '.join(map(show, inputs))}){arrow}"
        case UnionType(members=members):
            return " | ".join(sorted(map(show, members)))
        case NeverType():
            return "nothing"
        case ErrorType():
            return "unknown"
        case _:
            assert_never(type_)


def a(type_: Type) -> str:
    """The type with an article, for the middle of a sentence: `an int`, `a set of bool`, `a value of Health`."""
    match type_:
        case EnumType() | RecordType() | UnionType():
            return f"a value of `{show(type_)}`"
        case NeverType():
            return "nothing"
        case TupleType(elements=elements):
            return f"a tuple `{show(type_)}`" if elements else "an empty tuple"
        case _:
            text = show(type_)
            return f"an {text}" if text[0] in "aeiou" else f"a {text}"
