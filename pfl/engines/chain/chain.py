"""Answers questions about Markov chains, exactly: by solving them, all starts of one chain at once."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from pfl.analysis.chains.absorbing import Absorption, absorption
from pfl.analysis.chains.hitting import Hitting, expected_costs, reach_probabilities, reach_within
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.base.budget import Budget
from pfl.base.divided import Divided, Divisors
from pfl.base.number import Number
from pfl.engines.answer import NamedValue, Value
from pfl.model.chain_questions import NEVER, ChainQuestion, Expectation, Probability, ResultDistribution
from pfl.model.labelled_system import SparseRow
from pfl.model.markov_chain import MarkovChain
from pfl.options import Options

NAME = "chain"

Key: TypeAlias = tuple[MarkovChain, frozenset[int], Literal["cost"] | int | None]
"""A chain, its goal, and what is asked: the cost until there, or the probability, within so many moves if at all."""


def answer(question: ChainQuestion, options: Options, budget: Budget) -> Value:
    """The number that is asked for; for a distribution, the probability of each outcome and, last, of never ending."""
    return answers([question], options, budget)[0]


def answers(questions: Sequence[ChainQuestion], _options: Options, budget: Budget) -> list[Value]:
    """The answer to each of several questions; those about one chain share their work. Raises LimitReached."""
    solver = _Solver(questions, budget)
    return [solver.answer(question) for question in questions]


class _Solver:
    """Solves each chain once a goal; where several goals, or results, are asked about, once for all ends of runs."""

    def __init__(self, questions: Sequence[ChainQuestion], budget: Budget) -> None:
        self._budget = budget
        self._hitting: dict[Key, Divided[Hitting]] = {}
        self._absorbed: dict[MarkovChain, Divided[Absorption]] = {}
        self._starts: dict[MarkovChain, dict[int, int]] = {}
        goals: dict[MarkovChain, set[frozenset[int]]] = {}
        for question in questions:
            starts = self._starts.setdefault(question.chain, {})
            for state, _ in question.start:
                starts.setdefault(state, len(starts))
            if isinstance(question, Probability) and question.within is None:
                goals.setdefault(question.chain, set()).add(question.goal)
        self._has_several_goals = {chain for chain, asked in goals.items() if len(asked) > 1}

    def answer(self, question: ChainQuestion) -> Value:
        divisors = Divisors()
        match question:
            case Probability() if question.within is None and question.chain in self._has_several_goals:
                ends = self._ends(question.chain, question.start, divisors)
                value = sum((weight for end, weight in ends.items() if end in question.goal), Fraction(0))
                return self._value(question, value, divisors)
            case Probability():
                hitting = self._solved((question.chain, question.goal, question.within)).noting(divisors)
                return self._value(question, hitting.mean(question.start).noting(divisors), divisors)
            case Expectation():
                hitting = self._solved((question.chain, question.goal, "cost")).noting(divisors)
                return self._value(question, hitting.mean(question.start).noting(divisors), divisors)
            case ResultDistribution():
                return self._distribution(question)
            case _:
                assert_never(question)

    def _value(self, question: ChainQuestion, value: Number | Literal["inf"], divisors: Divisors) -> Value:
        return Value(engine=NAME, value=value, exceptional=vanishing(divisors, question.parameters, self._budget))

    def _distribution(self, question: ResultDistribution) -> Value:
        divisors = Divisors()
        ends = self._ends(question.chain, question.start, divisors)
        weights = [Fraction(0) if end is None else ends.get(end, Fraction(0)) for _, end in question.outcomes]
        named = [NamedValue(name=name, value=weight) for (name, _), weight in zip(question.outcomes, weights)]
        never = NamedValue(name=NEVER, value=1 - sum(weights, Fraction(0)))
        exceptional = vanishing(divisors, question.parameters, self._budget)
        return Value(engine=NAME, values=(*named, never), exceptional=exceptional)

    def _solved(self, key: Key) -> Divided[Hitting]:
        if key not in self._hitting:
            chain, goal, asked = key
            match asked:
                case "cost":
                    found = expected_costs(chain, goal, self._budget)
                case None:
                    found = reach_probabilities(chain, goal, self._budget)
                case within:
                    found = reach_within(chain, goal, within, self._budget)
            self._hitting[key] = found
        return self._hitting[key]

    def _absorption(self, chain: MarkovChain) -> Divided[Absorption]:
        if chain not in self._absorbed:
            self._absorbed[chain] = absorption(chain, list(self._starts[chain]), self._budget)
        return self._absorbed[chain]

    def _ends(self, chain: MarkovChain, start: SparseRow, divisors: Divisors) -> dict[int, Number]:
        """Where a run from a start ends, with the probabilities."""
        rows, position = self._absorption(chain).noting(divisors).rows, self._starts[chain]
        total: dict[int, Number] = {}
        for state, weight in start:
            for end, mass in rows[position[state]].items():
                total[end] = total.get(end, Fraction(0)) + weight * mass
        return total
