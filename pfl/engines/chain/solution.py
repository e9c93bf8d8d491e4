"""Solutions of chains as certificates: plain JSON-ready objects, as docs/reference/certificates.md says."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any

from pfl.analysis.chains.absorbing import Absorption
from pfl.analysis.chains.hitting import Hitting
from pfl.analysis.polynomial.written import written
from pfl.analysis.ratio.certificate import with_digest
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.base.struct import struct
from pfl.engines.answer import Computed
from pfl.model.measure import Measure, Observed, Reach, Results

MOST_NUMBERS = 500_000
MOST_BITS = 50_000_000
"""Of all numbers of one certificate together; what is larger is not written."""


class TooLarge(Exception):
    """A certificate would be larger than any that is written; the text says how large."""


@struct(eq=False, frozen=False)
class GroupSolution:
    """The solution from which the answers to questions about one chain were read, all of one kind.

    `solved` is what was solved, None where mass need only be sent on, move by move or letter by letter; `sources` are
    the positions of the states of which an absorption knows the runs.
    """

    questions: Sequence[Measure]
    solved: Hitting | Absorption | None = None
    sources: Mapping[int, int] = field(default_factory=dict)

    def certificate(self, answers: Sequence[Computed]) -> dict[str, Any] | str:
        """The certificate for all of the questions, or why there is none."""
        exponents = self.questions[0].exponents
        names = self.questions[0].parameters.names
        if exponents is not None:
            names = (exponents.base, exponents.exponential.name)
        conditions = dict.fromkeys(c.polynomial for answer in answers for c in answer.exceptional)
        content: dict[str, Any] = {"parameters": list(names)}
        if conditions:
            content["nonzero"] = [written(number, names) for number in conditions]
        if self.solved is None:
            is_word = isinstance(self.questions[0].quantity, Observed)
            return with_digest("word" if is_word else "moves", content)
        try:
            if self.questions[0].chain.size > MOST_NUMBERS:
                raise _too_many()
            hitting = self._hitting()
            if hitting is not None:
                below, texts = _over_one(hitting, names)
                return with_digest("hitting", {**content, **below, "solutions": texts})
            runs = self._runs()
            states = [sorted(run) for run in runs]
            below, texts = _over_one([[run[state] for state in order] for run, order in zip(runs, states)], names)
            pairs = [[list(pair) for pair in zip(order, column)] for order, column in zip(states, texts)]
            return with_digest("visits", {**content, **below, "runs": pairs})
        except TooLarge as too_large:
            return str(too_large)

    def _hitting(self) -> list[list[Number | None]] | None:
        """The values of all states, one list for each goal; None where runs are known instead."""
        if isinstance(self.solved, Hitting):
            return [list(_counted(self.solved.values))]
        assert self.solved is not None
        quantity, chain = self.questions[0].quantity, self.questions[0].chain
        goals: list[Collection[int]] = []
        match quantity:
            case Reach(goal=goal):
                goals = [goal]
            case Results(outcomes=outcomes):
                goals = [(end,) for _, end in outcomes if end is not None]
        if self.solved.is_reversed and len(goals) * chain.size > MOST_NUMBERS:
            raise _too_many()
        columns = [self.solved.reaching(goal) for goal in goals]
        if not self.solved.is_reversed:
            return None
        zero = Fraction(0)
        found = [[column.get(state, zero) for state in range(chain.size)] for column in columns if column is not None]
        if len(found) < len(columns):
            raise _too_many()
        return [list(_counted(column)) for column in found]

    def _runs(self) -> list[dict[int, Number]]:
        """The visits of each question's run to the states that it leaves."""
        assert isinstance(self.solved, Absorption)
        found: list[dict[int, Number]] = []
        for question in self.questions:
            weights: dict[int, Number] = {}
            for state, weight in question.start:
                weights[self.sources[state]] = weights.get(self.sources[state], Fraction(0)) + weight
            visits = self.solved.visits(weights)
            if visits is None:
                raise _too_many()
            list(_counted(visits.values()))
            found.append({state: count for state, count in visits.items() if not question.chain.is_absorbing(state)})
        return found


def _too_many() -> TooLarge:
    return TooLarge(f"its certificate would have more than {MOST_NUMBERS:,} numbers")


def _counted(numbers: Iterable[Number | None]) -> Iterator[Number | None]:
    """The numbers; raises TooLarge where they are too many, or too long."""
    bits = 0
    for count, number in enumerate(numbers):
        if isinstance(number, Fraction):
            bits += number.numerator.bit_length() + number.denominator.bit_length()
        if count >= MOST_NUMBERS or bits > MOST_BITS:
            raise _too_many() if count >= MOST_NUMBERS else TooLarge("the numbers of its certificate would be too long")
        yield number


def _over_one(
    columns: Sequence[Sequence[Number | None]], names: Sequence[str]
) -> tuple[dict[str, Any], list[list[Any]]]:
    """The numbers over one common denominator, which constants need not have."""
    below: Number = Fraction(1)
    for number in dict.fromkeys(each for column in columns for each in column if isinstance(each, RationalFunction)):
        product = number * below
        if isinstance(product, RationalFunction):
            below = below * product.denominator.to_number()
        else:
            below = below * product.denominator
    if below == 1:
        return {}, [[None if each is None else written(each, names) for each in column] for column in columns]
    texts = [[None if each is None else written(each * below, names) for each in column] for column in columns]
    return {"denominator": written(below, names)}, texts
