"""The text of a model line by line, with what may stand on a line: words, texts in quotes, whole numbers, signs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from pfl.base.diagnostics import InputRejected
from pfl.base.exact_text import integer_value
from pfl.base.source import SourceFile, Span
from pfl.model.text.errors import malformed, nested_too_deeply, number_too_long

STEP = "  "
"""What a line stands further in than the line that it belongs to."""

NOTHING = "nothing"
"""The word for None."""

MOST_NESTED = 100
"""Lines that belong to one another, and as many brackets in brackets."""

LONGEST_NUMBER = 100_000
"""Digits of a whole number, and the largest exponent."""

_LETTER = re.compile(r"\w")
_PLAIN = re.compile(r"[^\W\d]\w*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_MOST_DIGITS = 1_000
_INTEGER = re.compile(r"-?[0-9]+")
_COMMENT = "//"
_LINE = re.compile(r"[^\r\n]+")


def name_text(name: str) -> str:
    """A name as it is, where it is a plain word, else in quotes, as in JSON."""
    return name if is_plain(name) else quoted(name)


def is_plain(name: str) -> bool:
    """Whether a name stands without quotes."""
    return _PLAIN.fullmatch(name) is not None and name != NOTHING


def quoted(text: str) -> str:
    """A text in quotes, as in JSON."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


class Lines:
    """The lines of a text that are neither empty nor comments, with how far in they stand."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._rest = self._lines()
        self._next = next(self._rest, None)

    def below(self, indent: int) -> Iterator[Line]:
        """The lines that belong to one that stands so far in, -1 for all; each is read to its end by whoever asks."""
        if indent >= MOST_NESTED * len(STEP) and self._next is not None and self._next.indent > indent:
            self._next.reject(nested_too_deeply)
        wanted = 0 if indent < 0 else indent + len(STEP)
        while self._next is not None and self._next.indent > indent:
            line = self._next
            if line.indent != wanted:
                line.fail(f"this line stands {line.indent} spaces in, where {wanted} are expected")
            self._next = next(self._rest, None)
            yield line
            line.end()
            if self._next is not None and self._next.indent > wanted:
                self._next.fail("this line belongs to one that has no lines of its own")

    def _lines(self) -> Iterator[Line]:
        for found in _LINE.finditer(self.file.text):
            content = found.group().rstrip()
            stripped = content.lstrip(" ")
            if not stripped or stripped.startswith(_COMMENT):
                continue
            line = Line(self, content, len(content) - len(stripped), found.start())
            if stripped[0].isspace():
                line.fail("only spaces, two for each step, stand before a line")
            yield line


class Line:
    """One line, read from left to right; spaces between what stands there do not matter."""

    __slots__ = ("at", "indent", "lines", "offset", "text")

    def __init__(self, lines: Lines, text: str, indent: int, offset: int) -> None:
        self.lines, self.text, self.indent, self.offset = lines, text, indent, offset
        self.at = indent

    def below(self) -> Iterator[Line]:
        """The lines that belong to this one, which ends here."""
        self.end()
        return self.lines.below(self.indent)

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """What a pattern matches here, which is passed over; None where it does not."""
        found = pattern.match(self.text, self.here())
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def take(self, sign: str) -> bool:
        """Whether a sign stands here, which is passed over."""
        if not self.sees(sign):
            return False
        self.at += len(sign)
        return True

    def sees(self, sign: str) -> bool:
        """Whether a sign stands here; a word ends where its letters end."""
        if not self.text.startswith(sign, self.here()):
            return False
        return not sign[-1].isalnum() or not _LETTER.match(self.text, self.at + len(sign))

    @property
    def sees_digit(self) -> bool:
        """Whether a whole number without a sign stands here."""
        return self.text[self.here() : self.at + 1].isdigit()

    def expect(self, sign: str) -> None:
        """Pass over a sign or word that must stand here. Raises InputRejected."""
        if not self.take(sign):
            self.fail(f"`{sign}` is expected here")

    def one_of(self, words: Iterable[str], what: str) -> str:
        """Which of some words stands here; of two that begin alike the longer one."""
        known = sorted(words, key=len, reverse=True)
        for word in known:
            if self.take(word):
                return word
        self.fail(f"{what} is expected here: {', '.join(f'`{word}`' for word in sorted(known))}")

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of the line."""
        return self.here() >= len(self.text)

    def end(self) -> None:
        """Nothing more may stand on the line."""
        if not self.is_over:
            self.fail("the line should end here")

    def match_word(self) -> str | None:
        """A plain word; None where something else stands."""
        return self.match(_PLAIN)

    def word(self) -> str:
        """The word, or text in quotes, that stands here. Raises InputRejected."""
        found = self.match_word()
        if found is None:
            self.fail("a word is expected here")
        return found

    def name(self) -> str:
        """A plain word, or a text in quotes."""
        if not self.sees('"'):
            found = self.match(_PLAIN)
            if found is None:
                self.fail("a name is expected here, in quotes unless it is a plain word")
            return found
        start = self.here()
        found = self.match(_QUOTED)
        if found is None:
            self.fail("a text in quotes is not closed on its line")
        try:
            text = json.loads(found)
        except ValueError:
            self.fail("a text in quotes is written as in JSON", start)
        assert isinstance(text, str)
        if any("\ud800" <= character <= "\udfff" for character in text):
            self.fail("a text in quotes has half of a surrogate pair", start)
        return text

    def rest(self) -> str:
        """All that stands on the rest of the line."""
        start, self.at = self.here(), len(self.text)
        return self.text[start:]

    def integer(self) -> int:
        """The whole number that stands here. Raises InputRejected."""
        start = self.here()
        found = self.match(_INTEGER)
        if found is None:
            self.fail("a whole number is expected here")
        if len(found) > _MOST_DIGITS:
            self.fail(f"a whole number that counts has at most {_MOST_DIGITS:,} digits", start)
        return self.whole(found, start)

    def whole(self, digits: str, start: int) -> int:
        """The number that digits say, which began at a place of the line."""
        if len(digits) > LONGEST_NUMBER:
            self.at = start
            self.reject(number_too_long)
        return integer_value(digits)

    def list_of(self, opening: str, closing: str) -> Iterator[None]:
        """One step for each element between two brackets, separated by commas; whoever asks reads the element."""
        self.expect(opening)
        if self.take(closing):
            return
        while True:
            yield
            if self.take(closing):
                return
            self.expect(",")

    def fail(self, problem: str, start: int | None = None) -> NoReturn:
        """Reject the text for a problem here, or at another place of the line."""
        self.at = self.at if start is None else start
        self.reject(lambda place: malformed(place, problem))

    def fail_at(self, place: Span, problem: str) -> NoReturn:
        """Reject the text for a problem at a place that was passed already."""
        raise malformed(place, problem)

    def reject(self, error: Callable[[Span], InputRejected]) -> NoReturn:
        """Reject the text for what stands here."""
        raise error(self.place)

    @property
    def place(self) -> Span:
        """Where the line is read on: the word that stands there, or a sign, or its end."""
        start = self.here()
        word = _PLAIN.match(self.text, start)
        end = max(start, min(len(self.text), word.end() if word else start + 1))
        return Span(self.lines.file, self.offset + start, self.offset + end)

    def here(self) -> int:
        """The place where the line is read on, spaces passed over."""
        text, at = self.text, self.at
        while text.startswith(" ", at):
            at += 1
        self.at = at
        return at
