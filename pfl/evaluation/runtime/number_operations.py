"""What generated code calls for arithmetic and comparisons that can fail, or that parameters may take part in.

`place` is the span that a fault points at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations
from typing import Any

from pfl.base import closed_form
from pfl.base.closed_form import is_closed
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.source import Span
from pfl.evaluation import faults
from pfl.model.coincidence import coincidence, parameters_in
from pfl.model.domain import Domain
from pfl.model.noise import Sample
from pfl.model.values import in_order

LARGEST_BITS = 1 << 19
"""Bits that a number may have, each side of a fraction for itself: a hundred and fifty thousand digits."""

LARGEST_FUNCTION = 1 << 23
"""Bits that the coefficients of a number that depends on parameters may have together."""

WORD = 1 << 64
"""What is smaller is short."""

_LARGEST = 1 << LARGEST_BITS
_LEAST = -_LARGEST


def is_bearable(value: int | Number) -> bool:
    """Whether a number is short enough to go on computing with."""
    if isinstance(value, int):
        return _LEAST < value < _LARGEST
    if isinstance(value, Fraction):
        return _LEAST < value.numerator < _LARGEST and value.denominator < _LARGEST
    return value.bits <= LARGEST_FUNCTION


def whole_product(left: int, right: int, place: Span) -> int:
    """`left * right`, of two ints of which neither is known beforehand to be short."""
    result = left * right
    if _LEAST < result < _LARGEST:
        return result
    raise faults.number_too_large(place, "this product")


def product(left: Any, right: Any, place: Span) -> Any:
    """`left * right`, of which neither is known beforehand to be short."""
    is_long = (
        isinstance(left, RationalFunction)
        and isinstance(right, RationalFunction)
        and left.terms * right.terms > LARGEST_FUNCTION
    )
    if not is_long and is_bearable(result := left * right):
        return result
    raise faults.number_too_large(place, "this product")


def number(value: int | Number) -> Number:
    """A number as an exact rational or a rational function, never a Python int."""
    return Fraction(value) if isinstance(value, int) else value


def floor_divide(left: Any, right: Any, place: Span) -> Any:
    """`left div right`: the floor of the quotient."""
    _need_constant(left, place, "div")
    _need_constant(right, place, "div")
    if not right:
        raise faults.division_by_zero(place, left)
    return left // right if _are_rational(left, right) else floor(left / right, place)


def modulo(left: Any, right: Any, place: Span) -> Any:
    """`left mod right`: what the floored quotient leaves; has the sign of `right`."""
    _need_constant(left, place, "mod")
    _need_constant(right, place, "mod")
    if not right:
        raise faults.division_by_zero(place, left)
    return left % right if _are_rational(left, right) else left - right * floor(left / right, place)


def floor(number: Any, place: Span) -> int:
    """The largest integer that is not above the number."""
    _need_constant(number, place, "floor")
    return closed_form.floor(number) if is_closed(number) else int(number // 1)


def ceiling(number: Any, place: Span) -> int:
    """The smallest integer that is not below the number."""
    _need_constant(number, place, "ceil")
    return -floor(-number, place)


def absolute(number: Any, place: Span) -> Any:
    """The number without its sign."""
    _need_constant(number, place, "abs")
    if is_closed(number):
        return -number if closed_form.sign(number) < 0 else number
    return abs(number)


def min_of(numbers: Iterable[Any], place: Span) -> Any:
    """The least of some numbers."""
    return _extremum("min", min, numbers, place)


def max_of(numbers: Iterable[Any], place: Span) -> Any:
    """The greatest of some numbers."""
    return _extremum("max", max, numbers, place)


def _extremum(name: str, choose: Callable[..., Any], numbers: Iterable[Any], place: Span) -> Any:
    given = list(numbers)
    has_samples = any(isinstance(number, Sample) for number in given)
    found = given if has_samples else list(dict.fromkeys(given))
    if not found:
        raise faults.extremum_of_nothing(place, name)
    for number in found if len(found) > 1 else ():
        _need_constant(number, place, name)
    if not _are_rational(*found) and len(found) > 1:
        return choose(found, key=cmp_to_key(lambda left, right: -1 if less(left, right, place) else 1))
    return choose(found)


def _need_constant(number: Any, place: Span, operation: str) -> None:
    if names := _parameters(number):
        raise faults.number_with_parameter(place, number, names, operation)


def _are_rational(*numbers: Any) -> bool:
    return not any(isinstance(number, RationalFunction) for number in numbers)


def equal(left: Any, right: Any, place: Span) -> bool:
    """`left == right` where the values may depend on parameters: decided only if it is so for all their values."""
    found = coincidence(left, right)
    if isinstance(found, RationalFunction):
        raise faults.undecided_comparison(place, left, "==", right, sorted(parameters_in(left) | parameters_in(right)))
    return not found


def occurs(value: Any, collection: Iterable[Any], place: Span) -> bool:
    """`value in collection`: decided as `==` is."""
    elements = dict.fromkeys(collection)
    if value in elements:
        return True
    for element in elements:
        equal(value, element, place)
    return False


def settled(elements: Iterable[Any], place: Span) -> Any:
    """The elements themselves, where it does not depend on parameters which of them are equal."""
    listed = elements if isinstance(elements, tuple | frozenset) else tuple(elements)
    if any(map(parameters_in, listed)):
        told_apart = in_order(listed) if isinstance(listed, frozenset) else dict.fromkeys(listed)
        for left, right in combinations(told_apart, 2):
            equal(left, right, place)
    return listed


def lies_in(value: Any, domain: Domain, place: Span) -> bool:
    """`value in T`, of a type: a value that depends on parameters lies in it for all their values, or it is a fault."""
    if domain.contains(value):
        return True
    if names := parameters_in(value):
        raise faults.number_with_parameter(place, value, sorted(names), "in")
    return False


def less(left: Any, right: Any, place: Span) -> bool:
    """`left < right`."""
    if isinstance(left, Sample):
        return bool(left < right)
    if isinstance(right, Sample):
        return bool(right > left)
    return _difference(left, "<", right, place) < 0


def at_most(left: Any, right: Any, place: Span) -> bool:
    """`left <= right`."""
    if isinstance(left, Sample):
        return bool(left <= right)
    if isinstance(right, Sample):
        return bool(right >= left)
    return _difference(left, "<=", right, place) <= 0


def _difference(left: Any, relation: str, right: Any, place: Span) -> Fraction | int:
    """A number of the sign of a difference."""
    difference: Number | int = left - right
    if isinstance(difference, RationalFunction) and is_closed(difference):
        return closed_form.sign(difference)
    if isinstance(difference, RationalFunction):
        raise faults.undecided_comparison(place, left, relation, right, _parameters(left, right))
    return difference


def _parameters(*numbers: Any) -> list[str]:
    return sorted(set().union(*(parameters_in(number) for number in numbers if isinstance(number, RationalFunction))))


def between(low: int, value: int, high: int) -> bool:
    """`value in low..high`."""
    return low <= value <= high


OPERATIONS: tuple[Callable[..., Any], ...] = (
    *(number, floor_divide, modulo, floor, ceiling, absolute, min_of, max_of),
    *(equal, occurs, settled, lies_in, less, at_most, between, product, whole_product),
)
