"""Answers `compute likelihood`, exactly, by the forward-backward algorithm."""

from __future__ import annotations

from pfl.analysis import likelihood as analysis
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.engines.answer import NamedValue, Value
from pfl.ir.claims import Likelihood
from pfl.options import Options

NAME = "exact"


def answer(question: Likelihood, _options: Options, budget: Budget) -> Value:
    """The probability of the word; with `posterior` also Pr(x@t == s | word), named so, where it is not 0.

    Raises LimitReached.
    """
    value = analysis.likelihood(question.system, question.start, question.word, budget)
    if not question.posterior:
        return Value(engine=NAME, value=value)
    divisors = Divisors()
    moments = analysis.posterior(question.system, question.start, question.word, budget).noting(divisors) or ()
    values = tuple(
        NamedValue(name=_predicate(question, state, moment), value=probability)
        for moment, vector in enumerate(moments)
        for state, probability in enumerate(vector)
        if probability != 0
    )
    exceptional = vanishing(divisors, question.parameters, budget)
    return Value(engine=NAME, value=value, values=values, exceptional=exceptional)


def _predicate(question: Likelihood, state: int, moment: int) -> str:
    """What holds at a moment in which the system is in a state, as written: `x@2 == sick`, `not b@0`, `rainy@1`."""
    variables = question.variables[state] if question.variables else ()
    parts = [_equation(f"{name}@{moment}", value) for name, value in variables]
    return " and ".join(parts) or f"{question.system.states[state]}@{moment}"


def _equation(variable: str, value: str) -> str:
    match value:
        case "true":
            return variable
        case "false":
            return f"not {variable}"
        case _:
            return f"{variable} == {value}"
