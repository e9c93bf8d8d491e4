"""The weights of a claim, wherever they stand in its dataclasses, and the claim with one of them changed.

Nothing here knows the kinds of questions and systems. A claim is walked through as it is stored: dataclasses, of which
each object is one however often it is referred to, tuples, mappings, and arrays that index a table of numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from random import Random
from typing import Any, Literal, TypeAlias

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.parameters import NO_PARAMETERS, Condition, ParameterSpace

Path: TypeAlias = tuple[Any, ...]
"""Names of fields, indices in tuples and arrays, keys of mappings."""
Kind: TypeAlias = Literal["other", "zero", "moved", "shifted", "balanced"]

KINDS: tuple[Kind, ...] = ("other", "zero", "moved", "shifted", "balanced")
NO_WEIGHTS = (ParameterSpace, Condition, RationalFunction)
"""What says of which values of parameters a claim speaks; and a number with parameters, which is one weight."""
OTHERS = (Fraction(2, 3), Fraction(8), Fraction(1, 50), Fraction(3, 2))
"""What a number is multiplied by; 0 becomes one of these less one, which may be negative."""
NO_PARTS = ("anew",)
"""Fields that hold what a claim is compiled from, and nothing that it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """One exact number: the dataclass that owns it, and the path that leads there."""

    owner: Any
    path: Path
    value: Number

    def __str__(self) -> str:
        return f"{type(self.owner).__name__}.{'.'.join(map(str, self.path))} = {self.value}"


def weights_of(root: Any) -> list[Weight]:
    """Every weight below a dataclass, in a fixed order, those of an object that is shared once."""
    found: list[Weight] = []
    owners = [root]
    known = {id(root)}
    for owner in owners:
        for path, part in _leaves((), _fields(owner)):
            if is_dataclass(part) and not isinstance(part, NO_WEIGHTS):
                if id(part) not in known:
                    known.add(id(part))
                    owners.append(part)
            elif _is_number(part):
                found.append(Weight(owner=owner, path=path, value=part))
    return found


def _is_number(part: Any) -> bool:
    return isinstance(part, Fraction | RationalFunction)


def _held(owner: Any) -> dict[str, Any]:
    return {field.name: getattr(owner, field.name) for field in fields(owner)}


def _fields(owner: Any) -> dict[str, Any]:
    """The fields with parts; those of an array of indices are what it refers to, and its table says no more."""
    held = {name: value for name, value in _held(owner).items() if name not in NO_PARTS}
    for name in [name for name in held if name.endswith("_table")]:
        indices = f"{name.removesuffix('_table')}s"
        if isinstance(held.get(indices), array):
            table = held.pop(name)
            held[indices] = tuple(table[index] for index in held[indices])
    return held


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping):
        parts: Any = value.items()
    elif isinstance(value, tuple):
        parts = enumerate(value)
    else:
        yield path, value
        return
    for key, part in parts:
        yield from _leaves((*path, key), part)


def with_owner(root: Any, owner: Any, changed: Any) -> Any:
    """The root with `changed` in the place of a dataclass; what does not lead there stays the same object.

    Raises ValueError where a class refuses what it is made of.
    """
    made: dict[int, Any] = {id(owner): changed}

    def rebuilt(part: Any) -> Any:
        if isinstance(part, Mapping):
            return _unless_same(part, {key: rebuilt(value) for key, value in part.items()})
        if isinstance(part, tuple):
            parts = tuple(map(rebuilt, part))
            return part if all(one is other for one, other in zip(part, parts)) else parts
        if not is_dataclass(part) or isinstance(part, NO_WEIGHTS):
            return part
        if id(part) not in made:
            held = _held(part)
            now = _unless_same(held, {k: v if k in NO_PARTS else rebuilt(v) for k, v in held.items()})
            made[id(part)] = part if now is held else _like(part, now)
        return made[id(part)]

    return rebuilt(root)


def at_values(root: Any, values: Mapping[str, Fraction]) -> Any:
    """The root with the parameters in all its numbers fixed, and without any that it ranges over."""
    made: dict[int, Any] = {}

    def rebuilt(part: Any) -> Any:
        if isinstance(part, RationalFunction):
            return part.evaluate(values)
        if isinstance(part, ParameterSpace):
            return NO_PARAMETERS
        if isinstance(part, Mapping):
            return {key: rebuilt(value) for key, value in part.items()}
        if isinstance(part, tuple):
            return tuple(map(rebuilt, part))
        if not is_dataclass(part):
            return part
        if id(part) not in made:
            made[id(part)] = _like(part, {k: v if k in NO_PARTS else rebuilt(v) for k, v in _held(part).items()})
        return made[id(part)]

    return rebuilt(root)


def _unless_same(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return before if all(after[key] is value for key, value in before.items()) else after


def _like(part: Any, held: Mapping[str, Any]) -> Any:
    return type(part)(**{field.name: held[field.name] for field in fields(part) if field.init})


# --- changes of one weight -----------------------------------------------------


def changes(weight: Weight, kind: Kind, source: Random) -> Iterator[Any]:
    """The owner with the weight changed in all ways of a kind, in a random order.

    `other` is another positive number, `zero` none at all; `moved` has it in another column of its row or vector,
    `shifted` half of it; `balanced` has half of another weight of the owner added to it, and taken from there. The last
    three keep sums. None where a weight stands in no row, or the owner has no other one, or refuses all.
    """
    try:
        yield from _changes(weight, kind, source)
    except ValueError:  # a class looks at what it is made of
        return


def _changes(weight: Weight, kind: Kind, source: Random) -> Iterator[Any]:
    row = _row(weight)
    match kind:
        case "other":
            for value in OTHERS:
                yield _put(weight, weight.value * value if weight.value else value - 1)
        case "zero" if weight.value:
            yield _put(weight, Fraction(0)) if row is None else row.made(row.without(weight.value))
        case "moved" if isinstance(targets := _held(weight.owner).get("targets"), array) and len(weight.path) == 2:
            (_, edge), columns = weight.path, range(_size(weight.owner))
            for column in source.sample(columns, len(columns)) if edge < len(targets) else ():
                if column != targets[edge]:
                    moved = array(targets.typecode, [*targets[:edge], column, *targets[edge + 1 :]])
                    yield _like(weight.owner, {**_held(weight.owner), "targets": moved})
        case "moved" | "shifted" if row is not None and weight.value:
            part = weight.value if kind == "moved" else weight.value / 2
            others = [column for column in range(row.size) if column != row.column]
            for column in source.sample(others, len(others)):
                yield row.made(row.without(part, column))
        case "balanced":
            others = [each for each in _weights_in(weight.owner) if each.path != weight.path and each.value]
            for other in source.sample(others, len(others)):
                half = other.value / 2
                less = Weight(owner=_put(other, half), path=weight.path, value=weight.value)
                yield _put(less, weight.value + half)


def _weights_in(owner: Any) -> Iterator[Weight]:
    for path, part in _leaves((), _fields(owner)):
        if _is_number(part):
            yield Weight(owner=owner, path=path, value=part)


def _put(weight: Weight, value: Number) -> Any:
    """The owner with another number in the place of a weight."""
    held = _held(weight.owner)
    name, *rest = weight.path
    if isinstance(held[name], array):
        table = f"{name[:-1]}_table"
        indices = array(held[name].typecode, held[name])
        indices[rest[0]] = len(held[table])
        return _like(weight.owner, {**held, name: indices, table: (*held[table], value)})
    return _like(weight.owner, _with_part(held, weight.path, value))


def _with_part(whole: Any, path: Path, part: Any) -> Any:
    if not path:
        return part
    key, *rest = path
    inner = _with_part(whole[key], tuple(rest), part)
    return {**whole, key: inner} if isinstance(whole, Mapping) else (*whole[:key], inner, *whole[key + 1 :])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The row or vector in which a weight stands, and how the owner is made with another one."""

    owner: Any
    path: Path
    entries: Mapping[int, Number]
    column: int
    size: int
    is_sparse: bool

    def without(self, part: Number, column: int | None = None) -> dict[int, Number]:
        """The entries with so much less in the column of the weight, and more in another one."""
        entries = dict(self.entries)
        entries[self.column] = entries[self.column] - part
        if column is not None:
            entries[column] = entries.get(column, Fraction(0)) + part
        return entries

    def made(self, entries: Mapping[int, Number]) -> Any:
        row = tuple((column, weight) for column, weight in sorted(entries.items()) if weight or not self.is_sparse)
        held = _with_part(_held(self.owner), self.path, row if self.is_sparse else tuple(weight for _, weight in row))
        return _like(self.owner, held)


def _row(weight: Weight) -> _Row | None:
    held = _held(weight.owner)
    *above, last = weight.path
    if len(weight.path) == 2 and isinstance(held[weight.path[0]], array):
        return None
    container: Any = held
    parents: list[Any] = []
    for key in above:
        parents.append(container)
        container = container[key]
    size = _size(weight.owner)
    if isinstance(container, tuple) and len(container) == 2 and last == 1 and isinstance(container[0], int):
        return _Row(
            owner=weight.owner,
            path=tuple(above[:-1]),
            entries=dict(parents[-1]),
            column=container[0],
            size=size,
            is_sparse=True,
        )
    if len(above) == 1 and isinstance(container, tuple) and all(map(_is_number, container)):
        return _Row(
            owner=weight.owner,
            path=tuple(above),
            entries=dict(enumerate(container)),
            column=last,
            size=len(container),
            is_sparse=False,
        )
    return None


def _size(owner: Any) -> int:
    """The number of states: the owner's, or that of the system that it is about."""
    for each in (owner, *_held(owner).values()):
        if isinstance(size := getattr(each, "size", None), int):
            return size
    return 0
