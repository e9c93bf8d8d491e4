"""Finite domains: the values of a type once the numbers in it are known.

Each domain knows whether a value lies in it, its values in a fixed order, and how it
is written in the source. How many values it has is in `cardinality`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import TypeAlias, cast

from pfl.base.diagnostics import LimitReached
from pfl.base.exact_text import integer_text
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.line_units import Logarithm
from pfl.model.noise import Sample
from pfl.model.values import (
    FALSE,
    TRUE,
    Bag,
    BoolValue,
    Enumeration,
    EnumValue,
    MechanismValue,
    RecordShape,
    RecordValue,
    TupleValue,
    Value,
    show,
)


@struct(kw_only=False)
class BoolDomain:
    """`bool`."""

    def contains(self, value: Value) -> bool:
        """Whether a value, of any type, is one of the domain."""
        return isinstance(value, BoolValue)

    def __iter__(self) -> Iterator[Value]:
        return iter((FALSE, TRUE))

    def __str__(self) -> str:
        return "bool"


@struct(kw_only=False)
class IntDomain:
    """`int`: all integers."""

    def contains(self, value: Value) -> bool:
        if isinstance(value, Sample):
            return value.is_integral
        return isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1)

    def __iter__(self) -> Iterator[Value]:
        """0, 1, -1, 2, ..., without end."""
        yield 0
        magnitude = 1
        while True:
            yield magnitude
            yield -magnitude
            magnitude += 1

    def __str__(self) -> str:
        return "int"


@struct(kw_only=False)
class RealDomain:
    """`real`: all exact numbers, with parameters too. Not enumerable."""

    def contains(self, value: Value) -> bool:
        return isinstance(value, int | Fraction | RationalFunction | Sample | Logarithm)

    def __iter__(self) -> Iterator[Value]:
        raise LimitReached("`real` has infinitely many values that cannot be gone through; use a range such as 0..9")

    def __str__(self) -> str:
        return "real"


@struct(kw_only=False)
class RangeDomain:
    """`low..high`, both ends included; empty where low > high."""

    low: int
    high: int

    def contains(self, value: Value) -> bool:
        if isinstance(value, int):
            return self.low <= value <= self.high
        return isinstance(value, Fraction) and value.denominator == 1 and self.low <= value <= self.high

    def __iter__(self) -> Iterator[Value]:
        return iter(range(self.low, self.high + 1))

    def __str__(self) -> str:
        return f"{integer_text(self.low)}..{integer_text(self.high)}"


@struct(kw_only=False)
class EnumDomain:
    """All values of an enum, as declared."""

    enumeration: Enumeration

    def contains(self, value: Value) -> bool:
        return isinstance(value, EnumValue) and value.enumeration is self.enumeration

    def __iter__(self) -> Iterator[Value]:
        return iter(self.enumeration.values)

    def __str__(self) -> str:
        return self.enumeration.name


@struct(kw_only=False)
class ListedDomain:
    """`{bot, top}`: the values that are listed, in that order; repeated ones count once."""

    values: tuple[Value, ...]
    _known: dict[Value, None] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        known = dict.fromkeys(self.values)
        object.__setattr__(self, "_known", known)
        object.__setattr__(self, "values", tuple(known))

    def contains(self, value: Value) -> bool:
        return not isinstance(value, Sample) and value in self._known

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __str__(self) -> str:
        return f"{{{', '.join(map(show, self.values))}}}"


@struct(kw_only=False)
class UnionDomain:
    """`{bot} | 0..2`: the values of any member; members may overlap."""

    members: tuple[Domain, ...]

    def contains(self, value: Value) -> bool:
        return any(member.contains(value) for member in self.members)

    def __iter__(self) -> Iterator[Value]:
        for position, member in enumerate(self.members):
            earlier = self.members[:position]
            for value in member:
                if not any(other.contains(value) for other in earlier):
                    yield value

    def __str__(self) -> str:
        return " | ".join(map(str, self.members))


@struct(kw_only=False)
class ArrayDomain:
    """`[n] of T`, in lexicographic order."""

    length: int
    element: Domain

    def contains(self, value: Value) -> bool:
        if not isinstance(value, tuple) or len(value) != self.length:
            return False
        element = self.element
        types = set(map(type, value))
        if types == {BoolValue} and type(element) is BoolDomain:
            return True
        if types == {int} and type(element) is RangeDomain:
            whole = cast("tuple[int, ...]", value)
            return element.low <= min(whole) and max(whole) <= element.high
        return all(map(element.contains, value))  # a call for each, which large chains feel

    def __iter__(self) -> Iterator[Value]:
        return product(self.element, repeat=self.length)

    def __str__(self) -> str:
        return f"[{integer_text(self.length)}] of {_operand(self.element)}"


@struct(kw_only=False)
class TupleDomain:
    """`(T, U)`, in lexicographic order."""

    elements: tuple[Domain, ...]

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, TupleValue)
            and len(value.elements) == len(self.elements)
            and all(domain.contains(element) for domain, element in zip(self.elements, value.elements))
        )

    def __iter__(self) -> Iterator[Value]:
        return map(TupleValue, product(*self.elements))

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


@struct(kw_only=False)
class RecordDomain:
    """A record's values, in lexicographic order of the fields as declared; also `[E] of T` for an enum E."""

    shape: RecordShape
    fields: tuple[Domain, ...]

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, RecordValue)
            and value.shape is self.shape
            and all(domain.contains(held) for domain, held in zip(self.fields, value.values))
        )

    def __iter__(self) -> Iterator[Value]:
        return (RecordValue(self.shape, values) for values in product(*self.fields))

    def __str__(self) -> str:
        return f"[{self.shape.name}] of {_operand(self.fields[0])}" if self.shape.is_array else self.shape.name


@struct(kw_only=False)
class SetDomain:
    """`set of T`: all subsets, smaller ones first."""

    element: Domain

    def contains(self, value: Value) -> bool:
        return isinstance(value, frozenset) and all(map(self.element.contains, value))

    def __iter__(self) -> Iterator[Value]:
        elements = tuple(self.element)
        return (frozenset(chosen) for size in range(len(elements) + 1) for chosen in combinations(elements, size))

    def __str__(self) -> str:
        return f"set of {_operand(self.element)}"


@struct(kw_only=False)
class BagDomain:
    """`bag[v] of T`: the multisets of at most v values, smaller ones first."""

    capacity: int
    element: Domain

    def contains(self, value: Value) -> bool:
        return (
            isinstance(value, Bag)
            and value.size <= self.capacity
            and all(self.element.contains(element) for element, _ in value.counts)
        )

    def __iter__(self) -> Iterator[Value]:
        elements = tuple(self.element) if self.capacity else ()
        sizes = range(self.capacity + 1) if elements else range(1)
        return (Bag.of(chosen) for size in sizes for chosen in combinations_with_replacement(elements, size))

    def __str__(self) -> str:
        return f"bag[{integer_text(self.capacity)}] of {_operand(self.element)}"


@struct(kw_only=False)
class MechanismDomain:
    """`mechanism(T) -> U`: any mechanism; which inputs it takes is a matter of static types. Not enumerable."""

    written: str

    def contains(self, value: Value) -> bool:
        return isinstance(value, MechanismValue)

    def __iter__(self) -> Iterator[Value]:
        raise LimitReached(f"the values of `{self.written}` cannot be gone through; name the mechanisms meant")

    def __str__(self) -> str:
        return self.written


Domain: TypeAlias = (
    BoolDomain
    | IntDomain
    | RealDomain
    | RangeDomain
    | EnumDomain
    | ListedDomain
    | UnionDomain
    | ArrayDomain
    | TupleDomain
    | RecordDomain
    | SetDomain
    | BagDomain
    | MechanismDomain
)


def union_of(members: Iterable[Domain]) -> Domain:
    """The union of at least one domain: flat, each member once."""
    flat: dict[Domain, None] = {}
    for member in members:
        flat.update(dict.fromkeys(member.members if isinstance(member, UnionDomain) else (member,)))
    return next(iter(flat)) if len(flat) == 1 else UnionDomain(tuple(flat))


def holds_samples(domain: Domain, *, is_integral: bool) -> bool:
    """Whether every sample of integer noise, or of real noise, lies in a domain."""
    match domain:
        case RealDomain():
            return True
        case IntDomain():
            return is_integral
        case UnionDomain(members=members):
            return any(holds_samples(member, is_integral=is_integral) for member in members)
        case _:
            return False


def indexed_by(enumeration: Enumeration, element: Domain) -> RecordDomain:
    """`[E] of T`: the arrays with an element for each value of an enum."""
    return RecordDomain(enumeration.shape, (element,) * len(enumeration.values))


def _operand(domain: Domain) -> str:
    """A domain as it is written after `of`."""
    return f"({domain})" if isinstance(domain, UnionDomain) else str(domain)
