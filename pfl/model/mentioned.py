"""The parameters that questions mention, and questions over other values of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pfl.model.claims import Case, Claim, Question, Search
from pfl.model.parameters import Condition, ParameterSpace, names_of


def mentioned_parameters(*questions: Question) -> frozenset[str]:
    """The parameters on which an answer can depend; a system that questions share is looked at once."""
    systems = dict.fromkeys(system for question in questions for system in question.systems)
    found = names_of(number for system in systems for number in system.numbers)
    return found.union(*(question.own_mentioned for question in questions))


def mentioned_in_cases(cases: Sequence[Case]) -> frozenset[str]:
    """The same, of what checks require as well."""
    required = names_of(case.required.number for case in cases if case.required is not None)
    return required | mentioned_parameters(*(case.question for case in cases))


def with_relevant_parameters(
    cases: Sequence[Case], space: ParameterSpace, exceptional: Sequence[Condition]
) -> tuple[Case, ...]:
    """The cases over those parameters alone on which an answer can depend, and what assumptions tie to them.

    Answers can depend on where the conditions in `exceptional` fail.
    """
    if not space.parameters:
        return tuple(cases)
    names = mentioned_in_cases(cases) | names_of(condition.polynomial for condition in exceptional)
    return cases_over(cases, space.relevant_to(names))


def question_over(question: Question, space: ParameterSpace) -> Question:
    """The question for the values of another space of parameters."""
    if isinstance(question, Search):
        return replace(question, claim=replace(question.claim, parameters=space))
    return replace(question, parameters=space)


def cases_over(cases: Iterable[Case], space: ParameterSpace) -> tuple[Case, ...]:
    """The cases for the values of another space of parameters."""
    return tuple(replace(case, question=question_over(case.question, space)) for case in cases)


def claim_over(claim: Claim, space: ParameterSpace) -> Claim:
    """The claim for the values of another space of parameters."""
    return replace(claim, cases=cases_over(claim.cases, space))
