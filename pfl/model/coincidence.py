"""Values that differ as they are written, and may still be one and the same at some values of the parameters.

Letters, results and elements of sets are told apart by their values. `p` and `1/2` are two of them, and one at p = 1/2:
what was found of two says nothing there. Why that is enough: docs/theory/side-conditions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from math import prod

from pfl.base.closed_form import is_closed
from pfl.base.exponential import ONE, Exponential
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.values import Bag, RecordValue, TupleValue, Unset, Value


def coincidence(left: Value | Unset, right: Value | Unset) -> Number:
    """A number that is 0 wherever two values are equal: 0 where they always are, another constant where they never
    are. It may be 0 elsewhere, too."""
    if left == right:
        return Fraction(0)
    match left, right:
        case ((int() | Fraction() | RationalFunction()), (int() | Fraction() | RationalFunction())):
            difference = left - right
            if is_closed(difference):  # another number than 0
                return Fraction(1)
            return Fraction(difference) if isinstance(difference, int) else difference
        case tuple(), tuple():
            return _of_all(left, right)
        case TupleValue(), TupleValue():
            return _of_all(left.elements, right.elements)
        case RecordValue(), RecordValue() if left.shape is right.shape:
            return _of_all(left.values, right.values)
        case frozenset(), frozenset():
            return _of_collections(tuple(left), tuple(right))
        case Bag(), Bag() if left.size == right.size:
            return _of_collections(tuple(left), tuple(right))
        case _:
            return Fraction(1)


def coincidences(values: Iterable[Value | Unset]) -> Iterator[RationalFunction]:
    """Numbers of which one is 0 wherever two of some different values are equal.

    Costs a comparison of each value that depends on parameters with every other; without such values almost nothing.
    """
    known: list[Value | Unset] = []
    depending: list[Value | Unset] = []
    for value in dict.fromkeys(values):
        (depending if parameters_in(value) else known).append(value)
    for left, right in chain(combinations(depending, 2), product(depending, known)):
        found = coincidence(left, right)
        if isinstance(found, RationalFunction):
            yield found


def parameters_in(value: Value | Unset) -> frozenset[str]:
    """The parameters that a value depends on, those of exponents among them."""
    match value:
        case RationalFunction():
            bases = (name if (held := Exponential.of(name)) is None else held.base for name in value.parameters)
            return frozenset(base for base in bases if base != ONE)
        case TupleValue(elements=parts) | RecordValue(values=parts):
            return frozenset().union(*map(parameters_in, parts))
        case tuple() | frozenset() | Bag():
            return frozenset().union(*map(parameters_in, value))
        case _:
            return frozenset()


def _of_all(left: Sequence[Value | Unset], right: Sequence[Value | Unset]) -> Number:
    """Sequences are equal only where all their elements are: a pair that never is decides."""
    if len(left) != len(right):
        return Fraction(1)
    undecided: Number = Fraction(1)
    for found in map(coincidence, left, right):
        if isinstance(found, RationalFunction):
            undecided = found
        elif found:
            return Fraction(1)
    return undecided


def _of_collections(left: Sequence[Value], right: Sequence[Value]) -> Number:
    """Collections are equal only where an element that one has more often equals another of that one's elements, or of
    the other's."""
    for one, other in ((left, right), (right, left)):
        for element in one:
            if one.count(element) > other.count(element):
                rest = [value for value in (*one, *other) if value != element]
                return prod((coincidence(element, value) for value in dict.fromkeys(rest)), start=Fraction(1))
    return Fraction(1)
