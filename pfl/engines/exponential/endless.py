"""Checks on words of every length, or on too many words to go through them one by one: where the parameter stands in
exponents alone, its exponential is a parameter of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from pfl.analysis.exponential.functions import Functions
from pfl.analysis.polynomial.points import find_point
from pfl.base.budget import Budget
from pfl.base.exponential import ONE
from pfl.engines.answer import Answer, Fails, Proved, Unknown, Violation
from pfl.engines.exponential.check import judged
from pfl.engines.exponential.factor import factor_of
from pfl.engines.exponential.obligations import NAME, pair_of
from pfl.model.claims import mentioned_parameters
from pfl.model.compare import Compare
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.options import Options


def endless_check(question: Compare, functions: Functions, options: Options, budget: Budget) -> Answer | None:
    """What the engine for parameters says where z = e^(-x/unit) takes every value of (0, 1); None where x stands bare,
    is bounded, or more is asked than a check without delta. Raises LimitReached.

    As x goes through (0, inf), z goes through (0, 1): the two claims are one.
    """
    space = functions.space
    is_whole = space.base != ONE and space.low == 0 and space.low_open and space.high is None
    if question.goal != "check" or question.delta or not is_whole or space.base in mentioned_parameters(question):
        return None
    if any(comparison.epsilon is not None and comparison.epsilon.constant for comparison in question.comparisons):
        return None
    from pfl.engines.parametric import parametric

    one = Fraction(1)
    z = Parameter(name=space.exponential.name, low=Fraction(0), high=one, low_open=True, high_open=True)
    asked = replace(question, exponents=None, parameters=ParameterSpace(parameters=(z,)))
    found = parametric.answer(asked, options, budget)
    match found:
        case Proved(exceptional=exceptional):
            divided = (replace(condition, relation="==") for condition in exceptional)
            if any(find_point(asked.parameters.restricted(zero), budget) is not None for zero in divided):
                return None  # z = e^(-x/unit) is no value that could be put into the claim, to judge it apart
            return replace(found, engine=NAME, bound=None, exceptional=())
        case Fails(violation=violation):
            return _placed(question, violation, functions)
        case Unknown():
            return replace(found, engine=NAME, bound=None)
        case _:
            return None


def _placed(question: Compare, violation: Violation, functions: Functions) -> Answer | None:
    """The same words, with a value of the parameter at which they are too likely."""
    if len(violation.words) != 1:
        return None
    pair = pair_of(question, violation.comparison, violation.reversed, violation.words[0])
    epsilon = pair.task.epsilon
    assert epsilon is not None
    at: Mapping[str, Fraction] | str = judged(pair, epsilon, factor_of(epsilon, functions), functions)
    if isinstance(at, str):
        return None
    return Fails(engine=NAME, violation=replace(violation, parameters=dict(at)))
