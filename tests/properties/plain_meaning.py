"""What a claim comes to by definition, whatever its engines say: the reading of questions for `plain_answers`.

All that knows how questions are stored today is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from typing import Any

from changed_weights import at_values
from plain_answers import (
    Letters,
    Series,
    Vector,
    excess,
    expected_cost,
    hits,
    hits_within,
    is_unwinding,
    largest_ratio,
    mass,
    same_series,
    sparse,
    step,
)

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Case, Claim, Question, Search, claim_over
from pfl.model.compare import Compare, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Cost, Measure, Observed, Reach, Results
from pfl.passes.substitute import substitute
from pfl.verify.verdict import Contradicted, Found, Verdict

MOST_LETTERS = 3
"""Of the words that a claim about all lengths is looked at on."""


def says_the_same(one: Claim, other: Claim) -> bool:
    """Whether two claims differ in nothing that any word of theirs, or any run to its end, can tell."""
    numbers, others = (tuple(_stated(each)) for each in (one, other))
    if numbers != others:
        return False
    series, alike = (list(_series(each)) for each in (one, other))
    return bool(series) and all(
        same_series(first, second, most) for (first, most), (second, _) in zip(series, alike, strict=True)
    )


def _comparing(claim: Claim) -> Iterator[Compare]:
    """What of a claim is about words."""
    for question in claim.questions:
        asked = question.claim if isinstance(question, Search) else question
        if isinstance(asked, Compare):
            yield asked


def _stated(claim: Claim) -> Iterator[Any]:
    """The bounds and weights that a claim about words states itself."""
    for case in claim.cases:
        yield case.required and case.required.number
        yield case.question.objective if isinstance(case.question, Search) else None
    for question in _comparing(claim):
        yield question.delta
        yield from () if question.family is None else (balance.epsilon for balance in question.family.balances)
        for comparison in question.comparisons:
            yield comparison.epsilon
            yield from (side.weight for side in comparison.sides)


def _series(claim: Claim) -> Iterator[tuple[Series, int | None]]:
    for question in _comparing(claim):
        most = None if question.lengths == "any" else max(question.lengths)
        for comparison in question.comparisons:
            system = comparison.system
            for side in comparison.sides:
                yield (system.matrices, sparse(side.vector), system.final), most


# --- constants ------------------------------------------------------------------


def with_constants(claim: Claim, values: Mapping[str, Fraction]) -> Claim:
    """The claim with its parameters fixed; systems whose numbers are constants have no final weights."""
    cases = at_values(claim, values).cases
    return replace(claim, cases=tuple(replace(case, question=_folded(case.question)) for case in cases))


def _folded(question: Question) -> Question:
    if isinstance(question, Search):
        return replace(question, claim=_folded(question.claim))
    if isinstance(question, Compare) and any(table.system.final is not None for table in question.tables):
        return substitute(question, {})
    return question


# --- final weights -------------------------------------------------------------


def tables_with_final_weights(claim: Claim) -> Iterator[Table]:
    """The tables of a claim whose systems have final weights."""
    for question in _comparing(claim):
        yield from (table for table in question.tables if table.system.final is not None)


def with_likelier_state(table: Table, state: int, factor: Fraction) -> Table:
    """The table with the final weight of a state multiplied, and all that comes out of the state; no state may lead to
    it. Rows stay what they are by the final weights, so a secret is so much likelier where runs start in the state."""
    system = table.system
    final = system.final
    assert final is not None
    matrices = tuple(
        tuple(
            tuple((column, weight * factor) for column, weight in row) if source == state else row
            for source, row in enumerate(matrix)
        )
        for matrix in system.matrices
    )
    heavier = (*final[:state], final[state] * factor, *final[state + 1 :])
    changed = replace(system, matrices=matrices, final=heavier)
    sides = tuple(replace(side, weight=changed.total(side.vector)) for side in table.sides)
    return replace(table, compared=changed, sides=sides)


# --- parameters ----------------------------------------------------------------


def values_of(claim: Claim) -> list[dict[str, Fraction]]:
    """A few values of the only parameter of a claim, both ends of its interval among them; one of none without any."""
    if not claim.parameters.parameters:
        return [{}]
    (parameter,) = claim.parameters.parameters
    width = parameter.high - parameter.low
    return [{parameter.name: parameter.low + part * width} for part in (Fraction(0), Fraction(1, 3), Fraction(1))]


def with_other_ends(claim: Claim) -> Iterator[Claim]:
    """The claim with one end of the interval of its parameter moved inwards or outwards."""
    for parameter in claim.parameters.parameters:
        low, high = parameter.low, parameter.high
        part = (high - low) / 4
        for ends in ((low - part, high), (low + part, high), (low, high - part), (low, high + part)):
            moved = replace(parameter, low=ends[0], high=ends[1])
            yield claim_over(claim, replace(claim.parameters, parameters=(moved,)))


# --- answers -------------------------------------------------------------------


def plain_answer(claim: Claim, verdict: Verdict) -> Any:
    """What the claim comes to, at each of a few values of the parameter, and at those that a verdict names; what is
    asked at numbers that a verdict has found is asked there."""
    if isinstance(claim.question, Search):
        found = [dict(verdict.values)] if isinstance(verdict, Found) else values_of(claim)
        return [_answer(at_values(claim.question.claim, values), verdict) for values in found]
    values = [*values_of(claim), *_named(verdict)]
    return [_of_cases([at_values(case, each) for case in claim.cases], verdict) for each in values]


def _named(verdict: Any) -> Iterator[dict[str, Fraction]]:
    """The values of the parameter at which a verdict says that a claim fails, or its number is the largest."""
    best = getattr(getattr(verdict, "bound", None), "best", None)
    named = dict(verdict.parameters) if isinstance(verdict, Contradicted) else {} if best is None else best.parameters
    if named and all(isinstance(value, Fraction) for value in named.values()):
        yield dict(named)


def comes_to(claim: Claim, plain: Any) -> Any:
    """What the answers at single values come to for all of them: a comparison must hold at each, and its number is the
    largest one; what is measured has a number at each."""
    if not isinstance(claim.question, Compare) or isinstance(plain[0], tuple):
        return plain
    found = []
    for of_case in zip(*plain):
        flat = list(_flat(of_case))
        numbers = [each for each in flat if not isinstance(each, bool)]
        largest = None if None in numbers else max(numbers, default=None)
        found.append((all(each for each in flat if isinstance(each, bool)), bool(numbers), largest))
    return found


def _of_cases(cases: Sequence[Case], verdict: Verdict) -> Any:
    answers = [(case.required, _answer(case.question, verdict)) for case in cases]
    if len(answers) > 1 and all(required is None and isinstance(found, Fraction) for required, found in answers):
        return max(found for _, found in answers), min(found for _, found in answers)
    return [found if required is None else (found, required.holds(found)) for required, found in answers]


def _answer(question: Any, verdict: Verdict) -> Any:
    if isinstance(question, Measure):
        return _measured(question)
    if question.implements is not None:
        (one, other) = (
            ([matrix for _, matrix in system.moves], sparse(system.start), None)
            for system in question.implements.systems
        )
        return same_series(one, other, None)
    if question.family is not None:
        (table,) = question.tables
        return is_unwinding(table.runs, question.family.epsilons(table.epsilon), question.family.place)
    return _compared(question, verdict)


def _compared(question: Compare, verdict: Verdict) -> Any:
    most = MOST_LETTERS if question.lengths == "any" else max(question.lengths)
    numbers: list[Any] = []
    holds = True
    for comparison in question.comparisons:
        system = comparison.system
        sides = [_scaled(sparse(side.vector), side.weight) for side in comparison.sides]
        for left, right in (sides, sides[::-1])[: 1 if comparison.table.one_way else 2]:
            if question.delta == 0:
                number = largest_ratio(system.matrices, left, right, most, system.final)
                if question.goal == "check":
                    assert comparison.epsilon is not None
                    holds = holds and number is not None and comparison.epsilon.compare(number) <= 0
            else:
                letters = len(system.letters)
                number = excess(
                    system.matrices,
                    system.inputs or (-1,) * letters,
                    system.channels or (0,) * letters,
                    left,
                    right,
                    _factor(comparison.epsilon, verdict),
                    most,
                    system.final,
                )
                if question.goal == "check":
                    holds = holds and number <= question.delta
            numbers.append(number)
    number = None if None in numbers else max(numbers)
    if question.goal == "check":
        return holds if _number_of(verdict) is None else (holds, number)
    return _number_of(verdict) if question.goal == "epsilon" and question.delta and number == question.delta else number


def _scaled(vector: Vector, weight: Number) -> Vector:
    return {state: entry / weight for state, entry in vector.items()}


def _factor(epsilon: Epsilon | None, verdict: Any) -> Number:
    if epsilon is None:
        return verdict.bound.ratio
    exact = epsilon.exact_exponential()
    if exact is not None:
        return exact
    return Fraction(exp(float(epsilon.enclosure(64).low)))


def _measured(question: Measure) -> Any:
    system, start, quantity = question.system, dict(question.start), question.quantity
    if isinstance(quantity, Observed):
        assert isinstance(system, LabelledSystem)
        return _observed(system.matrices, start, quantity)
    rows, paid, free, costs = _rows_of(system)
    match quantity:
        case Results(outcomes=outcomes, specified=specified):
            found = [Fraction(0) if end is None else hits(rows, start, {end}) for _, end in outcomes]
            found.append(1 - sum(found, Fraction(0)))
            return found, specified is None or found == list(specified)
        case Cost(goal=goal):
            return expected_cost(rows, costs, start, goal)
        case Reach(goal=goal, within=None):
            return hits(rows, start, goal)
        case Reach(goal=goal, within=int(within)):
            return hits_within(paid, free, start, goal, within)


def _observed(matrices: Letters, start: Vector, asked: Observed) -> Any:
    """The probability of the word, and of being in a state before each of its letters besides."""
    alphas = [start]
    for letter in asked.word:
        alphas.append(_read(matrices, alphas[-1], letter))
    if not asked.posterior:
        return mass(alphas[-1])
    joint: list[Any] = []
    for moment, alpha in enumerate(alphas[:-1]):
        for state, weight in alpha.items():
            rest = {state: weight}
            for letter in asked.word[moment:]:
                rest = _read(matrices, rest, letter)
            joint.append((moment, state, mass(rest)))
    return mass(alphas[-1]), joint


def _read(matrices: Letters, vector: Vector, letter: int | None) -> Vector:
    if letter is not None:
        return step(vector, matrices[letter])
    total: Vector = {}
    for matrix in matrices:
        for state, weight in step(vector, matrix).items():
            total[state] = total.get(state, Fraction(0)) + weight
    return total


def _rows_of(chain: Any) -> tuple[list[Vector], list[Vector], list[Vector], list[Number]]:
    """All moves, those that cost something and those that do not, and the expected cost of a move, of each state."""
    rows, paid, free = ([{} for _ in range(chain.size)] for _ in range(3))
    costs: list[Number] = [Fraction(0)] * chain.size
    for state in range(chain.size):
        for edge in chain.row(state):
            target, weight = chain.targets[edge], chain.weight_table[chain.weights[edge]]
            cost = Fraction(0) if chain.costs is None else chain.cost_table[chain.costs[edge]]
            for matrix in (rows, paid if cost else free):
                matrix[state][target] = matrix[state].get(target, Fraction(0)) + weight
            costs[state] = costs[state] + weight * cost
    return rows, paid, free, costs


def agrees(claim: Claim, verdict: Verdict, plain: Any) -> bool:
    """Whether a verdict says what the claim comes to, with its numbers as far as it gives them."""
    if isinstance(verdict, Found):
        values = dict(verdict.values)
        if any(not each.contains(values[each.name]) for each in claim.parameters.parameters if each.name in values):
            return False
    word = verdict.word
    found = list(_flat(plain))
    truths = [each for each in found if isinstance(each, bool)]
    numbers = [each for each in found if not isinstance(each, bool)]
    if word == "none" and any(truths):
        return False
    if word in ("found", "proved", "refuted") and all(truths) != (word != "refuted"):
        return False
    value = _number_of(verdict)
    if isinstance(value, RationalFunction):
        return [value.evaluate(values) for values in values_of(claim)] == numbers
    return value is None or (None if value == "inf" else value) in numbers


def _number_of(verdict: Any) -> Any:
    if isinstance(verdict, Found):
        verdict = verdict.proof
    bound = getattr(verdict, "bound", None)
    return getattr(verdict, "value", None) if bound is None else bound.ratio


def _flat(plain: Any) -> Iterator[Any]:
    if isinstance(plain, list | tuple):
        for part in plain:
            yield from _flat(part)
    else:
        yield plain
