"""Numbers that are compared are told apart, and which parameter values a statement is about is plain."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import report_samples as samples

from pfl.base.enclosure import ln
from pfl.base.epsilon import Epsilon
from pfl.engines.answer import Bound, Computed, Ratio
from pfl.model.claims import Case
from pfl.model.compare import Compare
from pfl.model.measure import Requirement
from pfl.model.parameters import Parameter, ParameterSpace
from pfl.report.statement import above_exponential, contradicted_text, statement
from pfl.verify.verdict import Contradicted

NEAR_LN2 = Fraction("0.6931471805599453094172321214")
"""Below ln(2) by less than 10^-27."""


@pytest.mark.parametrize(
    ("ratio", "epsilon", "text"),
    [
        (Fraction(3), Epsilon.rational(Fraction(1)), "3  >  e^(1) = 2.718282"),
        (Fraction(4), Epsilon.ln(Fraction(2)), "4  >  2 = e^(ln(2))"),
        ("inf", Epsilon.rational(Fraction(1)), "inf  >  e^(1) = 2.718282"),
        (
            Fraction(11592129, 10**6) + Fraction(1, 3 * 10**8),
            Epsilon.ln(Fraction(11592129, 10**6)),
            "3477638701/300000000 = 11.592129003  >  11592129/1000000 = 11.592129 = e^(ln(11592129/1000000))",
        ),
        (
            Fraction(2),
            Epsilon.ln(2 - Fraction(1, 10**9)),
            "2  >  1999999999/1000000000 = 2 - 1e-9 = e^(ln(1999999999/1000000000))",
        ),
        (Fraction(2), Epsilon.rational(NEAR_LN2), f"2  >  e^({NEAR_LN2}) = 1.9999999999999999999999999999"),
    ],
)
def test_numbers_that_are_compared_do_not_look_equal(ratio: Ratio, epsilon: Epsilon, text: str) -> None:
    assert above_exponential(ratio, epsilon) == text


def test_a_power_that_no_shown_decimal_tells_from_the_ratio_has_none() -> None:
    epsilon = Epsilon.rational(ln(Fraction(2), 400).low)
    assert above_exponential(Fraction(2), epsilon).endswith(" digits))")


def test_what_a_check_compares_does_not_look_equal() -> None:
    required = Requirement(relation="at most", number=Fraction(11592129, 10**8))
    value = required.number + Fraction(1, 3 * 10**9)
    assert isinstance(value, Fraction)
    text = contradicted_text(Contradicted(engine="exact", value=value, required=required))
    assert text == "347763871/3000000000 = 0.1159212903 is not at most 11592129/100000000"


P = Parameter(name="p", low=Fraction(0), high=Fraction(1), low_open=True, high_open=True)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound(ratio="inf", lower="inf", upper="inf"), "infinite: no one epsilon holds for every p in (0, 1)"),
        (
            Bound(ratio="inf", lower="inf", upper="inf", attained=False, limit_at="p -> 0"),
            "infinite as p -> 0: no one epsilon holds for every p in (0, 1)",
        ),
        (
            Bound(ratio="unbounded", lower=Fraction(8), upper=None),
            "unbounded: no one epsilon holds for every length and every p in (0, 1)",
        ),
        (Bound(ratio=Fraction(1), lower=Fraction(1), upper=Fraction(1)), "0 over p in (0, 1)"),
        (
            Bound(ratio=Fraction(2), lower=Fraction(2), upper=Fraction(2), attained=False, limit_at="p -> 0"),
            "ln(2) = 0.693147 over p in (0, 1), not attained: the ratio tends to 2 as p -> 0",
        ),
    ],
)
def test_epsilons_under_parameters(bound: Bound, text: str) -> None:
    result = samples.computed_epsilon()
    assert isinstance(result.claim.question, Compare)
    asked = replace(result.claim.question, parameters=ParameterSpace(parameters=(P,)))
    verdict = Computed(engine="exact", bound=bound)
    assert (
        statement(replace(result, claim=replace(result.claim, cases=(Case(question=asked),)), verdict=verdict)) == text
    )


def test_a_delta_under_parameters_is_the_largest() -> None:
    result = samples.computed_epsilon()
    assert isinstance(result.claim.question, Compare)
    asked = replace(result.claim.question, goal="delta", parameters=ParameterSpace(parameters=(P,)))
    bound = Bound(ratio=None, lower=None, upper=None, attained=False, limit_at="p -> 1")
    verdict = Computed(engine="exact", value=Fraction(1, 2), bound=bound)
    text = statement(replace(result, claim=replace(result.claim, cases=(Case(question=asked),)), verdict=verdict))
    assert text == "1/2 = 0.5 over p in (0, 1), not attained: it is approached as p -> 1"
