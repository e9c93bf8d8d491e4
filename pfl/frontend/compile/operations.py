"""What generated code calls: the operations that can fail, or that need more than one Python operator.

`place` is the span that a fault points at.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from pfl.base.diagnostics import LimitReached
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.frontend.compile import faults
from pfl.frontend.compile.side_conditions import SideConditions
from pfl.ir import distribution
from pfl.ir.cardinality import count_text, enumerate_domain
from pfl.ir.cardinality import size as size_of_domain
from pfl.ir.distribution import DistributionValue, NegativeWeight, TotalNotOne
from pfl.ir.domain import (
    ArrayDomain,
    BagDomain,
    Domain,
    ListedDomain,
    RangeDomain,
    RecordDomain,
    SetDomain,
    TupleDomain,
    union_of,
)
from pfl.ir.parameters import Condition
from pfl.ir.values import FALSE, NEVER, TRUE, Bag, RecordValue, TupleValue, Value, in_order, show

LARGEST_BITS = 1 << 22
"""Powers of more bits than this are refused."""


# --- numbers -------------------------------------------------------------------


def number(value: int | Number) -> Number:
    """A number as an exact rational or a rational function, never a Python int."""
    return Fraction(value) if isinstance(value, int) else value


def floor_divide(left: Any, right: Any, place: Span) -> Any:
    """`left div right`: the floor of the quotient."""
    _need_constant(left, place, "div")
    _need_constant(right, place, "div")
    if not right:
        raise faults.division_by_zero(place, left)
    return left // right


def modulo(left: Any, right: Any, place: Span) -> Any:
    """`left mod right`: what the floored quotient leaves; has the sign of `right`."""
    _need_constant(left, place, "mod")
    _need_constant(right, place, "mod")
    if not right:
        raise faults.division_by_zero(place, left)
    return left % right


def floor(number: Any, place: Span) -> int:
    """The largest integer that is not above the number."""
    _need_constant(number, place, "floor")
    return int(number // 1)


def ceiling(number: Any, place: Span) -> int:
    """The smallest integer that is not below the number."""
    _need_constant(number, place, "ceil")
    return int(-(-number // 1))


def absolute(number: Any, place: Span) -> Any:
    """The number without its sign."""
    _need_constant(number, place, "abs")
    return abs(number)


def min_of(numbers: Iterable[Any], place: Span) -> Any:
    """The least of some numbers."""
    return _extremum("min", min, numbers, place)


def max_of(numbers: Iterable[Any], place: Span) -> Any:
    """The greatest of some numbers."""
    return _extremum("max", max, numbers, place)


def _extremum(name: str, choose: Callable[[list[Any]], Any], numbers: Iterable[Any], place: Span) -> Any:
    found = list(dict.fromkeys(numbers))
    if not found:
        raise faults.extremum_of_nothing(place, name)
    for number in found if len(found) > 1 else ():
        _need_constant(number, place, name)
    return choose(found)


def _need_constant(number: Any, place: Span, operation: str) -> None:
    if isinstance(number, RationalFunction):
        raise faults.number_with_parameter(place, number, number.parameters, operation)


def equal(left: Any, right: Any, place: Span) -> bool:
    """`left == right` where the values may depend on parameters: decided only if it is so for all their values."""
    if left == right:
        return True
    for one, other in _numbers_that_differ(left, right):
        if isinstance(one - other, RationalFunction):
            raise faults.undecided_comparison(place, left, right, _parameters(one, other))
    return False


def _numbers_that_differ(left: Any, right: Any) -> list[tuple[Any, Any]]:
    """The pairs of different numbers at equal places of two values, where at least one depends on parameters."""
    match left, right:
        case ((int() | Fraction() | RationalFunction()), (int() | Fraction() | RationalFunction())):
            return [] if left == right else [(left, right)]
        case tuple(), tuple():
            return _differ_within(left, right)
        case TupleValue(), TupleValue():
            return _differ_within(left.elements, right.elements)
        case RecordValue(), RecordValue() if left.shape is right.shape:
            return _differ_within(left.values, right.values)
        case _:
            return []


def _differ_within(left: Sequence[Any], right: Sequence[Any]) -> list[tuple[Any, Any]]:
    if len(left) != len(right):
        return []
    return [pair for one, other in zip(left, right) for pair in _numbers_that_differ(one, other)]


def less(left: Any, right: Any, place: Span) -> bool:
    """`left < right`."""
    return _difference(left, right, place) < 0


def at_most(left: Any, right: Any, place: Span) -> bool:
    """`left <= right`."""
    return _difference(left, right, place) <= 0


def _difference(left: Any, right: Any, place: Span) -> Fraction | int:
    difference: Number | int = left - right
    if isinstance(difference, RationalFunction):
        raise faults.undecided_comparison(place, left, right, _parameters(left, right))
    return difference


def _parameters(*numbers: Any) -> list[str]:
    return sorted({name for number in numbers if isinstance(number, RationalFunction) for name in number.parameters})


# --- arrays, records, sets, bags -------------------------------------------------


def index(array: tuple[Value, ...], position: Any, place: Span) -> Value:
    """`array[position]`."""
    if 0 <= position < len(array):
        return array[int(position)]
    raise faults.index_out_of_range(place, position, len(array))


def replaced(array: tuple[Value, ...], position: Any, value: Value, place: Span) -> tuple[Value, ...]:
    """The array with another value at one position."""
    if 0 <= position < len(array):
        return (*array[: int(position)], value, *array[int(position) + 1 :])
    raise faults.index_out_of_range(place, position, len(array))


def add(collection: Any, value: Value) -> Any:
    """`add(S, x)`, of a set or a bag."""
    return collection.add(value) if isinstance(collection, Bag) else collection | {value}


def remove(collection: Any, value: Value) -> Any:
    """`remove(S, x)`, of a set or a bag; unchanged where x does not occur."""
    return collection.remove(value) if isinstance(collection, Bag) else collection - {value}


def size(collection: Any) -> int:
    """How many elements a set, array or bag has, those of a bag as often as they occur."""
    return collection.size if isinstance(collection, Bag) else len(collection)


def union_of_sets(sets: Iterable[frozenset[Value]]) -> frozenset[Value]:
    """The union of any number of sets."""
    return frozenset().union(*sets)


def union_of_bags(bags: Iterable[Bag]) -> Bag:
    """The union of any number of bags: multiplicities add."""
    return Bag.of(value for bag in bags for value in bag)


# --- types ----------------------------------------------------------------------


def member(value: Value, domain: Domain, what: str, place: Span) -> Value:
    """The value itself, if it lies in its type; `what` names it in the fault."""
    if domain.contains(value):
        return value
    raise faults.value_outside_type(place, value, domain, what)


def empty_of(domain: Domain) -> Value:
    """`empty` of a type: an array of empties, the empty set, the empty bag."""
    match domain:
        case ArrayDomain(length=length, element=element):
            return (empty_of(element),) * length
        case BagDomain():
            return Bag()
        case _:
            return frozenset()


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


# --- distributions ---------------------------------------------------------------


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


def over(result: DistributionValue, domain: Domain, name: str, place: Span) -> DistributionValue:
    """The distribution itself, if all its values lie in the type that it is declared over."""
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


def no_arm_matches(value: Value, place: Span) -> Any:
    """What a `match` does where no arm fits."""
    raise faults.no_arm_matches(place, value)


class Limited:
    """The operations that need to know how far to count, or that ask something of the parameters."""

    def __init__(self, limit: int, side_conditions: SideConditions) -> None:
        self.limit = limit
        self.side_conditions = side_conditions

    def divide(self, dividend: Any, divisor: Any, place: Span) -> Number:
        """`dividend / divisor`, exactly. Where the divisor depends on parameters, that it is not 0 is a condition."""
        if isinstance(divisor, RationalFunction):
            self.side_conditions.add(_not_zero(divisor), place)
        elif not divisor:
            raise faults.division_by_zero(place, dividend)
        quotient: Number = (Fraction(dividend) if isinstance(dividend, int) else dividend) / divisor
        return quotient

    def power(self, base: Any, exponent: int, place: Span) -> Any:
        """`base ^ exponent`; an int where both are and the exponent is not negative."""
        exponent = int(exponent)
        if exponent < 0 and not base:
            raise faults.negative_power_of_zero(place, exponent)
        if isinstance(base, RationalFunction):
            if exponent < 0:
                self.side_conditions.add(_not_zero(base), place)
            if abs(exponent) > self.limit:
                raise faults.number_too_large(place, f"`{show(base)}` to the power {exponent}")
        elif _bits(base) * abs(exponent) > LARGEST_BITS:
            raise faults.number_too_large(place, f"`{faults.shown(base)}` to the power {faults.shown(exponent)}")
        return base**exponent if exponent >= 0 or not isinstance(base, int) else Fraction(base) ** exponent

    def whole_power(self, base: int, exponent: int, place: Span) -> int:
        """The power of an int where an int is wanted: the exponent must not be negative."""
        if exponent < 0:
            raise faults.negative_exponent(place, base, exponent)
        return int(self.power(base, exponent, place))

    def span(self, low: Any, high: Any, place: Span) -> range:
        """`low..high` as a range to go through."""
        low, high = int(low), int(high)
        if high - low >= self.limit:
            self.members(RangeDomain(low, high), place)
        return range(low, high + 1)

    def members(self, domain: Domain, place: Span) -> tuple[Value, ...]:
        """The values of a type, to go through."""
        try:
            return enumerate_domain(domain, self.limit)
        except LimitReached as limit:
            raise faults.domain_too_large(place, limit.reason) from None

    def cardinality(self, domain: Domain, place: Span) -> int:
        """`size(T)`: how many values a type has."""
        counted = size_of_domain(domain)
        if counted is None:
            raise faults.domain_too_large(place, f"`{domain}` has {count_text(domain)} values")
        return counted

    def uniform(self, values: Iterable[Value], place: Span) -> DistributionValue:
        """`uniform(S)`."""
        different = tuple(dict.fromkeys(values))
        if not different:
            raise faults.uniform_of_nothing(place)
        return distribution.uniform(different)

    def binomial(self, trials: Any, probability: Any, place: Span) -> DistributionValue:
        """`binomial(n, p)`."""
        if trials < 0:
            raise faults.negative_size(place, trials, "number of trials")
        self.span(0, trials, place)
        try:
            return distribution.binomial(int(trials), probability)
        except NegativeWeight:
            raise faults.not_a_probability(place, probability, "binomial") from None


def _bits(number: int | Fraction) -> int:
    """Bits that each factor adds to a power, at most; 0 for 0, 1 and -1."""
    whole = max(abs(number.numerator), number.denominator)
    return whole.bit_length() if whole > 1 else 0


def _not_zero(number: RationalFunction) -> Condition:
    return Condition(polynomial=number.numerator.to_number(), relation="!=", text=f"{number} is not 0")


def namespace_of(limited: Limited) -> dict[str, Any]:
    """The names by which generated code knows the operations."""
    return {
        "_TRUE": TRUE,
        "_FALSE": FALSE,
        "_bag": Bag.of,
        **{f"_{operation.__name__}": operation for operation in _OPERATIONS},
        **{f"_{name}": getattr(limited, name) for name in _LIMITED},
        **{f"_{name}": getattr(builtins, name) for name in _PYTHON},
    }


_OPERATIONS: tuple[Callable[..., Any], ...] = (
    *(number, floor_divide, modulo, floor, ceiling, absolute, min_of, max_of, equal, less, at_most),
    *(index, replaced, add, remove, size, union_of_sets, union_of_bags, in_order),
    *(member, empty_of, domain_of_set, range_domain, array_domain, bag_domain, union_of),
    *(TupleDomain, ListedDomain, SetDomain, RecordDomain, TupleValue, RecordValue),
    *(listed, weighted, bernoulli, over, outcome, distribution.point),
    *(looked_up, is_tuple_of, no_arm_matches),
)
_LIMITED = ("divide", "power", "whole_power", "span", "members", "cardinality", "uniform", "binomial")
_PYTHON = ("all", "any", "sum", "len", "tuple", "frozenset", "abs", "min", "max")
