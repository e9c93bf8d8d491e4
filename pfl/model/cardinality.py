"""How many values a domain has, counted without going through them, and going through them within a limit."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb
from typing import TypeAlias, assert_never

from pfl.base.diagnostics import LimitReached
from pfl.model.domain import (
    ArrayDomain,
    BagDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    ListedDomain,
    MechanismDomain,
    RangeDomain,
    RealDomain,
    RecordDomain,
    SetDomain,
    TupleDomain,
    UnionDomain,
    union_of,
)
from pfl.model.values import Bag, RecordValue, TupleValue, Value

COUNTABLE_BITS = 1 << 16
"""Numbers of more bits than this are not computed: they are beyond every limit."""

LISTED = 1_000
"""A union of no more values than this is counted by listing it, since its members may overlap in many ways."""

Size: TypeAlias = int | None
"""A number of values; None where it is infinite, or has more than `COUNTABLE_BITS` bits."""


def size(domain: Domain) -> Size:
    """How many values lie in a domain."""
    match domain:
        case BoolDomain():
            return 2
        case IntDomain() | RealDomain() | MechanismDomain():
            return None
        case RangeDomain(low=low, high=high):
            return max(0, high - low + 1)
        case EnumDomain(enumeration=enumeration):
            return len(enumeration.values)
        case ListedDomain(values=values):
            return len(values)
        case ArrayDomain(length=length, element=element):
            return _power(size(element), length)
        case TupleDomain(elements=parts) | RecordDomain(fields=parts):
            return _product(map(size, parts))
        case SetDomain(element=element):
            elements = size(element)
            return None if elements is None else _power(2, elements)
        case BagDomain(capacity=capacity, element=element):
            return _multisets(size(element), capacity)
        case UnionDomain(members=members):
            return _size_of_union(members)
        case _:
            assert_never(domain)


def is_empty(domain: Domain) -> bool:
    """Whether no value lies in a domain."""
    match domain:
        case RangeDomain(low=low, high=high):
            return low > high
        case EnumDomain(enumeration=enumeration):
            return not enumeration.values
        case ListedDomain(values=values):
            return not values
        case ArrayDomain(length=length, element=element):
            return length > 0 and is_empty(element)
        case TupleDomain(elements=parts) | RecordDomain(fields=parts):
            return any(map(is_empty, parts))
        case UnionDomain(members=members):
            return all(map(is_empty, members))
        case BoolDomain() | IntDomain() | RealDomain() | MechanismDomain() | SetDomain() | BagDomain():
            return False
        case _:
            assert_never(domain)


def is_finite(domain: Domain) -> bool:
    """Whether a domain has finitely many values, be they ever so many."""
    match domain:
        case IntDomain() | RealDomain() | MechanismDomain():
            return False
        case BoolDomain() | RangeDomain() | EnumDomain() | ListedDomain():
            return True
        case ArrayDomain(length=length, element=element) | BagDomain(capacity=length, element=element):
            return length == 0 or is_finite(element)
        case SetDomain(element=element):
            return is_finite(element)
        case UnionDomain(members=parts):
            return all(map(is_finite, parts))
        case TupleDomain(elements=parts) | RecordDomain(fields=parts):
            return all(map(is_finite, parts)) or any(map(is_empty, parts))
        case _:
            assert_never(domain)


def count_text(domain: Domain) -> str:
    """How many values a domain has, for a message: exact up to 30 digits, else a power of ten that it exceeds."""
    counted = size(domain)
    if counted is None:
        return "astronomically many" if is_finite(domain) else "infinitely many"
    return str(counted) if counted < 10**30 else f"more than 10^{(counted.bit_length() - 1) * 3 // 10}"


def enumerate_domain(domain: Domain, limit: int) -> tuple[Value, ...]:
    """All values of a domain, in order; raises LimitReached, naming the domain and its size, beyond `limit`."""
    counted = size(domain)
    if counted is None or counted > limit:
        raise LimitReached(f"`{domain}` has {count_text(domain)} values; at most {limit} can be gone through")
    return tuple(domain)


def iterates_in_order(domain: Domain) -> bool:
    """Whether a domain lists its values in the order of `sort_key`: not if it has listed or united parts."""
    match domain:
        case ListedDomain() | UnionDomain():
            return False
        case ArrayDomain(element=element) | SetDomain(element=element) | BagDomain(element=element):
            return iterates_in_order(element)
        case TupleDomain(elements=parts) | RecordDomain(fields=parts):
            return all(map(iterates_in_order, parts))
        case _:
            return True


def first(domain: Domain) -> Value:
    """The first value of a domain: false, the low end of a range, an array of firsts, the empty set.

    Raises ValueError where there is none.
    """
    if is_empty(domain):
        raise ValueError(f"`{domain}` has no values")
    match domain:
        case RealDomain():
            return Fraction(0)
        case ArrayDomain(length=length, element=element):
            return (first(element),) * length if length else ()
        case SetDomain():
            return frozenset()
        case BagDomain():
            return Bag()
        case TupleDomain(elements=elements):
            return TupleValue(tuple(map(first, elements)))
        case RecordDomain(shape=shape, fields=fields):
            return RecordValue(shape, tuple(map(first, fields)))
        case UnionDomain(members=members):
            return first(next(member for member in members if not is_empty(member)))
        case _:
            return next(iter(domain))


def intersection(left: Domain, right: Domain) -> Domain:
    """A domain of exactly the values that lie in both."""
    match left, right:
        case (ListedDomain(values=values), other) | (other, ListedDomain(values=values)):
            return ListedDomain(tuple(value for value in values if other.contains(value)))
        case (UnionDomain(members=members), other) | (other, UnionDomain(members=members)):
            shared = (intersection(member, other) for member in members)
            return union_of([ListedDomain(()), *(part for part in shared if not is_empty(part))])
        case (RealDomain(), (RealDomain() | IntDomain() | RangeDomain()) as numbers):
            return numbers
        case ((IntDomain() | RangeDomain()) as numbers, RealDomain()):
            return numbers
        case (IntDomain(), (IntDomain() | RangeDomain()) as numbers) | (RangeDomain() as numbers, IntDomain()):
            return numbers
        case RangeDomain(), RangeDomain():
            return RangeDomain(max(left.low, right.low), min(left.high, right.high))
        case ArrayDomain(), ArrayDomain() if left.length == right.length:
            return ArrayDomain(left.length, intersection(left.element, right.element))
        case TupleDomain(), TupleDomain() if len(left.elements) == len(right.elements):
            return TupleDomain(tuple(map(intersection, left.elements, right.elements)))
        case SetDomain(), SetDomain():
            return SetDomain(intersection(left.element, right.element))
        case BagDomain(), BagDomain():
            return BagDomain(min(left.capacity, right.capacity), intersection(left.element, right.element))
        case _:
            return left if left == right else ListedDomain(())


def _size_of_union(members: tuple[Domain, ...]) -> Size:
    """By |A or B| = |A| + |B| - |A and B|, member by member; small unions are listed."""
    sizes = [size(member) for member in members]
    counts = [counted for counted in sizes if counted is not None]
    if len(counts) < len(sizes):
        return None
    if sum(counts) <= LISTED:
        return len({value for member in members for value in member})
    total = 0
    for position, (member, counted) in enumerate(zip(members, counts)):
        shared = size(intersection(member, UnionDomain(members[:position])))
        if shared is None:
            return None
        total += counted - shared
    return total


def _power(base: Size, exponent: int) -> Size:
    """base^exponent, with anything^0 = 1."""
    if exponent == 0:
        return 1
    if base is None or (base > 1 and (base.bit_length() - 1) * exponent > COUNTABLE_BITS):
        return None
    return int(base**exponent)


def _product(factors: Iterable[Size]) -> Size:
    """The product of sizes; 0 if one is 0, whatever the others are."""
    total: Size = 1
    for factor in factors:
        if factor == 0:
            return 0
        total = None if total is None or factor is None else total * factor
        if total is not None and total.bit_length() > COUNTABLE_BITS:
            total = None
    return total


def _multisets(elements: Size, capacity: int) -> Size:
    """How many multisets of at most `capacity` there are: binomial(elements + capacity, capacity)."""
    if elements is None:
        return 1 if capacity == 0 else None
    smaller = min(elements, capacity)
    if smaller * (elements + capacity).bit_length() > COUNTABLE_BITS:
        return None
    return comb(elements + capacity, smaller)
