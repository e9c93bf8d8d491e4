"""How the parts of a model are written and read: one form for each type, which does both.

A form writes the rest of a line, and below it the lines that belong to it; it reads the same. What several things share
is written once, above them, under a number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from pfl.base.number import Number
from pfl.model.text.errors import unknown_reference
from pfl.model.text.lines import NOTHING, STEP, Line, is_plain, name_text
from pfl.model.text.numbers import epsilon_text, number_text, read_epsilon, read_number

_LONG = 19
"""Digits that no number of a state has."""

LONGEST_LIST = 90
"""Characters of a list that stands on one line; a longer one has a line for each element."""


_HEADLESS = "-"
"""The line of an element that has nothing to say on it, only lines that belong to it."""


class States:
    """The states that lines refer to: by their names where these are different plain words, else by their numbers."""

    def __init__(self, names: Sequence[str], size: int | None = None) -> None:
        self.size = len(names) if size is None else size
        places = {name: place for place, name in enumerate(names) if is_plain(name)}
        self._names = names if len(places) == len(names) == self.size else None
        self._places = places

    def text(self, state: int) -> str:
        """A state as lines write it."""
        return str(state) if self._names is None else self._names[state]

    def place(self, text: str) -> int | None:
        """The state that a name, or short digits, stand for; None where there is none."""
        if self._names is not None:
            return self._places.get(text)
        state = int(text) if len(text) < _LONG and text.isascii() and text.isdigit() else self.size
        return state if state < self.size else None

    def read(self, line: Line) -> int:
        start = line.here()
        state = self.place(str(line.integer()) if self._names is None else line.word())
        if state is None:
            line.at = start
            line.reject(lambda place: unknown_reference(place, f"`{place.text}`"))
        return state


class Page:
    """What is known while a text is written or read: the states of the system that lines are about, innermost last."""

    def __init__(self) -> None:
        self.states: list[States] = []
        self.letters: States | None = None
        self._known: dict[int, tuple[Any, States]] = {}

    def enter(self, owner: object, names: Sequence[str], size: int | None = None) -> None:
        """Lines that follow refer to states of these names; what they are the states of is looked at once."""
        if id(owner) not in self._known:
            self._known[id(owner)] = (owner, States(names, size))
        self.states.append(self._known[id(owner)][1])


class Writing(Page):
    """A text that is written; `shared` are the numbers of what was written once, by its word and identity."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.shared: dict[tuple[str, int | str], tuple[int, Any]] = {}
        self.counts: dict[str, int] = {}
        self._texts: dict[Number, str] = {}
        self._identities: dict[int, int] = {}

    def number(self, number: Number) -> str:
        """A number as it is written; each is put into words once."""
        text = self._texts.get(number)
        if text is None:
            text = self._texts[number] = number_text(number)
        return text

    def identity(self, identity: int) -> int:
        """The number of an identity that means nothing outside this process, in order of mention."""
        return self._identities.setdefault(identity, len(self._identities) + 1)

    def describe(self, word: str, form: Form, value: Any, *, is_numbered: bool) -> int:
        """Write something at the margin, after all that it refers to; the number that stands for it from now on."""
        outer, self.states = self.states, []
        rest = form.head(value, self) if form.is_inline else ""
        below = [STEP + line for line in form.body(value, self)]
        number = self.counts[word] = self.counts.get(word, 0) + 1
        self.lines += [" ".join([word, *([str(number)] if is_numbered else []), *([rest] if rest else [])]), *below, ""]
        self.states = outer
        return number


class Reading(Page):
    """A text that is read; `shared` are the things described so far."""

    def __init__(self) -> None:
        super().__init__()
        self.shared: dict[tuple[str, int], Any] = {}
        self.numbers: dict[str, Fraction] = {}
        self.vectors: dict[tuple[int, str], tuple[Number, ...]] = {}


class Form(ABC):
    """How the values of a type are written and read."""

    is_inline = True
    """Whether all of a value stands on one line, so that it may be an element of a list."""

    @abstractmethod
    def head(self, value: Any, page: Writing) -> str:
        """What stands on the line."""

    def body(self, value: Any, page: Writing) -> Iterator[str]:  # noqa: ARG002
        """The lines below it."""
        return iter(())

    def rows(self, word: str, value: Any, page: Writing) -> Iterator[str]:
        """The lines of a value that begin with a word."""
        head = self.head(value, page)
        yield f"{word} {head}" if head else word
        for line in self.body(value, page):
            yield STEP + line

    @abstractmethod
    def read(self, line: Line, page: Reading) -> Any:
        """The value; its lines are read to their end. Raises InputRejected."""

    def read_body(self, line: Line, page: Reading) -> Any:
        """The value, where the word that says what it is was read."""
        return self.read(line, page)

    def enters(self, value: Any, page: Page) -> None:  # noqa: B027
        """Let the lines that follow refer to the states of the value, if it has any."""


class Simple(Form):
    """A form that is written by one function and read by another."""

    def __init__(self, write: Callable[[Any, Writing], str], read: Callable[[Line, Reading], Any]) -> None:
        self._write, self._read = write, read

    def head(self, value: Any, page: Writing) -> str:
        return self._write(value, page)

    def read(self, line: Line, page: Reading) -> Any:
        return self._read(line, page)


NAME = Simple(lambda value, _: name_text(value), lambda line, _: line.name())
INTEGER = Simple(lambda value, _: str(value), lambda line, _: line.integer())
NUMBER = Simple(lambda value, page: page.number(value), lambda line, page: read_number(line, page.numbers))
RATIONAL = Simple(lambda value, page: page.number(value), lambda line, page: _read_rational(line, page))
EPSILON = Simple(lambda value, _: epsilon_text(value), lambda line, page: read_epsilon(line, page.numbers))


def _read_rational(line: Line, page: Reading) -> Fraction:
    start = line.here()
    number = read_number(line, page.numbers)
    if not isinstance(number, Fraction):
        line.fail("a number without parameters is expected here", start)
    return number


class Choice(Form):
    """One of several values, each with its word; `or_else` are all others."""

    def __init__(self, words: Mapping[str, Any], or_else: Form | None = None) -> None:
        self._values = words
        self._or_else = or_else
        self.is_inline = or_else is None or or_else.is_inline

    def _rest(self, value: Any) -> Form | None:
        """The form of a value that is none of those with a word."""
        return None if self._or_else is None or self._word(value) is not None else self._or_else

    def _word(self, value: Any) -> str | None:
        is_text = isinstance(value, str)
        known = ((word, each) for word, each in self._values.items() if each is value or (is_text and each == value))
        return next((word for word, _ in known), None)

    def head(self, value: Any, page: Writing) -> str:
        rest = self._rest(value)
        return self._word(value) or "" if rest is None else rest.head(value, page)

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        rest = self._rest(value)
        return iter(()) if rest is None else rest.body(value, page)

    def rows(self, word: str, value: Any, page: Writing) -> Iterator[str]:
        rest = self._rest(value)
        return super().rows(word, value, page) if rest is None else rest.rows(word, value, page)

    def read(self, line: Line, page: Reading) -> Any:
        if self._or_else is None or any(map(line.sees, self._values)):
            return self._values[line.one_of(self._values, "one of these words")]
        return self._or_else.read(line, page)

    def enters(self, value: Any, page: Page) -> None:
        rest = self._rest(value)
        if rest is not None:
            rest.enters(value, page)


FLAG = Choice({"yes": True, "no": False})


def optional(form: Form) -> Choice:
    """What may be None."""
    return Choice({NOTHING: None}, form)


class Listed(Form):
    """Elements in their order: on one line if that is not too long, else one below the other; `make` collects them."""

    def __init__(self, of: Form, make: Callable[[Iterable[Any]], Any] = tuple, brackets: str = "[]") -> None:
        self._of, self._make, self._opening, self._closing = of, make, brackets[0], brackets[1]
        self.is_inline = of.is_inline

    def head(self, value: Any, page: Writing) -> str:
        if not value:
            return self._opening + self._closing
        if not self._of.is_inline:
            return ""
        return f"{self._opening}{', '.join(self._of.head(element, page) for element in value)}{self._closing}"

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        for element in value if not self._of.is_inline else ():
            yield self._of.head(element, page) or _HEADLESS
            for line in self._of.body(element, page):
                yield STEP + line

    def rows(self, word: str, value: Any, page: Writing) -> Iterator[str]:
        texts = [self._of.head(element, page) for element in value] if self._of.is_inline else []
        if sum(map(len, texts)) + 2 * len(texts) <= LONGEST_LIST:
            yield from super().rows(word, value, page)
        else:
            yield word
            yield from (STEP + text for text in texts)

    def read(self, line: Line, page: Reading) -> Any:
        if line.is_over:
            return self._make([self._element(inner, page) for inner in line.below()])
        if not self._of.is_inline:
            line.expect(self._opening)
            line.expect(self._closing)
            return self._make(())
        return self._make([self._of.read(line, page) for _ in line.list_of(self._opening, self._closing)])

    def _element(self, line: Line, page: Reading) -> Any:
        """An element with a line of its own."""
        if line.text[line.here() :] == _HEADLESS:
            line.rest()
        return self._of.read(line, page)


class Fixed(Form):
    """A tuple with a form for each element, of which the last may have lines of its own."""

    def __init__(self, *forms: Form) -> None:
        self._forms = forms
        self.is_inline = forms[-1].is_inline

    def head(self, value: Any, page: Writing) -> str:
        texts = [form.head(element, page) for form, element in zip(self._forms, value)]
        return f"({', '.join(texts)})" if self.is_inline else " ".join(text for text in texts if text)

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        return self._forms[-1].body(value[-1], page)

    def read(self, line: Line, page: Reading) -> Any:
        if not self.is_inline:
            return tuple([form.read(line, page) for form in self._forms])
        found: list[Any] = []
        for _ in line.list_of("(", ")"):
            if len(found) == len(self._forms):
                line.fail(f"there are only {len(self._forms)} here")
            found.append(self._forms[len(found)].read(line, page))
        if len(found) < len(self._forms):
            line.fail(f"{len(self._forms)} are expected here, separated by commas")
        return tuple(found)


class Mapped(Form):
    """A mapping: a line for each key with its value."""

    is_inline = False

    def __init__(self, key: Form, value: Form) -> None:
        self._key, self._value = key, value

    def head(self, value: Any, page: Writing) -> str:  # noqa: ARG002
        return "" if value else "[]"

    def body(self, value: Any, page: Writing) -> Iterator[str]:
        for key, mapped in value.items():
            yield f"{self._key.head(key, page)}: {self._value.head(mapped, page)}"
            for line in self._value.body(mapped, page):
                yield STEP + line

    def read(self, line: Line, page: Reading) -> Any:
        if line.take("[]"):
            return {}
        found: dict[Any, Any] = {}
        for inner in line.below():
            start = inner.here()
            key = self._key.read(inner, page)
            if key in found:
                inner.fail("this stands above already", start)
            inner.expect(":")
            found[key] = self._value.read(inner, page)
        return found


class Shared(Form):
    """What is written once, above all that refer to it: a word and a number stand for it.

    `states` are those that lines after a reference may refer to: what has them, their names and how many they are.
    """

    def __init__(self, word: str, form: Form, states: StatesOf | None = None) -> None:
        self.word, self.form, self._states = word, form, states

    def head(self, value: Any, page: Writing) -> str:
        key = (self.word, value if isinstance(value, str) else id(value))
        known = page.shared.get(key)
        if known is None:
            known = (page.describe(self.word, self.form, value, is_numbered=True), value)
            page.shared[key] = known
        return f"{self.word} {known[0]}"

    def read(self, line: Line, page: Reading) -> Any:
        start = line.here()
        line.expect(self.word)
        number = line.integer()
        if (self.word, number) not in page.shared:
            line.at = start
            line.reject(lambda place: unknown_reference(place, f"{self.word} {number}"))
        return page.shared[self.word, number]

    def enters(self, value: Any, page: Page) -> None:
        if self._states is not None:
            page.enter(*self._states(value))


StatesOf: TypeAlias = Callable[[Any], tuple[object, Sequence[str], int]]
