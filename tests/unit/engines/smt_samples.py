"""The flu survey as labelled systems: how many of two people are sick, reported through the 1/2-geometric mechanism."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Case, Claim, Origin
from pfl.model.compare import Compare, Lengths, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.parameters import Condition, Parameter, ParameterSpace

F = Fraction
P = RationalFunction.parameter("p")
GEOMETRIC = ((F(2, 3), F(1, 6), F(1, 6)), (F(1, 3), F(1, 3), F(1, 3)), (F(1, 6), F(1, 6), F(2, 3)))
UNIT = ParameterSpace(parameters=(Parameter(name="p", low=F(0), high=F(1), low_open=True, high_open=True),))

SURVEY = LabelledSystem(
    states=("none", "one_sick", "both"),
    letters=("zero", "one", "two"),
    matrices=tuple(tuple(((state, GEOMETRIC[state][letter]),) for state in range(3)) for letter in range(3)),
)
COMMUTE = LabelledSystem(
    states=("well", "sick"),
    letters=("quiet", "cough"),
    matrices=tuple(
        tuple(
            tuple((after, shows * (F(17, 20) if after == before else F(3, 20))) for after in (0, 1))
            for before, shows in enumerate(row)
        )
        for row in ((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    ),
)
NONE = Side(label="0 sick", vector=(F(1), F(0), F(0)))
ONE = Side(label="1 sick", vector=(F(0), F(1), F(0)))
BOTH = Side(label="2 sick", vector=(F(0), F(0), F(1)))
ANYONE = Side(label="true", vector=((1 - P) ** 2, 2 * P * (1 - P), P**2))
JOHN = Side(label="john", vector=(F(0), P * (1 - P), P**2), weight=P)
NOT_JOHN = Side(label="not john", vector=((1 - P) ** 2, P * (1 - P), F(0)), weight=1 - P)
WEIGHTS = (
    Condition(polynomial=P, relation="!=", text="Pr(john) is not 0"),
    Condition(polynomial=1 - P, relation="!=", text="Pr(not john) is not 0"),
)


def check(
    left: Side,
    right: Side,
    epsilon: Epsilon,
    lengths: Lengths = (1,),
    system: LabelledSystem = SURVEY,
    space: ParameterSpace | None = None,
) -> Compare:
    """A check of two sides; parameters are those of the sides, between 0 and 1, unless a space is given."""
    symbolic = any(isinstance(number, RationalFunction) for side in (left, right) for number in side.vector)
    left = replace(left, nonzero=WEIGHTS if symbolic else ())
    table = Table.of_pair(system, [left, right], epsilon=epsilon)
    parameters = space or (UNIT if symbolic else ParameterSpace())
    return Compare(goal="check", tables=(table,), lengths=lengths, parameters=parameters)


def claim(question: Compare, name: str = "contagious") -> Claim:
    return Claim(
        name=name,
        verb="check",
        kind="pufferfish",
        subject="Survey",
        cases=(Case(question=question),),
        origin=Origin(file="flu.pfl", line=21, column=1, end_line=21, end_column=9),
        expected=None,
    )
