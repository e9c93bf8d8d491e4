"""Which values the arms of a match take: finds arms that are never chosen, and values that are left out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from pfl.frontend.ast import (
    Boolean,
    Expr,
    Name,
    Number,
    Pattern,
    Range,
    TuplePattern,
    Unary,
    ValuePattern,
    WildcardPattern,
)
from pfl.frontend.bindings import EnumValue, Symbol
from pfl.frontend.typecheck.checker import Checker
from pfl.frontend.types import BoolType, EnumType, TupleType, Type

_MOST_VALUES = 1000

Point: TypeAlias = "str | Fraction | tuple[Point, ...]"
"""A value that a pattern writes out: a name (bool, enum value or symbol), a number, or a tuple of points."""


class Coverage:
    """The values that the patterns so far take: all of them where the subject has few values, single points elsewhere.

    A pattern whose value is not written out (a constant by name) takes an unknown point, and is left out of account.
    """

    def __init__(self, checker: Checker, subject: Type) -> None:
        self._checker = checker
        self._all = _values(subject)
        self._subject = subject
        self._taken: set[Point] = set()
        self._everything = False

    def take(self, pattern: Pattern) -> bool:
        """Adds what a pattern takes; False where earlier patterns have already taken all of it."""
        if self._everything:
            return False
        if isinstance(pattern, WildcardPattern):
            self._everything = True
            return self._all is None or not self._taken.issuperset(self._all)
        points = self._points(pattern, self._subject)
        if points is None:
            return True
        is_new = not self._taken.issuperset(points)
        self._taken.update(points)
        return is_new

    def missing(self) -> tuple[str, ...]:
        """The values that no pattern takes, as written; empty where they cannot be listed."""
        if self._everything or self._all is None:
            return ()
        return tuple(_show(point) for point in self._all if point not in self._taken)

    def _points(self, pattern: Pattern, subject: Type) -> Sequence[Point] | None:
        """The values that a pattern takes; None where they are too many or not written out."""
        match pattern:
            case WildcardPattern():
                return _values(subject)
            case ValuePattern(value=Range(low=low, high=high)):
                return _integers(self._point(low), self._point(high))
            case ValuePattern(value=value):
                point = self._point(value)
                return None if point is None else (point,)
            case TuplePattern(elements=parts):
                if not isinstance(subject, TupleType) or len(subject.elements) != len(parts):
                    return None
                columns = [self._column(alternatives, part) for alternatives, part in zip(parts, subject.elements)]
                known = [column for column in columns if column is not None]
                return tuple(product(*known)) if len(known) == len(columns) and _size(known) <= _MOST_VALUES else None

    def _column(self, alternatives: tuple[Pattern, ...], subject: Type) -> Sequence[Point] | None:
        points: list[Point] = []
        for alternative in alternatives:
            taken = self._points(alternative, subject)
            if taken is None:
                return None
            points.extend(taken)
        return points

    def _point(self, value: Expr) -> Point | None:
        match value:
            case Boolean(value=truth):
                return "true" if truth else "false"
            case Number(value=number):
                return number
            case Unary(operator="-", operand=Number(value=number)):
                return -number
            case Name():
                match self._checker.targets.get(id(value)):
                    case EnumValue(declaration=enum, position=position):
                        return enum.values[position].text
                    case Symbol(name=name):
                        return name
        return None


def _values(type_: Type) -> Sequence[Point] | None:
    """All values of a type that has few of them whatever its numbers are; None for other types."""
    match type_:
        case BoolType():
            return ("true", "false")
        case EnumType(declaration=enum):
            return tuple(value.text for value in enum.values)
        case TupleType(elements=elements):
            columns = [_values(element) for element in elements]
            known = [column for column in columns if column is not None]
            return tuple(product(*known)) if len(known) == len(columns) and _size(known) <= _MOST_VALUES else None
        case _:
            return None


def _integers(low: Point | None, high: Point | None) -> Sequence[Point] | None:
    if not isinstance(low, Fraction) or not isinstance(high, Fraction) or high - low > _MOST_VALUES:
        return None
    return tuple(Fraction(value) for value in range(int(low), int(high) + 1))


def _size(columns: Sequence[Sequence[Point]]) -> int:
    size = 1
    for column in columns:
        size *= len(column)
    return size


def _show(point: Point) -> str:
    return f"({', '.join(map(_show, point))})" if isinstance(point, tuple) else str(point)
