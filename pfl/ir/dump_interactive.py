"""Interactive systems, and questions about them, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pfl.base.exact_text import fraction_text
from pfl.base.number import Number
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.interactive_questions import Implementation, RelationCheck
from pfl.ir.labelled_system import Matrix


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


def interactive_question_lines(question: RelationCheck | Implementation, numbers: Sequence[int]) -> Iterator[str]:
    """The lines of a question about the systems of those numbers."""
    match question:
        case RelationCheck():
            yield f"  unwinding of system {numbers[0]} within {question.epsilon}, adjacent {question.runs.adjacency}"
            for place, balance in enumerate(question.balances):
                pairs = [pair for pair, smallest in question.related.items() if smallest == place]
                related = ", ".join(f"{left}~{right}" for left, right in sorted(pairs))
                yield f"  balance {balance.epsilon} ({balance.label}): {related or 'no pair that runs come to'}"
        case Implementation():
            yield f"  system {numbers[0]} implements system {numbers[1]}"


def _entries(matrix: Matrix) -> Iterator[str]:
    for state, row in enumerate(matrix):
        if row:
            yield f"    {state} -> " + ", ".join(f"{column}: {_number(weight)}" for column, weight in row)


def _number(number: Number) -> str:
    return fraction_text(number) if isinstance(number, Fraction) else str(number)
