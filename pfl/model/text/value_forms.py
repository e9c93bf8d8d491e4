"""Values as text that can be read back: a name alone is a symbol, whatever else is no number says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

from pfl.base.exact_text import fraction_text, integer_text
from pfl.base.rational_function import RationalFunction
from pfl.model.interactive import Input
from pfl.model.text.errors import nested_too_deeply
from pfl.model.text.forms import INTEGER, Form, Listed, Reading, Shared, Simple, Writing
from pfl.model.text.lines import MOST_NESTED, NOTHING, Line, is_plain, name_text, quoted
from pfl.model.text.numbers import number_text, read_number
from pfl.model.values import (
    FALSE,
    NEVER,
    SILENT,
    TRUE,
    UNSET,
    Bag,
    BoolValue,
    EnumValue,
    MechanismValue,
    NeverValue,
    RecordValue,
    SilentValue,
    SymbolValue,
    TupleValue,
    Unset,
    in_order,
)

_ONLY: Mapping[str, Any] = {"true": TRUE, "false": FALSE, "never": NEVER, "silent": SILENT, "unset": UNSET}
_WORDS = frozenset([*_ONLY, NOTHING, "enum", "record", "mechanism", "bag", "given", "number", "symbol"])


class Values(Form):
    """Any value, and whatever else an exploration puts in its place: inputs that are given, None, and plain text."""

    def __init__(self, enumerations: Shared, shapes: Shared) -> None:
        self._enumerations, self._shapes = enumerations, shapes

    def head(self, value: Any, page: Writing) -> str:
        match value:
            case None:
                return NOTHING
            case str():
                return quoted(value)
            case int():
                return integer_text(value)
            case Fraction():
                return fraction_text(value)
            case RationalFunction():
                return f"number {number_text(value)}"
            case BoolValue():
                return value.name
            case NeverValue() | SilentValue() | Unset():
                return next(word for word, known in _ONLY.items() if known is value)
            case SymbolValue(name=name):
                return name if is_plain(name) and name not in _WORDS else f"symbol {name_text(name)}"
            case EnumValue():
                return f"{self._enumerations.head(value.enumeration, page)} {name_text(value.name)}"
            case TupleValue(elements=elements):
                return f"({self._list(elements, page)})"
            case RecordValue():
                return f"{self._shapes.head(value.shape, page)} ({self._list(value.values, page)})"
            case tuple():
                return f"[{self._list(value, page)}]"
            case frozenset():
                return f"{{{self._list(in_order(value), page)}}}"
            case Bag():
                return f"bag {{{self._list(value, page)}}}"
            case Input():
                return f"given {value.kind} {self.head(value.value, page)} in {name_text(value.channel)}"
            case MechanismValue():
                return f"mechanism {page.identity(value.identity)} {name_text(value.name)}"
            case _:
                raise TypeError(f"{value!r} is no value")

    def _list(self, values: Iterable[Any], page: Writing) -> str:
        return ", ".join(self.head(value, page) for value in values)

    def read(self, line: Line, page: Reading) -> Any:
        return self._read(line, page, MOST_NESTED)

    def _read(self, line: Line, page: Reading, depth: int) -> Any:
        if not depth:
            line.reject(nested_too_deeply)
        if line.sees('"'):
            return line.name()
        for opening, closing, make in (("[", "]", tuple), ("{", "}", frozenset), ("(", ")", _tuple_value)):
            if line.sees(opening):
                return make(list(self._elements(line, page, depth, opening, closing)))
        start = line.here()
        word = line.match_word()
        match word:
            case None:
                number = read_number(line, page.numbers)
                return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number
            case "number":
                return read_number(line, page.numbers)
            case "nothing":
                return None
            case "symbol":
                return SymbolValue(line.name())
            case "bag":
                return Bag.of(self._elements(line, page, depth, "{", "}"))
            case "mechanism":
                return MechanismValue(identity=line.integer(), name=line.name(), declaration=None)
            case "given":
                kind: Any = line.one_of(("data", "query"), "what is given")
                given = self._read(line, page, depth - 1)
                line.expect("in")
                return Input(kind, line.name(), given)
            case "enum":
                line.at = start
                return self._enum_value(line, page)
            case "record":
                line.at = start
                shape, values = self._shapes.read(line, page), self._elements(line, page, depth, "(", ")")
                held = tuple(values)
                if len(held) != len(shape.fields):
                    line.fail(f"a record has {len(shape.fields)} values here")
                return RecordValue(shape, held)
            case _:
                return _ONLY[word] if word in _ONLY else SymbolValue(word)

    def _elements(self, line: Line, page: Reading, depth: int, opening: str, closing: str) -> Iterator[Any]:
        for _ in line.list_of(opening, closing):
            yield self._read(line, page, depth - 1)

    def _enum_value(self, line: Line, page: Reading) -> EnumValue:
        enumeration = self._enumerations.read(line, page)
        start = line.here()
        name = line.name()
        if name not in enumeration.names:
            line.fail(f"the enum has no value of this name: {', '.join(enumeration.names)}", start)
        found: EnumValue = enumeration.values[enumeration.names.index(name)]
        return found


def _tuple_value(elements: list[Any]) -> TupleValue:
    return TupleValue(tuple(elements))


def _code_text(code: Any) -> str:
    nodes = code if isinstance(code, tuple) else (code,)
    return "\n".join(ast.unparse(ast.fix_missing_locations(node)) for node in nodes)


def _read_code(line: Line, mode: Literal["eval", "exec"]) -> Any:
    start = line.here()
    try:
        parsed: Any = ast.parse(line.name(), mode=mode)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        line.fail("this is no code of a program", start)
    return parsed.body if isinstance(parsed, ast.Expression) else tuple(parsed.body)


EXPRESSION = Simple(lambda value, _: quoted(_code_text(value)), lambda line, _: _read_code(line, "eval"))
CODE = Simple(lambda value, _: quoted(_code_text(value)), lambda line, _: _read_code(line, "exec"))


class Sorted(Listed):
    """A set of whole numbers."""

    def __init__(self) -> None:
        super().__init__(INTEGER, frozenset, "{}")

    def head(self, value: Any, page: Writing) -> str:
        return super().head(sorted(value), page)

    def rows(self, word: str, value: Any, page: Writing) -> Iterator[str]:
        return super().rows(word, sorted(value), page)


class SharedIfLong(Form):
    """What stands under a number of its own if it has more than a few elements, since many questions may share it."""

    def __init__(self, word: str, form: Form) -> None:
        self.shared, self._form = Shared(word, form), form

    def head(self, value: Any, page: Writing) -> str:
        return (self._form if len(value) <= _FEW else self.shared).head(value, page)

    def rows(self, word: str, value: Any, page: Writing) -> Iterator[str]:
        return (self._form if len(value) <= _FEW else self.shared).rows(word, value, page)

    def read(self, line: Line, page: Reading) -> Any:
        return (self.shared if line.sees(self.shared.word) else self._form).read(line, page)


_FEW = 16


class TextLines(Form):
    """A text of several lines, each after a bar; in quotes if that would not keep it."""

    is_inline = False

    def head(self, value: Any, page: Writing) -> str:  # noqa: ARG002
        return ""

    def body(self, value: Any, page: Writing) -> Iterator[str]:  # noqa: ARG002
        lines = value.split("\n")
        is_kept = all(line.isprintable() and line == line.rstrip() for line in lines)
        return (f"| {line}".rstrip() for line in lines) if is_kept else iter([quoted(value)])

    def read(self, line: Line, page: Reading) -> str:  # noqa: ARG002
        lines = []
        for inner in line.below():
            if inner.sees('"'):
                return inner.name()
            inner.expect("|")
            lines.append(inner.text[inner.at + 1 :])
            inner.rest()
        return "\n".join(lines)
