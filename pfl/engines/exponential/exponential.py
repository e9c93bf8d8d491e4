"""Answers comparisons whose numbers are functions of one parameter and its exponential, for all its values, or at
one."""

from __future__ import annotations

from pfl.analysis.exponential.functions import DenominatorUnknown, Functions
from pfl.analysis.word_tree import WithoutEnd
from pfl.base.budget import Budget
from pfl.engines.answer import Answer, Unknown
from pfl.engines.exponential.check import check
from pfl.engines.exponential.delta import check_with_delta, smallest_delta
from pfl.engines.exponential.endless import endless_check
from pfl.engines.exponential.epsilon import smallest_epsilon_at, smallest_multiple_of
from pfl.engines.exponential.obligations import obligations
from pfl.model.compare import Compare
from pfl.options import Options

NAME = "exponential"
_WITH_DELTA = (
    "the smallest epsilon with a delta is found for rational numbers only; `find c such that privacy M { .. epsilon "
    "c*eps; delta d; minimise c; }` finds the multiple of a parameter that is enough"
)


def answer(question: Compare, options: Options, budget: Budget) -> Answer:
    """Whether every comparison holds at all values of the parameter; or the least epsilon or delta for which it does.

    Raises LimitReached.
    """
    assert question.exponents is not None, "the registry asks for comparisons over exponentials only"
    functions = Functions(question.exponents, budget)
    try:
        asked = obligations(question, functions, options.max_states, budget)
        if question.goal == "epsilon":
            if question.delta:
                return Unknown(engine=NAME, reason=_WITH_DELTA)
            find = smallest_epsilon_at if question.exponents.is_point else smallest_multiple_of
            return find(asked)
        if question.goal == "delta":
            return smallest_delta(asked)
        return check_with_delta(asked) if question.delta else check(asked)
    except WithoutEnd as endless:
        beside = endless_check(question, functions, options, budget)
        if beside is not None:
            return beside
        reason = f"{endless}, and with exponentials words are gone through one by one; give a `length`"
        return Unknown(engine=NAME, reason=reason)
    except DenominatorUnknown as denominator:
        return Unknown(engine=NAME, reason=str(denominator))
