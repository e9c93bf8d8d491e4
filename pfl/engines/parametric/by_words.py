"""Decides a check word by word where runs end after few words: a polynomial in one parameter for each pair of
probabilities, each pair once, whatever the number of comparisons.

Source: docs/theory/parameters.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any, Literal

from pfl.analysis.parametric.obligation import Setting
from pfl.analysis.parametric.threshold import Power, power
from pfl.analysis.polynomial.points import Solver
from pfl.analysis.polynomial.real_roots import shown_sign
from pfl.analysis.ratio.certificate import with_digest
from pfl.analysis.word_tree import WithoutEnd
from pfl.base.budget import Budget
from pfl.base.rational_function import RationalFunction
from pfl.engines.answer import Evidence, Violation
from pfl.engines.word_pairs import Pair, distinct_pairs, word_tasks
from pfl.model.compare import Compare

MOST_WORDS = 200
"""Words of a system, with what they begin with; with more, prefixes that cover each other are the better way."""
FEWEST = 8
"""Fewer comparisons are looked at one by one, which also finds the largest ratio."""
_BITS = 64


def check_by_words(question: Compare, solver: Solver, budget: Budget) -> Violation | Evidence | None:
    """A word that exceeds its bound somewhere, or the proof that none does; None where this is not the way, or where a
    word stays open. Raises LimitReached by the budget."""
    names = question.parameters.names
    comparisons = question.comparisons
    if (
        len(names) != 1
        or len(comparisons) < FEWEST
        or any(table.runs or table.interleaved for table in question.tables)
    ):
        return None
    if any(side.nonzero for table in question.tables for side in table.sides):
        return None
    setting = Setting.of(question.parameters, names, solver, budget)
    if setting is None:
        return None
    try:
        tasks = word_tasks(question, MOST_WORDS, budget)
    except WithoutEnd:
        return None
    bounds: dict[str, Power] = {}
    count = 0
    for pair in distinct_pairs(tasks):
        budget.check(f"{count:,} words were decided for all parameter values")
        count += 1
        epsilon = pair.task.epsilon
        assert epsilon is not None, "a check claims an epsilon of every comparison"
        bound = bounds.setdefault(str(epsilon), power(epsilon, _BITS))
        if not bound.exact:
            return None
        found = _exceeding(pair, bound, setting, budget)
        if found == "unknown":
            return None
        if found is not None:
            return found
    detail = f"{count:,} pairs of probabilities of words, each for all parameter values"
    return Evidence(kind="exhaustive", detail=detail, certificates=(certificate(question),))


def certificate(question: Compare) -> dict[str, Any]:
    """What says that all words shall be looked at; whether that is a proof is for the check to find out."""
    return with_digest("words", {"parameters": list(question.parameters.names)})


def _exceeding(pair: Pair, bound: Power, setting: Setting, budget: Budget) -> Violation | Literal["unknown"] | None:
    """A point where the word of a pair is too likely on the left; "unknown" where that stays open."""
    condition = bound.exceeded(pair.above, pair.below)
    excess = condition.polynomial
    if isinstance(excess, Fraction):
        if excess >= 0:
            return None
        point = setting.find(budget)
    elif _is_kept(excess, setting):
        return None
    else:
        point = setting.find(budget, condition)
    if point is None or point == "unknown":
        return point
    return pair.task.violation(pair.word, at=point)


def _is_kept(excess: RationalFunction, setting: Setting) -> bool:
    """Whether coefficients show that a function is negative nowhere in the interval of its parameter."""
    if setting.space.names != excess.names:
        return False
    (parameter,) = setting.space.parameters
    return prod(shown_sign(each, parameter.low, parameter.high) for each in excess.coefficients) > 0
