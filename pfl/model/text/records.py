"""Records: the fields of a dataclass, each once, on lines of their own or all on one line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field
from functools import cached_property
from typing import Any

from pfl.model.text.forms import NAME, Form, Page, Reading, Shared, States, Writing
from pfl.model.text.lines import STEP, Line


class Part(ABC):
    """Some fields of a record, and the words with which their lines begin."""

    fields: tuple[str, ...]
    words: tuple[str, ...]

    @abstractmethod
    def lines(self, record: Any, page: Writing) -> Iterator[str]:
        """The lines of the fields; none where they have their defaults."""

    @abstractmethod
    def read(self, word: str, line: Line, found: dict[str, Any], page: Reading) -> None:
        """Read a line that begins with one of the words, which was read, and what belongs to it."""

    @abstractmethod
    def finish(self, found: dict[str, Any]) -> str | None:
        """Supply what no line said; the word of a line that is missing."""


class Whole(Part):
    """One field with a form; if they are `states`, lines after it refer to them, by name if their names are given."""

    def __init__(self, field: Field[Any], form: Form, *, states: bool = False) -> None:
        self.fields = self.words = (field.name,)
        self._name, self._form, self._states = field.name, form, states
        self._default = field.default_factory() if field.default_factory is not MISSING else field.default

    def lines(self, record: Any, page: Writing) -> Iterator[str]:
        value = getattr(record, self._name)
        if not self._is_default(value):
            yield from self._form.rows(self._name, value, page)
        self._enter(value, page)

    def read(self, word: str, line: Line, found: dict[str, Any], page: Reading) -> None:  # noqa: ARG002
        value = found[self._name] = self._form.read(line, page)
        self._enter(value, page)

    def finish(self, found: dict[str, Any]) -> str | None:
        if self._name not in found and self._default is MISSING:
            return self._name
        found.setdefault(self._name, self._default)
        return None

    def _is_default(self, value: Any) -> bool:
        if isinstance(self._default, tuple) and not self._default:
            return not len(value)
        return value is self._default or bool(type(value) is type(self._default) and value == self._default)

    def _enter(self, value: Any, page: Page) -> None:
        if self._name == "letters":
            page.letters = States(value)
        if self._states:
            page.enter(value, value if all(isinstance(name, str) for name in value) else (), len(value))
        else:
            self._form.enters(value, page)


class Columns(Part):
    """Two tuples of one length: a line with the word and the name for each place, and what belongs to it below."""

    def __init__(self, word: str, names: str, rest: str, form: Form) -> None:
        self.fields, self.words = (names, rest), (word,)
        self._form = form

    def lines(self, record: Any, page: Writing) -> Iterator[str]:
        names, rest = (getattr(record, field) for field in self.fields)
        for name, value in zip(names, rest, strict=True):
            head = self._form.head(value, page)
            yield " ".join([self.words[0], NAME.head(name, page), *([head] if head else [])])
            for line in self._form.body(value, page):
                yield STEP + line

    def read(self, word: str, line: Line, found: dict[str, Any], page: Reading) -> None:  # noqa: ARG002
        for field, form in zip(self.fields, (NAME, self._form)):
            found.setdefault(field, []).append(form.read(line, page))

    def finish(self, found: dict[str, Any]) -> str | None:
        for field in self.fields:
            found[field] = tuple(found.get(field, ()))
        return None


class Record(Form):
    """A dataclass with a line, or several, for each field; the word says which it is. `parts` are made when needed."""

    is_inline = False

    def __init__(self, kind: type, word: str, parts: Callable[[], Sequence[Part]]) -> None:
        self.kind, self.word = kind, word
        self._make = parts

    @cached_property
    def parts(self) -> Sequence[Part]:
        """The parts of the lines, one a field or several."""
        return self._make()

    @cached_property
    def _by_word(self) -> dict[str, Part]:
        return {word: part for part in self.parts for word in part.words}

    def head(self, value: Any, page: Writing) -> str:  # noqa: ARG002
        return self.word

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        depth = len(page.states)
        for part in self.parts:
            yield from part.lines(value, page)
        del page.states[depth:]

    def read(self, line: Line, page: Reading) -> Any:
        line.expect(self.word)
        return self.read_body(line, page)

    def read_body(self, line: Line, page: Reading) -> Any:
        """The record whose word was read."""
        place, depth = line.place, len(page.states)
        found: dict[str, Any] = {}
        seen: set[str] = set()
        for inner in line.below():
            start = inner.here()
            word = inner.word()
            part = self._by_word.get(word)
            if part is None:
                known = ", ".join(f"`{known}`" for known in self._by_word)
                inner.fail(f"`{word}` is none of {known}, which belong to a {self.word}", start)
            if word in seen and not isinstance(part, Columns):
                inner.fail(f"`{word}` stands above already", start)
            seen.add(word)
            part.read(word, inner, found, page)
        del page.states[depth:]
        for part in self.parts:
            if missing := part.finish(found):
                line.fail_at(place, f"this {self.word} lacks `{missing}`")
        try:
            return self.kind(**found)
        except ValueError as error:
            line.fail_at(place, str(error))


class OneOf(Form):
    """One of several dataclasses, told apart by the words with which they begin."""

    is_inline = False

    def __init__(self, forms: Mapping[type, Record | OnOneLine | Shared]) -> None:
        self._by_kind = forms
        self._by_word = {form.word: form for form in forms.values()}

    def head(self, value: Any, page: Writing) -> str:
        return self._by_kind[type(value)].head(value, page)

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        return self._by_kind[type(value)].body(value, page)

    def read(self, line: Line, page: Reading) -> Any:
        start = line.here()
        word = line.one_of(self._by_word, "what it is")
        line.at = start
        return self._by_word[word].read(line, page)

    def enters(self, value: Any, page: Page) -> None:
        self._by_kind[type(value)].enters(value, page)


_CLOSE, _OPEN = frozenset(",:)]"), frozenset(":([")
"""Signs that stand close to what is before, or behind them."""


class OnOneLine(Form):
    """A dataclass on one line: signs and words as they stand, and fields by name, each with its form.

    A field that stands with a word is left out, with the word, where it has its default.
    """

    def __init__(self, kind: type, *parts: str | tuple[str, Form] | tuple[str, Form, str, Any]) -> None:
        self.kind, self._parts = kind, parts

    @property
    def word(self) -> str:
        """The word with which it begins, where it does."""
        return self._parts[0] if isinstance(self._parts[0], str) else ""

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that stand on the line."""
        return tuple(part[0] for part in self._parts if not isinstance(part, str))

    def head(self, value: Any, page: Writing) -> str:
        texts = []
        for part in self._parts:
            if isinstance(part, str):
                texts.append(part)
            elif len(part) == 2:
                texts.append(part[1].head(getattr(value, part[0]), page))
            elif (held := getattr(value, part[0])) != part[3]:
                texts += [part[2], part[1].head(held, page)]
        return "".join(
            text if not before or text in _CLOSE or before in _OPEN else f" {text}"
            for before, text in zip(["", *texts], texts)
        )

    def read(self, line: Line, page: Reading) -> Any:
        found: dict[str, Any] = {}
        place = line.place
        for part in self._parts:
            if isinstance(part, str):
                line.expect(part)
            elif len(part) == 2:
                found[part[0]] = part[1].read(line, page)
            else:
                found[part[0]] = part[1].read(line, page) if line.take(part[2]) else part[3]
        try:
            return self.kind(**found)
        except ValueError as error:
            line.fail_at(place, str(error))
