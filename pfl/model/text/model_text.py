"""The text of a model: systems and questions, printed so that they can be read back.

Its form: docs/reference/model-text.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pfl.base.exceptions import deep_recursion
from pfl.base.source import SourceFile, Span
from pfl.model.claims import Claim
from pfl.model.text import FIRST_LINE, VERSION
from pfl.model.text.descriptions import NUMBERED, form_of_type, record_of
from pfl.model.text.errors import malformed, other_version
from pfl.model.text.forms import Reading, Shared, Writing
from pfl.model.text.lines import Lines


def model_text(things: Iterable[Any]) -> str:
    """Claims and systems, or other dataclasses of the waist, as text, with all that they refer to."""
    page = Writing()
    for thing in things:
        kind: type = type(thing)
        form = NUMBERED[_BARE[kind]] if kind in _BARE else form_of_type(kind)
        if isinstance(form, Shared):
            form.head(thing, page)
        else:
            page.describe(form.word, form, thing, is_numbered=False)
    return "\n".join([FIRST_LINE, "", *page.lines])


_BARE: Mapping[type, str] = {str: "text", frozenset: "set", tuple: "outcomes"}
"""What is shared and is no dataclass: the word under which it stands."""


def read_model(file: SourceFile, others: Sequence[type] = ()) -> tuple[Any, ...]:
    """What a text describes, in its order, systems that others refer to included; `others` are types of which it may
    have some beside claims. Raises InputRejected."""
    with deep_recursion():
        return tuple(thing for _, thing in _things(file, others))


def read_described(file: SourceFile) -> tuple[tuple[Span, Any], ...]:
    """What a text describes, in its order, each with its place; nothing stands behind its last claim. Raises
    InputRejected."""
    with deep_recursion():
        things = tuple(_things(file, ()))
    last = max((number for number, (_, thing) in enumerate(things) if isinstance(thing, Claim)), default=len(things))
    for place, _ in things[last + 1 :]:
        raise malformed(place, "no claim follows that could be about this; the text may have been cut off")
    return things


def _things(file: SourceFile, others: Sequence[type]) -> Iterator[tuple[Span, Any]]:
    _require_first_line(file)
    lines, page = Lines(file), Reading()
    records = {record.word: record for record in map(record_of, (Claim, *others))}
    words = {*NUMBERED, *records}
    everything = lines.below(-1)
    next(everything).rest()
    for line in everything:
        place = line.place
        word = line.one_of(words, "what a model consists of")
        if word in records:
            yield place, records[word].read_body(line, page)
            continue
        start = line.here()
        number = line.integer()
        if (word, number) in page.shared:
            line.fail(f"{word} {number} stands above already", start)
        page.states = []
        page.shared[word, number] = NUMBERED[word].form.read_body(line, page)
        yield place, page.shared[word, number]


_FIRST_LINE = re.compile(r"pfl model (\S+)[ ]*(?=[\r\n]|$)")


def _require_first_line(file: SourceFile) -> None:
    """Raise InputRejected unless the text begins as one that can be read."""
    text = file.text
    found = _FIRST_LINE.match(text)
    if found is None:
        start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
        shown = file.line(file.position(start)[0]).strip("\ufeff \t")
        line = Span(file, start, start + len(shown))
        raise malformed(line, f"the first line of the text of a model is `{FIRST_LINE}`, with nothing before it")
    if found[1] != VERSION:
        raise other_version(Span(file, *found.span(1)), found[1], VERSION)
