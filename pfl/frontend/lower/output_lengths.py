"""Lengths of claims about mechanisms: a length counts outputs, and letters that show none do not count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pfl.base.budget import Budget
from pfl.base.number import Number
from pfl.ir.claims import Comparison, Indistinguishability, Lengths, Side
from pfl.ir.labelled_system import LabelledSystem
from pfl.ir.parameters import ParameterSpace
from pfl.transform.limit_outputs import Counted, LimitedOutputs, limit_outputs

WHOLE_RUN = "run"
"""The unit of whole runs in which letters are not all outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfOutputs:
    """Comparisons of one mechanism; `counted` says which letters show outputs, `whole_run` the lengths in letters that
    judge whole runs."""

    comparisons: tuple[Comparison, ...]
    counted: Counted
    whole_run: Lengths


def question_of_outputs(
    parts: Sequence[OfOutputs],
    *,
    goal: Literal["check", "epsilon", "delta"],
    lengths: Lengths | None,
    delta: Number | None,
    parameters: ParameterSpace,
    skipped: tuple[str, ...] = (),
    budget: Budget,
) -> Indistinguishability:
    """What a claim about mechanisms asks, on its lengths in outputs; on whole runs where it has none.

    Where every letter is an output, words of so many letters are judged. Otherwise the systems count the outputs, and
    a check is judged at its longest length, since there most is seen. Raises LimitReached.
    """
    question = Indistinguishability(
        goal=goal,
        comparisons=tuple(comparison for part in parts for comparison in part.comparisons),
        lengths=whole_runs([part.whole_run for part in parts]) if lengths is None else lengths,
        delta=delta,
        parameters=parameters,
        unit="output",
        skipped=skipped,
    )
    if not any(part.counted.without_output for part in parts) or lengths == "any":
        return question
    if lengths is None:
        return replace(question, unit=WHOLE_RUN)
    asked = sorted(set(lengths))[-1:] if goal == "check" else sorted(set(lengths))
    systems = _systems(parts, asked, budget)
    limits = [(c, systems[c.system]) for c in question.comparisons]
    at = [
        replace(
            question,
            comparisons=tuple(_limited(comparison, limit, outputs) for comparison, limit in limits),
            lengths=whole_runs([limit.longest for limit in systems.values()]),
            stated=(outputs,),
        )
        for outputs in asked
    ]
    return replace(at[-1], stated=lengths if goal == "check" else tuple(asked), shorter=tuple(at[:-1]))


def whole_runs(parts: Sequence[Lengths]) -> Lengths:
    """One length by which every run of every part has ended, if there is one: a run that has ended says no more."""
    longest = 0
    for lengths in parts:
        if lengths == "any":
            return "any"
        longest = max(longest, *lengths)
    return (longest,)


def _systems(
    parts: Sequence[OfOutputs], lengths: Sequence[int], budget: Budget
) -> Mapping[LabelledSystem, LimitedOutputs]:
    """Every system with its outputs counted, once for all comparisons that share it."""
    counted = {comparison.system: part.counted for part in parts for comparison in part.comparisons}
    found = {}
    for system, letters in counted.items():
        compared = [c for part in parts for c in part.comparisons if c.system is system]
        starts = [(side.start, length) for c in compared for side in (c.left, c.right) for length in lengths]
        found[system] = limit_outputs(system, letters, starts, budget)
    return found


def _limited(comparison: Comparison, limit: LimitedOutputs, outputs: int) -> Comparison:
    def side(plain: Side) -> Side:
        return replace(plain, start=limit.start(plain.start, outputs))

    return replace(comparison, system=limit.system, left=side(comparison.left), right=side(comparison.right))
