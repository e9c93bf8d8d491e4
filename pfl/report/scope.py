"""What a claim was judged on: how many letters of which kind."""

from __future__ import annotations

from collections.abc import Sequence

from pfl.model.claims import Claim
from pfl.model.compare import Lengths
from pfl.model.measure import MOVE

WHOLE_RUN = "run"
"""The unit of a claim that is judged on whole runs, whatever their length."""


def lengths_of(claim: Claim) -> tuple[Lengths | None, str]:
    """The lengths of all cases of a claim, ascending, and what they count; None for whole runs, and where the claim
    is about no words, which then have no unit."""
    lengths: set[int] = set()
    unit = ""
    for question in claim.questions:
        found, unit = question.scope
        if unit == WHOLE_RUN:
            return None, unit
        if found == "any":
            return "any", unit
        lengths.update(found or ())
    return tuple(sorted(lengths)) or None, unit


def scope(claim: Claim) -> str:
    """`1 observation`, `1 to 3 inputs`, `any number of outputs`, `whole runs`; empty where it is about no words."""
    return scope_text(*lengths_of(claim))


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
