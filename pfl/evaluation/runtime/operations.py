"""What generated code calls for collections, types and distributions.

`place` is the span that a fault points at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pfl.base.source import Span
from pfl.evaluation import faults
from pfl.evaluation.runtime.number_operations import occurs
from pfl.model import distribution
from pfl.model.distribution import DistributionValue, NegativeWeight, TotalNotOne
from pfl.model.domain import (
    ArrayDomain,
    BagDomain,
    Domain,
    ListedDomain,
    RangeDomain,
    RecordDomain,
    SetDomain,
    TupleDomain,
    holds_samples,
    indexed_by,
    union_of,
)
from pfl.model.noise import Noise
from pfl.model.values import (
    NEVER,
    TRUE,
    Bag,
    BoolValue,
    Enumeration,
    EnumValue,
    RecordValue,
    SymbolValue,
    TupleValue,
    Value,
    in_order,
)

Drawn = TypeVar("Drawn", DistributionValue, Noise)
"""What is drawn from: a list of values, or noise without bounds."""


def index(array: tuple[Value, ...], position: Any, place: Span) -> Value:
    """`array[position]`."""
    if 0 <= position < len(array):
        return array[position if type(position) is int else int(position)]
    raise faults.index_out_of_range(place, position, len(array))


def at_key(array: RecordValue, key: EnumValue) -> Value:
    """`array[key]`, where the values of an enum are the indices."""
    return array.values[key.position]


def keyed(enumeration: Enumeration, entries: Iterable[tuple[EnumValue, Value]], place: Span) -> RecordValue:
    """`[ann: 3, bob: 1]`: the entries must have every value of the enum for a key, each once."""
    elements: dict[EnumValue, Value] = {}
    for key, element in entries:
        if key in elements:
            raise faults.key_twice(place, key)
        elements[key] = element
    if missing := [value for value in enumeration.values if value not in elements]:
        raise faults.keys_missing(place, missing)
    return RecordValue(enumeration.shape, tuple(elements[value] for value in enumeration.values))


def replaced(array: Any, position: Any, value: Value, place: Span) -> Value:
    """The array with another value at one position."""
    if type(array) is RecordValue:
        at = position.position
        return RecordValue(array.shape, (*array.values[:at], value, *array.values[at + 1 :]))
    if 0 <= position < len(array):
        elements = list(array)  # which is faster than to put a tuple together
        elements[int(position)] = value
        return tuple(elements)
    raise faults.index_out_of_range(place, position, len(array))


def add(collection: Any, value: Value) -> Any:
    """`add(S, x)`, of a set or a bag."""
    return collection.add(value) if isinstance(collection, Bag) else collection | {value}


def remove(collection: Any, value: Value) -> Any:
    """`remove(S, x)`, of a set or a bag; unchanged where x does not occur."""
    return collection.remove(value) if isinstance(collection, Bag) else collection - {value}


def add_settled(collection: Any, value: Value, place: Span) -> Any:
    """`add(S, x)`, where it must not depend on parameters whether x occurs."""
    occurs(value, collection, place)
    return add(collection, value)


def remove_settled(collection: Any, value: Value, place: Span) -> Any:
    """`remove(S, x)`, where it must not depend on parameters whether x occurs."""
    occurs(value, collection, place)
    return remove(collection, value)


def size(collection: Any) -> int:
    """How many elements a set, array or bag has, those of a bag as often as they occur."""
    return collection.size if isinstance(collection, Bag) else len(collection)


def union_of_sets(sets: Iterable[frozenset[Value]]) -> frozenset[Value]:
    """The union of any number of sets."""
    return frozenset().union(*sets)


def union_of_bags(bags: Iterable[Bag]) -> Bag:
    """The union of any number of bags: multiplicities add."""
    return Bag.of(value for bag in bags for value in bag)


def member(value: Value, domain: Domain, what: str, place: Span) -> Value:
    """The value itself, if it lies in its type; `what` names it in the fault."""
    if domain.contains(value):
        return value
    raise faults.value_outside_type(place, value, domain, what)


def domain_of_set(collection: Iterable[Value]) -> ListedDomain:
    """A set, array or bag as a domain."""
    return ListedDomain(tuple(in_order(collection)))


def range_domain(low: Any, high: Any) -> RangeDomain:
    """`low..high`."""
    return RangeDomain(int(low), int(high))


def array_domain(length: Any, element: Domain, place: Span) -> ArrayDomain:
    """`[length] of element`."""
    if length < 0:
        raise faults.negative_size(place, length, "size of an array")
    return ArrayDomain(int(length), element)


def bag_domain(capacity: Any, element: Domain, place: Span) -> BagDomain:
    """`bag[capacity] of element`."""
    if capacity < 0:
        raise faults.negative_size(place, capacity, "capacity of a bag")
    return BagDomain(int(capacity), element)


def listed(entries: Sequence[tuple[Value, Any]], keys: Sequence[Span], place: Span) -> DistributionValue:
    """`{ key: weight, ... }`: keys must differ. `keys` are their places."""
    seen: dict[Value, Span] = {}
    for (key, _), span in zip(entries, keys):
        if key in seen:
            raise faults.equal_keys(seen[key], span, key)
        seen[key] = span
    return weighted(entries, place)


def weighted(entries: Iterable[tuple[Value, Any]], place: Span) -> DistributionValue:
    """`{ key: weight for ... }`: equal keys add."""
    try:
        return DistributionValue(entries)
    except TotalNotOne as fault:
        raise faults.weights_not_one(place, fault.total, fault.weights) from None
    except NegativeWeight as fault:
        raise faults.negative_weight(place, fault.value, fault.weight) from None


def bernoulli(probability: Any, place: Span) -> DistributionValue:
    """`bernoulli(p)`."""
    try:
        return distribution.bernoulli(probability)
    except NegativeWeight:
        raise faults.not_a_probability(place, probability, "bernoulli") from None


def over(result: Drawn, domain: Domain, name: str, place: Span) -> Drawn:
    """The distribution itself, if all its values lie in the type that it is declared over."""
    if isinstance(result, Noise):
        if not holds_samples(domain, is_integral=result.is_integral):
            raise faults.noise_outside_type(place, result, domain, name)
        return result
    for value in result:
        if value is not NEVER:
            member(value, domain, f"`{name}`", place)
    return result


def outcome(value: Any) -> DistributionValue:
    """A value as the distribution that gives nothing else; a distribution as it is."""
    return value if isinstance(value, DistributionValue) else distribution.point(value)


def looked_up(table: dict[Value, Value], value: Value, place: Span) -> Value:
    """The arm of a `match` that is a table."""
    if value in table:
        return table[value]
    raise faults.no_arm_matches(place, value)


def is_tuple_of(value: Value, count: int) -> bool:
    """Whether a value of a union is a tuple with so many components."""
    return isinstance(value, TupleValue) and len(value.elements) == count


def whole_state(state: RecordValue, is_name: bool) -> Value:
    """The state of an automaton, given as a record: the value of its one variable, or the tuple of several; of a table,
    whose fields say which state it is, its name."""
    if is_name and isinstance(state.values[0], BoolValue):
        return SymbolValue(state.shape.fields[state.values.index(TRUE)])
    return state.values[0] if len(state.values) == 1 else TupleValue(state.values)


def no_arm_matches(value: Value, place: Span) -> Any:
    """What a `match` does where no arm fits."""
    raise faults.no_arm_matches(place, value)


OPERATIONS: tuple[Callable[..., Any], ...] = (
    *(
        index,
        at_key,
        keyed,
        replaced,
        add,
        remove,
        add_settled,
        remove_settled,
        size,
        len,
        int,
        union_of_sets,
        union_of_bags,
        in_order,
    ),
    *(member, domain_of_set, range_domain, array_domain, bag_domain, indexed_by, union_of),
    *(TupleDomain, ListedDomain, SetDomain, RecordDomain, TupleValue, RecordValue),
    *(listed, weighted, bernoulli, over, outcome, distribution.point),
    *(looked_up, is_tuple_of, whole_state, no_arm_matches),
)
