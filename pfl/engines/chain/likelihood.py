"""Answers `compute likelihood`, exactly, by the forward-backward algorithm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pfl.analysis import likelihood as analysis
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.base.budget import Budget
from pfl.base.divided import Divisors
from pfl.engines.answer import Computed, NamedValue
from pfl.engines.chain.solution import GroupSolution
from pfl.model.labelled_system import LabelledSystem, Vector
from pfl.model.measure import HiddenMoves, Measure, Observed
from pfl.options import Options

NAME = "exact"


def answer(question: Measure, _options: Options, budget: Budget) -> Computed:
    """The probability of the word; with `posterior` also Pr(x@t == s | word), named so, where it is not 0, and, where
    states can be silent, Pr(letter j was shown by x == s | word), named `x == s at letter j`.

    Raises LimitReached. Source: docs/theory/likelihood.md.
    """
    system, asked = question.system, question.quantity
    assert isinstance(system, LabelledSystem)
    assert isinstance(asked, Observed)
    start = system.vector(question.start)
    value = analysis.likelihood(system, start, asked.word, budget)
    if not asked.posterior or value == 0:
        return Computed(engine=NAME, value=value, solution=GroupSolution(questions=(question,)))
    divisors = Divisors()
    hidden = asked.hidden
    if hidden is None:
        names = system.states
        found = analysis.posterior(system, start, asked.word, budget).noting(divisors)
        values = [*_at_moments(asked, names, found or ())]
    else:
        moments = analysis.at_moments(hidden.hmm, hidden.start, system, hidden.before, asked.word, budget).noting(
            divisors
        )
        showing = analysis.of_letters(system, start, hidden.shown_by, hidden.hmm.size, asked.word, budget).noting(
            divisors
        )
        values = [
            *_at_moments(asked, hidden.hmm.states, moments or ()),
            *_of_letters(asked, hidden, showing or ()),
        ]
    exceptional = vanishing(divisors, question.parameters, budget)
    return Computed(engine=NAME, value=value, values=tuple(values), exceptional=exceptional)


def _at_moments(asked: Observed, names: Sequence[str], moments: Sequence[Vector]) -> Iterator[NamedValue]:
    """What holds at a moment in which the system is in a state, as written: `x@2 == sick`, `not b@0`, `rainy@1`."""
    for moment, vector in enumerate(moments):
        for state, probability in enumerate(vector):
            if probability != 0:
                yield NamedValue(name=_predicate(asked, names, state, f"@{moment}"), value=probability)


def _of_letters(asked: Observed, hidden: HiddenMoves, found: Sequence[Vector]) -> Iterator[NamedValue]:
    """What held of the state that showed a letter: `x == sick at letter 1`; `never at letter 2` where none did."""
    for letter, vector in enumerate(found, 1):
        for state, probability in enumerate(vector):
            if probability != 0:
                name = f"{_predicate(asked, hidden.hmm.states, state, '')} at letter {letter}"
                yield NamedValue(name=name, value=probability)
        never = 1 - sum(vector, Fraction(0))
        if never != 0:
            yield NamedValue(name=f"never at letter {letter}", value=never)


def _predicate(asked: Observed, names: Sequence[str], state: int, when: str) -> str:
    variables = asked.variables[state] if asked.variables else ()
    parts = [_equation(f"{name}{when}", value) for name, value in variables]
    return " and ".join(parts) or f"{names[state]}{when}"


def _equation(variable: str, value: str) -> str:
    match value:
        case "true":
            return variable
        case "false":
            return f"not {variable}"
        case _:
            return f"{variable} == {value}"
