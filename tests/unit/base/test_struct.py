"""Structs against what `dataclass(slots=True)` makes of the same class."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfl.base.struct import struct

NAMES = ("a", "b", "c", "d")
DEFAULTS = (MISSING, 7, "factory")


@st.composite
def declared(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Arguments of `field` by name; those with defaults come last, as positional ones must."""
    defaults = sorted(draw(st.lists(st.sampled_from(range(3)), min_size=len(names), max_size=len(names))))
    options: dict[str, dict[str, Any]] = {}
    for name, default in zip(names, defaults):
        options[name] = {key: draw(st.booleans()) for key in ("repr", "compare")}
        options[name]["init"] = draw(st.booleans()) if default else True
        options[name]["hash"] = draw(st.sampled_from((None, True, False)))
        if default:
            options[name] |= {"default": 7} if default == 1 else {"default_factory": list[int]}
    return options


@st.composite
def bodies(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What both decorators take, and the fields of a class and of one that inherits from it."""
    flags = {name: draw(st.booleans()) for name in ("eq", "frozen", "kw_only")}
    count = draw(st.integers(0, 3))
    first, second = draw(declared(NAMES[:count])), {}
    if flags["kw_only"] or not any("default" in each or "default_factory" in each for each in first.values()):
        second = draw(declared(NAMES[count:]))
    return flags, [first, second]


def classes(decorate: Callable[..., Any], flags: dict[str, Any], bodies: list[dict[str, Any]]) -> Any:
    """The class that inherits, made by one of the decorators."""
    made: Any = object
    for body in bodies:
        namespace: dict[str, Any] = {name: field(**options) for name, options in body.items()}
        namespace |= {"__annotations__": dict.fromkeys(body, "object"), "__doc__": "It has one."}
        made = decorate(**flags)(type("Made", (made,), namespace))
    return made


def outcome(of: Callable[[], Any]) -> Any:
    """The value, or the exception, by what is said."""
    try:
        return of()
    except Exception as error:
        return type(error), str(error).partition("0x")[0]


@given(bodies(), st.lists(st.integers(0, 1), max_size=4), st.dictionaries(st.sampled_from((*NAMES, "e")), st.just(1)))
def test_what_dataclass_does(
    body: tuple[dict[str, Any], list[dict[str, Any]]], positional: list[int], by_name: dict[str, int]
) -> None:
    flags, own = body
    both = [classes(decorate, flags, own) for decorate in (struct, partial(dataclass, slots=True))]
    complete = {each.name: 1 for each in fields(both[1]) if each.init}

    def shown(value: object) -> object:
        return repr(value) if is_dataclass(value) and "__repr__" in vars(type(value)) else value

    def asked(cls: Any) -> list[Any]:
        one, two = cls(**complete), cls(**complete | dict.fromkeys(by_name.keys() & complete.keys(), 2))
        return [
            outcome(lambda: shown(cls(*positional, **by_name))),
            repr(one),
            [one == one, one == two, one == cls(**complete), one != two, one == 1],
            outcome(lambda: (hash(one), hash(two))) if flags["eq"] else hash(one) == hash(two),
            [(each.name, each.type, each.init, each.repr, each.compare, each.kw_only) for each in fields(cls)],
            [outcome(lambda name=name: shown(replace(one, **{name: 5}))) for name in (*NAMES, "e")],
            [outcome(lambda name=name: setattr(one, name, 3)) for name in complete],
            repr(copy.copy(two)),
            repr(copy.deepcopy(two)),
            outcome(lambda: delattr(one, next(iter(complete)))) if complete else None,
            (cls.__match_args__, cls.__slots__, cls.__qualname__, cls.__module__),
        ]

    assert asked(both[0]) == asked(both[1])


@struct
class Point:
    """Picklable, as it is found by its name."""

    x: int
    y: int = 2
    counted: ClassVar[int] = 3

    @property
    def sum(self) -> int:
        return self.x + self.y


@struct(kw_only=False, eq=False)
class Shown:
    text: str
    longer: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "longer", self.text + "!")


@struct
class Late:
    x: int = field(init=False)


T = TypeVar("T")


@struct(frozen=False)
class Box(Generic[T]):
    held: T
    others: list[T] = field(default_factory=list)


class Further(Point):
    """No struct, but inherits from one."""


def test_methods_are_written_once() -> None:
    assert Point(x=1) == Point(x=1)
    before = [vars(Point)[name] for name in ("__init__", "__eq__")]
    assert hash(Point(x=1)) == hash(Point(x=1, y=2))
    assert [vars(Point)[name] for name in ("__init__", "__eq__")] == before
    assert vars(Point)["__init__"].__qualname__ == "Point.__init__"


def test_what_a_class_says_itself_stays() -> None:
    @struct
    class Own:
        x: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 4

        def __repr__(self) -> str:
            return "own"

    assert (Own(x=1) == 2, hash(Own(x=1)), repr(Own(x=1))) == (True, 4, "own")


@pytest.mark.parametrize("value", [Point(x=1), Box(held=[1])])
def test_pickles(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value


def test_the_rest_of_a_class() -> None:
    assert (Point(x=1).sum, Point.counted, Shown("a").longer, Box[int](held=1).others) == (3, 3, "a!", [])
    assert Shown("a") != Shown("a")
    assert not hasattr(Late(), "x")
    assert (repr(Further(x=1)), Further(x=1) == Point(x=1)) == ("Further(x=1, y=2)", False)
    match Shown("b"):
        case Shown(text):
            assert text == "b"


def test_a_record_that_holds_itself_is_shown() -> None:
    box = Box[Any](held=1)
    box.others.append(box)
    assert repr(box) == "Box(held=1, others=[...])"


@struct(cached=True)
class Square:
    side: int

    @cached_property
    def area(self) -> int:
        return self.side**2


@struct(cached=True)
class Named(Square):
    name: str = "square"


def test_what_is_cached_goes_along() -> None:
    square = Named(side=3)
    unasked = pickle.loads(pickle.dumps(square))
    assert unasked == square
    assert unasked.__dict__ == {}
    assert square.area == 9
    again = pickle.loads(pickle.dumps(square))
    assert again == square
    assert again.__dict__ == {"area": 9}
    assert replace(square, side=4).area == 16
    with pytest.raises(FrozenInstanceError):
        square.side = 4  # type: ignore[misc]


def test_a_field_with_a_default_is_not_followed_by_one_without() -> None:
    @struct(kw_only=False)
    class Wrong:
        first: int = 1
        second: int  # type: ignore[misc]

    with pytest.raises(TypeError, match="'first'"):
        Wrong(1, 2)
