"""Small labelled systems with parameters, built by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.number import Number
from pfl.base.rational_function import RationalFunction
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition, Parameter, ParameterSpace

P = RationalFunction.parameter("p")
Q = RationalFunction.parameter("q")
ZERO, ONE = Fraction(0), Fraction(1)


def hmm(moves: Sequence[Sequence[Number]], shows: Sequence[Sequence[Number]]) -> LabelledSystem:
    """States emit, then move: M_a = diag(shows[., a]) moves."""
    states = range(len(moves))
    return LabelledSystem(
        states=tuple(f"s{state}" for state in states),
        letters=tuple(f"l{letter}" for letter in range(len(shows[0]))),
        matrices=tuple(
            tuple(
                tuple(
                    (to, shows[state][letter] * moves[state][to])
                    for to in states
                    if shows[state][letter] * moves[state][to]
                )
                for state in states
            )
            for letter in range(len(shows[0]))
        ),
    )


def survey() -> LabelledSystem:
    """The 1/2-geometric mechanism on a count of 0, 1 or 2 that does not change."""
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    still = [[ONE if row == column else ZERO for column in range(3)] for row in range(3)]
    return hmm(still, [[2 * third, sixth, sixth], [third, third, third], [sixth, sixth, 2 * third]])


PRIOR = Side(label="prior", vector=((1 - P) ** 2, 2 * P * (1 - P), P**2))
"""Two people, each sick with probability p: how many are."""
JOHN = Side(label="john", vector=(ZERO, P * (1 - P), P**2), weight=P)
NOT_JOHN = Side(label="not john", vector=((1 - P) ** 2, P * (1 - P), ZERO), weight=1 - P)


def flipping(flip: Number, right: Number = Fraction(3, 4)) -> LabelledSystem:
    """Two states that change with probability `flip` and are reported rightly with probability `right`."""
    return hmm([[1 - flip, flip], [flip, 1 - flip]], [[right, 1 - right], [1 - right, right]])


FIRST = Side(label="first", vector=(ONE, ZERO))
SECOND = Side(label="second", vector=(ZERO, ONE))


def interval(name: str = "p", low: int | Fraction = 0, high: int | Fraction = 1, *, is_open: bool = True) -> Parameter:
    return Parameter(name=name, low=Fraction(low), high=Fraction(high), low_open=is_open, high_open=is_open)


def condition(polynomial: Number, relation: str = "<", text: str = "assumed") -> Condition:
    return Condition(polynomial=polynomial, relation=relation, text=text)  # type: ignore[arg-type]


def ln(argument: int | Number) -> Epsilon:
    return Epsilon.ln(Fraction(argument) if isinstance(argument, int) else argument)


def claim(
    system: LabelledSystem,
    left: Side,
    right: Side,
    epsilon: Epsilon | None,
    length: int | str = 1,
    parameters: Sequence[Parameter] = (interval(),),
    assumptions: Sequence[Condition] = (),
    nonzero: Sequence[Condition] = (),
    goal: str | None = None,
    delta: Number | None = ZERO,
) -> Compare:
    """A check, or `compute epsilon` without an epsilon."""
    return Compare(
        goal=goal or ("epsilon" if epsilon is None else "check"),  # type: ignore[arg-type]
        tables=(Table.of_pair(system, [replace(left, nonzero=tuple(nonzero)), right], epsilon=epsilon),),
        lengths="any" if length == "any" else (int(length),),
        parameters=ParameterSpace(parameters=tuple(parameters)).restricted(*assumptions),
        delta=delta,
    )
