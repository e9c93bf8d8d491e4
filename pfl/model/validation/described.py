"""What a claim must satisfy that was read, beside what every claim does: a text may say anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pfl.base.closed_form import is_constant
from pfl.base.exponential import ONE, Exponential
from pfl.base.multiples import products
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import (
    Claim,
    Origin,
    Question,
    Search,
    mentioned_in_cases,
    mentioned_in_deltas_alone,
    mentioned_parameters,
    space_of,
)
from pfl.model.compare import Compare, Family, Table
from pfl.model.enclosed.enclosed_compare import EnclosedCompare
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.model.parameters import NO_PARAMETERS, Condition, ExponentialSpace, ParameterSpace, Space, names_of
from pfl.model.text.apart import Apart
from pfl.model.two_runs import TwoRuns


def faults_of_described(claim: Claim) -> Iterator[str]:
    """What is wrong with a claim: questions that do not go together, or that mention what there is not."""
    for word, said in (("name", claim.name), ("kind", claim.kind), ("subject", claim.subject)):
        if not said.strip():
            yield f"its {word} is empty"
    if not _is_place(claim.origin):
        yield "its origin is no place in a file"
    if claim.limit is not None and claim.cases:
        yield "it has questions, and met a limit before it had any"
    kinds = {type(question) for question in claim.questions}
    spaces = {(question.parameters, space_of(question)) for question in claim.questions}
    if len(kinds) > 1 or len(spaces) > 1:
        yield "its cases are not of one kind, or not about the same parameters"
    yield from _space_faults(claim.parameters)
    if claim.exponents is not None:
        yield from _exponents_faults(claim, claim.exponents)
    for case in claim.cases:
        if not _goes_with(claim, case.question):
            yield f"`{claim.verb}` does not go with what it asks"
        yield from _question_faults(case.question)
    yield from _mentioned_faults(claim)
    for condition in claim.exceptional:
        yield from _condition_faults(claim.parameters, condition, "!=")
    for equation, _ in claim.anew.claims if isinstance(claim.anew, Apart) else ():
        yield from _condition_faults(claim.parameters, equation, "==")


def _mentioned_faults(claim: Claim) -> Iterator[str]:
    """Names of numbers that are no parameters of the claim; powers of e may stand in bounds."""
    mentioned = mentioned_in_cases(claim.cases)
    exponents = claim.exponents
    if exponents is None:
        unknown = mentioned - set(claim.parameters.names)
    else:
        unknown = mentioned - {*exponents.names, *_factors(claim, exponents)}
        unknown -= {name for name in mentioned_in_deltas_alone(claim.cases) if is_constant(name)}
    for held in map(Exponential.of, sorted(unknown)):
        if held is not None and exponents is not None and held.base == exponents.base:
            yield f"it mentions `{held.name}`, and its exponents are said to be over {exponents.unit}"
    if unknown:
        yield f"it mentions {_listed(unknown)}, which is no parameter of it"


def _factors(claim: Claim, exponents: ExponentialSpace) -> Iterator[str]:
    """What a find over exponents looks for, and the exponentials of its products with their parameter in epsilons."""
    question = claim.question
    if not isinstance(question, Search):
        return
    yield from question.factors.names
    epsilons = (table.epsilon for table in question.claim.tables if table.epsilon is not None)
    for held in products({name for epsilon in epsilons for name in epsilon.parameters}):
        if held.factors in [(name, exponents.base) for name in question.factors.names]:
            yield held.name


def _exponents_faults(claim: Claim, space: ExponentialSpace) -> Iterator[str]:
    if claim.parameters.parameters or claim.parameters.assumptions or claim.exceptional:
        yield "it has parameters or conditions beside its exponents"
    if space.unit < 1:
        yield "its exponents are not over a whole number from 1"
    elif space.base == ONE and space != ExponentialSpace.of_constants(space.unit):
        yield "exponents of 1 are in [1, 1]"
    if space.low < 0:
        yield f"`{space.base}` may be negative: {space}"
    if space.high is None:
        if not space.high_open:
            yield f"the interval of `{space.base}` is closed where it has no end"
    elif space.low >= space.high and not (space.is_point and not space.low_open and not space.high_open):
        yield f"the interval of `{space.base}` has no values"


def _is_place(origin: Origin) -> bool:
    """Whether lines and columns count from 1, and the end does not come before the beginning."""
    begin, end = (origin.line, origin.column), (origin.end_line, origin.end_column)
    return min(*begin, *end) > 0 and begin <= end


def _goes_with(claim: Claim, question: Question) -> bool:
    """Whether the verb of a claim is that of a question."""
    match question:
        case Search():
            return claim.verb == "find" and question.claim.goal == "check"
        case Compare(goal=goal):
            return claim.verb == ("check" if goal == "check" else "compute")
        case EnclosedCompare(goal=goal):
            return claim.verb == ("check" if goal == "check" else "compute")
        case Measure():
            return claim.verb in ("check", "compute")


def _space_faults(space: ParameterSpace) -> Iterator[str]:
    if len(set(space.names)) < len(space.names):
        yield "a parameter is declared twice"
    for parameter in space.parameters:
        is_point = parameter.low == parameter.high and not (parameter.low_open or parameter.high_open)
        if parameter.low >= parameter.high and not is_point:
            yield f"the interval of `{parameter.name}` has no values"
    yield from _unknown(space, (condition.polynomial for clause in space.assumptions for condition in clause))


def _condition_faults(space: ParameterSpace, condition: Condition, relation: str) -> Iterator[str]:
    polynomial = condition.polynomial
    if condition.relation != relation or not isinstance(polynomial, RationalFunction) or not polynomial.is_polynomial:
        yield f"`{condition.text}` does not say of a polynomial that it is {relation} 0"
    yield from _unknown(space, [polynomial])


def _unknown(space: Space, numbers: Iterable[Number]) -> Iterator[str]:
    unknown = names_of(numbers) - set(space.names)
    if unknown:
        yield f"a condition mentions {_listed(unknown)}, which is no parameter"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _question_faults(question: Question) -> Iterator[str]:
    match question:
        case Search():
            yield from _question_faults(question.claim)
            if (question.objective is None) != (question.direction is None):
                yield "an objective needs a direction, and a direction an objective"
            yield from _factor_faults(question)
        case Compare():
            for table in question.tables:
                yield from _table_faults(question, table)
            for shorter in question.shorter:
                yield from _question_faults(shorter)
            if question.family is not None:
                yield from _family_faults(question, question.family)
        case Measure(system=LabelledSystem() as system, quantity=Observed() as quantity):
            yield from _observed_faults(system, quantity)
        case _:
            pass


def _factor_faults(question: Search) -> Iterator[str]:
    """What is wrong with what a find over exponents looks for: one factor of their parameter, in epsilons alone."""
    factors, claim = question.factors, question.claim
    if claim.exponents is None and factors != NO_PARAMETERS:
        yield "it has factors of exponents, and no exponents"
    if claim.exponents is not None and (question.names != factors.names or len(factors.names) > 1):
        yield "over exponents, what is looked for is one factor of them, or nothing"
    yield from _space_faults(factors)
    without = replace(claim, tables=tuple(replace(table, epsilon=None) for table in claim.tables))
    if products(mentioned_parameters(without)):
        yield "a product of parameters stands outside of epsilons"


def _family_faults(question: Compare, family: Family) -> Iterator[str]:
    runs = question.tables[0].compared if len(question.tables) == 1 else None
    if not isinstance(runs, TwoRuns) or question.goal != "check" or question.lengths != "any":
        yield "a family of relations is not about two runs of every length"
        return
    size, balances = runs.system.size, len(family.balances)
    if any(not (0 <= left < size and 0 <= right < size) for left, right in family.related):
        yield "a state that does not exist is related"
    if any(not 0 <= place < balances for place in family.related.values()):
        yield "states are related by a balance that does not exist"


def _table_faults(question: Compare, table: Table) -> Iterator[str]:
    runs = [each for each in (table.compared, table.counts) if isinstance(each, TwoRuns)]
    for each in runs:
        yield from _runs_faults(each)
    if table.counts is not None and table.size and len(table.counts.exchanges) != len(table.system.letters):
        yield "the runs that a system counts have other letters"
    for side in table.sides:
        for condition in side.nonzero:
            yield from _unknown(question.space, [condition.polynomial])


def _runs_faults(runs: TwoRuns) -> Iterator[str]:
    count = len(runs.system.data)
    if any(point is not None and not 0 <= point < count for extra in runs.extras for point in extra):
        yield "two runs differ in a data point that does not exist"
    if any(not 0 <= state < runs.system.size for state in runs.system.responding or ()):
        yield "a state that does not exist responds"


def _observed_faults(system: LabelledSystem, quantity: Observed) -> Iterator[str]:
    hidden = quantity.hidden
    described = system.size if hidden is None else hidden.hmm.size
    if quantity.posterior and len(quantity.variables) != described:
        yield "not every state has its variables"
    if hidden is None:
        return
    if len(hidden.before) != hidden.hmm.size or len(hidden.shown_by) != system.size:
        yield "the hidden moves are not those of the system"
    places = [(place, system.size) for place in hidden.before] + [(each, hidden.hmm.size) for each in hidden.shown_by]
    if any(place is not None and not 0 <= place < size for place, size in places):
        yield "a hidden move leads to a state that does not exist"
