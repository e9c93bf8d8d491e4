"""Structs: classes such as `dataclass` makes, but quicker to make.

`dataclass` writes and compiles up to six methods of a class when the class is made. There are hundreds of these
classes, and a run uses a third of them. So here a method is written when it is first called, and takes the place of
what called it: from then on nothing lies between. Initialisers of the same shape share their code, but for the names
of their arguments. All else is as with `dataclass`: `field`, `fields`, `replace`,
`__post_init__`, `match`, copies and pickles work. Not supported are fields inherited from a class that is no struct,
`InitVar`, and `inspect.signature`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache, partial
from reprlib import recursive_repr
from types import CodeType, FunctionType
from typing import Any, NamedTuple, NoReturn, TypeVar, dataclass_transform, overload

_Class = TypeVar("_Class", bound=type)


@overload
def struct(cls: _Class, /) -> _Class: ...


@overload
def struct(
    *, eq: bool = True, frozen: bool = True, kw_only: bool = True, cached: bool = False
) -> Callable[[_Class], _Class]: ...


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def struct(
    cls: Any = None, /, *, eq: bool = True, frozen: bool = True, kw_only: bool = True, cached: bool = False
) -> Any:
    """`dataclass(slots=True)` with these arguments, which mean what they mean there; see the module. With `cached`
    there is room for the values of `cached_property`, which pickles hold as well."""
    if cls is None:
        return partial(_struct, eq=eq, frozen=frozen, kw_only=kw_only, cached=cached)
    return _struct(cls, eq=eq, frozen=frozen, kw_only=kw_only, cached=cached)


def _struct(cls: type, *, eq: bool, frozen: bool, kw_only: bool, cached: bool) -> Any:
    """The class made again, as slots have to be known when a class is made."""
    body = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    own = {
        name: _Declared(annotation, body.pop(name, MISSING), kw_only)
        for name, annotation in body.get("__annotations__", {}).items()
        if "ClassVar" not in str(annotation)
    }
    declared: dict[str, _Declared] = {}
    slots: set[str] = set()
    for base in reversed(cls.__mro__[1:]):
        declared |= vars(base).get("__struct__", {})
        slots.update(vars(base).get("__slots__", ()))
    declared |= own

    def when_called(name: str) -> Callable[..., Any]:
        def method(self: object, *args: Any, **given: Any) -> Any:
            written = _WRITERS[name](made, {name: each.as_field() for name, each in declared.items()})
            setattr(made, name, written)
            return written(self, *args, **given)

        return method

    methods: dict[str, Any] = {"__init__": when_called("__init__"), "__repr__": _repr}
    if frozen:
        methods |= _FROZEN
    if eq:
        methods["__eq__"] = when_called("__eq__")
    if eq and frozen and body.get("__hash__") is None:
        body["__hash__"] = when_called("__hash__")
    room = ("__dict__",) if cached and not any(base.__dictoffset__ for base in cls.__bases__) else ()
    special = {
        "__qualname__": cls.__qualname__,
        "__slots__": (*(name for name in own if name not in slots), *room),
        "__match_args__": tuple(name for name, each in declared.items() if each.is_positional),
        "__struct__": declared,
        "__dataclass_fields__": _Fields(),
    }
    made: Any = type(cls)(cls.__name__, cls.__bases__, {**methods, **body, **special})
    return made


class _Declared(NamedTuple):
    """A field as its class declares it; its default is MISSING, or a `Field`, where that is what was written."""

    annotation: Any
    default: Any
    kw_only: bool

    @property
    def is_positional(self) -> bool:
        if isinstance(self.default, Field):
            return self.default.init and not self.as_field().kw_only
        return not self.kw_only

    def as_field(self) -> Field[Any]:
        """Without name and type, which `dataclass` sets."""
        made: Field[Any] = self.default if isinstance(self.default, Field) else field(default=self.default)
        if made.kw_only is MISSING:
            made.kw_only = self.kw_only
        return made


class _Fields:
    """`__dataclass_fields__`, made by `dataclass` when it is first asked for."""

    def __get__(self, _instance: object, owner: type) -> dict[str, Field[Any]]:
        cls: Any = next(base for base in owner.__mro__ if "__struct__" in vars(base))
        body: dict[str, Any] = {name: each.as_field() for name, each in cls.__struct__.items()}
        body["__annotations__"] = {name: each.annotation for name, each in cls.__struct__.items()}
        body["__doc__"] = "Without a text, `dataclass` would take its time to write one."
        twin: Any = dataclass(init=False, repr=False, eq=False)(type(cls.__name__, (), body))
        cls.__dataclass_fields__ = twin.__dataclass_fields__
        return cls.__dataclass_fields__  # type: ignore[no-any-return]


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse_to_set(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    """The values of the fields, and where something is cached, that in the end."""
    cached = getattr(self, "__dict__", None)
    return [*(getattr(self, each.name) for each in fields(self)), *([cached] if cached else [])]


def _set_state(self: Any, state: list[Any]) -> None:
    declared = fields(self)
    for each, value in zip(declared, state):
        object.__setattr__(self, each.name, value)
    if len(state) > len(declared):
        self.__dict__.update(state[-1])


_FROZEN = {
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _get_state,
    "__setstate__": _set_state,
}


def _write_init(cls: Any, declared: dict[str, Field[Any]]) -> Any:
    """The code of its shape, with the names of the fields for those of its arguments."""
    given = sorted((item for item in declared.items() if item[1].init), key=lambda item: bool(item[1].kw_only))
    places = {name: place for place, (name, _) in enumerate(given)}
    known: dict[str, Any] = {"__name__": cls.__module__, "_MISSING": MISSING}
    values: list[tuple[str, int]] = []
    for number, (name, each) in enumerate(declared.items()):
        if each.default_factory is not MISSING:
            known[f"_new_{number}"] = each.default_factory
            values.append(("given or new" if each.init else "new", places.get(name, number)))
        elif each.init:
            values.append(("given", places[name]))
        elif each.default is not MISSING:
            known[f"_new_{number}"] = partial(_same, each.default)
            values.append(("new", number))
        else:
            values.append(("", number))  # left to `__post_init__`
            continue
        known[f"_set_{number}"] = getattr(cls, name).__set__
    defaults = {
        name: MISSING if each.default is MISSING else each.default
        for name, each in given
        if each.default is not MISSING or each.default_factory is not MISSING
    }
    positional = [name for name, each in given if not each.kw_only]
    optional = [name for name in positional if name in defaults]
    if optional != positional[len(positional) - len(optional) :]:
        raise TypeError(f"fields without a default follow {optional[0]!r}")
    code = _init_code(tuple(values), len(positional), len(given), hasattr(cls, "__post_init__"))
    code = code.replace(co_varnames=("self", *places), co_filename=f"<{cls.__qualname__}>")
    method = FunctionType(code, known, "__init__", tuple(defaults[name] for name in optional))
    method.__kwdefaults__ = {name: value for name, value in defaults.items() if name not in optional}
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    return method


def _same(value: object) -> object:
    return value


@cache
def _init_code(values: tuple[tuple[str, int], ...], positional: int, count: int, has_more: bool) -> CodeType:
    """The code of an initialiser of `count` arguments, the first ones positional, which sets each field by `_set_n` to
    an argument, what `_new_n` makes, or one of both: `values` are what, and the number of the argument."""
    names = [f"a{place}" for place in range(count)]
    parameters = ["self", *names[:positional], *(["*", *names[positional:]] if count > positional else [])]
    lines = ["self.__post_init__()"] if has_more else []
    for number, (kind, place) in reversed(list(enumerate(values))):
        match kind:
            case "given":
                lines.append(f"_set_{number}(self, a{place})")
            case "new":
                lines.append(f"_set_{number}(self, _new_{number}())")
            case "given or new":
                lines.append(f"_set_{number}(self, _new_{number}() if a{place} is _MISSING else a{place})")
    text = f"def __init__({', '.join(parameters)}):\n" + "\n".join(
        f"    {line}" for line in reversed(lines or ["pass"])
    )
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    method: FunctionType = namespace["__init__"]
    return method.__code__


def _write_eq(cls: type, declared: dict[str, Field[Any]]) -> Any:
    mine, others = (_values(of, [name for name, each in declared.items() if each.compare]) for of in ("self", "other"))
    line = f"return {mine} == {others} if other.__class__ is self.__class__ else NotImplemented"
    return _written(cls, "__eq__", ["self", "other"], [line], {})


def _write_hash(cls: type, declared: dict[str, Field[Any]]) -> Any:
    hashed = [name for name, each in declared.items() if (each.compare if each.hash is None else each.hash)]
    return _written(cls, "__hash__", ["self"], [f"return hash({_values('self', hashed)})"], {})


_WRITERS: dict[str, Callable[[Any, dict[str, Field[Any]]], Any]] = {
    "__init__": _write_init,
    "__eq__": _write_eq,
    "__hash__": _write_hash,
}


def _values(of: str, names: Sequence[str]) -> str:
    """The text of the tuple of these attributes."""
    return "(" + "".join(f"{of}.{name}, " for name in names) + ")"


def _written(
    cls: type, name: str, parameters: Sequence[str], lines: Sequence[str], known: dict[str, Any]
) -> Callable[..., Any]:
    """The method of this text, which sees the names in `known`."""
    text = f"def {name}({', '.join(parameters)}):\n" + "\n".join(f"    {line}" for line in lines)
    namespace: dict[str, Any] = {"__name__": cls.__module__, **known}
    exec(text, namespace)
    method: Callable[..., Any] = namespace[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method
