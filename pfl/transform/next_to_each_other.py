"""Two interactive systems with the same inputs as one labelled system. Source: docs/theory/refinement.md."""

from __future__ import annotations

from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.ir.claims import Comparison, Indistinguishability, Side
from pfl.ir.interactive import InteractiveSystem
from pfl.ir.interactive_questions import Implementation
from pfl.ir.labelled_system import Exchange, LabelledSystem, Matrix, Vector
from pfl.transform.take_apart import take_apart


def next_to_each_other(left: InteractiveSystem, right: InteractiveSystem) -> tuple[LabelledSystem, Vector, Vector]:
    """The states of both, a letter for whatever one of them can do, and the start of each.

    Where queries and responses take turns in only one of them, they are letters of their own in both.
    """
    if left.takes_turns != right.takes_turns:
        left, right = take_apart(left), take_apart(right)
    one, other = dict(left.moves), dict(right.moves)
    exchanges = tuple(dict.fromkeys((*other, *one)))
    system = LabelledSystem(
        states=(*left.states, *right.states),
        letters=tuple(f"[{each.given}]" if each.seen is None else each.seen for each in exchanges),
        matrices=tuple(
            (*_rows(one, exchange, left.size), *_shifted(_rows(other, exchange, right.size), left.size))
            for exchange in exchanges
        ),
        stochastic=False,
        exchanges=exchanges,
    )
    nothing, missing = (Fraction(0),) * left.size, (Fraction(0),) * right.size
    return system, (*left.start, *missing), (*nothing, *right.start)


def equality(question: Implementation) -> Indistinguishability:
    """What an implementation claims: no word is more likely in one system than in the other."""
    system, left, right = next_to_each_other(question.concrete, question.abstract)
    one, other = (Side(label=name, start=start) for name, start in zip(question.names, (left, right)))
    comparison = Comparison(
        system=system, left=one, right=other, epsilon=Epsilon.rational(Fraction(0)), heading="systems"
    )
    return Indistinguishability(goal="check", comparisons=(comparison,), lengths="any", parameters=question.parameters)


def _rows(moves: dict[Exchange, Matrix], exchange: Exchange, size: int) -> Matrix:
    return moves.get(exchange, ((),) * size)


def _shifted(matrix: Matrix, by: int) -> Matrix:
    return tuple(tuple((column + by, weight) for column, weight in row) for row in matrix)
