"""Answers claims with constant numbers, exactly: they hold with a proof, fail on a word, or need some epsilon."""

from __future__ import annotations

from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.engines.answer import Answer, Unknown
from pfl.engines.ratio.check import Check
from pfl.engines.ratio.epsilon import SmallestEpsilon
from pfl.engines.ratio.obligations import tasks
from pfl.model.compare import Compare
from pfl.options import Options

NAME = "exact"


def answer(question: Compare, _options: Options, budget: Budget) -> Answer:
    """Whether every comparison holds; or the smallest epsilon or delta with which all do.

    All numbers must be constants (ValueError otherwise). A spent budget makes it undecided, with what is known by then.
    Source: docs/theory/ratio-engine.md.
    """
    if question.goal == "epsilon" and question.delta:
        from pfl.engines.ratio.epsilon_with_delta import smallest_with_delta  # needed for a delta only

        return smallest_with_delta(question, budget)
    if question.goal == "delta" or question.delta:
        from pfl.engines.ratio import delta as exact_delta  # needed for a delta only

        return exact_delta.answer(question, budget)
    search: Check | SmallestEpsilon | None = None
    try:
        prepared = tasks(question, budget)
        search = (Check if question.goal == "check" else SmallestEpsilon)(prepared, question.lengths)
        return search.answer()
    except LimitReached as limit:
        return Unknown(engine=NAME, reason=limit.reason, bound=search.known() if search is not None else None)
