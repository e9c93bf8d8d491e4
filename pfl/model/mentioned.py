"""The numbers of a question, and the parameters that they mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.chain_questions import ChainQuestion, Expectation, Probability, ResultDistribution
from pfl.model.claims import Case, Claim, Indistinguishability, Likelihood, Question, Synthesis
from pfl.model.interactive_questions import Implementation, RelationCheck
from pfl.model.labelled_system import LabelledSystem
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import Condition, ParameterSpace


def mentioned_parameters(question: Question) -> frozenset[str]:
    """The names of the parameters on which the answer can depend."""
    match question:
        case Synthesis(claim=claim, objective=objective, names=names):
            of_objective = objective.parameters if isinstance(objective, RationalFunction) else ()
            return mentioned_parameters(claim).union(names, of_objective)
        case Likelihood(system=system, start=start):
            return _names([*start, *_entries(system)])
        case Probability() | Expectation() | ResultDistribution():
            return _names(_chain_numbers(question.chain)) | _names(_own_numbers(question))
        case RelationCheck(epsilon=epsilon, balances=balances):
            stated = (balance.epsilon for balance in balances)
            return _of_systems(question).union(epsilon.parameters, *(balance.parameters for balance in stated))
        case Implementation():
            return _of_systems(question)
        case Indistinguishability(comparisons=comparisons):
            epsilons = (comparison.epsilon for comparison in comparisons if comparison.epsilon is not None)
            return _names(_numbers(question)).union(*(epsilon.parameters for epsilon in epsilons))


def with_relevant_parameters(
    cases: Sequence[Case], space: ParameterSpace, exceptional: Sequence[Condition]
) -> tuple[Case, ...]:
    """The cases over those parameters alone on which an answer can depend, and what assumptions tie to them.

    Answers can depend on where the conditions in `exceptional` fail.
    """
    if not space.parameters:
        return tuple(cases)
    names = mentioned_in_cases(cases) | _names(condition.polynomial for condition in exceptional)
    return cases_over(cases, space.relevant_to(names))


def with_space(question: Question, space: ParameterSpace) -> Question:
    """The question for the values of another space of parameters."""
    if isinstance(question, Synthesis):
        return replace(question, claim=replace(question.claim, parameters=space))
    return replace(question, parameters=space)


def cases_over(cases: Iterable[Case], space: ParameterSpace) -> tuple[Case, ...]:
    """The cases for the values of another space of parameters."""
    return tuple(replace(case, question=with_space(case.question, space)) for case in cases)


def claim_over(claim: Claim, space: ParameterSpace) -> Claim:
    """The claim for the values of another space of parameters."""
    return replace(claim, cases=cases_over(claim.cases, space))


def _of_systems(question: RelationCheck | Implementation) -> frozenset[str]:
    return _names(number for system in question.systems for number in system.numbers)


def mentioned_in_cases(cases: Sequence[Case]) -> frozenset[str]:
    """The parameters on which some answer can depend; what the cases share is looked at once."""
    names = _names(case.required.number for case in cases if case.required is not None)
    chains: set[MarkovChain] = set()
    for case in cases:
        if isinstance(case.question, Probability | Expectation | ResultDistribution):
            chains.add(case.question.chain)
            names |= _names(_own_numbers(case.question))
        else:
            names |= mentioned_parameters(case.question)
    return names.union(*(_names(_chain_numbers(chain)) for chain in chains))


def _chain_numbers(chain: MarkovChain) -> Iterator[Number]:
    yield from chain.weight_table
    yield from chain.cost_table


def _own_numbers(question: ChainQuestion) -> Iterator[Number]:
    """The numbers of a question beside those of its chain."""
    yield from (weight for _, weight in question.start)
    if isinstance(question, ResultDistribution) and question.specified is not None:
        yield from question.specified


def _names(numbers: Iterable[Number]) -> frozenset[str]:
    return frozenset(name for number in numbers if isinstance(number, RationalFunction) for name in number.parameters)


def _numbers(question: Indistinguishability) -> Iterator[Number]:
    """Every number of a question; those of a system that comparisons share once."""
    if question.delta is not None:
        yield question.delta
    for comparison in question.comparisons:
        for side in (comparison.left, comparison.right):
            yield side.weight
            yield from side.start
    for system in {comparison.system for comparison in question.comparisons}:
        yield from _entries(system)


def _entries(system: LabelledSystem) -> Iterator[Number]:
    for matrix in system.matrices:
        for row in matrix:
            yield from (weight for _, weight in row)
