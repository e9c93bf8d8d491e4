"""The intermediate representation as text, for people: what `pflc emit ir` prints.

Interactive systems, and questions about them, as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.model.claims import Case, Claim, Question, Search
from pfl.model.compare import Compare, Comparison, Side
from pfl.model.interactive import InteractiveSystem
from pfl.model.labelled_system import LabelledSystem, Matrix, Vector
from pfl.model.markov_chain import MarkovChain
from pfl.model.measure import Measure
from pfl.model.parameters import Condition, ParameterSpace
from pfl.model.text.dump_chain import chain_lines, measure_lines


def interactive_lines(number: int, system: InteractiveSystem) -> Iterator[str]:
    """The states, and for each data point and each response the entries of its matrix that are not 0."""
    yield f"interactive system {number}: {system.size} states"
    for place, state in enumerate(system.states):
        yield f"  state {place}: {state}"
    for data, matrix in zip(system.data, system.data_moves):
        yield f"  data {data}"
        yield from _entries(matrix)
    for letter, matrix in system.answer_letters:
        yield f"  query {letter}" if system.takes_turns else f"  seen {letter}"
        yield from _entries(matrix)


def interactive_question_lines(question: Compare, numbers: Sequence[int]) -> Iterator[str]:
    """The lines of a question about the systems of those numbers."""
    if question.family is None:
        yield f"  system {numbers[0]} implements system {numbers[1]}"
        return
    (table,) = question.tables
    assert table.runs is not None
    yield f"  unwinding of system {numbers[0]} within {table.epsilon}, adjacent {table.runs.adjacency}"
    for place, balance in enumerate(question.family.balances):
        pairs = [pair for pair, smallest in question.family.related.items() if smallest == place]
        related = ", ".join(f"{left}~{right}" for left, right in sorted(pairs))
        yield f"  balance {balance.epsilon} ({balance.label}): {related or 'no pair that runs come to'}"


def _entries(matrix: Matrix) -> Iterator[str]:
    for state, row in enumerate(matrix):
        if row:
            yield f"    {state} -> " + ", ".join(f"{column}: {_number(weight)}" for column, weight in row)


def _number(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)


System: TypeAlias = LabelledSystem | MarkovChain | InteractiveSystem


def dump_claims(claims: Sequence[Claim]) -> str:
    """Every claim, then every system and chain that they ask about, numbered in order of mention."""
    numbers = _system_numbers(claims)
    blocks = ["\n".join(_claim_lines(claim, numbers)) for claim in claims]
    blocks += dict.fromkeys(program.rstrip("\n") for claim in claims for program in claim.programs)
    for system, number in numbers.items():
        blocks.append("\n".join(_lines_of(number, system)))
    return "\n\n".join(blocks) + "\n"


def dump_system(system: LabelledSystem) -> str:
    """One labelled system: its states, and for each letter the entries of its matrix that are not 0."""
    return "\n".join(_system_lines(1, system)) + "\n"


def _lines_of(number: int, system: System) -> Iterator[str]:
    match system:
        case MarkovChain():
            return iter(chain_lines(number, system))
        case InteractiveSystem():
            return interactive_lines(number, system)
        case LabelledSystem():
            return iter(_system_lines(number, system))


def _system_numbers(claims: Iterable[Claim]) -> dict[System, int]:
    numbers: dict[System, int] = {}
    for claim in claims:
        for question in claim.questions:
            for system in _systems(question):
                numbers.setdefault(system, len(numbers) + 1)
    return numbers


def _systems(question: Question) -> Sequence[System]:
    asked = question.claim if isinstance(question, Search) else question
    if isinstance(asked, Compare) and asked.family is None and asked.implements is None:
        return [table.system for table in asked.tables]
    return asked.systems


def _claim_lines(claim: Claim, numbers: dict[System, int]) -> Iterator[str]:
    yield f"claim `{claim.name}`: {claim.verb} {claim.kind} {claim.subject}"
    yield f"  at {claim.origin.file}:{claim.origin.line}:{claim.origin.column}"
    if claim.expected is not None:
        yield f"  expect {claim.expected}"
    if claim.limit is not None:
        yield f"  not built: {claim.limit.reason}"
    for case in claim.cases:
        yield from _case_lines(case, numbers)
    for condition in claim.exceptional:
        yield f"  judged apart unless {_condition(condition)}"


def _question_lines(question: Question, numbers: dict[System, int]) -> Iterator[str]:
    match question:
        case Compare(family=None, implements=None):
            yield from _indistinguishability_lines(question, numbers)
        case Search():
            yield f"  find {', '.join(question.names)}"
            if question.direction is not None and question.objective is not None:
                yield f"  {question.direction} {_number(question.objective)}"
            yield from _indistinguishability_lines(question.claim, numbers)
        case Measure():
            yield from measure_lines(question, numbers[question.system])
            yield from _space_lines(question.parameters)
        case Compare():
            yield from interactive_question_lines(question, [numbers[system] for system in question.systems])
            yield from _space_lines(question.parameters)
        case _:
            assert_never(question)


def _case_lines(case: Case, numbers: dict[System, int]) -> Iterator[str]:
    if case.arguments:
        yield f"  case {', '.join(f'{name} = {value}' for name, value in case.arguments)}"
    if case.required is not None:
        yield f"  {case.required}"
    yield from _question_lines(case.question, numbers)


def _indistinguishability_lines(question: Compare, numbers: dict[System, int]) -> Iterator[str]:
    lengths = "any" if question.lengths == "any" else ", ".join(map(str, question.lengths))
    yield f"  length {lengths} ({question.unit})"
    if question.delta is not None:
        yield f"  delta {_number(question.delta)}"
    yield from _space_lines(question.parameters)
    for number, comparison in enumerate(question.comparisons, 1):
        yield from _comparison_lines(number, comparison, numbers[comparison.system])
    for skipped in question.skipped:
        yield f"  skipped {skipped}"


def _space_lines(space: ParameterSpace) -> Iterator[str]:
    for parameter in space.parameters:
        yield f"  for all {parameter}"
    for alternatives in space.assumptions:
        yield f"  assume {' or '.join(map(_condition, alternatives))}"


def _condition(condition: Condition) -> str:
    return f"{_number(condition.polynomial)} {condition.relation} 0"


def _comparison_lines(number: int, comparison: Comparison, system: int) -> Iterator[str]:
    claimed = "" if comparison.epsilon is None else f", epsilon {comparison.epsilon}"
    direction = "left against right" if comparison.table.one_way else "both ways"
    yield f"  comparison {number} in system {system}, {direction}{claimed}"
    if comparison.table.prior:
        yield f"    prior {comparison.table.prior}"
    for name, value in comparison.table.bindings:
        yield f"    for {name} = {value}"
    yield _side_line("left ", comparison, comparison.left)
    yield _side_line("right", comparison, comparison.right)
    for condition in comparison.nonzero:
        yield f"    where {_condition(condition)} ({condition.text})"


def _side_line(word: str, comparison: Comparison, side: Side) -> str:
    weight = "" if side.weight == 1 else f", weight {_number(side.weight)}"
    return f"    {word} {comparison.table.heading} `{side.label}`: {_vector(side.vector, comparison.system)}{weight}"


def _vector(vector: Vector, system: LabelledSystem) -> str:
    entries = (f"{state}: {_number(value)}" for state, value in zip(system.states, vector) if value)
    return "{ " + ", ".join(entries) + " }"


def _system_lines(number: int, system: LabelledSystem) -> Iterator[str]:
    loss = "" if system.stochastic else ", mass may be lost"
    yield f"system {number}: {len(system.states)} states, {len(system.letters)} letters{loss}"
    for letter, matrix in zip(system.letters, system.matrices):
        yield f"  letter {letter}"
        for state, row in zip(system.states, matrix):
            if row:
                entries = ", ".join(f"{system.states[column]}: {_number(weight)}" for column, weight in row)
                yield f"    {state} -> {entries}"
