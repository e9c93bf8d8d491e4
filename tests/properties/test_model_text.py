"""What is printed is read back as it was, and printed again as it was printed; text that is damaged is rejected."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waist_things import SYSTEMS, differences, things

import pfl.model
from pfl.base.diagnostics import InputRejected
from pfl.base.source import SourceFile
from pfl.model.claims import Claim
from pfl.model.parameters import ParameterSpace
from pfl.model.program import Program
from pfl.model.text.descriptions import LEFT_OUT, form_of_type, record_of
from pfl.model.text.forms import Shared
from pfl.model.text.model_text import model_text, read_model
from pfl.model.text.records import OnOneLine, Record
from pfl.model.two_runs import TwoRuns

KINDS = [*SYSTEMS, TwoRuns, ParameterSpace, Program, Claim]


def read(text: str) -> tuple[Any, ...]:
    return read_model(SourceFile(name="m", text=text))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=60)
def test_what_is_printed_is_read_back(kind: type, data: st.DataObject) -> None:
    thing = data.draw(things(kind))
    text = model_text([thing])
    found = read(text)
    assert isinstance(found[-1], kind)
    assert differences(thing, found[-1]) == []
    assert model_text(found) == text


def _modules() -> list[ModuleType]:
    left_out = {"domain", "values", "cardinality", "text", "distribution"}
    return [import_module(f"pfl.model.{m.name}") for m in iter_modules(pfl.model.__path__) if m.name not in left_out]


WAIST = [
    each
    for module in _modules()
    for each in vars(module).values()
    if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__
]


@pytest.mark.parametrize("kind", WAIST, ids=lambda kind: kind.__name__)
def test_every_field_has_its_place(kind: type) -> None:
    form = form_of_type(kind)
    form = form.form if isinstance(form, Shared) else form
    if isinstance(form, OnOneLine):
        described = set(form.fields)
    else:
        assert isinstance(form, Record)
        described = {field for part in record_of(kind).parts for field in part.fields}
    assert described | LEFT_OUT.get(kind, frozenset()) == {field.name for field in fields(kind) if field.init}


@given(data=st.data(), seed=st.integers(0, 10**9))
@settings(max_examples=150)
def test_damaged_text_is_read_or_rejected(data: st.DataObject, seed: int) -> None:
    text = model_text([data.draw(things(data.draw(st.sampled_from(KINDS))))])
    random = Random(seed)
    for _ in range(random.randint(1, 3)):
        start = random.randrange(len(text))
        kind = random.choice(["cut", "drop", "twice", "swap", "put"])
        if kind == "cut":
            text = text[:start]
        elif kind == "drop":
            text = text[:start] + text[start + random.randint(1, 20) :]
        elif kind == "twice":
            end = start + random.randint(1, 60)
            text = text[:end] + text[start:end] + text[end:]
        elif kind == "swap":
            lines = text.split("\n")
            one, other = random.randrange(len(lines)), random.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
            text = "\n".join(lines)
        else:
            sign = random.choice(
                ['"', "{", "}", "[", "(", ")", ":", ",", "-", "/0", "^9", "*", " ", "\n", "\0", "9" * 30]
            )
            text = text[:start] + sign + text[start:]
        text = text or " "
    try:
        read(text)
    except InputRejected as rejected:
        (diagnostic,) = rejected.diagnostics
        assert diagnostic.primary is not None
        assert diagnostic.primary.span.line >= 1
        assert diagnostic.help
