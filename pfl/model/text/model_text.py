"""The text of a model: systems and questions, printed so that they can be read back.

Its form: docs/reference/model-text.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pfl.base.exceptions import deep_recursion
from pfl.base.source import SourceFile
from pfl.model.claims import Claim
from pfl.model.text.descriptions import SHARED, TEXT, form_of_type, record_of
from pfl.model.text.errors import other_version
from pfl.model.text.forms import Reading, Shared, Writing
from pfl.model.text.lines import Lines

VERSION = "1"
FIRST_LINE = f"pfl model {VERSION}"

_FIRST_LINE = re.compile(r"pfl model\b *(?P<version>.*)")


def is_model_text(text: str) -> bool:
    """Whether a text says of itself that it is that of a model."""
    return _FIRST_LINE.match(text) is not None


def model_text(things: Iterable[Any]) -> str:
    """Claims and systems, or other dataclasses of the waist, as text, with all that they refer to."""
    page = Writing()
    for thing in things:
        kind: type = type(thing)
        form = TEXT if kind is str else form_of_type(kind)
        if isinstance(form, Shared):
            form.head(thing, page)
        else:
            page.describe(record_of(kind).word, form, thing, is_numbered=False)
    return "\n".join([FIRST_LINE, "", *page.lines])


def read_model(file: SourceFile, others: Sequence[type] = ()) -> tuple[Any, ...]:
    """What a text describes, in its order, systems that others refer to included; `others` are types of which it may
    have some beside claims. Raises InputRejected."""
    with deep_recursion():
        return tuple(_things(file, others))


def _things(file: SourceFile, others: Sequence[type]) -> list[Any]:
    lines, page = Lines(file), Reading()
    shared = [form for form in (*map(form_of_type, SHARED), TEXT) if isinstance(form, Shared)]
    numbered = {form.word: form for form in shared}
    records = {record.word: record for record in map(record_of, (Claim, *others))}
    found = []
    for count, line in enumerate(lines.below(-1)):
        if not count:
            line.expect("pfl model")
            start = line.here()
            version = line.rest()
            if version != VERSION:
                line.at = start
                raise other_version(line.place, version, VERSION)
            continue
        word = line.one_of({*numbered, *records}, "what a model consists of")
        if word in records:
            found.append(records[word].read_body(line, page))
            continue
        start = line.here()
        number = line.integer()
        if (word, number) in page.shared:
            line.fail(f"{word} {number} stands above already", start)
        form = numbered[word]
        page.states = []
        value = page.shared[word, number] = form.form.read_body(line, page)
        found.append(value)
    return found
