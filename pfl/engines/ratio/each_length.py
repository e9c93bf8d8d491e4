"""A compute at several lengths whose systems count for themselves: one question a length, and their results as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pfl.base.enclosure import Enclosure
from pfl.engines.answer import Answer, Attains, Computed, NamedValue, Quantity, Unknown
from pfl.model.compare import Compare


def questions(question: Compare) -> tuple[Compare, ...]:
    """The question at each of its lengths, shortest first."""
    shorter = (replace(each, parameters=question.parameters) for each in question.shorter)
    return (*shorter, replace(question, shorter=()))


def combined(question: Compare, answers: Sequence[Answer]) -> Answer:
    """The answer at the longest length, which all others are below, with what was computed at each.

    `answers` are those to `questions(question)`. Where one is undecided, so is the whole.
    """
    undecided = next((answer for answer in answers if isinstance(answer, Unknown)), None)
    if undecided is not None:
        return undecided
    last, computed = answers[-1], [answer.computed if isinstance(answer, Attains) else answer for answer in answers]
    values = [
        value
        for length, each in zip(question.claimed_lengths, computed)
        if isinstance(each, Computed)
        for value in _named(f"length {length}", each)
    ]
    if isinstance(last, Attains):
        return replace(last, computed=replace(last.computed, values=(*values, *last.computed.values)))
    return replace(last, values=(*values, *last.values)) if isinstance(last, Computed) else last


def _named(name: str, answer: Computed) -> list[NamedValue]:
    ratio = None if answer.bound is None else answer.bound.ratio
    found: Quantity | None = answer.value if ratio is None or ratio == "unbounded" else ratio
    if isinstance(found, Enclosure):
        return [
            NamedValue(name=f"{name} at least", value=found.low),
            NamedValue(name=f"{name} at most", value=found.high),
        ]
    return [] if found is None else [NamedValue(name=name, value=found)]
