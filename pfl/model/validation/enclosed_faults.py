"""Broken invariants of questions whose probabilities are enclosed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedTable
from pfl.model.enclosed.formulas import Combination, Density, Node, functions_in


def enclosed_faults(question: EnclosedCompare) -> Iterator[str]:
    """Pairs of sides, letters or formulas that do not exist, nodes that name later ones, deviations that are not above
    0, a delta where it is asked for."""
    if not any(table.pairs for table in question.tables):
        yield "there is nothing to compare"
    if (question.delta is None) != (question.goal == "delta"):
        yield "delta must be given unless it is what is asked for"
    if isinstance(question.delta, Fraction) and not 0 <= question.delta <= 1:
        yield f"delta is {question.delta}"
    if question.outputs is not None and question.outputs < 0:
        yield "the lengths are empty or negative"
    for table in question.tables:
        yield from _table_faults(question, table)


def _table_faults(question: EnclosedCompare, table: EnclosedTable) -> Iterator[str]:
    if (table.epsilon is None) != (question.goal == "epsilon"):
        yield "epsilon must be given unless it is what is asked for"
    if table.epsilon is not None and (table.epsilon.parameters or table.epsilon.sign() < 0):
        yield "epsilon is negative, or depends on parameters"
    if any(not 0 <= place < len(table.sides) for pair in table.pairs for place in pair):
        yield "a pair has a side that is not in the table"
    if table.draws < 0:
        yield "a negative number of samples is drawn"
    for place, node in enumerate(table.nodes):
        if any(not 0 <= part < place for part in _named(node)):
            yield "a formula names one that does not come before it"
        if isinstance(node, Density) and (node.deviation <= 0 or (node.is_discrete and node.mean.denominator > 1)):
            yield "a density has a mean or a deviation that it cannot have"
    for side in table.sides:
        if any(not 0 <= letter < len(table.letters) for word in side.words for letter in word):
            yield "a word has a letter that does not exist"
        if any(not 0 <= place < len(table.nodes) for number in side.words.values() for place in number.integrals):
            yield "a probability has an integral that does not exist"


def _named(node: Node) -> tuple[int, ...]:
    coefficients = [coefficient for _, coefficient in node.summands] if isinstance(node, Combination) else []
    return (*functions_in(node), *(place for each in coefficients for place in each.integrals))
