"""Answers questions about Markov chains by floats with a proved error, and exactly where that is poor."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from pfl.base.budget import Budget
from pfl.base.enclosure import Enclosure
from pfl.engines.answer import Computed, NamedValue
from pfl.engines.chain import chain as exact
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import NEVER, Cost, Measure, Reach, Results
from pfl.options import Options

if TYPE_CHECKING:
    from pfl.analysis.chains.float_hitting import FloatHitting

NAME = "float"

_POOR = Fraction(1, 10**7)
"""An error of more than this share of the number is poor: not all of six digits are right."""

Key: TypeAlias = tuple[MarkovChain, frozenset[int], Literal["probability", "cost"]]


def answers(questions: Sequence[Measure], options: Options, budget: Budget) -> list[Computed]:
    """An enclosure for each question; the exact answer where numbers depend on parameters, moves are bounded, or floats
    do not come near. Raises LimitReached."""
    solver = _Solver(budget)
    found = [solver.answer(question) for question in questions]
    open_questions = [question for question, answer in zip(questions, found) if answer is None]
    exactly = iter(exact.answers(open_questions, options, budget) if open_questions else [])
    return [next(exactly) if answer is None else answer for answer in found]


class _Solver:
    """Solves each chain once a goal."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._solved: dict[Key, FloatHitting | None] = {}

    def answer(self, question: Measure) -> Computed | None:
        """An enclosure of the answer; None where there is no good one."""
        if question.left is not None or not _is_constant(question):
            return None
        match question.quantity:
            case Reach(goal=goal, within=None):
                return self._value((question.chain, goal, "probability"), question.start)
            case Cost(goal=goal):
                return self._value((question.chain, goal, "cost"), question.start)
            case Results(outcomes=outcomes):
                return self._distribution(question, outcomes)
            case _:
                return None

    def _value(self, key: Key, start: SparseRow) -> Computed | None:
        quantity = self._enclosed(key, start)
        return None if quantity is None else Computed(engine=NAME, value=quantity)

    def _distribution(self, question: Measure, outcomes: exact.Outcomes) -> Computed | None:
        ends = frozenset(question.quantity.ends)
        ending = self._enclosed((question.chain, ends, "probability"), question.start)
        values: list[NamedValue] = []
        for name, end in outcomes:
            goal = frozenset[int]() if end is None else frozenset({end})
            quantity = self._enclosed((question.chain, goal, "probability"), question.start)
            if quantity is None:
                return None
            values.append(NamedValue(name=name, value=quantity))
        match ending:
            case Enclosure(low=low, high=high):
                values.append(NamedValue(name=NEVER, value=Enclosure(1 - high, 1 - low)))
            case Fraction():
                values.append(NamedValue(name=NEVER, value=1 - ending))
            case _:
                return None
        return Computed(engine=NAME, values=tuple(values))

    def _enclosed(self, key: Key, start: SparseRow) -> Enclosure | Fraction | Literal["inf"] | None:
        """The number, or an interval that is not too wide; None where there is neither."""
        if key not in self._solved:
            self._solved[key] = self._solve(key)
        hitting = self._solved[key]
        if hitting is None:
            return None
        found = hitting.mean(start)
        if isinstance(found, Enclosure) and found.high - found.low > 2 * _POOR * min(abs(found.low), abs(found.high)):
            return None
        return found

    def _solve(self, key: Key) -> FloatHitting | None:
        from pfl.analysis.chains.float_hitting import float_expected_costs, float_reach_probabilities

        chain, goal, asked = key
        solve = float_reach_probabilities if asked == "probability" else float_expected_costs
        return solve(chain, goal, self._budget)


def _is_constant(question: Measure) -> bool:
    numbers = (*question.chain.numbers, *(weight for _, weight in question.start))
    return all(isinstance(number, Fraction) for number in numbers)
