"""Answers questions about Markov chains, exactly: by solving them, all starts of one chain at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from pfl.analysis.chains.absorbing import Absorption, absorption
from pfl.analysis.chains.hitting import Hitting, expected_costs, reach_probabilities, reach_within
from pfl.analysis.polynomial.exceptional import vanishing
from pfl.base.budget import Budget
from pfl.base.diagnostics import LimitReached
from pfl.base.divided import Divided, Divisors
from pfl.base.enclosure import Enclosure
from pfl.base.number import Number
from pfl.engines.answer import Computed, NamedValue
from pfl.engines.chain.solution import GroupSolution
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import NEVER, Cost, Measure, Observed, Reach, Results
from pfl.model.parameters import Condition
from pfl.options import Options

NAME = "chain"

Outcomes: TypeAlias = tuple[tuple[str, int | None], ...]
"""Results by name, with the states that stand for them."""

Key: TypeAlias = tuple[MarkovChain, frozenset[int], Literal["cost"] | int | None]
"""A chain, its goal, and what is asked: the cost until there, or the probability, within so many moves if at all."""


def answer(question: Measure, options: Options, budget: Budget) -> Computed:
    """The number that is asked for; for a distribution, the probability of each outcome and, last, of never ending.

    Raises LimitReached. Source: docs/theory/absorbing.md.
    """
    return answers([question], options, budget)[0]


def answers(questions: Sequence[Measure], _options: Options, budget: Budget) -> list[Computed]:
    """The answer to each of several questions; those about one chain share their work. Raises LimitReached."""
    solver = _Solver(questions, budget)
    return [solver.answer(question) for question in questions]


class _Solver:
    """Solves each chain once a goal; where several goals, or results, are asked about, once for all ends of runs."""

    def __init__(self, questions: Sequence[Measure], budget: Budget) -> None:
        self._budget = budget
        self._hitting: dict[Key, Divided[Hitting]] = {}
        self._absorbed: dict[MarkovChain, Divided[Absorption]] = {}
        self._starts: dict[MarkovChain, dict[int, int]] = {}
        groups: dict[tuple[MarkovChain, object], list[Measure]] = {}
        goals: dict[MarkovChain, set[frozenset[int]]] = {}
        for question in questions:
            groups.setdefault((question.chain, question.quantity.target), []).append(question)
            starts = self._starts.setdefault(question.chain, {})
            for state, _ in question.start:
                starts.setdefault(state, len(starts))
            if isinstance(question.quantity, Reach) and question.quantity.within is None:
                goals.setdefault(question.chain, set()).add(question.quantity.goal)
        self._groups = {key: GroupSolution(questions=tuple(group)) for key, group in groups.items()}
        self._has_several_goals = {chain for chain, asked in goals.items() if len(asked) > 1}

    def answer(self, question: Measure) -> Computed:
        """The answer, with what it was read off."""
        group = self._groups[question.chain, question.quantity.target]
        found = self._answer(question, group)
        return found if question.left is not None else replace(found, solution=group)

    def _answer(self, question: Measure, group: GroupSolution) -> Computed:
        divisors = Divisors()
        match question.quantity:
            case Reach(goal=goal) if question.left is not None:
                ends = self._ends(question, group, divisors)
                value = sum((weight for end, weight in ends.items() if end in goal), Fraction(0))
                return Computed(engine=NAME, value=_at_least(value, ends, question.left))
            case Reach(goal=goal, within=None) if question.chain in self._has_several_goals:
                ends = self._ends(question, group, divisors)
                value = sum((weight for end, weight in ends.items() if end in goal), Fraction(0))
                return self._value(question, value, divisors)
            case Reach(goal=goal, within=within):
                hitting = self._solved((question.chain, goal, within)).noting(divisors)
                group.solved = hitting if within is None else None
                return self._value(question, hitting.mean(question.start).noting(divisors), divisors)
            case Cost(goal=goal):
                group.solved = hitting = self._solved((question.chain, goal, "cost")).noting(divisors)
                return self._value(question, hitting.mean(question.start).noting(divisors), divisors)
            case Results(outcomes=outcomes):
                return self._distribution(question, outcomes, group)
            case Observed():
                raise ValueError("the chain engine does not answer what is observed of a labelled system")
            case _:
                assert_never(question.quantity)

    def _value(self, question: Measure, value: Number | Literal["inf"], divisors: Divisors) -> Computed:
        return Computed(engine=NAME, value=value, exceptional=self._exceptional(question, divisors))

    def _exceptional(self, question: Measure, divisors: Divisors) -> tuple[Condition, ...]:
        """Where something that was divided by is 0. Raises LimitReached where that may be so for a number that holds
        exponentials."""
        if question.exponents is None:
            return vanishing(divisors, question.parameters, self._budget)
        from pfl.analysis.exponential.functions import Functions  # needed with exponentials only

        zero = Functions(question.exponents, self._budget).vanishing(divisors)
        if zero is not None:
            raise LimitReached(f"{zero} may be 0, by which something is divided; fix the parameter with --set")
        return ()

    def _distribution(self, question: Measure, outcomes: Outcomes, group: GroupSolution) -> Computed:
        divisors = Divisors()
        ends = self._ends(question, group, divisors)
        weights = [Fraction(0) if end is None else ends.get(end, Fraction(0)) for _, end in outcomes]
        if (left := question.left) is not None:
            rest = 1 - sum(weights, Fraction(0)) - ends.get(left, Fraction(0))
            names = (*(name for name, _ in outcomes), NEVER)
            bounds = (_at_least(weight, ends, left) for weight in (*weights, rest))
            told = tuple(NamedValue(name=name, value=bound) for name, bound in zip(names, bounds))
            return Computed(engine=NAME, values=told)
        named = [NamedValue(name=name, value=weight) for (name, _), weight in zip(outcomes, weights)]
        never = NamedValue(name=NEVER, value=1 - sum(weights, Fraction(0)))
        exceptional = self._exceptional(question, divisors)
        return Computed(engine=NAME, values=(*named, never), exceptional=exceptional)

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

    def _ends(self, question: Measure, group: GroupSolution, divisors: Divisors) -> dict[int, Number]:
        """Where a run from a start ends, with the probabilities."""
        position = self._starts[question.chain]
        group.solved, group.sources = self._absorption(question.chain).noting(divisors), position
        total: dict[int, Number] = {}
        for state, weight in question.start:
            for end, mass in group.solved.rows[position[state]].items():
                total[end] = total.get(end, Fraction(0)) + weight * mass
        return total


def _at_least(weight: Number, ends: Mapping[int, Number], left: int) -> Enclosure | Number:
    """A probability, to which that of a run which was left may add."""
    more = ends.get(left, Fraction(0))
    assert isinstance(weight, Fraction), "chains with parameters are explored as a whole"
    assert isinstance(more, Fraction), "chains with parameters are explored as a whole"
    return Enclosure(weight, weight + more) if more else weight
