"""The numbers of a question, and the parameters that they mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.chain_questions import ChainQuestion, Expectation, Probability, ResultDistribution
from pfl.model.claims import Case, Cases, Likelihood, Question, Synthesis, Unposed
from pfl.model.compare import Compare
from pfl.model.interactive_questions import Implementation, RelationCheck
from pfl.model.markov_chain import MarkovChain
from pfl.model.parameters import Condition, ParameterSpace


def mentioned_parameters(question: Question) -> frozenset[str]:
    """The names of the parameters on which the answer can depend."""
    match question:
        case Synthesis(claim=claim, objective=objective, names=names):
            of_objective = objective.parameters if isinstance(objective, RationalFunction) else ()
            return mentioned_parameters(claim).union(names, of_objective)
        case Likelihood(system=system, start=start):
            return _names([*start, *system.numbers])
        case Cases(cases=cases):
            return _of_cases(cases)
        case Probability() | Expectation() | ResultDistribution():
            return _names(_chain_numbers(question.chain)) | _names(_own_numbers(question))
        case RelationCheck(epsilon=epsilon, balances=balances):
            stated = (balance.epsilon for balance in balances)
            return _of_systems(question).union(epsilon.parameters, *(balance.parameters for balance in stated))
        case Implementation():
            return _of_systems(question)
        case Compare():
            return question.mentioned
        case Unposed():
            return frozenset()


def with_relevant_parameters(question: Question, space: ParameterSpace, exceptional: Sequence[Condition]) -> Question:
    """The question over those parameters alone on which the answer can depend, and what assumptions tie to them.

    The answer can depend on where the conditions in `exceptional` fail.
    """
    if not space.parameters:
        return question
    names = mentioned_parameters(question) | _names(condition.polynomial for condition in exceptional)
    return with_space(question, space.relevant_to(names))


def with_space(question: Question, space: ParameterSpace) -> Question:
    """The question for the values of another space of parameters."""
    match question:
        case Synthesis():
            return replace(question, claim=replace(question.claim, parameters=space))
        case Cases(cases=cases):
            within = (replace(case, question=replace(case.question, parameters=space)) for case in cases)
            return replace(question, cases=tuple(within))
        case _:
            return replace(question, parameters=space)


def space_of(question: Question) -> ParameterSpace:
    """The values of parameters that a question is about."""
    return question.claim.parameters if isinstance(question, Synthesis) else question.parameters


def _of_systems(question: RelationCheck | Implementation) -> frozenset[str]:
    return _names(number for system in question.systems for number in system.numbers)


def _of_cases(cases: Iterable[Case]) -> frozenset[str]:
    """The parameters of all cases; what they share is looked at once."""
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
