"""What a claim was judged on: how many letters of which kind."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.model.chain_questions import Probability
from pfl.model.claims import Cases, Likelihood, Question, SingleQuestion, underlying
from pfl.model.compare import Compare, Lengths
from pfl.model.interactive_questions import RelationCheck

WHOLE_RUN = "run"
"""The unit of a claim that is judged on whole runs, whatever their length."""
MOVE = "move"
"""The unit of a claim about what comes within so many moves."""


def lengths_of(question: Question) -> tuple[Lengths | None, str]:
    """The lengths of all cases of a question, ascending, and what they count; None for whole runs, and where the claim
    is about no words, which then have no unit."""
    cases = [case.question for case in question.cases] if isinstance(question, Cases) else [underlying(question)]
    lengths: set[int] = set()
    unit = ""
    for single in cases:
        found, unit = _lengths(single)
        if found == "any":
            return "any", unit
        lengths.update(found or ())
    return tuple(sorted(lengths)) or None, unit


def _lengths(question: SingleQuestion) -> tuple[Lengths | None, str]:
    match question:
        case Compare(unit=unit) if unit == WHOLE_RUN:
            return None, unit
        case Compare(claimed_lengths=lengths, unit=unit):
            return lengths, unit
        case Likelihood(word=word):
            return (len(word),), "observation"
        case Probability(within=int(within)):
            return (within,), MOVE
        case RelationCheck():
            return "any", "input"
        case _:
            return None, ""


def scope(question: Question) -> str:
    """`1 observation`, `1 to 3 inputs`, `any number of outputs`, `whole runs`; empty where it is about no words."""
    return scope_text(*lengths_of(question))


def scope_text(lengths: Lengths | None, unit: str) -> str:
    """The same, from what `lengths_of` gives."""
    if lengths is None:
        return "whole runs" if unit == WHOLE_RUN else ""
    if lengths == "any":
        return f"any number of {unit}s"
    counted = f"{_numbers(lengths)} {unit}" + ("" if lengths == (1,) else "s")
    return f"within {counted}" if unit == MOVE else counted


def _numbers(lengths: Sequence[int]) -> str:
    if len(lengths) > 1 and list(lengths) == list(range(lengths[0], lengths[-1] + 1)):
        return f"{lengths[0]} to {lengths[-1]}"
    return ", ".join(map(str, lengths))
