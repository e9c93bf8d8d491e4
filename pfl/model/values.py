"""What expressions evaluate to: immutable, hashable, in one total order, shown as in the source.

Python has `True == 1` and `Fraction(1) == 1`. The second is what PFL means (the int 1 and the real 1 are one number,
one letter, one key), the first is not: in `bool | 0..2` the letters `true` and `1` differ. So a bool is one of the two
objects `TRUE` and `FALSE`, which equal no number, and a Python bool is never a value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import field
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from pfl.base.exact_text import fraction_text, integer_text
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.model.noise import Sample


@struct(eq=False, kw_only=False)
class BoolValue:
    """`true` or `false`. There are only the two objects `TRUE` and `FALSE`, compared by identity."""

    name: str

    def __bool__(self) -> bool:
        return self is TRUE

    def __reduce__(self) -> str:
        return self.name.upper()


TRUE = BoolValue("true")
FALSE = BoolValue("false")


def truth(condition: object) -> BoolValue:
    """The value of a Python condition."""
    return TRUE if condition else FALSE


@struct(kw_only=False)
class SymbolValue:
    """A name that stands for itself: `bot`. Equal names are equal symbols, in every system."""

    name: str


@struct(eq=False, kw_only=False)
class Enumeration:
    """An `enum`, compared by identity; it makes its values itself, once."""

    name: str
    names: tuple[str, ...]
    module: str = ""
    values: tuple[EnumValue, ...] = field(init=False, repr=False)
    shape: RecordShape = field(init=False, repr=False)
    """That of the arrays whose indices are the values: a field for each."""

    def __post_init__(self) -> None:
        values = tuple(EnumValue(self, name, position) for position, name in enumerate(self.names))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "shape", RecordShape(self.name, self.names, self.module, is_array=True))


@struct(eq=False, kw_only=False)
class EnumValue:
    """`sick` of an `enum`, the `position`-th from 0; compared by identity, taken from `Enumeration.values`."""

    enumeration: Enumeration = field(repr=False)
    name: str
    position: int


@struct(kw_only=False)
class TupleValue:
    """`(1, sick)`. Arrays are plain Python tuples, so that `[1, 2]` and `(1, 2)` differ where a union has both."""

    elements: tuple[Value, ...]


@struct(eq=False, kw_only=False)
class RecordShape:
    """A `record`, compared by identity: its name and the names of its fields in order.

    An array whose indices are the values of an enum is a record, too: `is_array`, with the enum's name and values.
    """

    name: str
    fields: tuple[str, ...]
    module: str = ""
    is_array: bool = False


@struct(kw_only=False)
class RecordValue:
    """`Visit(who = 1, long = true)`, `[ann: 3, bob: 1]`; `values` in the order of the fields."""

    shape: RecordShape
    values: tuple[Value, ...]

    def get(self, name: str) -> Value:
        """The value of a field."""
        return self.values[self.shape.fields.index(name)]

    def replace(self, name: str, value: Value) -> RecordValue:
        """A copy with one field changed."""
        position = self.shape.fields.index(name)
        return RecordValue(self.shape, (*self.values[:position], value, *self.values[position + 1 :]))


@struct(kw_only=False)
class Bag:
    """A multiset. `counts` are its different values in order, each with how often it occurs (at least once).

    The capacity belongs to the domain `bag[v] of T`, not to the value.
    """

    counts: tuple[tuple[Value, int], ...] = ()

    @staticmethod
    def of(values: Iterable[Value]) -> Bag:
        """The bag of some values, in any order."""
        return _bag_of_counts((value, 1) for value in values)

    @property
    def size(self) -> int:
        """How many values there are, each counted as often as it occurs."""
        return sum(count for _, count in self.counts)

    def count(self, value: Value) -> int:
        """How often a value occurs."""
        position = self._position(value)
        return self.counts[position][1] if self._is_at(position, value) else 0

    def add(self, value: Value) -> Bag:
        """The bag with a value once more."""
        position = self._position(value)
        if self._is_at(position, value):
            held, count = self.counts[position]
            return Bag((*self.counts[:position], (held, count + 1), *self.counts[position + 1 :]))
        return Bag((*self.counts[:position], (value, 1), *self.counts[position:]))

    def remove(self, value: Value) -> Bag:
        """The bag with a value once less; the same bag if it does not occur."""
        position = self._position(value)
        if not self._is_at(position, value):
            return self
        held, count = self.counts[position]
        kept = ((held, count - 1),) if count > 1 else ()
        return Bag((*self.counts[:position], *kept, *self.counts[position + 1 :]))

    def union(self, other: Bag) -> Bag:
        """All values of both: multiplicities add."""
        return _bag_of_counts((*self.counts, *other.counts))

    def __contains__(self, value: Value) -> bool:
        return self._is_at(self._position(value), value)

    def __iter__(self) -> Iterator[Value]:
        """The values in order, each as often as it occurs."""
        for value, count in self.counts:
            for _ in range(count):
                yield value

    def _position(self, value: Value) -> int:
        return bisect_left(self.counts, sort_key(value), key=lambda entry: sort_key(entry[0]))

    def _is_at(self, position: int, value: Value) -> bool:
        return position < len(self.counts) and self.counts[position][0] == value


def _bag_of_counts(counts: Iterable[tuple[Value, int]]) -> Bag:
    total: dict[Value, int] = {}
    for value, count in counts:
        total[value] = total.get(value, 0) + count
    return Bag(tuple(sorted(total.items(), key=lambda entry: sort_key(entry[0]))))


@struct(kw_only=False)
class MechanismValue:
    """A mechanism as a value; `declaration` is opaque here, and compared by identity through its `identity`."""

    name: str
    identity: int
    declaration: Any = field(compare=False, repr=False)


@struct(eq=False, kw_only=False)
class NeverValue:
    """The outcome of the call of a mechanism that does not end. There is only the object `NEVER`."""

    def __reduce__(self) -> str:
        return "NEVER"


NEVER = NeverValue()


@struct(eq=False, kw_only=False)
class SilentValue:
    """What `emit silent` shows: nothing. There is only the object `SILENT`, which lies in no domain."""

    def __reduce__(self) -> str:
        return "SILENT"


SILENT = SilentValue()


@struct(eq=False, kw_only=False)
class Unset:
    """What a variable, or a part of it, has that was given no value yet. There is only the object `UNSET`."""

    def __reduce__(self) -> str:
        return "UNSET"


UNSET = Unset()

Value: TypeAlias = (
    "BoolValue | int | Number | SymbolValue | EnumValue | TupleValue | RecordValue | tuple[Value, ...] |"
    " frozenset[Value] | Bag | MechanismValue | NeverValue | SilentValue"
)
"""Arrays are Python tuples, sets are frozensets. Whole reals may be `int` or `Fraction`: they are equal."""


def sort_key(value: Value) -> tuple[Any, ...]:
    """A key that puts values of all kinds into one order: bools, numbers, symbols, enum values (as declared), then
    composites, lexicographically; sets and bags by size first."""
    match value:
        case int() | Fraction():
            return (1, value)
        case BoolValue():
            return (0, value is TRUE)
        case RationalFunction():
            return (2, str(value))
        case SymbolValue():
            return (3, value.name)
        case EnumValue():
            return (4, value.enumeration.name, value.enumeration.module, value.position)
        case TupleValue():
            return (5, tuple(map(sort_key, value.elements)))
        case RecordValue():
            return (6, value.shape.name, value.shape.module, tuple(map(sort_key, value.values)))
        case tuple():
            return (7, tuple(map(sort_key, value)))
        case frozenset():
            return (8, len(value), tuple(sorted(map(sort_key, value))))
        case Bag():
            return (9, value.size, tuple(sort_key(element) for element in value))
        case MechanismValue():
            return (10, value.name, value.identity)
        case NeverValue():
            return (11,)
        case SilentValue():
            return (12,)
        case _:
            assert_never(value)


def in_order(values: Iterable[Value]) -> list[Value]:
    """The values sorted by `sort_key`: how a set is gone through."""
    return sorted(values, key=sort_key)


def show(value: Value | Unset | Sample) -> str:
    """The value as it is written in the source: `[1, 0]`, `bag {0, 1, 1}`, `Visit(who = 1, long = true)`, `3/4`.

    Parts of it may have no value yet: `[1, unset]`; in messages there may be samples. A distribution that a variable
    holds, to be drawn from later, says itself how it is written.
    """
    match value:
        case int():
            return integer_text(value)
        case Fraction():
            return fraction_text(value)
        case RationalFunction():
            return str(value)
        case BoolValue() | SymbolValue() | EnumValue() | MechanismValue():
            return value.name
        case NeverValue():
            return "never"
        case SilentValue():
            return "silent"
        case Unset():
            return "unset"
        case TupleValue():
            return f"({_list(value.elements)})"
        case RecordValue() if value.shape.is_array:
            return f"[{', '.join(f'{name}: {show(held)}' for name, held in zip(value.shape.fields, value.values))}]"
        case RecordValue():
            fields = ", ".join(f"{name} = {show(held)}" for name, held in zip(value.shape.fields, value.values))
            return f"{value.shape.name}({fields})"
        case tuple():
            return f"[{_list(value)}]"
        case frozenset():
            return f"{{{_list(in_order(value))}}}"
        case Bag():
            return f"bag {{{_list(value)}}}"
        case Sample():
            return repr(value)
        case _:
            return str(value)


def _list(values: Iterable[Value]) -> str:
    return ", ".join(map(show, values))
