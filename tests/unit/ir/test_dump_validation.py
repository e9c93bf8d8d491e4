"""The printed intermediate representation, and the invariants that every claim must satisfy."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pfl.base.epsilon import Epsilon
from pfl.base.rational_function import RationalFunction
from pfl.model.claims import Case, Claim, Origin, Search
from pfl.model.compare import Compare, Side, Table
from pfl.model.labelled_system import LabelledSystem
from pfl.model.measure import Measure, Observed
from pfl.model.parameters import Condition, Parameter, ParameterSpace
from pfl.model.text.model_text import model_text
from pfl.model.validation.validation import Malformed, Validation, claim_faults, system_faults

ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
EVENLY = ((0, HALF), (1, HALF))
P = RationalFunction.parameter("p")
SPACE = ParameterSpace(
    parameters=(Parameter(name="p", low=Fraction(0), high=ONE, low_open=True, high_open=True),),
    assumptions=((Condition(polynomial=P - HALF, relation="<=", text="p <= 1/2"),),),
)


def system(weight: Any = QUARTER) -> LabelledSystem:
    return LabelledSystem(
        states=("well", "sick"),
        letters=("quiet", "cough"),
        matrices=((((0, 1 - weight),), ((1, weight),)), (((0, weight),), ((1, 1 - weight),))),
    )


def side(label: str, *start: Fraction) -> Side:
    return Side(label=label, vector=start)


def question(model: LabelledSystem, **changes: Any) -> Compare:
    table = Table.of_pair(
        model,
        [
            replace(
                side("well", ONE, Fraction(0)), nonzero=(Condition(polynomial=P, relation="!=", text="p is not 0"),)
            ),
            side("sick", Fraction(0), ONE),
        ],
        epsilon=Epsilon.ln(Fraction(3)),
        prior="independent(p)",
        bindings=(("a", "0"),),
    )
    asked = Compare(goal="check", tables=(table,), lengths=(1, 2), parameters=SPACE)
    return replace(asked, **changes)


def claim(name: str, asked: Any, expected: Any = "proved") -> Claim:
    return Claim(
        name=name,
        verb="check",
        kind="pufferfish",
        subject="Flu",
        cases=(Case(question=asked),),
        origin=Origin(file="flu.pfl", line=3, column=1, end_line=5, end_column=2),
        expected=expected,
    )


def test_claims_and_systems_as_text() -> None:
    shared = system()
    likelihood = Measure(system=shared, start=EVENLY, quantity=Observed(word=(0, None), posterior=True))
    claims = [
        claim("c", question(shared)),
        claim("likely", likelihood, None),
        claim("belief", Search(names=("p",), claim=question(system(P)), objective=P, direction="minimise"), "found"),
    ]
    text = model_text(claims)
    assert text == EXPECTED


EXPECTED = """\
pfl model 1

system 1
  states [well, sick]
  letter quiet
    well -> well: 3/4
    sick -> sick: 1/4
  letter cough
    well -> well: 1/4
    sick -> sick: 3/4

parameters 1
  parameters [p in (0, 1)]
  assumptions [[(-1 + 2*p)/2 <= 0 as "p <= 1/2"]]

claim
  name c
  verb check
  kind pufferfish
  subject Flu
  origin "flu.pfl" from 3:1 to 5:2
  expected proved
  cases
    case
      question compare
        goal check
        tables
          table
            compared system 1
            sides [well {well: 1} where [p != 0 as "p is not 0"], sick {sick: 1}]
            pairs [(0, 1)]
            epsilon ln(3)
            prior "independent(p)"
            bindings [(a, "0")]
        lengths [1, 2]
        parameters parameters 1

claim
  name likely
  verb check
  kind pufferfish
  subject Flu
  origin "flu.pfl" from 3:1 to 5:2
  expected nothing
  cases
    case
      question measure
        system system 1
        start {well: 1/2, sick: 1/2}
        quantity observed
          word [0, nothing]
          posterior yes

system 2
  states [well, sick]
  letter quiet
    well -> well: 1 - p
    sick -> sick: p
  letter cough
    well -> well: p
    sick -> sick: 1 - p

claim
  name belief
  verb check
  kind pufferfish
  subject Flu
  origin "flu.pfl" from 3:1 to 5:2
  expected found
  cases
    case
      question search
        names [p]
        claim compare
          goal check
          tables
            table
              compared system 2
              sides [well {well: 1} where [p != 0 as "p is not 0"], sick {sick: 1}]
              pairs [(0, 1)]
              epsilon ln(3)
              prior "independent(p)"
              bindings [(a, "0")]
          lengths [1, 2]
          parameters parameters 1
        objective p
        direction minimise
"""


def test_what_is_well_formed_is_accepted() -> None:
    validation = Validation()
    for accepted in (claim("c", question(system())), claim("d", question(system(P)))):
        validation.require(accepted)


def test_a_broken_system_that_claims_share_is_the_fault_of_each() -> None:
    first, second = system().matrices
    broken_system = replace(system(), matrices=(first, tuple(() for _ in second)))
    validation = Validation()
    for name in ("c", "d"):
        with pytest.raises(Malformed, match=f"claim `{name}`: the weights of `well`"):
            validation.require(claim(name, question(broken_system)))


def broken(matrices: Any, **changes: Any) -> str:
    return next(system_faults(replace(system(), matrices=matrices, **changes)), "")


@pytest.mark.parametrize(
    ("quiet", "fault"),
    [
        ((((0, HALF),), ((1, QUARTER),)), "the weights of `well` over all letters sum to 3/4"),
        ((((0, HALF), (1, Fraction(0))), ((1, QUARTER),)), "is not positive"),
        ((((1, HALF), (0, QUARTER)), ((1, QUARTER),)), "not ascending"),
        ((((2, HALF),), ((1, QUARTER),)), "not ascending"),
        ((((0, P),), ((1, QUARTER),)), f"sum to {P + QUARTER}"),
    ],
)
def test_faults_of_systems(quiet: Any, fault: str) -> None:
    assert fault in broken((quiet, system().matrices[1]))


def test_an_input_may_not_have_more_than_mass_one() -> None:
    assert "for input 0 sum to 3/2" in broken(
        ((((0, ONE),), ((1, HALF),)), (((0, HALF),), ((1, HALF),))), stochastic=False, inputs=(0, 0)
    )
    assert broken(((((0, ONE),), ((1, ONE),)),) * 2, stochastic=False, inputs=(0, 1)) == ""


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"tables": ()}, "nothing to compare"),
        ({"lengths": ()}, "the lengths are empty"),
        ({"delta": None}, "delta must be given"),
        ({"goal": "epsilon"}, "epsilon must be given"),
    ],
)
def test_faults_of_claims(changes: dict[str, Any], fault: str) -> None:
    assert any(fault in found for found in claim_faults(claim("c", question(system(), **changes))))


@pytest.mark.parametrize(
    ("left", "fault"),
    [
        (side("well", ONE), "1 entries for 2 states"),
        (side("well", Fraction(2), -ONE), "negative entry"),
        (side("well", HALF, Fraction(0)), "has mass 1/2, its weight is 1"),
        (Side(label="well", vector=(Fraction(0),) * 2, weight=Fraction(0)), "has probability 0"),
    ],
)
def test_faults_of_sides(left: Side, fault: str) -> None:
    asked = question(system())
    bad = replace(asked, tables=(replace(asked.tables[0], sides=(left, asked.tables[0].sides[1])),))
    with pytest.raises(Malformed, match=fault):
        Validation().require(claim("c", bad))


def test_faults_of_likelihoods_and_finds() -> None:
    likelihood = Measure(system=system(), start=EVENLY, quantity=Observed(word=(5,), posterior=False))
    with pytest.raises(Malformed, match="a letter that the system does not have"):
        Validation().require(claim("c", likelihood))
    with pytest.raises(Malformed, match="no parameter of the claim"):
        Validation().require(claim("c", Search(names=("w",), claim=question(system(P)))))
