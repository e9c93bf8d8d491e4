"""Answers `compute likelihood`, exactly, by the forward-backward algorithm."""

from __future__ import annotations

from pfl.analysis import likelihood as analysis
from pfl.base.budget import Budget
from pfl.engines.answer import NamedValue, Value
from pfl.ir.claims import Likelihood
from pfl.options import Options

NAME = "exact"


def answer(question: Likelihood, _options: Options, _budget: Budget) -> Value:
    """The probability of the word; with `posterior` also Pr(x@t == s | word), named `s@t`, where it is not 0."""
    value = analysis.likelihood(question.system, question.start, question.word)
    if not question.posterior:
        return Value(engine=NAME, value=value)
    moments = analysis.posterior(question.system, question.start, question.word) or ()
    values = tuple(
        NamedValue(name=f"{_as_operand(state)}@{moment}", value=probability)
        for moment, vector in enumerate(moments)
        for state, probability in zip(question.system.states, vector)
        if probability != 0
    )
    return Value(engine=NAME, value=value, values=values)


def _as_operand(state: str) -> str:
    """The state's description, in brackets unless it is one name."""
    return state if state.isidentifier() else f"({state})"
