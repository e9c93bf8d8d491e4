"""Whether a proof about enclosed probabilities is confirmed by sums of steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from pfl.base.budget import Budget
from pfl.base.closed_form import enclosure
from pfl.model.enclosed.enclosed_compare import EnclosedCompare, EnclosedSide, EnclosedTable
from pfl.model.enclosed.formulas import Density, IntegralSum
from pfl.verify.certificates.enclosed.steps import BITS, Steps

CELLS = (16, 64, 256)
"""Cells to a standard deviation, tried one after the other."""
MOST_WORK = 15_000
"""Cells times formulas that are gone through."""


def confirmation(question: EnclosedCompare, budget: Budget) -> Literal["confirmed", "open", "contradicted"]:
    """What sums of steps say of a check that was proved. Raises LimitReached."""
    left = list(_obligations(question))
    for cells in CELLS:
        work = sum(cells * len(table.nodes) * (1 + _widest(table)) for table in question.tables)
        if work > MOST_WORK:
            return "open"
        steps = {id(table): Steps(table.nodes, table.draws, cells, budget) for table in question.tables}
        verdicts = [(each, _judged(question, *each, steps[id(each[0])])) for each in left]
        if any(verdict == "contradicted" for _, verdict in verdicts):
            return "contradicted"
        left = [each for each, verdict in verdicts if verdict == "open"]
        if not left:
            return "confirmed"
    return "open"


_Obligation = tuple[EnclosedTable, EnclosedSide, EnclosedSide]


def _widest(table: EnclosedTable) -> int:
    """The largest deviation of integer noise, whose cells are the integers."""
    return max(
        (int(node.deviation) for node in table.nodes if isinstance(node, Density) and node.is_discrete), default=0
    )


def _obligations(question: EnclosedCompare) -> Iterator[_Obligation]:
    for table in question.tables:
        for left, right in table.pairs:
            yield table, table.sides[left], table.sides[right]
            if not table.one_way:
                yield table, table.sides[right], table.sides[left]


def _judged(
    question: EnclosedCompare, table: EnclosedTable, above: EnclosedSide, below: EnclosedSide, steps: Steps
) -> Literal["holds", "open", "contradicted"]:
    assert table.epsilon is not None
    assert question.delta is not None
    least, most = table.epsilon.lower_bound(BITS), table.epsilon.upper_bound(BITS)
    lowest = highest = Fraction(0)
    for word, number in above.words.items():
        other = below.words.get(word, IntegralSum())
        if number == other:
            continue
        (low, high), (least_below, most_below) = steps.probability(number), steps.probability(other)
        lowest += max(low - most * most_below, Fraction(0))
        highest += max(high - least * least_below, Fraction(0))
    delta = enclosure(question.delta, BITS)
    if lowest > delta.high:
        return "contradicted"
    return "holds" if highest <= delta.low else "open"
